// arrivals: an HTTP/1.1 server that answers 200 to everything and notes when each
// request arrived, to check a load generator's claims from outside.
//
//	arrivals PORT FILE CAPACITY [stamps]
//
// On SIGTERM it writes FILE: the CLOCK_MONOTONIC instant of each request in
// nanoseconds, one a line, in order of arrival, then exits. One thread, epoll;
// instants go to memory that was touched before, so that noting one costs nothing.
// With stamps a second number follows: when the kernel had received it. A server that
// had to wait for its processor finds several requests at once, however well apart
// they came.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FD = 65536, MAX_REQUEST = 8192, EVENTS = 256 };

static const char answer[] =
	"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";

static volatile sig_atomic_t stopped;
static int stamps;

static struct conn {
	int used;
	char bytes[MAX_REQUEST];
} *conns[MAX_FD];

static void on_term(int sig)
{
	(void)sig;
	stopped = 1;
}

static uint64_t ns(struct timespec t)
{
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return ns(t);
}

static int listen_on(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 4096)) {
		perror("listen");
		exit(1);
	}
	return fd;
}

static void accept_all(int ep, int listener)
{
	int fd, one = 1;
	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
		if (fd >= MAX_FD) {
			close(fd);
			continue;
		}
		if (!conns[fd])
			conns[fd] = malloc(sizeof *conns[fd]);
		conns[fd]->used = 0;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		if (stamps)
			setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
		epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
	}
}

// requests answers every complete request that has been read; bodies are not
// expected. It returns how many there were.
static int requests(int fd, struct conn *c)
{
	char *start = c->bytes, *end = c->bytes + c->used, *blank;
	int n = 0;
	while ((blank = memmem(start, end - start, "\r\n\r\n", 4))) {
		start = blank + 4;
		if (write(fd, answer, sizeof answer - 1) < 0 && errno != EAGAIN)
			break;
		n++;
	}
	memmove(c->bytes, start, end - start);
	c->used = end - start;
	return n;
}

// receive reads, and tells when the kernel had received the last byte of it.
static ssize_t receive(int fd, char *bytes, size_t room, uint64_t *came)
{
	char control[64];
	struct iovec piece = {bytes, room};
	struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	ssize_t got = recvmsg(fd, &m, 0);
	struct cmsghdr *h = got > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	struct timespec t;
	if (h && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_TIMESTAMPNS) {
		memcpy(&t, CMSG_DATA(h), sizeof t);
		*came = ns(t);
	}
	return got;
}

int main(int argc, char **argv)
{
	if (argc != 4 && !(argc == 5 && !strcmp(argv[4], "stamps"))) {
		fprintf(stderr, "usage: arrivals PORT FILE CAPACITY [stamps]\n");
		return 2;
	}
	stamps = argc == 5;
	size_t capacity = strtoull(argv[3], NULL, 10), seen = 0;
	uint64_t *at = malloc(capacity * sizeof *at);
	uint64_t *came = malloc(capacity * sizeof *came);
	uint64_t wall = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);
	memset(at, 1, capacity * sizeof *at);
	if (stamps)
		memset(came, 1, capacity * sizeof *came);
	struct sigaction term = {.sa_handler = on_term};
	sigaction(SIGTERM, &term, NULL);
	signal(SIGPIPE, SIG_IGN);

	int listener = listen_on(atoi(argv[1])), ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, events[EVENTS];
	epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e);
	printf("ready\n");
	fflush(stdout);

	while (!stopped) {
		int n = epoll_wait(ep, events, EVENTS, -1);
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			if (fd == listener) {
				accept_all(ep, listener);
				continue;
			}
			struct conn *c = conns[fd];
			uint64_t k = 0;
			size_t room = MAX_REQUEST - c->used;
			ssize_t got = stamps ? receive(fd, c->bytes + c->used, room, &k) : read(fd, c->bytes + c->used, room);
			if (got <= 0) {
				if (got == 0 || errno != EAGAIN)
					close(fd);
				continue;
			}
			uint64_t t = now(CLOCK_MONOTONIC);
			c->used += got;
			for (int n = requests(fd, c); n > 0 && seen < capacity; n--) {
				at[seen] = t;
				if (stamps)
					came[seen] = k ? k - wall : t;
				seen++;
			}
		}
	}

	FILE *f = fopen(argv[2], "w");
	if (!f) {
		perror(argv[2]);
		return 1;
	}
	for (size_t i = 0; i < seen; i++)
		if (stamps)
			fprintf(f, "%llu %llu\n", (unsigned long long)at[i], (unsigned long long)came[i]);
		else
			fprintf(f, "%llu\n", (unsigned long long)at[i]);
	return fclose(f) ? 1 : 0;
}

// Package retry decides whether an attempt that failed is followed by another, and
// when: attempts, backoff and jitter, what may be sent again, budgets, and a
// circuit breaker.
//
// It makes one noun, the [Retrier], from a [Policy], which is a line of text:
//
//	attempts=3 backoff=exponential base=500ms                            every caller comes back at the same instants
//	attempts=3 backoff=exponential base=500ms jitter=full budget=20%+10/s
//	attempts=5 backoff=decorrelated base=1s cap=8s budget=grpc:10/0.1 breaker=50%/10s
//
// attempts counts the first try as well: three attempts are two retries.
//
// Limits: it has no clock and makes no chance, both are handed in. It keeps nothing
// of an operation: an operation's delays depend on its number alone, not on the
// order of answers, so a live run and a simulated one back off alike. Overall
// deadlines are the engine's; the Retrier knows them only so as not to spend
// budget on an attempt that would come too late. Budgets and breaker are those of
// one shard; [Policy.Share] splits them.
package retry

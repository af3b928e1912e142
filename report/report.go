package report

import (
	"fmt"
	"time"
)

// Schema names version 1 of the document. Changes within it only add.
const Schema = "openload/report/v1"

// A Report is one run's or one file's result. Durations are integers in
// nanoseconds; a pointer is null where the value is unknown or does not exist.
type Report struct {
	Schema     string      `json:"schema"`
	Tool       Tool        `json:"tool"`
	Plan       Plan        `json:"plan"`
	Schedule   *Schedule   `json:"schedule"` // null for a closed loop or a file
	Run        Run         `json:"run"`
	Correction Correction  `json:"correction"`
	Counts     Counts      `json:"counts"`
	Rate       *Rate       `json:"rate"` // null where the model offers none: closed loops, bursts
	Latency    Latency     `json:"latency"`
	Phases     []Phase     `json:"phases,omitempty"`  // where the corrected time went; absent where no phases were seen
	Targets    []Target    `json:"targets,omitempty"` // of a run that has several
	Stages     []Stage     `json:"stages,omitempty"`  // the plan's phases, if it names them
	Warmup     *Warmup     `json:"warmup,omitempty"`  // what was sent and not judged
	Network    *Network    `json:"network,omitempty"` // absent where nothing was connected to
	Series     []Window    `json:"series"`
	Flow       *Flow       `json:"flow,omitempty"`
	Heat       *Heat       `json:"heat,omitempty"`
	Worst      []Operation `json:"worst,omitempty"` // the operations that took longest, the longest first
	Retries    *Retries    `json:"retries"`         // null without a retry policy
	Peaks      *Peaks      `json:"peaks"`           // null for a file
	SLA        []Rule      `json:"sla"`
	Verdict    string      `json:"verdict"`            // pass, fail, invalid, inconclusive, none
	Reasons    []Reason    `json:"reasons"`            // why the verdict is what it is
	Notes      []Reason    `json:"notes"`              // what a reader should know besides
	Evidence   *Evidence   `json:"evidence,omitempty"` // of a run: what else the verdict rests on
	File       *File       `json:"file,omitempty"`     // of a file's report
}

// Tool is the program that made the report.
type Tool struct {
	Version string `json:"version"`
}

// Plan is what was asked for, with secrets redacted.
type Plan struct {
	Model            string        `json:"model"` // open, closed, or file for an imported sample
	Method           string        `json:"method,omitempty"`
	URL              string        `json:"url,omitempty"`
	Hosts            []string      `json:"hosts,omitempty"`   // of several; connections are then those to each
	Server           string        `json:"server,omitempty"`  // the simulated server's description
	Connections      int           `json:"connections"`       // 0: automatic
	ConnectionsLimit int           `json:"connections_limit"` // what was in force; 0: none
	Timeout          time.Duration `json:"timeout_ns"`
	ConnectTimeout   time.Duration `json:"connect_timeout_ns"`
	Deadline         time.Duration `json:"deadline_ns"`
	Drain            time.Duration `json:"drain_ns"`
	Backlog          int           `json:"backlog"`
	Expect           string        `json:"expect_status"`
	Insecure         bool          `json:"insecure"`
	NoKeepalive      bool          `json:"no_keepalive"`
	Network          []string      `json:"network,omitempty"` // flags that say how connections were made, -k among them
	Closed           *Closed       `json:"closed"`
	Confidence       float64       `json:"confidence"`
	Command          string        `json:"command,omitempty"` // how to run it again
}

// Closed is the closed loop's part of the plan.
type Closed struct {
	Rate    string        `json:"rate,omitempty"`
	Think   time.Duration `json:"think_ns"`
	Skipped uint64        `json:"skipped"` // slots that passed while a worker waited
}

// Schedule identifies the arrivals.
type Schedule struct {
	Law         string        `json:"law"`
	Description string        `json:"description"`
	Seed        uint64        `json:"seed"`
	SHA256      string        `json:"sha256"`
	Length      time.Duration `json:"length_ns"`
}

// Run is how it went.
type Run struct {
	Started     time.Time     `json:"started"`
	Duration    time.Duration `json:"duration_ns"` // from the epoch to the last answer; if interrupted, to the end
	Interrupted bool          `json:"interrupted"`
	Aborted     bool          `json:"aborted,omitempty"` // it sent no more once a rule could not be kept any more
	Engine      string        `json:"engine"`            // portable, loop, sim, or file
	Threads     int           `json:"threads,omitempty"` // that sent, each a share; absent where time was virtual
	Pace        string        `json:"pace,omitempty"`    // of the loop: precise, balanced, frugal
	ReadAudit   *ReadAudit    `json:"read_audit,omitempty"`
	Machine     string        `json:"machine,omitempty"` // that sent, in words; absent where time was virtual
}

// Sender is what sent the requests, in words.
func (r Run) Sender() string {
	if r.Threads < 2 {
		return r.Engine
	}
	return fmt.Sprintf("%s, %d threads", r.Engine, r.Threads)
}

// Correction says what was done to the samples, so that nobody does it again.
type Correction struct {
	Method    string         `json:"method"` // intended, backfill, schedule, queue, none
	Interval  *time.Duration `json:"interval_ns"`
	Synthetic uint64         `json:"synthetic"`
	Source    string         `json:"source"` // where the intended times or the interval came from
}

// Counts is the balance: scheduled = fired + dropped, and fired = ok + bad_status +
// errors + timed_out + unfinished + blocked.
type Counts struct {
	Planned           *uint64           `json:"planned"` // null where only time ends the run
	Scheduled         uint64            `json:"scheduled"`
	Fired             uint64            `json:"fired"`
	Dropped           uint64            `json:"dropped"`
	Sent              uint64            `json:"sent"`
	OK                uint64            `json:"ok"`
	BadStatus         uint64            `json:"bad_status"`
	Errors            map[string]uint64 `json:"errors"`
	TimedOut          uint64            `json:"timed_out"`
	Timeouts          map[string]uint64 `json:"timeouts"` // timed_out by what ran out: timeout, connect_timeout, deadline
	Unfinished        uint64            `json:"unfinished"`
	Blocked           uint64            `json:"blocked"` // never fired: the circuit breaker was open
	Unknown           uint64            `json:"unknown"` // of the failures, those that may have had their effect
	Attempts          uint64            `json:"attempts"`
	AttemptsSent      uint64            `json:"attempts_sent"` // with resent, what the server saw
	Resent            uint64            `json:"resent"`
	Status            map[string]uint64 `json:"status"`
	ConnectionsOpened *uint64           `json:"connections_opened"`
	MaxConnections    *int              `json:"max_connections"`
	MaxBacklog        *int              `json:"max_backlog"` // operations that waited at once; null of a part, and of a file of attempts
	LateAnswers       *uint64           `json:"answered_after_last_arrival"`
}

// Rate compares what was asked with what left, over the operations dispatched.
type Rate struct {
	Asked   float64 `json:"asked_per_s"`
	Offered float64 `json:"offered_per_s"`
}

// Latency holds the readings; null where one does not exist for this run.
type Latency struct {
	Corrected   *Dist `json:"corrected"`
	Raw         *Dist `json:"raw"`
	ClosedLoop  *Dist `json:"closed_loop"`
	Queue       *Dist `json:"queue"`
	CorrectedOK *Dist `json:"corrected_ok"`
	LessLag     *Dist `json:"corrected_less_lag"`
	LessWait    *Dist `json:"corrected_less_lag_and_wait,omitempty"` // where a FAIL must hold without the wait for connections
	Settled     *Dist `json:"settled"`
	Lag         *Dist `json:"lag"`
	Wait        *Dist `json:"wait"`
}

// Dist is one reading. A percentile that lands among the failures is null.
type Dist struct {
	N      uint64         `json:"n"`
	Failed uint64         `json:"failed"`
	Min    *time.Duration `json:"min_ns"`
	Mean   *time.Duration `json:"mean_ns"`
	Max    *time.Duration `json:"max_ns"`
	P50    *time.Duration `json:"p50_ns"`
	P90    *time.Duration `json:"p90_ns"`
	P95    *time.Duration `json:"p95_ns"`
	P99    *time.Duration `json:"p99_ns"`
	P999   *time.Duration `json:"p99_9_ns"`

	// Histogram is the durations up to an hour in nanoseconds, to three digits and
	// without the failures: HdrHistogram's compressed V2 encoding in base64. Readings
	// of our own lateness don't have it.
	Histogram string `json:"histogram,omitempty"`

	// What else a distribution counts with, for those who go on counting.
	Sum     *uint64        `json:"sum_ns,omitempty"`     // of the durations
	Slowest *time.Duration `json:"slowest_ns,omitempty"` // the greatest duration, where failures rank above it
	Over    []Over         `json:"over,omitempty"`       // exact counts by limit
}

// Over says how many values reach a limit, failures included.
type Over struct {
	Limit time.Duration `json:"limit_ns"`
	N     uint64        `json:"n"`
}

// Window is one stretch of the run, cut by intended time.
type Window struct {
	At           time.Duration  `json:"t_ns"`
	Width        time.Duration  `json:"width_ns"`
	Scheduled    uint64         `json:"scheduled"`
	Sent         uint64         `json:"sent"`
	OK           uint64         `json:"ok"`
	Backlog      int            `json:"backlog"`
	Out          int            `json:"out"` // most attempts under way, seen at the window's arrivals
	OldestWait   time.Duration  `json:"oldest_wait_ns"`
	Failed       uint64         `json:"failed"`           // settled without success, or dropped
	CorrectedMax *time.Duration `json:"corrected_max_ns"` // of successes; null if there were none
	CorrectedP99 *time.Duration `json:"corrected_p99_ns"`
	RawP99       *time.Duration `json:"raw_p99_ns"`
}

// Rule is one rule's outcome. Value is in ns for a latency (value_ns) and a plain
// number for a share or ratio (value).
type Rule struct {
	Rule       string         `json:"rule"`
	ValueNS    *time.Duration `json:"value_ns"`
	Value      *float64       `json:"value"`
	Over       *uint64        `json:"over"`    // values at or over the limit
	Allowed    *uint64        `json:"allowed"` // how many there may be
	Of         uint64         `json:"of"`      // size of the set judged
	Episodes   *uint64        `json:"episodes"`
	Pass       bool           `json:"pass"`    // it holds for what was measured, our own lateness counted in
	Outcome    string         `json:"outcome"` // pass, fail, invalid or inconclusive: with all that may not be the target's fault
	RawValueNS *time.Duration `json:"raw_value_ns"`
	RawPass    *bool          `json:"raw_pass"`
	ClosedPass *bool          `json:"closed_loop_pass"`
	ClosedNS   *time.Duration `json:"closed_loop_value_ns"`
	Flipped    bool           `json:"flipped"` // raw or the closed-loop row passes, the rule itself fails
}

// Reason is a cause or a note: a stable code and a sentence.
type Reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

package source

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fuzzFormat feeds mutations of the seeds to one format, whether they still look
// like it or not: nothing panics or runs away, and what comes out keeps every
// promise that this package makes, whatever the buffer's size.
func fuzzFormat(f *testing.F, name string, opt Options, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	opt.MaxRecord = 1 << 20
	f.Fuzz(func(t *testing.T, in []byte) {
		opt := opt
		strict := readAs(in, name, opt)
		tiny := readTiny(in, name, opt)
		require.Equal(t, strict.err == nil, tiny.err == nil, "%v, %v", strict.err, tiny.err)
		require.Equal(t, strict.rows, tiny.rows)
		if f := fileAs(in, name, opt); f != nil {
			require.Equal(t, momentsOf(strict.rows), drainBatches(f))
		}
		opt.careful = true
		careful := readAs(in, name, opt)
		opt.careful = false
		require.Equal(t, careful.err, strict.err)
		require.Equal(t, careful.rows, strict.rows)
		require.Equal(t, strict.buckets, tiny.buckets)
		opt.Lenient = true
		for _, got := range []reading{strict, readAs(in, name, opt)} {
			keepsPromises(t, got)
		}
	})
}

func readAs(in []byte, name string, opt Options) reading {
	f, _, err := unwrap(bytes.NewReader(in), opt)
	if err != nil {
		return reading{err: err}
	}
	if f, err = f.as(formatNamed(name)); err != nil {
		return reading{err: err}
	}
	return drain(f)
}

// fileAs is nil if readAs has an error already.
func fileAs(in []byte, name string, opt Options) *File {
	f, _, err := unwrap(bytes.NewReader(in), opt)
	if err != nil {
		return nil
	}
	f, _ = f.as(formatNamed(name))
	return f
}

func keepsPromises(t *testing.T, got reading) {
	if got.f == nil {
		require.Less(t, len(got.err.Error()), 2000)
		return
	}
	for _, r := range got.rows {
		require.True(t, r.Latency >= 0 && int64(r.Latency) <= longest, "%+v", r)
		require.True(t, r.End == NoTime || r.End-r.Start == r.Latency, "%+v", r)
		require.True(t, r.Line >= 1, "%+v", r)
		require.True(t, r.Status >= 0 && r.Status <= math.MaxUint16, "%+v", r)
		require.Equal(t, r.Known && !r.OK || !r.Known && r.Class != 0, r.Class != 0, "%+v", r)
	}
	var sum int64
	for _, b := range got.buckets {
		require.True(t, b.Low >= 0 && b.Low <= b.High && b.Count > 0 && b.Failed >= 0 && b.Failed <= b.Count, "%+v", b)
		if sum += b.Count; sum < 0 {
			sum = math.MaxInt64
		}
	}
	if !got.f.Histogram() {
		sum = int64(len(got.rows))
	}
	require.Equal(t, sum, got.f.Tally().Rows)
	if got.err != nil {
		require.Less(t, len(got.err.Error()), 2000)
	}
}

func FuzzOwnCSV(f *testing.F) {
	fuzzFormat(f, "openload CSV", Options{}, hand("openload csv"), hand("openload closed csv"))
}

// hand returns a handmade file.
func hand(name string) []byte { return handmade[name].in }

func FuzzHey(f *testing.F) {
	fuzzFormat(f, "hey CSV", Options{}, sample(f, "hey/fmt-hey-c1-q12.5-stall2s.csv")[:600], txt(heyHead, "0.0079,0,0,0,0,0", `"0.1", 1,2,3,4,5`))
}

func FuzzVegetaCSV(f *testing.F) {
	fuzzFormat(f, "vegeta CSV", Options{}, sample(f, "vegeta/fmt-vegeta-connrefused.csv"), sample(f, "vegeta/fmt-vegeta-rate12-maxworkers1.csv")[:700], txt("1796004306631709003,200,13463823,0,6,"))
}

func FuzzVegetaJSON(f *testing.F) {
	fuzzFormat(f, "vegeta JSON", Options{}, sample(f, "vegeta/fmt-vegeta-rate12-maxworkers1.json")[:1000])
}

func FuzzVegetaGob(f *testing.F) {
	gob := sample(f, "vegeta/fmt-vegeta-rate12-maxworkers1.gob")
	fuzzFormat(f, "vegeta gob", Options{}, gob[:900], append(bytes.Clone(gob[:729]), gob[:729]...))
}

func FuzzK6CSV(f *testing.F)  { fuzzFormat(f, "k6 CSV", Options{}, hand("k6 csv")) }
func FuzzK6JSON(f *testing.F) { fuzzFormat(f, "k6 JSON", Options{}, hand("k6 json")) }
func FuzzOha(f *testing.F)    { fuzzFormat(f, "oha CSV", Options{}, hand("oha csv")) }

func FuzzJMeterCSV(f *testing.F) {
	fuzzFormat(f, "JMeter CSV", Options{TZ: time.FixedZone("CET", 3600)}, sample(f, "jmeter/fmt-jmeter213-csv-2threads-tx.jtl")[:900], hand("jmeter dates"))
}

func FuzzJMeterXML(f *testing.F) {
	fuzzFormat(f, "JMeter XML", Options{}, sample(f, "jmeter/fmt-jmeter213-xml-parent-tx.jtl")[:1200])
}

func FuzzAB(f *testing.F) {
	fuzzFormat(f, "ab -g", Options{}, sample(f, "ab/fmt-ab-n200-c2-gnuplot.tsv")[:500])
}

func FuzzH2load(f *testing.F) {
	fuzzFormat(f, "h2load log", Options{}, sample(f, "h2load/fmt-h2load-h1-c2-rps25.tsv")[:400], txt("1796004266736191\t-1\t3889\tx"))
}

func FuzzFortioJSON(f *testing.F) {
	fuzzFormat(f, "fortio access log", Options{}, sample(f, "fortio/fmt-fortio-access.jsonl")[:600])
}

func FuzzFortioInflux(f *testing.F) {
	fuzzFormat(f, "fortio access log (Influx)", Options{}, hand("fortio influx"))
}

func FuzzFortioResult(f *testing.F) {
	fuzzFormat(f, "fortio result", Options{}, sample(f, "fortio/fmt-fortio-nocatchup.json"))
}

func FuzzGhzJSON(f *testing.F) {
	in := sample(f, "ghz/fmt-ghz-c1-rps20.json")
	fuzzFormat(f, "ghz JSON", Options{}, in[:2200], []byte(`{"options":{"rps":20,"concurrency":1},"rps":1,"details":[{"timestamp":"2026-11-30T02:18:18.443397127Z","latency":4181625,"error":"","status":"OK"}]}`))
}

func FuzzGhzCSV(f *testing.F) { fuzzFormat(f, "ghz CSV", Options{}, sample(f, "ghz/fmt-ghz-c1.csv")) }
func FuzzGhzInflux(f *testing.F) {
	fuzzFormat(f, "ghz details (Influx)", Options{}, hand("ghz influx"))
}

func FuzzGatling(f *testing.F) {
	fuzzFormat(f, "Gatling log", Options{}, hand("gatling 1"), hand("gatling 2.0"), hand("gatling 2.3"), hand("gatling 3.0"), hand("gatling 3.4"))
}

func FuzzGatlingBinary(f *testing.F) {
	fuzzFormat(f, "Gatling binary log", Options{}, hand("gatling binary"), hand("gatling binary no coder"))
}

func FuzzSiege(f *testing.F) {
	fuzzFormat(f, "siege -v", Options{}, sample(f, "siege/fmt-siege-v-lines.txt")[:900], hand("siege csv"))
}

func FuzzHdrLog(f *testing.F) {
	fuzzFormat(f, "HdrHistogram log", Options{Unit: time.Nanosecond}, sample(f, "hdr/fmt-java2.1.11-tagged.hlog"), sample(f, "hdr/java2.1.11-shifted.hlog"), hlog(packOld(0, 2, 3, []int64{0, 1, 2}), packOld(1, 4, 2, []int64{0, 1, 2})))
}

// The payload's own bytes, behind base64 and zlib which no mutation survives.
func FuzzHdrPayload(f *testing.F) {
	f.Add(append(bytes.Repeat([]byte{0}, 40), 0x02))
	f.Fuzz(func(t *testing.T, in []byte) {
		inner := bytes.Clone(in) // the fuzzer's own must stay
		for _, cookie := range []uint32{packedV0, packedV1, packedV2} {
			for i, c := range []byte{0x1c, 0x84, 0x93, map[uint32]byte{packedV0: 0x28, packedV1: 0x41, packedV2: 0x13}[cookie]} {
				if i < len(inner) {
					inner[i] = c
				}
			}
			keepsPromises(t, read(hlog(pack(cookie, inner)), Options{Unit: time.Nanosecond}))
		}
	})
}

func FuzzSpectrum(f *testing.F) {
	fuzzFormat(f, "HdrHistogram percentiles", Options{Unit: time.Millisecond}, sample(f, "hdr/fmt-java-percentiles.txt")[:700], sample(f, "hdr/java2.1.11-percentiles.csv")[:300])
}

func FuzzWrk2(f *testing.F) {
	fuzzFormat(f, "wrk2", Options{}, sample(f, "wrk2/fmt-wrk2-c1-R50-d15-L-U.txt")[:1200])
}

func FuzzJSONLog(f *testing.F) {
	fuzzFormat(f, "JSON access log", Options{TimeField: "request_time", Unit: time.Second}, sample(f, "accesslog/fmt-nginx-json.jsonl")[:700])
}

func FuzzTextLog(f *testing.F) {
	fuzzFormat(f, "access log", Options{TimeField: "-1", Unit: time.Microsecond}, hand("apache"), hand("nginx text"), hand("envoy"))
}

func FuzzEnvoy(f *testing.F) { fuzzFormat(f, "access log", Options{}, hand("envoy")) }

func FuzzPlain(f *testing.F) {
	fuzzFormat(f, "plain numbers", Options{}, hand("plain"), txt("100.21ms", "1m2.5s", "3µs"), txt("NaN", "-1s"))
}

// Open itself, with every format's seed.
func FuzzOpen(f *testing.F) {
	for _, s := range formatsOf(f) {
		f.Add(s.in[:min(len(s.in), 1500)])
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		keepsPromises(t, read(in, Options{Unit: time.Millisecond, TimeField: "1", MaxRecord: 1 << 20}))
		keepsPromises(t, read(in, Options{Lenient: true, MaxRecord: 1 << 20}))
	})
}

package source

import (
	"bytes"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// heyLike draws a file that is nearly hey's: mostly usual rows, and between them what
// only the careful way can read, or must refuse.
func heyLike(t *rapid.T) []byte {
	column := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"0.0000", "0.0123", "1.9999", "9.9999"}).Draw(t, "text")
	})
	odd := rapid.SampledFrom([]string{
		"10.0000", "", "0.1", "0.12345", "-0.100", "NaN", " 0.0100", `"0.01"`, "0,0100", "0.0100,", "0x0100", "a.bcde", "?.????", "1e-300", "\x00.\x00\x00\x00\x00", "0.0\n00", "99999999.0000", "123.4567",
	})
	status := rapid.SampledFrom([]string{"200", "200", "200", "503", "404", "301", "999", "100", "099", "20", "2000", "abc", "\x00\x00\x00", ""})
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\r\r\n", "\n\n", "\r"})
	header := heyHead + ",status-code,offset"
	var b bytes.Buffer
	b.WriteString(header + "\n")
	strange := rapid.IntRange(0, 3).Draw(t, "strange") == 0
	at := rapid.IntRange(0, 12_000_000).Draw(t, "start") * rapid.SampledFrom([]int{1, 10_000}).Draw(t, "scale")
	for i := range rapid.IntRange(0, 300).Draw(t, "rows") {
		at += rapid.IntRange(0, 2000).Draw(t, "step")
		f := make([]string, 8)
		for i := range f[:6] {
			f[i] = column.Draw(t, "column")
		}
		f[6], f[7] = "200", fmt.Sprintf("%d.%04d", at/10_000, at%10_000)
		br := "\n"
		switch rapid.IntRange(0, 40).Draw(t, "kind") {
		case 0:
			if strange {
				f[rapid.IntRange(0, 7).Draw(t, "which")] = odd.Draw(t, "odd")
			}
		case 1:
			f[0] = rapid.SampledFrom([]string{"10.0000", "0.1", "0.12345", "123.4567"}).Draw(t, "long")
		case 2:
			if f[6] = "503"; strange {
				f[6] = status.Draw(t, "status")
			}
		case 3:
			br = end.Draw(t, "end")
		case 4:
			if i%4 == 0 {
				b.WriteString(header + "\n")
			}
		}
		for i, f := range f {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(f)
		}
		b.WriteString(br)
	}
	whole := b.Bytes()
	return whole[:len(whole)-rapid.SampledFrom([]int{0, 0, 0, 1, 3, 30}).Draw(t, "cut")%len(whole)]
}

// However a file of hey's is read, the same comes out: rows, lines, counts, notes and
// what is wrong with it.
func TestHeyQuickIsCareful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := heyLike(t)
		opt := Options{Lenient: rapid.Bool().Draw(t, "lenient")}
		quick := read(in, opt)
		split := readFrom(iotest.OneByteReader(bytes.NewReader(in)), opt)
		opt.careful = true
		careful := read(in, opt)
		for _, got := range []reading{quick, split} {
			require.Equal(t, careful.err, got.err)
			for i := range min(len(careful.rows), len(got.rows)) {
				require.Equal(t, careful.rows[i], got.rows[i], "%q", bytes.Split(in, lf)[got.rows[i].Line-1])
			}
			require.Len(t, got.rows, len(careful.rows))
			if careful.f != nil {
				require.Equal(t, careful.f.Tally(), got.f.Tally())
				require.Equal(t, careful.f.Notes(), got.f.Notes())
			}
		}
		opt.careful = false
		moments, _ := batched(in, opt)
		require.Equal(t, momentsOf(careful.rows), moments)
	})
}

// placed is a moment and the run that it belongs to.
type placed struct {
	Moment
	run int32
}

func momentsOf(rows []Row) (all []placed) {
	for _, r := range rows {
		all = append(all, placed{Moment{Start: r.Start, Took: r.Latency, Worker: r.Worker, Status: int16(r.Status), Class: r.Class}, r.Run})
	}
	return all
}

// batched reads by batches.
func batched(in []byte, opt Options) (all []placed, f *File) {
	f, err := Open(bytes.NewReader(in), opt)
	if err != nil {
		return nil, nil
	}
	return drainBatches(f), f
}

func drainBatches(f *File) (all []placed) {
	var b Batch
	f.Batches(func(full *Batch) *Batch {
		if full != nil {
			for _, m := range full.Rows[:full.N] {
				all = append(all, placed{m, full.Run})
			}
		}
		return &b
	})
	return all
}

// Who breaks off has seen as many rows as are counted.
func TestHeyBreaksOff(t *testing.T) {
	in := bytes.ReplaceAll(heyFile(200), []byte(",200,0.05"), []byte(",503,0.05"))
	for stop := range 199 {
		f, err := Open(bytes.NewReader(in), Options{})
		require.NoError(t, err)
		n, failed := 0, 0
		for r := range f.Rows() {
			if n++; r.Class != 0 {
				failed++
			}
			if n > stop {
				break
			}
		}
		require.NoError(t, f.Err())
		require.EqualValues(t, []int{n, failed}, []int{int(f.Tally().Rows), int(f.Tally().Failed)})
	}
}

package correct

import "github.com/HdrHistogram/hdrhistogram-go"

// Encoded is the histogram of the durations up to Longest, in nanoseconds: base64 of
// HdrHistogram's compressed V2 encoding, which the libraries of other languages read
// too. Empty if there are none. Failures are not in it.
func (d *Dist) Encoded() string {
	if d.bins == nil {
		return ""
	}
	text, err := d.bins.export().Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic("correct: histogram that can't be encoded: " + err.Error())
	}
	return string(text)
}

package source

import (
	"bytes"
	"fmt"
)

// A format is one kind of file: how to tell it by its first 64 KiB, which have
// neither byte order mark nor compression any more, and how to begin reading.
type format struct {
	name string
	is   func(head []byte) bool
	open func(f *File) error
}

// firstLine returns the first line that isn't blank, without its end.
func firstLine(head []byte) []byte {
	for len(head) > 0 {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		if line = trimCR(line); len(bytes.TrimSpace(line)) > 0 {
			return line
		}
	}
	return nil
}

// starts makes a test for how the first line begins.
func starts(prefix string) func([]byte) bool {
	return func(h []byte) bool { return bytes.HasPrefix(firstLine(h), []byte(prefix)) }
}

// header hands out the first record that isn't blank.
func (f *File) header() (rec []byte, quoted, ok bool) {
	for {
		rec, quoted, ok = f.s.record()
		if !ok || len(bytes.TrimSpace(rec)) > 0 {
			return rec, quoted, ok
		}
	}
}

// noHeader is the error for a header without the column that matters.
func (f *File) noHeader(column string) error {
	return &RowError{Format: f.Format, Line: max(f.s.first, 1), Why: fmt.Sprintf("no column %q in the header", column)}
}

// wrongWidth says that a record has too many or too few fields.
func wrongWidth(got, want int) problem {
	return problem(fmt.Sprintf("%d fields in place of %d", got, want))
}

// formats are looked through in this order; the first that fits is taken.
var formats = append([]format{
	{"openload report", isOwnReport, refuse(alreadyMeasured, "its verdict stands in it; for other rules keep the attempts with --out csv=FILE and judge those with --method none")},
	{"openload schedule", isOwnSchedule, refuse("the times at which to send, and no answers", "send by it with openload --schedule FILE URL, and keep what comes of it with --out csv=FILE")},
	{"openload CSV", isOwnCSV, openOwnCSV},
	{"oha database", isSQLite, refuse("an SQLite database", "export it: "+ohaExport)},
	{"Gatling binary log", isGatlingBinary, openGatlingBinary},
	{"vegeta gob", isGob, openVegetaGob},
	{"hey CSV", isHey, openHey},
	{"oha CSV", starts("request-start,DNS,DNS+dialup,"), openOha},
	{"k6 CSV", starts("metric_name,timestamp,metric_value"), openK6CSV},
	{"ab -g", starts("starttime\tseconds\tctime"), openAB},
	{"JMeter CSV", isJMeterCSV, openJMeterCSV},
	{"JMeter XML", isJMeterXML, openJMeterXML},
	{"vegeta CSV", isVegetaCSV, openVegetaCSV},
	{"vegeta JSON", isVegetaJSON, openVegetaJSON},
	{"k6 JSON", isK6JSON, openK6JSON},
	{"fortio access log", isFortioJSON, openFortioJSON},
	{"fortio access log (Influx)", starts("latency,thread="), openFortioInflux},
	{"fortio result", isFortioResult, openFortioResult},
	{"ghz JSON", isGhzJSON, openGhzJSON},
	{"ghz CSV", starts("duration (ms),status,error"), openGhzCSV},
	{"ghz details (Influx)", starts("ghz_detail,"), openGhzInflux},
	{"Gatling log", isGatling, openGatling},
	{"HdrHistogram log", isHdrLog, openHdrLog},
	{"HdrHistogram percentiles", isSpectrum, openSpectrum},
	{"wrk2", isWrk2, openWrk2},
	{"siege -v", isSiege, openSiege},
	{"h2load log", isH2load, openH2load},
}, append(summaries,
	format{"JSON access log", isJSONLog, openJSONLog},
	format{"access log", isTextLog, openTextLog},
	format{"plain numbers", isPlain, openPlain},
)...)

package source

import (
	"bytes"
	"encoding/binary"
	"time"

	"openload/correct"
)

// Files of tools of which no sample is at hand, written after the sources of
// their writers.
var handmade = map[string]struct {
	in  []byte
	opt Options
}{
	"openload csv": {in: txt(correct.CSVHeader,
		"0,1,0,0,7,9,5000009,ok,200,6,0,0,3,3,1,1,0,1",
		"1,1,10000000,10000000,10000000,10000001,10000401,bad_status,503,0,1000000000,0,0,0,1,1,0,0",
		"2,1,20000000,20000000,20000000,30020000000,30020000000,timeout,0,0,0,0,0,0,1,1,0,1",
		"1,2,10000000,1010000401,1010000402,1010000500,1015000500,ok,200,6,0,1,0,0,1,1,1,1",
		"3,1,30000000,30000000,30000000,30000000,30000000,dropped,0,0,0,0,0,0,0,0,0,1",
	)},
	"openload closed csv": {in: txt(correct.CSVHeader,
		"0,1,,0,7,9,5000009,ok,200,6,0,0,3,3,1,1,0,1",
		"1,1,,10000000,10000000,10000001,10000401,bad_status,503,0,0,0,0,0,1,1,0,1",
	)},
	"k6 csv": {in: txt(
		`metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata`,
		`http_reqs,1796004306,1.000000,,,,true,,GET,http://h/a,HTTP/1.1,default,,200,,,http://h/a,,vu=1&iter=0`,
		`http_req_duration,1796004306,12.345678,,,,true,,GET,http://h/a,HTTP/1.1,default,,200,,,http://h/a,,vu=1&iter=0`,
		`http_req_blocked,1796004306,900.000000,,,,true,,GET,http://h/a,HTTP/1.1,default,,200,,,http://h/a,,vu=1&iter=0`,
		`http_req_duration,1796004308,2000.500000,,,,false,,GET,http://h/a,HTTP/1.1,default,,500,,,http://h/a,,iter=0&vu=2`,
		`http_req_duration,1796004309,0.000000,,"dial: i/o timeout, or ""so""",1211,false,,GET,http://h/b,HTTP/1.1,default,,0,,,http://h/b,,vu=2&iter=1`,
		`dropped_iterations,1796004309,7.000000,,,,,,,,,default,,,,,,,`,
		`iterations,1796004309,1.000000,,,,,,,,,default,,,,,,,`,
	)},
	"k6 json": {in: txt(
		`{"type":"Metric","data":{"name":"http_req_duration","type":"trend","contains":"time","thresholds":[],"submetrics":null},"metric":"http_req_duration"}`,
		`{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-30T02:05:06.631709003+01:00","value":12.345678,"tags":{"expected_response":"true","name":"http://h/a","status":"200"},"metadata":{"vu":"1","iter":"0"}}}`,
		`{"type":"Point","metric":"http_reqs","data":{"time":"2026-11-30T02:05:06.631709003+01:00","value":1,"tags":{"status":"200"}}}`,
		`{"type":"Point","data":{"value":2000.5,"tags":{"status":"500","expected_response":"false","name":"http://h/a"},"time":"2026-11-30T02:05:08.7+01:00"},"metric":"http_req_duration"}`,
		`{"type":"Point","metric":"http_req_duration","data":{"time":"2026-11-30T02:05:09.7+01:00","value":0,"tags":{"status":"0","error":"say \"no\"","error_code":"1212","name":"http://h/b"}}}`,
		`{"type":"Point","metric":"dropped_iterations","data":{"time":"2026-11-30T02:05:09.7+01:00","value":7,"tags":null}}`,
	)},
	"oha csv": {in: txt(
		"request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status",
		"0.000021,0,0.000310,0.002100,0.002413,6,200",
		"0.080021,0,0,0.00215,2.0021,6,200",
		"2,0,0,0.002,0.003,6,500",
	)},
	"fortio influx": {in: txt(
		`latency,thread=0,ok=true value=0.002813,details="200" 1796004757234182245`,
		`latency,thread=1,ok=true value=0.002713,details="200" 1796004757235182245`,
		`latency,thread=0,ok=false value=2.002813,details="a b,c=\"d\"" 1796004757314182245`,
	)},
	"ghz influx": {in: txt(
		`ghz_detail,name="my\ test",proto="a.proto",call="x.Y.Z",host="h:1",n=2,c=1 latency=4712198,error="",status="OK" 1796005094294438660`,
		`ghz_detail,name="my\ test",proto="a.proto",call="x.Y.Z",host="h:1",n=2,c=1 latency=1712198,error="rpc\ error:\ code\ \=\ DeadlineExceeded\ desc\ \=\ a\,\ b",status="DeadlineExceeded" 1796005094343228165`,
	)},
	"gatling 1": {in: gatlingText(
		"RUN 20131123101010 simu run1",
		"ACTION Scenario 1 GET_root 1396004306631 1396004306650 1396004306632 1396004306640 OK -",
		"ACTION Scenario 2 GET_root 1396004306641 1396004308650 1396004306642 1396004308640 KO Request_timed_out",
	)},
	"gatling 2.0": {in: gatlingText(
		"my.Sim sim RUN 20140402101010 desc 2.0",
		"Scenario 1 USER START 1396004306631 0",
		"Scenario 1 REQUEST _ GET_root 1396004306631 1396004306632 1396004306640 1396004306650 OK _",
		"Scenario 2 REQUEST _ GET_root 1396004306641 1396004306642 1396004308640 1396004308650 KO status.find.is(200),_but_actually_found_500",
	)},
	"gatling 2.3": {in: gatlingText(
		"RUN my.Sim 17 sim 1396004306600 desc 2.0",
		"USER Scenario 1 START 1396004306631 1396004306631",
		"REQUEST Scenario 1 grp GET_root 1396004306631 1396004306650 OK _",
		"GROUP Scenario 1 grp 1396004306631 1396004306650 19 19 OK",
		"GROUP Some_error 1396004306650",
		"REQUEST Scenario 2 grp GET_root 1396004306641 1396004308650 KO i.n.ConnectTimeoutException extra",
	)},
	"gatling 3.0": {in: gatlingText(
		"RUN my.Sim sim 1396004306600 desc 3.0.0",
		"REQUEST 1 _ GET_root 1396004306631 1396004306650 OK _",
		"REQUEST 2 _ GET_root 1396004306641 1396004308650 KO j.n.ConnectException:_Connection_refused",
	)},
	"gatling 3.4": {in: gatlingText(
		"ASSERTION AAEBAAIBAAAAAAAAPkA=",
		"RUN my.Sim sim 1396004306600 desc 3.9.5",
		"USER Scenario START 1396004306631",
		"REQUEST a,b GET_root 1396004306631 1396004306650 OK _",
		"REQUEST _ GET_root 1396004306641 1396004308650 KO Request_timeout",
		"ERROR oops 1396004308650",
	)},
	"gatling binary":          {in: gatlingBinary(true)},
	"gatling binary no coder": {in: gatlingBinary(false)},
	"siege csv": {in: txt(
		"** SIEGE 4.0.7",
		"\x1b[0;34mHTTP/1.1,200,  0.00,      6,/a,0,2026-11-30 02:20:56\x1b[0m",
		"HTTP/1.1,200,  1.21,      6,/a,b,1,2026-11-30 02:20:57",
		"\x1b[0;31mHTTP/1.1,500,  0.01,      6,/a,0,2026-11-30 02:20:58\x1b[0m",
		"Transactions:		          2 hits",
	)},
	"nginx text": {
		in: txt(
			`127.0.0.1 - - [30/Nov/2026:02:20:57 +0000] "GET /a HTTP/1.1" 200 6 "-" "hey/0.0.1" rt=0.005 uct="0.000"`,
			`127.0.0.1 - bob [30/Nov/2026:02:20:59 +0000] "GET /b?x=[1 HTTP/1.1" 499 0 "-" "a \"b\" c" rt=1.507 uct="-"`,
		),
		opt: Options{TimeField: "rt", Unit: time.Second},
	},
	"apache": {
		in: txt(
			`127.0.0.1 - - [30/Nov/2026:02:20:57 +0100] "GET /a HTTP/1.1" 200 6 "-" "hey/0.0.1" 5123`,
			`127.0.0.1 - - [30/Nov/2026:02:20:58 +0100] "GET /a HTTP/1.1" 500 6 "-" "hey/0.0.1" 1507000`,
		),
		opt: Options{TimeField: "-1", Unit: time.Microsecond, Stamps: StampStart},
	},
	"envoy": {in: txt(
		`[2026-11-30T02:20:57.123Z] "GET /a HTTP/1.1" 200 - 0 6 5 4 "-" "hey/0.0.1" "id-1" "h" "127.0.0.1:80"`,
		`[2026-11-30T02:20:58.123Z] "GET /a HTTP/1.1" 504 UT 0 24 15000 - "-" "hey/0.0.1" "id-2" "h" "127.0.0.1:80"`,
	)},
	"plain": {in: txt("# measured by hand", "latency_ms", "1.5", "2", "", "2000.25")},
	"jmeter dates": {in: txt(
		"timeStamp|elapsed|label|responseCode|success",
		"2022/03/22 17:02:03.740|12|home|200|true",
		"2022/03/22 17:02:04.740|2012|home|500|false",
	)},
}

// gatlingText turns spaces into tabs, then underscores into spaces.
func gatlingText(lines ...string) []byte {
	b := bytes.ReplaceAll(txt(lines...), []byte(" "), []byte("\t"))
	return bytes.ReplaceAll(b, []byte("_"), []byte(" "))
}

// gatlingBinary writes a log as Gatling 3.13 does, with or without coder bytes.
func gatlingBinary(coder bool) []byte {
	var b []byte
	i32 := func(v int32) { b = binary.BigEndian.AppendUint32(b, uint32(v)) }
	str := func(s string) {
		i32(int32(len(s)))
		if b = append(b, s...); coder && s != "" {
			b = append(b, 0)
		}
	}
	first := func(i int32, s string) { i32(i); str(s) }
	b = append(b, 0)
	str("3.13.1")
	str("my.Sim")
	b = binary.BigEndian.AppendUint64(b, 1796004306600)
	str("")
	i32(1)
	str("Scenario")
	i32(1) // an assertion
	i32(3)
	b = append(b, 1, 2, 3)
	b = append(b, 2) // a user starts
	i32(0)
	b = append(b, 1)
	i32(31)
	b = append(b, 1) // a request in a group
	i32(1)
	first(1, "grp")
	first(2, "GET root")
	i32(31)
	i32(50)
	b = append(b, 1)
	first(3, "")
	b = append(b, 1) // one that failed, all strings but one known
	i32(0)
	i32(-2)
	i32(41)
	i32(2050)
	b = append(b, 0)
	if coder { // a message in UTF-16
		i32(4)
		i32(8)
		b = append(b, 'n', 0, 'o', 0, '!', 0, 0xac, 0x20, 1)
	} else {
		first(4, "no!")
	}
	b = append(b, 3) // a group ends
	i32(1)
	i32(-1)
	i32(31)
	i32(50)
	i32(19)
	b = append(b, 1)
	b = append(b, 4) // an error
	first(5, "oops")
	i32(60)
	b = append(b, 1) // an event without a request: its end is before all times
	i32(0)
	i32(-2)
	i32(70)
	i32(-1 << 31)
	b = append(b, 1)
	i32(-3)
	return b
}

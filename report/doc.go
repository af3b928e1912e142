// Package report is what a run has to tell, as one value: [Report], which is also
// the JSON document openload/report/v1. Sinks show it; they compute nothing.
package report

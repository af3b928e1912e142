// Command openload fires requests at times fixed before the run, measures from
// those times, and ends in a verdict that a CI job can act on.
//
//	openload --rate 12.5 --n 200 URL
//	openload --rate 12.5 --n 200 --sla 'p99<500ms' URL
//	openload lab | sim | demo
//
// This package is the command line only: the grammar, flags to plan, signals, and
// exit statuses.
package main

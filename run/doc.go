// Package run wires a plan and a World to a report: it opens the schedule, drives
// the engine, judges what was recorded and puts the report together. The same
// wiring serves sockets and simulation.
package run

package sink

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A heatGrid is how many took how long when, in cells of equal width on a log axis.
type heatGrid struct {
	edges []float64 // ns, one more than there are rows
	width time.Duration
	cells map[string][][3]uint64 // column, row, count
	fails []uint64
}

// drawHeat draws how long things took by when they were due, corrected and raw on the
// same scale.
func (p *page) drawHeat(v *htmlView, all []limitOf) error {
	g, err := p.heatGrid()
	if err != nil || g == nil {
		return err
	}
	columns := len(p.Heat.Raw)
	v.Drawing["heat"] = map[string]any{"edges": g.edges, "width": g.width.Seconds(), "cells": g.cells, "failed": g.fails, "limits": all,
		"end": (time.Duration(columns) * p.Heat.Width).Seconds()}
	if len(p.Heat.Corrected) > 0 {
		v.Figures = append(v.Figures, figure{"heat", "Heat map, corrected", p.heatFinding(g, "users waited"), p.heatTable(g, "corrected")})
	}
	if len(p.Heat.Raw) > 0 {
		v.Figures = append(v.Figures, figure{"heatraw", "Heat map, raw", p.heatFinding(g, "the server took"), p.heatTable(g, "raw")})
	}
	return nil
}

func (p *page) heatFinding(g *heatGrid, what string) string {
	text := fmt.Sprintf("How long %s, by when it was due, in steps of %s; the stronger the colour, the more.", what, p.duration(g.width))
	for _, n := range g.fails {
		if n > 0 {
			return text + " Marks at the top: failures."
		}
	}
	return text
}

// heatGrid puts the columns' histograms into a grid that is small enough to draw; nil
// if there are none.
func (p *page) heatGrid() (*heatGrid, error) {
	h := p.Heat
	if h == nil || h.Width <= 0 {
		return nil, nil
	}
	type reading struct {
		name    string
		columns []*hdrhistogram.Histogram
	}
	var readings []reading
	least, most := int64(math.MaxInt64), int64(0)
	for _, x := range []struct {
		name    string
		columns []string
	}{{"corrected", h.Corrected}, {"raw", h.Raw}} {
		r := reading{name: x.name}
		for _, text := range x.columns {
			var c *hdrhistogram.Histogram
			if text != "" {
				var err error
				if c, err = hdrhistogram.Decode([]byte(text)); err != nil {
					return nil, fmt.Errorf("heat map of %s latencies: %w", x.name, err)
				}
				if c.TotalCount() > 0 {
					least, most = min(least, max(1, c.Min())), max(most, c.Max())
				}
			}
			r.columns = append(r.columns, c)
		}
		readings = append(readings, r)
	}
	if most == 0 {
		return nil, nil
	}
	each := (max(len(h.Raw), len(h.Corrected)) + heatColumns - 1) / heatColumns
	g := &heatGrid{edges: heatEdges(least, most), width: h.Width * time.Duration(each), cells: map[string][][3]uint64{}, fails: grouped(h.Failed, each)}
	rows := len(g.edges) - 1
	scale := float64(rows) / math.Log(g.edges[rows]/g.edges[0])
	for _, r := range readings {
		for i := 0; i < len(r.columns); i += each {
			counts := make([]uint64, rows)
			for _, c := range r.columns[i:min(len(r.columns), i+each)] {
				if c == nil {
					continue
				}
				for _, b := range c.Distribution() {
					if b.Count > 0 {
						counts[min(max(int(scale*math.Log(float64(max(1, b.From))/g.edges[0])), 0), rows-1)] += uint64(b.Count)
					}
				}
			}
			for row, n := range counts {
				if n > 0 {
					g.cells[r.name] = append(g.cells[r.name], [3]uint64{uint64(i / each), uint64(row), n})
				}
			}
		}
	}
	return g, nil
}

// heatEdges are the rows' ends: ten rows a decade, or fewer where that would be too
// many; at least half a decade in all.
func heatEdges(least, most int64) []float64 {
	low, high := math.Log10(float64(least))-0.05, math.Log10(float64(most))+0.05
	if high-low < 0.5 {
		middle := (low + high) / 2
		low, high = middle-0.25, middle+0.25
	}
	rows := min(mostRows, int(math.Ceil((high-low)*10)))
	edges := make([]float64, rows+1)
	for i := range edges {
		edges[i] = math.Pow(10, low+(high-low)*float64(i)/float64(rows))
	}
	return edges
}

// heatTable has a row for each column of the map: so many in all, and how long the
// shortest and the longest of them were.
func (p *page) heatTable(g *heatGrid, name string) htmlTable {
	t := htmlTable{Label: "heat map", Head: []string{"due at", "n", "from", "to", "most of them"}}
	at := func(edge uint64) string { return p.duration(time.Duration(g.edges[edge])) }
	cells := g.cells[name]
	for i := 0; i < len(cells); {
		column, n, peak := cells[i][0], uint64(0), cells[i]
		first, last := cells[i][1], cells[i][1]
		for ; i < len(cells) && cells[i][0] == column; i++ {
			n += cells[i][2]
			last = cells[i][1]
			if cells[i][2] > peak[2] {
				peak = cells[i]
			}
		}
		t.Rows = append(t.Rows, []string{
			p.duration(time.Duration(column) * g.width), strconv.FormatUint(n, 10), at(first), at(last + 1), at(peak[1]) + " to " + at(peak[1]+1),
		})
	}
	return t
}

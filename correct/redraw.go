package correct

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Redraw undoes Flow and Heat: a picture that merges with others, without the operations
// that took longest. The error says what no picture can have been.
func Redraw(f Flow, h Heat, closed bool) (*Picture, error) {
	p := NewPicture(closed)
	if err := errors.Join(fits("flow", f.Width, len(f.Bins), mostBins), fits("heat map", h.Width, len(h.Columns), mostColumns)); err != nil {
		return nil, err
	}
	p.flow = flow{f.Width, append(make([]Bin, 0, mostBins), f.Bins...)[:mostBins]}
	p.heat = heat{h.Width, make([]column, mostColumns)}
	for i, c := range h.Columns {
		to := &p.heat.columns[i]
		to.failed = c.Failed
		if err := errors.Join(uncounted(c.Corrected, &to.corrected), uncounted(c.Raw, &to.raw)); err != nil {
			return nil, fmt.Errorf("heat map: column %d: %w", i, err)
		}
	}
	return p, nil
}

// fits says what is wrong with so many bins of a width: it is firstBin, doubled some times.
func fits(name string, width time.Duration, n, most int) error {
	if n > most || width < firstBin || width%firstBin != 0 || bits.OnesCount64(uint64(width/firstBin)) != 1 {
		return fmt.Errorf("%s: %d bins of %v are not cut as openload cuts them", name, n, width)
	}
	return nil
}

// uncounted undoes histogram.
func uncounted(h *hdrhistogram.Histogram, cells *[heatCells]uint32) error {
	if h == nil {
		return nil
	}
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		n := &cells[cellOf(time.Duration(bar.From))]
		if bar.Count < 0 || bar.Count > math.MaxUint32-int64(*n) {
			return fmt.Errorf("%d values in one place", bar.Count)
		}
		*n += uint32(bar.Count)
	}
	return nil
}

package sink

import (
	"time"

	"openload/report"
)

// tidyPicture is tidy for what is only drawn.
func tidyPicture(r *report.Report) {
	if r.Flow != nil {
		f := *r.Flow
		for _, counts := range []*[]uint64{&f.Scheduled, &f.Sent, &f.Ended} {
			*counts = append([]uint64{}, *counts...)
		}
		f.Lag, f.Late = append([]time.Duration{}, f.Lag...), append([]time.Duration{}, f.Late...)
		r.Flow = &f
	}
	if r.Heat != nil {
		h := *r.Heat
		h.Corrected, h.Raw, h.Failed = append([]string{}, h.Corrected...), append([]string{}, h.Raw...), append([]uint64{}, h.Failed...)
		r.Heat = &h
	}
	if r.Worst != nil {
		r.Worst = append([]report.Operation{}, r.Worst...)
		for i, o := range r.Worst {
			if o.Phases == nil {
				r.Worst[i].Phases = map[string]time.Duration{}
			}
		}
	}
}

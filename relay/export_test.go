package relay

// Told is how many tellings may be read.
func (l *Line) Told() uint64 { return l.told.Load() }

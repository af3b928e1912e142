//go:build linux

package loop

import "time"

// A margin is how long before an instant to stop sleeping: it follows by how much
// sleeps come out too long, quickly up and slowly down.
type margin struct {
	now, most time.Duration
}

// slept notes that a sleep came out over by this much.
func (m *margin) slept(over time.Duration) {
	if over > m.now {
		m.now = min(m.now+(over-m.now)/4, m.most)
	} else {
		m.now -= m.now / 256
	}
}

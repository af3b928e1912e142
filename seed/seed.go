// Package seed turns the run's one seed into independent, named random streams.
//
// Nothing else in openload makes a generator: whoever needs chance is handed a
// stream, so one number in the report repeats every random choice of a run.
package seed

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// A Seed is the run's only source of randomness.
type Seed uint64

// Stream returns the generator for one named use. The same seed and name give
// the same sequence; different names give unrelated ones.
func (s Seed) Stream(name string) *rand.Rand {
	return s.generator([]byte(name))
}

// At returns the generator for operation seq of one named use. It depends on
// nothing else, so every shard of a run agrees on it.
func (s Seed) At(name string, seq uint64) *rand.Rand {
	// The zero byte keeps ("a", seq) apart from every name that ends in seq's bytes.
	return s.generator(binary.BigEndian.AppendUint64(append([]byte(name), 0), seq))
}

func (s Seed) generator(use []byte) *rand.Rand {
	h := fnv.New64a()
	h.Write(use)
	return rand.New(rand.NewPCG(mix(uint64(s)), mix(h.Sum64())))
}

// mix spreads neighbouring seeds (1, 2, 3 …) over all 64 bits.
// Source: the finaliser of SplitMix64, Steele, Lea and Flood (OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Numbers returns a function from operations to 64 random bits, for one named use. It
// makes no generator, and depends on nothing but the number.
// Source: SplitMix64 as above, of which seq is the position.
func (s Seed) Numbers(name string) func(seq uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	start := mix(mix(uint64(s)) ^ h.Sum64())
	return func(seq uint64) uint64 { return mix(start + seq*0x9e3779b97f4a7c15) }
}

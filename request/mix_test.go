package request

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// scramble stands in for a seeded draw.
func scramble(seq uint64) uint64 {
	x := seq*0x9e3779b97f4a7c15 + 7
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func drawItems(t *rapid.T) (items []Item) {
	for i := range rapid.IntRange(1, 8).Draw(t, "items") {
		items = append(items, Item{
			Weight:  rapid.IntRange(0, 9).Draw(t, "weight"),
			Request: Request{URL: fmt.Sprintf("http://h/%d", i)},
		})
	}
	return items
}

// Law: in every round, each item has its weight's share of the turns, exactly, and
// nearly so in every beginning of it.
func TestARoundKeepsTheWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		m, err := NewMix(items, Cycle, nil)
		require.NoError(t, err)
		total := 0
		for _, it := range m.Items() {
			total += it.Weight
		}
		start := m.Round() * rapid.Uint64Range(0, 1000).Draw(t, "round")
		counts := make([]int, len(items))
		for k := range m.Round() {
			counts[m.Pick(start+k)]++
			for i, it := range m.Items() {
				even := float64(k+1) * float64(it.Weight) / float64(total)
				require.LessOrEqual(t, math.Abs(float64(counts[i])-even), float64(len(items)), "spread evenly")
			}
		}
		for i, it := range m.Items() {
			require.EqualValues(t, it.Weight*int(m.Round()), counts[i]*total)
		}
	})
}

// Law: what an operation sends depends on its number alone, so shards agree.
func TestShardsPickTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		order := rapid.SampledFrom([]Order{Cycle, Random, Once}).Draw(t, "order")
		a, err := NewMix(items, order, scramble)
		require.NoError(t, err)
		b, err := NewMix(items, order, scramble)
		require.NoError(t, err)
		for range 50 {
			seq := rapid.Uint64().Draw(t, "seq")
			require.Equal(t, a.Pick(seq), b.Pick(seq))
			require.Less(t, a.Pick(seq), len(items))
		}
	})
}

func TestRandomKeepsTheWeights(t *testing.T) {
	m, err := NewMix([]Item{{Weight: 3, Request: Request{URL: "http://h/a"}}, {Request: Request{URL: "http://h/b"}}}, Random, scramble)
	require.NoError(t, err)
	const n = 40_000
	first := 0
	for seq := range uint64(n) {
		if m.Pick(seq) == 0 {
			first++
		}
	}
	require.InDelta(t, 0.75, float64(first)/n, 0.01) // 4.6 standard deviations
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items []Item
		want  []string
	}{
		{"method and path", []Item{{Request: Request{URL: "http://h/a?token=x"}}, {Request: Request{URL: "http://h/b", Method: "PUT"}}}, []string{"GET /a", "PUT /b"}},
		{"one page is one target", []Item{{Request: Request{URL: "http://h/a?page=1"}}, {Request: Request{URL: "http://h/a?page=2"}}}, []string{"GET /a"}},
		{"several hosts", []Item{{Request: Request{URL: "http://h/a"}}, {Request: Request{URL: "http://u:p@i:81/a"}}}, []string{"GET h/a", "GET i:81/a"}},
		{"both schemes", []Item{{Request: Request{URL: "http://h/a"}}, {Request: Request{URL: "https://h/a?x"}}}, []string{"GET http://h/a", "GET https://h/a"}},
		{"given", []Item{{Name: "checkout", Request: Request{URL: "http://h/a"}}, {Request: Request{URL: "http://h/b"}}}, []string{"checkout", "GET /b"}},
		{"a template", []Item{{Request: Request{URL: "{{.base}}/a?x=1"}}}, []string{"GET {{.base}}/a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := NewMix(tt.items, Cycle, nil)
			require.NoError(t, err)
			require.Equal(t, tt.want, m.Names())
		})
	}
}

func TestWhatIsNoMix(t *testing.T) {
	one := Request{URL: "http://h/"}
	for _, tt := range []struct {
		name  string
		items []Item
		want  string
	}{
		{"nothing", nil, "no request"},
		{"negative weights", []Item{{Weight: -1, Request: one}, {Weight: -2, Request: one}}, "request 1: weight -1; write one from 1 to 1000000\nrequest 2"},
		{"too many turns", []Item{{Weight: 999_999, Request: one}, {Weight: 1_000_000, Request: one}}, "1999999 turns"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewMix(tt.items, Cycle, nil)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := ParseOrder("rnadom")
	require.EqualError(t, err, `"rnadom" is no order; write cycle, random, once, did you mean random?`)
	for _, o := range []Order{Cycle, Random, Once} {
		got, err := ParseOrder(o.String())
		require.NoError(t, err)
		require.Equal(t, o, got)
	}
}

func BenchmarkPick(b *testing.B) {
	m, _ := NewMix([]Item{{Weight: 3, Request: Request{URL: "http://h/a"}}, {Request: Request{URL: "http://h/b"}}}, Random, scramble)
	b.ReportAllocs()
	for seq := uint64(0); b.Loop(); seq++ {
		m.Pick(seq)
	}
}

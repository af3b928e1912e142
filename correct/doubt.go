package correct

// A Doubt is something about a measurement that its reader should know: why a
// number can't be trusted, or what it rests on. Code is stable and meant for
// machines; Text is one sentence for people.
type Doubt struct {
	Code string
	Text string
}

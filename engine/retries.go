package engine

// retries are shots that wait for the end of their backoff: a heap by Due, then Seq.
// container/heap would allocate one for each.
type retries []Shot

func (s *Shot) before(x *Shot) bool { return s.Due < x.Due || s.Due == x.Due && s.Seq < x.Seq }

func (r *retries) push(s Shot) {
	*r = append(*r, s)
	h := *r
	i := len(h) - 1
	for i > 0 && s.before(&h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = s
}

// pop takes out the first; there has to be one.
func (r *retries) pop() Shot {
	h := *r
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*r = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if child >= len(h) || !h[child].before(&last) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = last
	return first
}

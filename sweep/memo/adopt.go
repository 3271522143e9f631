package memo

import (
	"bytes"
	"fmt"

	"scoville/core"
	"scoville/sweep/journal"
)

// Keys are the runs that are known, in the order of the file.
func (m *Memo) Keys() []journal.Key { return m.journal.Keys() }

// Value appends to b what a run gave, as it is kept; false if it is not known.
func (m *Memo) Value(b []byte, k journal.Key) ([]byte, bool, error) { return m.journal.Get(b, k) }

// Adopt remembers what another memory knows of a run.
func (m *Memo) Adopt(k journal.Key, value []byte) error { return m.journal.Put(k, value) }

// Status is how a run ended, and why; of a value as it is kept.
func Status(value []byte) (status core.Status, reason string, err error) {
	r, _, err := decode(value)
	return r.Status, r.Reason, err
}

// Second holds what two memories keep of one run against each other, and says
// whether to take the second: the first is without a result, and the second has
// one. Two results that differ are an error that says in what.
func Second(first, second []byte) (bool, error) {
	if bytes.Equal(first, second) {
		return false, nil
	}
	a, _, err := decode(first)
	if err != nil {
		return false, err
	}
	b, _, err := decode(second)
	if err != nil {
		return false, err
	}
	broken := func(r *core.Result) bool { return r.Status == core.Failed || r.Status == core.Timeout }
	switch {
	case broken(&b):
		return false, nil
	case broken(&a):
		return true, nil
	case bytes.Equal(encode(nil, &a, core.Limit{}), encode(nil, &b, core.Limit{})):
		return false, nil
	case a.Status != b.Status:
		return false, fmt.Errorf("%s and %s", a.Status, b.Status)
	case a.Events != b.Events:
		return false, fmt.Errorf("of %d events and of %d", a.Events, b.Events)
	}
	return false, fmt.Errorf("%s with different numbers", a.Status)
}

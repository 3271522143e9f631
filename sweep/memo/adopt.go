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

// IsResult reports whether a value as it is kept is one of a run that ended with a
// result.
func IsResult(value []byte) bool {
	r, _, err := decode(value)
	return err == nil && !broken(&r)
}

// Second holds what two memories keep of one run against each other, and says
// whether a study that runs within asked is to take the second. What holds within
// these limits counts more than what does not, then a result more than a failure or
// a timeout, then the first. Two results that differ are an error that says in what.
func Second(first, second []byte, asked core.Limit) (bool, error) {
	if bytes.Equal(first, second) {
		return false, nil
	}
	a, within, err := decode(first)
	if err != nil {
		return false, err
	}
	b, within2, err := decode(second)
	if err != nil {
		return false, err
	}
	if !broken(&a) && !broken(&b) {
		err = differ(&a, &b)
	}
	return worth(&b, within2, asked) > worth(&a, within, asked), err
}

// broken reports whether a run ended without a result.
func broken(r *core.Result) bool { return r.Status == core.Failed || r.Status == core.Timeout }

// worth ranks what a run gave within limits for a study that runs within asked.
func worth(r *core.Result, limit, asked core.Limit) (rank int) {
	if holds(r, limit, asked) {
		rank = 2
	}
	if !broken(r) {
		rank++
	}
	return rank
}

// differ says in what two results differ; nil if they do not.
func differ(a, b *core.Result) error {
	switch {
	case bytes.Equal(encode(nil, a, core.Limit{}), encode(nil, b, core.Limit{})):
		return nil
	case a.Status != b.Status:
		return fmt.Errorf("%s and %s", a.Status, b.Status)
	case a.Events != b.Events:
		return fmt.Errorf("of %d events and of %d", a.Events, b.Events)
	}
	return fmt.Errorf("%s with different numbers", a.Status)
}

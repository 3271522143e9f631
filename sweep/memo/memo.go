// Package memo remembers what runs gave, so that a study that was interrupted,
// edited or asked again simulates only what is new. A run is known by the hash
// of its resolved scenario, its seed and its replicate, of one version of the
// simulator: not by its place in a study or the study's text.
package memo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/sweep/journal"
)

// Memo is what is known of runs. It is safe for concurrent use. The nil Memo
// remembers nothing.
type Memo struct{ journal *journal.Journal }

// ErrForeign says that a folder's runs are of another version.
var ErrForeign = journal.ErrForeign

// Open opens or makes the memory in a folder.
func Open(dir string) (*Memo, error) {
	j, err := journal.Open(filepath.Join(dir, journal.File), kind())
	if err != nil {
		return nil, err
	}
	return &Memo{j}, nil
}

// kind says which runs can be in one journal: those of one behaviour of the
// simulator, with the same metrics in the same order.
func kind() string {
	var names strings.Builder
	for _, columns := range [][]metrics.Column{metrics.Columns(), metrics.ClassColumns()} {
		for _, c := range columns {
			names.WriteString(c.Name)
			names.WriteByte('\n')
		}
	}
	hash := sha256.Sum256([]byte(names.String()))
	return fmt.Sprintf("runs of simulator version %d, metrics %x", core.Version, hash[:8])
}

// Key is the identity of a run; point is the id of its scenario, 16 hexadecimal
// digits.
func Key(point string, o core.Options) (journal.Key, error) {
	k := journal.Key{Seed: o.Seed, Replicate: uint32(o.Replicate)}
	b, err := hex.DecodeString(point)
	if err != nil || len(b) != len(k.Point) {
		return k, fmt.Errorf("memo: %q is no id of a point", point)
	}
	k.Point = [8]byte(b)
	return k, nil
}

// Recall returns what a run gave, without its stages and resources; false if it
// is not known.
func (m *Memo) Recall(k journal.Key) (core.Result, bool, error) {
	if m == nil {
		return core.Result{}, false, nil
	}
	b, ok, err := m.journal.Get(nil, k)
	if err != nil || !ok {
		return core.Result{}, false, err
	}
	r, err := decode(b)
	return r, err == nil, err
}

// Keep remembers what a run gave.
func (m *Memo) Keep(k journal.Key, r *core.Result) error {
	if m == nil {
		return nil
	}
	return m.journal.Put(k, encode(nil, r))
}

// Has reports whether a run is known.
func (m *Memo) Has(k journal.Key) bool { return m != nil && m.journal.Has(k) }

// Len is how many runs are known.
func (m *Memo) Len() int {
	if m == nil {
		return 0
	}
	return m.journal.Len()
}

// Cut is how many bytes a killed process left half written.
func (m *Memo) Cut() int64 {
	if m == nil {
		return 0
	}
	return m.journal.Cut()
}

// Close brings everything to the disk. It is safe to call again.
func (m *Memo) Close() error {
	if m == nil {
		return nil
	}
	return m.journal.Close()
}

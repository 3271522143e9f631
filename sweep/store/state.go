package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"scoville/sweep/results"
	"scoville/sweep/store/bucket"
)

// stateFile is beside the local copy.
const stateFile = "state.json"

// state is what is known of how a local copy and the bucket agree. Every error
// is on the safe side: what is not known to agree is sent or fetched again.
type state struct {
	Token  string          `json:"token"`  // of the lease
	Pieces []string        `json:"pieces"` // that the local journal holds
	Sent   int64           `json:"sent"`   // bytes of the local journal that pieces hold
	Files  map[string]same `json:"files"`  // that agree, by name
}

// same is a file and an object that agree.
type same struct {
	Size   int64     `json:"size"`
	Local  time.Time `json:"local"`
	Remote time.Time `json:"remote"` // zero = not asked: the name says what it holds
}

func readState(root string) (state, error) {
	s := state{}
	text, err := os.ReadFile(filepath.Join(root, stateFile))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return s, fmt.Errorf("%s: %w; remove %s, which is a copy", filepath.Join(root, stateFile), err, root)
	}
	if s.Files == nil {
		s.Files = map[string]same{}
	}
	return s, nil
}

func (s *state) write(root string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return results.WriteFile(filepath.Join(root, stateFile), text)
}

// here says whether the local file is the one that agreed.
func (x same) here(info os.FileInfo) bool {
	return info.Size() == x.Size && info.ModTime().Equal(x.Local)
}

// there says whether the object is the one that agreed.
func (x same) there(o bucket.Object) bool {
	return o.Size == x.Size && (x.Remote.IsZero() || o.Modified.Equal(x.Remote))
}

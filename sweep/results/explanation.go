package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"scoville/core/scenario/file"
	"scoville/core/table"
	"scoville/core/unit"
)

// ExplanationFile is the explanation of a dataset of one point, as text; other
// datasets have none.
const ExplanationFile = "explanation.txt"

// Explain writes the explanation, or removes what an earlier study left when
// there is none.
func (s *Set) Explain(text []byte) error {
	path := filepath.Join(s.dir, ExplanationFile)
	if len(text) > 0 {
		return table.WriteFile(path, []byte(unit.Visible(string(text))))
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Explanation is the text that Explain wrote; "" = none.
func (d *Dataset) Explanation() (string, error) {
	text, err := file.Read(filepath.Join(d.Dir, ExplanationFile), file.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

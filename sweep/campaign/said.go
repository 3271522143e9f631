package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"scoville/sweep/results"
)

// Lines says what of the folder is lost or will be replaced, a line each.
func (s *Standing) Lines() (lines []string) {
	if s.Replaces != "" {
		lines = append(lines, s.Replaces)
	}
	if s.Cut > 0 {
		lines = append(lines, fmt.Sprintf("runs.journal: %d bytes that were half written are cut off", s.Cut))
	}
	if s.Damaged > 0 {
		lines = append(lines, fmt.Sprintf("runs.journal: %d bytes in its midst are damaged; the runs they held run again", s.Damaged))
	}
	return lines
}

// replaces says that the tables in the folder are of a study of the same name
// that is another text in another file; "" if they are not, or there are none.
func (c *Campaign) replaces() string {
	old, err := results.ReadManifest(c.Dir)
	if err != nil || old.Digest == "" || old.StudyFile == "" {
		return ""
	}
	doc := c.Plan.Study.Doc
	now, err := filepath.Abs(doc.File)
	sum := sha256.Sum256([]byte(doc.Text))
	if err != nil || now == old.StudyFile || hex.EncodeToString(sum[:]) == old.StudySHA256 {
		return ""
	}
	was, is := filepath.Base(old.StudyFile), filepath.Base(now)
	if was == is {
		was, is = old.StudyFile, now
	}
	return fmt.Sprintf("%s holds results of %s; they are replaced by those of %s, another study of the same name (finished runs stay known); give it another name, or -o", c.Dir, was, is)
}

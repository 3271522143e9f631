package shard

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"scoville/core"
	input "scoville/core/scenario/file"
	"scoville/sweep/journal"
	"scoville/sweep/plan"
	"scoville/sweep/results"
)

// Folder holds the shards in the folder of the results.
const Folder = "shards"

// RecordFile is in the folder of a shard that has finished.
const RecordFile = "shard.json"

// Record is what a shard leaves when all its runs are there.
type Record struct {
	Shard     int            `json:"shard"`
	Count     int            `json:"shards"`
	Study     string         `json:"study"`
	Plan      string         `json:"plan"` // Digest of the plan that it is a shard of
	Points    int            `json:"points"`
	Counts    map[string]int `json:"counts"`    // runs by status
	Simulated int            `json:"simulated"` // of these, not known before
	Finished  time.Time      `json:"finished"`
	WallS     float64        `json:"wall_seconds"`
	Host      string         `json:"host"`
}

// Digest is the identity of a plan: of its points and of all that decides which
// runs they have.
func Digest(p *plan.Plan) string {
	h := sha256.New()
	st := p.Study
	fmt.Fprintf(h, "%d %d %d %d %v %d\n", core.Version, results.Schema, p.Runs(), st.Seed, st.Independent, st.Draws)
	if st.Until != nil {
		fmt.Fprintf(h, "%+v\n", *st.Until)
	}
	if s := st.Search; s != nil {
		fmt.Fprintf(h, "%s %+v %d %t %d\n", s.Over, plan.SearchSpec(st), s.Confirm, s.RequireSteady, st.Replicates)
	}
	fmt.Fprintf(h, "%d %+v\n", st.Requests, [2]float64{float64(st.Budget.Events), st.Budget.SimS})
	for i := range p.Len() {
		fmt.Fprintln(h, p.ID(i), p.Replicates(i))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Begin forgets that the shard in dir has finished.
func Begin(dir string) error {
	if err := os.Remove(filepath.Join(dir, RecordFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Write leaves the record of a finished shard in its folder.
func (r *Record) Write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return results.WriteFile(filepath.Join(dir, RecordFile), append(text, '\n'))
}

// Finished reads the record in the folder of a shard; nil if it has none.
func Finished(dir string) *Record {
	text, err := input.Read(filepath.Join(dir, RecordFile), input.MaxText)
	var r Record
	if err != nil || json.Unmarshal(text, &r) != nil {
		return nil
	}
	return &r
}

var name = regexp.MustCompile(`^([1-9][0-9]{0,6})-of-([1-9][0-9]{0,6})$`)

// In lists the shards that have a folder with a manifest or runs in that of the
// results, by count, then index.
func In(dir string) ([]Shard, error) {
	entries, err := os.ReadDir(filepath.Join(dir, Folder))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var out []Shard
	for _, e := range entries {
		m := name.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		index, _ := strconv.Atoi(m[1]) // at most seven digits
		count, _ := strconv.Atoi(m[2])
		if s := (Shard{index, count}); index <= count && count <= MaxCount && begun(s.Dir(dir)) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Shard) int { return cmp.Or(a.Count-b.Count, a.Index-b.Index) })
	return out, err
}

// begun reports whether a folder is one of a shard that began: an empty one that
// somebody made is not.
func begun(dir string) bool {
	for _, file := range []string{results.ManifestFile, journal.File} {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Count is into how many shards a folder of results is split: what most of its
// shards say, the smaller of two that as many say; 0 if it has none.
func Count(shards []Shard) int {
	folders, best := map[int]int{}, 0
	for _, s := range shards {
		folders[s.Count]++
	}
	for count, n := range folders {
		if n > folders[best] || n == folders[best] && count < best {
			best = count
		}
	}
	return best
}

// Ranges words numbers in order: "1-4,7".
func Ranges(list []int) string {
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		text := strconv.Itoa(list[i])
		if j > i {
			text += "-" + strconv.Itoa(list[j])
		}
		out = append(out, text)
		i = j + 1
	}
	return strings.Join(out, ",")
}

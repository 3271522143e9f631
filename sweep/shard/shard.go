// Package shard splits a plan over several machines: a point is of the shard that
// the hash of its scenario says, with all its replicates, probes and draws, so
// that what a shard runs depends on no other shard. It knows where the shards of a
// folder of results are kept, and which have finished.
package shard

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strconv"
	"strings"

	"scoville/sweep/plan"
)

// Shard is one of Count parts of a plan; Index counts from 1.
type Shard struct{ Index, Count int }

// MaxCount bounds the shards of a study.
const MaxCount = 1_000_000

// Variables of Slurm and Kubernetes that say which task of an array this is.
const (
	taskID    = "SLURM_ARRAY_TASK_ID"
	taskMin   = "SLURM_ARRAY_TASK_MIN"
	taskStep  = "SLURM_ARRAY_TASK_STEP"
	taskCount = "SLURM_ARRAY_TASK_COUNT"
	jobIndex  = "JOB_COMPLETION_INDEX" // from 0; the count is not told
)

// Parse reads "3/8"; "auto", which takes index and count from the variables of a
// Slurm array that is submitted whole; or "auto/8", which takes the index alone,
// from Slurm, where it counts from 1, or from a Kubernetes Indexed Job. getenv is
// os.Getenv.
func Parse(text string, getenv func(string) string) (Shard, error) {
	index, count, has := strings.Cut(text, "/")
	s, err := Shard{}, error(nil)
	switch {
	case index == "auto" && !has:
		s, err = whole(getenv)
	case index == "auto":
		if s.Index, err = task(getenv); err == nil {
			s.Count, err = number(count)
		}
	case !has:
		return s, fmt.Errorf("--shard %q: give INDEX/COUNT such as 3/8, auto/COUNT or auto", text)
	default:
		if s.Index, err = number(index); err == nil {
			s.Count, err = number(count)
		}
	}
	switch {
	case err != nil:
		return s, fmt.Errorf("--shard %s: %w", text, err)
	case s.Count < 1 || s.Count > MaxCount:
		return s, fmt.Errorf("--shard %s: %d shards; there are 1 to %d", text, s.Count, MaxCount)
	case s.Index < 1 || s.Index > s.Count:
		return s, fmt.Errorf("--shard %s: shard %d of %d; the first is 1", text, s.Index, s.Count)
	}
	return s, nil
}

func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	return n, nil
}

// whole is the shard of a task of a Slurm array.
func whole(getenv func(string) string) (Shard, error) {
	if getenv(taskID) == "" {
		if getenv(jobIndex) != "" {
			return Shard{}, fmt.Errorf("%s does not say how many there are; give auto/COUNT", jobIndex)
		}
		return Shard{}, errNoTask
	}
	var n [4]int
	for i, name := range []string{taskID, taskMin, taskStep, taskCount} {
		var err error
		if n[i], err = number(getenv(name)); err != nil {
			return Shard{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if n[2] < 1 || (n[0]-n[1])%n[2] != 0 {
		return Shard{}, fmt.Errorf("%s = %d is none of the tasks from %d in steps of %d", taskID, n[0], n[1], n[2])
	}
	return Shard{(n[0]-n[1])/n[2] + 1, n[3]}, nil
}

var errNoTask = errors.New("this is no task of a Slurm array (" + taskID + ") and no pod of an Indexed Job (" + jobIndex + "); give INDEX/COUNT")

// task is the index of a task of an array that may be submitted in parts.
func task(getenv func(string) string) (int, error) {
	if text := getenv(taskID); text != "" {
		n, err := number(text)
		if err == nil && n == 0 {
			err = fmt.Errorf("%s is 0: number the array from 1", taskID)
		}
		return n, err
	}
	if text := getenv(jobIndex); text != "" {
		n, err := number(text)
		return n + 1, err
	}
	return 0, errNoTask
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Dir is the folder of the shard in that of the results.
func (s Shard) Dir(dir string) string {
	return filepath.Join(dir, Folder, fmt.Sprintf("%d-of-%d", s.Index, s.Count))
}

// Of is the index of the shard, of count, that the point with an id is of.
func Of(id string, count int) int {
	b, _ := hex.DecodeString(id) // ids of a plan are hexadecimal
	h := fnv.New64a()
	h.Write(b)
	return int(h.Sum64()%uint64(count)) + 1
}

// Of is the part of a plan that is of the shard.
func (s Shard) Of(p *plan.Plan) *plan.Plan {
	var mine []int
	for i := range p.Len() {
		if Of(p.ID(i), s.Count) == s.Index {
			mine = append(mine, i)
		}
	}
	return p.Points(mine)
}

// Check refuses a study that cannot be split.
func Check(p *plan.Plan) error {
	st := p.Study
	if !st.Race {
		return nil
	}
	err := st.Doc.Errorf("run.race", "run it on one machine, or without race", "a race drops a point because of the runs of others, which other shards have")
	err.Where = "--shard"
	return err
}

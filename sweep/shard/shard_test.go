package shard

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/sweep/journal"
	"scoville/sweep/results"
)

func TestParse(t *testing.T) {
	slurm := func(id, least, step, count string) map[string]string {
		return map[string]string{taskID: id, taskMin: least, taskStep: step, taskCount: count}
	}
	pod := map[string]string{jobIndex: "3"}
	for _, c := range []struct {
		text string
		env  map[string]string
		want string // beginning of an error after "!"
	}{
		{"1/4", nil, "1/4"},
		{"4/4", slurm("1", "1", "1", "9"), "4/4"},
		{"auto", slurm("1", "1", "1", "4"), "1/4"},
		{"auto", slurm("0", "0", "1", "4"), "1/4"},
		{"auto", slurm("9", "3", "2", "4"), "4/4"},
		{"auto", slurm("8", "3", "2", "4"), "!SLURM_ARRAY_TASK_ID = 8 is none"},
		{"auto", slurm("8", "3", "", "4"), "!SLURM_ARRAY_TASK_STEP"},
		{"auto/8", slurm("3", "3", "1", "1"), "3/8"}, // of an array submitted in parts
		{"auto/8", slurm("0", "0", "1", "8"), "!SLURM_ARRAY_TASK_ID is 0"},
		{"auto/8", pod, "4/8"},
		{"auto/3", pod, "!shard 4 of 3"},
		{"auto", pod, "!JOB_COMPLETION_INDEX does not say"},
		{"auto", nil, "!this is no task"},
		{"auto/8", nil, "!this is no task"},
		{"0/4", nil, "!shard 0 of 4"},
		{"5/4", nil, "!shard 5 of 4"},
		{"-1/4", nil, "!shard -1 of 4"},
		{"1/0", nil, "!0 shards"},
		{"1/9999999", nil, "!9999999 shards"},
		{"1/99999999999999999999", nil, "!\"99999999999999999999\" is no"},
		{"a/4", nil, "!\"a\" is no whole number"},
		{"1", nil, "!"},
		{"", nil, "!"},
	} {
		s, err := Parse(c.text, func(name string) string { return c.env[name] })
		if want, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %v: %v, want %s", c.text, c.env, err, want)
			}
		} else if err != nil || s.String() != want {
			t.Errorf("%s %v: %s %v, want %s", c.text, c.env, s, err, want)
		}
	}
}

// Every point is of one shard, and the shards are of about one size.
func TestOf(t *testing.T) {
	for _, count := range []int{1, 2, 3, 8, 64} {
		points := make([]int, count)
		for i := range 6400 {
			points[Of(hex.EncodeToString([]byte{byte(i), byte(i >> 8), 1, 2, 3, 4, 5, 6}), count)-1]++
		}
		for i, n := range points {
			if mean := 6400 / count; n < mean*7/10 || n > mean*13/10 {
				t.Errorf("shard %d of %d has %d points", i+1, count, n)
			}
		}
	}
}

func TestIn(t *testing.T) {
	dir := t.TempDir()
	if list, err := In(dir); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
	names := []string{"2-of-3", "1-of-3", "10-of-12", "4-of-3", "0-of-3", "1-of-3.old", "01-of-3", "99999999-of-99999999", "1-of-1000001", "1-of-9999999"}
	for i, name := range names {
		at := dir + "/shards/" + name + "/" + []string{results.ManifestFile, journal.File}[i%2]
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, empty := range []string{"3-of-3", "1-of-7", "2-of-7", "3-of-7", "4-of-7/" + journal.File} { // somebody made them
		if err := os.MkdirAll(dir+"/shards/"+empty, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	list, err := In(dir)
	if err != nil || len(list) != 3 || list[0] != (Shard{1, 3}) || list[2] != (Shard{10, 12}) || Count(list) != 3 || Count(nil) != 0 {
		t.Error(list, err)
	}
	for _, list := range [][]Shard{{{1, 2}, {1, MaxCount}}, {{1, MaxCount}, {1, 2}}, {{1, 2}, {1, 3}, {2, 2}, {2, 3}}} {
		if n := Count(list); n != 2 {
			t.Errorf("%v are of %d", list, n)
		}
	}
	if got := Ranges([]int{1, 2, 3, 7, 9, 10}); got != "1-3,7,9-10" {
		t.Error(got)
	}
}

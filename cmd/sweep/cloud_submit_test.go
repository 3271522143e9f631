//go:build cloud

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What submit writes for Slurm runs shards that write to a URL, and a merge that
// makes the tables there: those of a sweep into a folder.
func TestCloudSubmit(t *testing.T) {
	b := newBucket(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(b.dir, "sweep") // the name by which testscript.Main calls main
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	more := filepath.Join(b.dir, "more.toml")
	t.Chdir(b.dir)
	text := b.sweeps(0, "submit", "more.toml", "--engine", "slurm", "--shards", "2", "-o", b.at("results/a"), "--program", program, "--scratch", b.dir+"/tasks", "--run-timeout", "1m")
	b.has(text, "wrote   results/demo/submit/array.sh, results/demo/submit/merge.sh")
	for i := range 2 {
		c := exec.Command("bash", "results/demo/submit/array.sh")
		c.Env = append(os.Environ(), fmt.Sprint("SLURM_ARRAY_TASK_ID=", i+1), "SLURM_ARRAY_TASK_MIN=1", "SLURM_ARRAY_TASK_COUNT=2")
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), fmt.Sprintf("shard %d/2 of demo", i+1)) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, err := exec.Command("bash", "results/demo/submit/merge.sh").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b.same("a", more)
	text = b.sweeps(0, "submit", "more.toml", "--engine", "kubernetes", "--shards", "2", "-o", b.at("results/a"), "--image", "sweep:1", "--claim", "work", "--files", "pods")
	b.has(text, "wrote   pods/job.yaml, pods/merge.yaml")
	b.has(text, "no --secret and no --service-account")
	b.has(b.sweeps(2, "submit", "more.toml", "--engine", "slurm", "--shards", "2", "-o", "s3:///a"), "no bucket is named")
	b.has(b.sweeps(2, "submit", "more.toml", "--engine", "slurm", "--shards", "2", "-o", "s3://results?colour=blue"), "colour")
}

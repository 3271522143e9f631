//go:build !cloud

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// A build without clients of object stores says which one has them, before the
// first run.
func TestNoCloud(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"run", "none.toml", "-o", "s3://bucket/prefix"},
		{"show", "s3://bucket/prefix"},
		{"merge", "gs://bucket/prefix"},
		{"diff", "file:///a", "b"},
		{"confirm", "s3://bucket/prefix"},
		{"status", "s3://bucket/prefix"},
		{"submit", "none.toml", "-o", "s3://bucket/prefix", "--engine", "slurm", "--shards", "2"},
	} {
		var out bytes.Buffer
		err := run(context.Background(), args, &out, &out)
		if exitCode(err) != 2 || !strings.Contains(message(err), "make cloud") {
			t.Errorf("%v: exit code %d, %v", args, exitCode(err), err)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("left %v %v", entries, err)
	}
}

// Package gcs runs bin/sweep-cloud against a Google Cloud Storage in this process.
// It is a module of its own, so that none of it is part of the programs.
package gcs

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

var program = flag.String("sweep", "", "bin/sweep-cloud, in full")

const study = `schema = 1
name = "demo"
[model]
name = "llama-2-7b"
weight_dtype = "int8"
kv_dtype = "int8"
[hardware]
name = "jalapeno"
[workload]
requests = 50
rate_rps = 2.0
[[workload.class]]
name = "chat"
prompt_tokens = 128
output_tokens = 64
[axes]
"engine.max_num_seqs" = [1, 2, 4, 8]
`

// ground is a bucket, and a folder for studies and scratches.
type ground struct {
	t      *testing.T
	server *fakestorage.Server
	dir    string
}

func newGround(t *testing.T) *ground {
	if *program == "" {
		t.Skip("no -sweep")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	host := fmt.Sprintf("127.0.0.1:%d", port)
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: uint16(port), PublicHost: host})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "results"})
	t.Setenv("STORAGE_EMULATOR_HOST", host)
	g := &ground{t, server, t.TempDir()}
	if err := os.WriteFile(filepath.Join(g.dir, "demo.toml"), []byte(study), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// sweep runs the program and wants its exit code.
func (g *ground) sweep(want int, args ...string) string {
	g.t.Helper()
	code, out := g.run(args...)
	if code != want {
		g.t.Fatalf("sweep %v: exit code %d, want %d\n%s", args, code, want, out)
	}
	return out
}

func (g *ground) run(args ...string) (int, string) {
	c := exec.Command(*program, args...)
	c.Dir = g.dir
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		g.t.Error(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

// same wants the tables of a prefix to be those of a sweep into a folder.
func (g *ground) same(prefix string) {
	g.t.Helper()
	g.sweep(0, "run", "demo.toml", "-o", "local")
	for _, name := range []string{"runs.parquet", "points.parquet", "effects.parquet"} {
		want, err := os.ReadFile(filepath.Join(g.dir, "local", name))
		if err != nil {
			g.t.Fatal(err)
		}
		o, err := g.server.GetObject("results", prefix+"/"+name)
		if err != nil || !bytes.Equal(o.Content, want) {
			g.t.Errorf("%s/%s is not that of a sweep into a folder, %v", prefix, name, err)
		}
	}
}

// A sweep goes on from another machine, in shards or not, and its tables are those
// of a sweep into a folder.
func TestRun(t *testing.T) {
	g := newGround(t)
	g.sweep(0, "run", "demo.toml", "-o", "gs://results/a", "--scratch", "one")
	if out := g.sweep(0, "run", "demo.toml", "-o", "gs://results/a", "--scratch", "two", "--progress", "plain"); !strings.Contains(out, "4 already done, 0 to run") {
		t.Error(out)
	}
	g.same("a")
	for _, shard := range []string{"1/2", "2/2"} {
		g.sweep(0, "run", "demo.toml", "-o", "gs://results/b", "--shard", shard, "--scratch", "three")
	}
	if out := g.sweep(0, "status", "gs://results/b"); !strings.Contains(out, "2 finished (1-2)") {
		t.Error(out)
	}
	g.sweep(0, "merge", "gs://results/b", "--scratch", "four")
	g.same("b")
	if out := g.sweep(2, "run", "demo.toml", "-o", "gs://nowhere/a"); !strings.Contains(out, "there is no such bucket") {
		t.Error(out)
	}
}

// Of many that begin at once on one URL one writes.
func TestAtOnce(t *testing.T) {
	g := newGround(t)
	codes := make(chan int)
	const many = 6
	for i := range many {
		go func() {
			code, _ := g.run("run", "demo.toml", "-o", "gs://results/c", "--scratch", fmt.Sprint("at-once-", i), "--wait", "1m", "--progress", "none")
			codes <- code
		}()
	}
	for range many {
		if code := <-codes; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	leases, _, err := g.server.ListObjectsWithOptions("results", fakestorage.ListOptions{Prefix: "c/writer/"})
	if err != nil || len(leases) != 1 || leases[0].Name != fmt.Sprintf("c/writer/%06d", many) {
		t.Errorf("%d leases, %v: two wrote as one generation", len(leases), err)
	}
	g.same("c")
}

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"scoville/cmd/program"
	"scoville/sweep"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sweep": main})
}

// The scripts in testdata drive the real command. "exits CODE PROGRAM ARGS"
// runs a program and wants that exit code; no script may show a panic.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: exits CODE PROGRAM ARGS")
				}
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				code := 0
				if err := ts.Exec(args[1], args[2:]...); err != nil {
					exit, ok := errors.AsType[*exec.ExitError](err)
					if !ok {
						ts.Fatalf("%v", err)
					}
					code = exit.ExitCode()
				}
				if text := ts.ReadFile("stderr"); strings.Contains(text, "goroutine ") {
					ts.Fatalf("a panic reached the user")
				}
				if code != want {
					ts.Fatalf("exit code %d, want %d", code, want)
				}
			},
		},
	})
}

// An interrupt ends a running sweep with exit code 130 and no results.
func TestInterrupt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	study := dir + "/big.toml"
	text := strings.Replace(string(script(t, "testdata/run.txtar", "-- demo.toml --")), "requests = 200", "requests = 20_000", 1) +
		"[axes]\n\"workload.rate_rps\" = { from = 0.01, to = 10, step = 0.01 }\n"
	if err := os.WriteFile(study, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "run", study, "-o", dir+"/out", "--progress", "json")
	c.Args[0] = "sweep" // the name by which testscript.Main calls main
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = c.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 130 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("%v, standard error %q", err, stderr.String())
	}
	if _, err := os.Stat(dir + "/out/runs.parquet"); err == nil {
		t.Error("an interrupted sweep wrote results")
	}
}

// The time that is left has as many digits as it deserves.
func TestAbout(t *testing.T) {
	for _, c := range []struct {
		left time.Duration
		want string
	}{
		{-1, "unknown"},
		{0, "about 0s"},
		{1400 * time.Millisecond, "about 1s"},
		{119 * time.Second, "about 1m59s"},
		{124 * time.Second, "about 2m0s"},
		{3*time.Hour + 17*time.Second, "about 3h0m"},
	} {
		if got := about(c.left); got != c.want {
			t.Errorf("%v: %s, want %s", c.left, got, c.want)
		}
	}
	if s := leftSeconds(-1); s != nil {
		t.Error(*s)
	}
}

// script returns a file of a txtar archive, by its header line.
func script(t *testing.T, file, header string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(text, []byte(header+"\n"))
	if !ok {
		t.Fatalf("no %s in %s", header, file)
	}
	rest, _, _ = bytes.Cut(rest, []byte("\n-- "))
	return append(rest, '\n')
}

func TestProgress(t *testing.T) {
	for _, c := range []struct{ mode, want string }{
		{"plain", "50/200 runs  25%  50 runs/s  elapsed 1s  left about 3s  failed 2\n"},
		{"json", `{"done":50,"total":200,"failed":2,"runs_per_s":50,"elapsed_s":1,"left_s":3}` + "\n"},
		{"line", "\r50/200 runs  25%  50 runs/s  elapsed 1s  left about 3s  failed 2"},
		{"none", ""},
	} {
		var b bytes.Buffer
		start := time.Unix(0, 0)
		p := &progress{w: &b, mode: c.mode, start: start, last: start}
		p.now = func() time.Time { return start.Add(time.Second) }
		p.show(sweep.Progress{Done: 50, Total: 200, Failed: 2, Left: 3 * time.Second, RunsPerS: 50})
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.mode, b.String(), c.want)
		}
	}
	if _, err := newProgress(&bytes.Buffer{}, "loud"); err == nil {
		t.Error("an unknown mode is accepted")
	}
	var b bytes.Buffer
	p, err := newProgress(&b, "auto")
	if err != nil || p.mode != "plain" {
		t.Errorf("into a pipe: mode %s, %v", p.mode, err)
	}
	p.show(sweep.Progress{Done: 1, Total: 2})
	if b.Len() > 0 {
		t.Errorf("shown before its time: %q", b.String())
	}
}

// An interrupt after the tables are written says that they are whole.
func TestInterruptedReport(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := show(ctx, io.Discard, &sweep.Outcome{Dir: "results/x"}, program.Form{})
	if code, text := exitCode(err), message(err); code != 130 || text != "sweep: interrupted: the tables in results/x are whole, but not what goes with them\nthe same command writes it" {
		t.Errorf("exit code %d: %s", code, text)
	}
}

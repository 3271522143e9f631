package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"scoville/core/table"
)

// faultStudy has more runs than are written at a time, and tables that take a
// moment.
const faultStudy = `schema = 1
name = "faults"
[model]
name = "llama-2-7b"
weight_dtype = "int8"
kv_dtype = "int8"
[hardware]
name = "jalapeno"
[workload]
requests = 40
[[workload.class]]
name = "chat"
prompt_tokens = 128
output_tokens = { dist = "lognormal", mean = 64, cv = 0.8 }
[axes]
"engine.max_num_seqs" = { from = 1, to = 10, step = 1 }
"workload.rate_rps" = { from = 1, to = 15, step = 1 }
[replicates]
n = 2
`

// ground is where faults happen: a study, the tables of a sweep of it that nothing
// disturbed, and what came of each fault.
type ground struct {
	study  string
	tables map[string][]byte
	took   time.Duration
	shown  strings.Builder
}

func newGround(t *testing.T, study string) *ground {
	t.Helper()
	dir := t.TempDir()
	g := &ground{study: filepath.Join(dir, "faults.toml")}
	if err := os.WriteFile(g.study, []byte(study), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if p := g.run(t, filepath.Join(dir, "whole")); p.code != 0 {
		t.Fatalf("exit code %d: %s", p.code, p.stderr)
	}
	g.took = time.Since(begun)
	g.tables = g.read(t, filepath.Join(dir, "whole"))
	if len(g.tables) < 3 {
		t.Fatalf("%d tables", len(g.tables))
	}
	return g
}

// tell adds a line to the table of faults.
func (g *ground) tell(fault, injected, happened string) {
	fmt.Fprintf(&g.shown, "| %s | %s | %s | 0 |\n", fault, injected, happened)
}

// read reads every table of a folder that a reader's pattern matches. All must be
// whole, at any moment.
func (g *ground) read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, pattern := range []string{"*.parquet", "requests/*.parquet"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if _, err := table.Read(f); err != nil {
				t.Errorf("not a whole table: %v", err)
			}
			name, _ := filepath.Rel(dir, f)
			if out[name], err = os.ReadFile(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// mend runs the study in a folder after a fault: the tables must be those of an
// undisturbed sweep. It returns what the sweep says it knew.
func (g *ground) mend(t *testing.T, dir string) string {
	t.Helper()
	p := g.run(t, dir)
	if p.code != 0 {
		t.Fatalf("the rerun ends with exit code %d: %s", p.code, p.stderr)
	}
	g.equal(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return p.stderr
}

// process is a sweep that has ended.
type process struct {
	code   int // exit code; 128 + n = ended by signal n
	stderr string
}

// run runs the study into a folder.
func (g *ground) run(t *testing.T, dir string, more ...string) process {
	t.Helper()
	s := g.start(t, dir, more...)
	return s.wait(t)
}

// running is a sweep at work.
type running struct {
	*exec.Cmd
	stderr bytes.Buffer
}

// start starts the study into a folder. testscript.Main has put sweep, which is
// this binary, on the PATH.
func (g *ground) start(t *testing.T, dir string, more ...string) *running {
	t.Helper()
	s := &running{Cmd: exec.Command("sweep", append([]string{"run", g.study, "-o", dir}, more...)...)}
	s.Cmd.Stderr = &s.stderr
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	return s
}

func (s *running) wait(t *testing.T) process {
	t.Helper()
	return ended(t, s.Cmd.Wait(), s.stderr.String())
}

// ended words how a process ended; a panic must not reach the user.
func ended(t *testing.T, err error, stderr string) process {
	t.Helper()
	p := process{stderr: stderr}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		p.code = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			p.code = 128 + int(status.Signal())
		}
	} else if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(stderr, "goroutine ") {
		t.Errorf("a panic reached the user: %s", stderr)
	}
	return p
}

// signal sends a signal. A process that has just ended is none to complain of.
func (s *running) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := s.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// underWay waits until runs of a sweep are in the journal.
func underWay(t *testing.T, dir string) {
	t.Helper()
	for range 3000 {
		if info, err := os.Stat(filepath.Join(dir, "runs.journal")); err == nil && info.Size() > 1000 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no run is kept")
}

// wants checks how a sweep ended.
func (p process) wants(t *testing.T, code int, words ...string) {
	t.Helper()
	if p.code != code {
		t.Errorf("exit code %d, want %d: %s", p.code, code, p.stderr)
	}
	for _, w := range words {
		if !strings.Contains(p.stderr, w) {
			t.Errorf("no %q in: %s", w, p.stderr)
		}
	}
}

// Each fault ends in a clear message and the exit code of the help; no reader ever
// finds half a table; and the same command then gives the tables of an undisturbed
// sweep, to the byte. With -v it prints the table of faults.
func TestFaults(t *testing.T) {
	g := newGround(t, faultStudy)
	for _, f := range []struct {
		name string
		test func(*ground, *testing.T, string)
	}{
		{"kill while running", (*ground).killRunning},
		{"kill while writing", (*ground).killWriting},
		{"signals", (*ground).signals},
		{"streams", (*ground).streams},
		{"disk full", (*ground).diskFull},
		{"disk full of a merge", (*ground).diskFullOfMerge},
		{"file limit", (*ground).fileLimit},
		{"read-only", (*ground).readOnly},
		{"removed", (*ground).removed},
		{"locks", (*ground).locks},
		{"clock", (*ground).clock},
		{"damage", (*ground).damage},
	} {
		t.Run(f.name, func(t *testing.T) { f.test(g, t, filepath.Join(t.TempDir(), "out")) })
	}
	t.Logf("\n| fault | how injected | what happened | lost rows |\n|---|---|---|---|\n%s", g.shown.String())
}

// The same for tables of requests, which are written while runs go on.
func TestFaultsOfRequests(t *testing.T) {
	study := strings.Replace(faultStudy, "to = 10", "to = 3", 1) + "[output]\nrequests = \"sample:5\"\n"
	g := newGround(t, study)
	dir := filepath.Join(t.TempDir(), "out")
	r := rand.New(rand.NewPCG(3, uint64(time.Now().UnixNano())))
	for range 4 {
		g.killed(t, r, dir)
	}
	g.mend(t, dir)
	p := g.own(t, dir+"-full", 300, `sweep run $STUDY -o $DIR >/dev/null`)
	p.wants(t, 4, "requests", "no space left", "the same command goes on from there")
}

// killed runs the study and kills it at a random moment.
func (g *ground) killed(t *testing.T, r *rand.Rand, dir string) {
	t.Helper()
	s := g.start(t, dir)
	time.Sleep(time.Duration(r.Float64() * float64(g.took)))
	s.signal(t, syscall.SIGKILL)
	if p := s.wait(t); p.code != 128+int(syscall.SIGKILL) && p.code != 0 {
		t.Errorf("exit code %d: %s", p.code, p.stderr)
	}
	for name, text := range g.read(t, dir) {
		if !bytes.Equal(text, g.tables[name]) {
			t.Errorf("after a kill %s is whole, but not that of an undisturbed sweep", name)
		}
	}
}

func (g *ground) killRunning(t *testing.T, dir string) {
	r := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano()))) // not the same moments every time
	for range 10 {
		g.killed(t, r, dir)
	}
	g.tell("kill -9 while running", "10 times, at random moments", "whole tables or none after each; the rerun: "+first(g.mend(t, dir)))
}

// killWriting kills sweeps that know every run, and have to write only: where no
// tables are, and where old ones are.
func (g *ground) killWriting(t *testing.T, dir string) {
	r := rand.New(rand.NewPCG(2, uint64(time.Now().UnixNano())))
	g.mend(t, dir)
	for i := range 8 {
		if i < 4 {
			for name := range g.tables {
				os.Remove(filepath.Join(dir, name))
			}
		}
		g.killed(t, r, dir)
	}
	g.tell("kill -9 while tables are written", "8 times, at random moments, all runs known; with old tables and without", "old tables, new ones, or none, all whole; the rerun: "+first(g.mend(t, dir)))
}

// first is the first line of a text, or that there is none.
func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if line == "" {
		return "nothing known yet"
	}
	return line
}

func (g *ground) signals(t *testing.T, dir string) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // so that sweeps mind it, even where the tests do not
	defer signal.Reset(syscall.SIGHUP)
	for _, c := range []struct {
		name string
		send []os.Signal
	}{
		{"SIGTERM", []os.Signal{syscall.SIGTERM}},
		{"SIGHUP, the terminal is gone", []os.Signal{syscall.SIGHUP}},
		{"Ctrl-C", []os.Signal{os.Interrupt}},
		{"Ctrl-C twice", []os.Signal{os.Interrupt, os.Interrupt}},
	} {
		os.RemoveAll(dir)
		s := g.start(t, dir, "--set", "workload.requests=100_000", "-j", "2") // runs of a second
		time.Sleep(g.took)
		begun := time.Now()
		for _, sig := range c.send {
			s.signal(t, sig)
			time.Sleep(time.Millisecond)
		}
		p := s.wait(t)
		took := time.Since(begun)
		if len(c.send) == 1 {
			p.wants(t, 130, "interrupted", "finished runs are kept")
		} else if p.code != 130 { // by the program or by the signal
			t.Errorf("exit code %d", p.code)
		}
		if took > 20*time.Second { // a second, but for a machine that is busy otherwise
			t.Errorf("%s: %v until the end", c.name, took)
		}
		g.tell(c.name, "sent to the process amid runs of about a second", fmt.Sprintf("exit 130 after %.2f s: %s", took.Seconds(), words(p.stderr)))
		if len(g.read(t, dir)) > 0 {
			t.Errorf("%s: tables of an interrupted sweep", c.name)
		}
	}
	os.RemoveAll(dir)
	s := g.start(t, dir)
	underWay(t, dir)
	s.signal(t, os.Interrupt)
	s.wait(t)
	g.mend(t, dir)

	os.RemoveAll(dir)
	signal.Ignore(syscall.SIGHUP) // as nohup does
	s = g.start(t, dir)
	underWay(t, dir)
	s.signal(t, syscall.SIGHUP)
	s.wait(t).wants(t, 0)
	g.equal(t, dir)
	g.tell("SIGHUP under nohup", "sent to the process amid runs", "goes on to its end: exit 0")
}

// words joins the lines of a message.
func words(text string) string {
	return strings.Join(strings.Split(strings.TrimSpace(text), "\n"), "; ")
}

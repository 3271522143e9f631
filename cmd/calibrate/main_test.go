package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"calibrate": main})
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

// An interrupt ends a fit with exit code 130 and no overlay.
func TestInterrupt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir() + "/out.toml"
	c := exec.Command(self, "fit", "../../studies/measured/h100.csv", "-o", out)
	c.Args[0] = "calibrate" // the name by which testscript.Main calls main
	stderr := &bytes.Buffer{}
	c.Stderr = stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = c.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 130 || !strings.Contains(stderr.String(), "interrupted; nothing was written") {
		t.Errorf("%v, standard error %q", err, stderr.String())
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an interrupted fit wrote an overlay")
	}
}

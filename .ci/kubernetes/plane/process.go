package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// processes are those of this program, each with its log.
type processes struct {
	dir  string      // of the logs
	dead func(error) // told when one ends that must not

	mu      sync.Mutex
	running []*process
	ending  bool
}

// process is a process group of its own, which the kernel ends with this program.
type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	code int           // then; 128 + signal as a shell says it
}

// start starts a program. One that must live ends all when it ends.
func (p *processes) start(name string, c *exec.Cmd, must bool) (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending {
		return nil, errors.New("this program is ending")
	}
	log, err := os.Create(filepath.Join(p.dir, name+".txt"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x := &process{name: name, cmd: c, done: make(chan struct{})}
	p.running = append(p.running, x)
	go func() {
		_ = c.Wait() // the state says it
		x.code = c.ProcessState.ExitCode()
		if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			x.code = 128 + int(s.Signal())
		}
		p.mu.Lock()
		p.running = slices.DeleteFunc(p.running, func(y *process) bool { return y == x })
		ending := p.ending
		p.mu.Unlock()
		close(x.done)
		if must && !ending {
			p.dead(fmt.Errorf("%s has ended by itself with %d", name, x.code))
		}
	}()
	return x, nil
}

// signal sends a signal to the group of a process.
func (x *process) signal(s syscall.Signal) { _ = syscall.Kill(-x.cmd.Process.Pid, s) }

// end ends all: those that were started last first, politely and then not.
func (p *processes) end() {
	p.mu.Lock()
	p.ending = true
	list := slices.Clone(p.running)
	p.mu.Unlock()
	slices.Reverse(list)
	for _, x := range list {
		x.signal(syscall.SIGTERM)
		select {
		case <-x.done:
		case <-time.After(3 * time.Second):
			x.signal(syscall.SIGKILL)
			<-x.done
		}
	}
}

// log is what a process has written.
func (p *processes) log(name string) []byte {
	text, _ := os.ReadFile(filepath.Join(p.dir, name+".txt")) // none yet is none
	return text
}

// tails writes the last lines of every log.
func (p *processes) tails(w io.Writer) {
	files, _ := filepath.Glob(filepath.Join(p.dir, "*.txt"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		fmt.Fprintf(w, "==> %s\n%s\n", filepath.Base(file), bytes.Join(lines[max(0, len(lines)-8):], []byte("\n")))
	}
}

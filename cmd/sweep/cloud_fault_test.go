//go:build cloud

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"scoville/sweep"
	"scoville/sweep/store"
)

// child is sweep as a process of its own.
func (b *bucket) child(args ...string) (*exec.Cmd, *bytes.Buffer) {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0] = "sweep" // the name by which testscript.Main calls main
	out := &bytes.Buffer{}
	c.Stdout, c.Stderr = out, out
	return c, out
}

// study writes the study of faults with runs of so many requests.
func (b *bucket) study(requests int) string {
	b.t.Helper()
	file := filepath.Join(b.dir, "faults.toml")
	text := strings.Replace(faultStudy, "requests = 40", fmt.Sprintf("requests = %d", requests), 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return file
}

// until waits for something that another process does.
func (b *bucket) until(what string, done func() bool) {
	b.t.Helper()
	for range 1200 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("in a minute not: %s", what)
}

// count counts requests of a method for what contains part.
func (b *bucket) count(method, part string) *atomic.Int64 {
	n := &atomic.Int64{}
	f := hook(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == method && strings.Contains(r.URL.Path, part) {
			n.Add(1)
		}
		return false
	})
	b.hook.Store(&f)
	return n
}

// lease changes the first lease of a folder.
func (b *bucket) lease(prefix, field string, value any) {
	b.t.Helper()
	key := prefix + "/writer/000001"
	lease := map[string]any{}
	if err := json.Unmarshal(b.object(key), &lease); err != nil {
		b.t.Fatal(err)
	}
	lease[field] = value
	text, err := json.Marshal(lease)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, method := range []string{http.MethodDelete, http.MethodPut} { // else it keeps its old checksum
		r, err := http.NewRequest(method, b.url+"/results/"+key, bytes.NewReader(text))
		if err != nil {
			b.t.Fatal(err)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil || a.StatusCode > 299 {
			b.t.Fatal(err, a)
		}
		a.Body.Close()
	}
}

// numbers are those that a pattern finds in text.
func numbers(t *testing.T, text, pattern string) (out []int) {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %q in\n%s", pattern, text)
	}
	for _, word := range m[1:] {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// A process that is killed loses nothing that was sent, on another machine, and
// nothing at all on its own; the tables are those of a sweep that nothing disturbed.
func TestCloudKilled(t *testing.T) {
	b := newBucket(t)
	study := b.study(12_000)
	for _, other := range []bool{true, false} {
		prefix := fmt.Sprint("other-", other)
		url, scratch := b.at("results/"+prefix), filepath.Join(b.dir, prefix)
		sent := b.count(http.MethodPut, "/runs.journal/")
		c, out := b.child("run", study, "-o", url, "--scratch", scratch, "-j", "1", "--send-every", "1s", "--progress", "none")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		b.until("a piece is sent", func() bool { return sent.Load() > 0 })
		if err := c.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil {
			t.Fatalf("it had ended before it was killed: %s", out)
		}
		status := b.sweeps(0, "status", url)
		b.has(status, "stopped; finished runs are kept") // its machine is this one
		at := numbers(t, status, `runs +(\d+) of 300 done`)
		if other {
			b.has(b.sweeps(6, "run", study, "-o", url, "--scratch", scratch+"-other"), "can be taken over from")
			b.lease(prefix, "host", "elsewhere")
			b.has(b.sweeps(0, "status", url), fmt.Sprintf("running: process %d on elsewhere", c.Process.Pid))
			b.lease(prefix, "expires", time.Now().Add(-time.Second)) // as in two minutes
			scratch += "-other"
			b.has(b.sweeps(0, "status", url), "stopped; finished runs are kept")
		}
		text := b.sweeps(0, "run", study, "-o", url, "--scratch", scratch, "--progress", "plain")
		n := numbers(t, text, `(\d+) runs planned, (\d+) already done, (\d+) to run`)
		if n[0] != 300 || n[1] == 0 || n[2] == 0 || n[1] < at[0] || other && n[1] != at[0] {
			t.Errorf("other machine %t: %d runs were sent, then: %v", other, at[0], n)
		}
		b.same(prefix, study)
	}
}

// A store that falls ill in the midst of a sweep: what is sent at its end is tried
// again until it is taken, or else kept for the same command.
func TestCloudIll(t *testing.T) {
	b := newBucket(t)
	study := b.study(40)
	ill := func(times int64, how func(w http.ResponseWriter)) *atomic.Int64 {
		n := &atomic.Int64{}
		f := hook(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut || strings.Contains(r.URL.Path, "/writer/") {
				return false
			}
			if n.Add(1) > times { // the client tries three times itself
				return false
			}
			how(w)
			return true
		})
		b.hook.Store(&f)
		return n
	}
	failing := func(code int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(code) }
	}
	reset := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	for name, how := range map[string]func(http.ResponseWriter){"503": failing(503), "reset": reset} {
		n := ill(3, how)
		text := b.sweeps(0, "run", study, "-o", b.at("results/few-"+name), "--scratch", b.dir+"/a", "--send-every", "1s")
		if n.Load() <= 3 {
			t.Errorf("%s: %d requests", name, n.Load())
		}
		b.has(text, "it is tried again")
		b.same("few-"+name, study)
	}
	n := ill(1<<40, reset)
	url := b.at("results/all")
	text := b.sweeps(4, "run", study, "-o", url, "--scratch", b.dir+"/a", "--send-every", "1s")
	b.has(text, "results could not be sent: ")
	b.has(text, "the same command on this machine sends them")
	if n.Load() < 3 || b.object("all/manifest.json") != nil {
		t.Errorf("%d requests", n.Load())
	}
	b.hook.Store(nil)
	b.has(b.sweeps(0, "run", study, "-o", url, "--scratch", b.dir+"/a"), "300 already done, 0 to run")
	b.same("all", study)
}

// A store that is away, slow or closed at the beginning says so, before a run.
func TestCloudAway(t *testing.T) {
	b := newBucket(t)
	few := filepath.Join(b.dir, "few.toml")
	all := func(how func(w http.ResponseWriter)) {
		f := hook(func(w http.ResponseWriter, _ *http.Request) bool { how(w); return true })
		b.hook.Store(&f)
	}
	for _, c := range []struct {
		code, exit int
		want       string
	}{
		{500, 4, "does not answer as it should"},
		{401, 2, "access is denied"},
		{403, 2, "access is denied"},
		{400, 2, "StatusCode: 400"},
		{301, 2, "StatusCode: 301"},
	} {
		all(func(w http.ResponseWriter) { w.WriteHeader(c.code) })
		b.has(b.sweeps(c.exit, "run", few, "-o", b.at("results/a")), c.want)
	}
	b.has(b.sweeps(2, "status", b.at("results/a")), "StatusCode: 301")
	slow := hook(func(http.ResponseWriter, *http.Request) bool { time.Sleep(100 * time.Millisecond); return false })
	b.hook.Store(&slow)
	b.sweeps(0, "run", few, "-o", b.at("results/slow"))
	b.hook.Store(nil)
	b.same("slow", few)
	nobody := strings.Replace(b.at("results/a"), b.url, "http://127.0.0.1:1", 1)
	b.has(b.sweeps(4, "run", few, "-o", nobody), "connection refused")
	if b.object("a/manifest.json") != nil {
		t.Error("a manifest of nothing")
	}
}

func TestCloudNoCredentials(t *testing.T) {
	b := newBucket(t)
	few := filepath.Join(b.dir, "few.toml")
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	b.has(b.sweeps(2, "run", few, "-o", b.at("results/a")), "no credentials were found")
	b.has(b.sweeps(2, "status", b.at("results/a")), "no credentials were found")
}

// Of two processes that begin at once on one URL one writes; the other is refused,
// or waits for its turn and finds everything done.
func TestCloudConflict(t *testing.T) {
	b := newBucket(t)
	study := b.study(200)
	for _, wait := range []string{"0s", "1m"} {
		url := b.at("results/wait-" + wait)
		codes := make(chan int, 2)
		var said [2]*bytes.Buffer
		for i := range 2 {
			c, out := b.child("run", study, "-o", url, "--scratch", fmt.Sprint(b.dir, "/", wait, i), "-j", "1", "--wait", wait, "--progress", "plain")
			said[i] = out
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			go func() { _ = c.Wait(); codes <- c.ProcessState.ExitCode() }()
		}
		sum := <-codes + <-codes
		text := said[0].String() + said[1].String()
		if wait == "0s" {
			if sum != 6 {
				t.Errorf("exit codes %d in all\n%s", sum, text)
			}
			b.has(text, "folder is in use")
		} else {
			if sum != 0 {
				t.Errorf("exit codes %d in all\n%s", sum, text)
			}
			b.has(text, "waiting for it, 1m0s at most")
			b.has(text, "300 already done, 0 to run")
		}
		b.same("wait-"+wait, study)
	}
}

// Status sees a sweep at a URL on its way and at its end, and writes nothing.
func TestCloudStatus(t *testing.T) {
	b := newBucket(t)
	more := filepath.Join(b.dir, "more.toml")
	for _, url := range []string{b.at("results/a"), "file://" + filepath.Join(b.dir, "files")} {
		b.has(b.sweeps(2, "status", url), "it holds no results")
		b.sweeps(0, "run", more, "-o", url, "--shard", "1/2", "--scratch", b.dir+"/one")
		refuse := "PUT "
		b.refuse.Store(&refuse)
		text := b.sweeps(0, "status", url)
		b.refuse.Store(nil)
		b.has(text, "shards  2: 1 finished (1), 1 missing (2)")
		b.has(text, "next    sweep run "+more+" -o "+sweep.Quote(url)+" --shard 2/2\n")
		b.has(text, "MB\n")
		s, _, err := store.Open(context.Background(), store.Options{URL: url, Part: "shards/2-of-2", Scratch: b.dir + "/two"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		b.sweeps(0, "run", more, "-o", url, "--shard", "2/2", "--scratch", b.dir+"/two")
		b.has(b.sweeps(0, "status", url), "next    sweep merge "+more+" -o "+sweep.Quote(url)+"\n")
		b.sweeps(0, "merge", url, "--scratch", b.dir+"/three")
		gets := b.count(http.MethodGet, ".parquet")
		b.has(b.sweeps(0, "status", url), "state   finished")
		var r struct {
			Dir    string
			Done   int `json:"done_runs"`
			Shards []struct{ State string }
		}
		text, _, _ = strings.Cut(b.sweeps(0, "status", url, "--json"), "fetched")
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.Dir != url || r.Done != 5 || len(r.Shards) != 2 {
			t.Errorf("%+v, %v", r, err)
		}
		if gets.Load() > 0 {
			t.Errorf("%d tables were fetched", gets.Load())
		}
	}
}

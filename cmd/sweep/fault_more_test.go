package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shell runs a script: $STUDY and $DIR are those of the sweep.
func (g *ground) shell(t *testing.T, dir, script string, before ...string) process {
	t.Helper()
	args := append(before, "sh", "-c", script)
	c := exec.Command(args[0], args[1:]...)
	c.Env = append(os.Environ(), "STUDY="+g.study, "DIR="+dir)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	return ended(t, c.Run(), stderr.String())
}

// own runs a script with a small file system of its own at $DIR, seen by the
// script alone; its size is in KiB. It copies the tables that are left there to
// $DIR-left. Where that is not allowed the test is skipped.
func (g *ground) own(t *testing.T, dir string, size int, script string) process {
	t.Helper()
	script = fmt.Sprintf("mount -t tmpfs -o size=%dk tmpfs $DIR || exit 77\n%s", size, script)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := g.shell(t, dir, script, "unshare", "--user", "--map-root-user", "--mount")
	if p.code == 77 || strings.Contains(p.stderr, "unshare") {
		t.Skip("no file system of its own here: ", p.stderr)
	}
	return p
}

// streams are faults of what a sweep writes to.
func (g *ground) streams(t *testing.T, dir string) {
	for _, c := range []struct {
		fault, script string
		code          int
		words         []string
	}{
		{"standard output closed", `sweep run $STUDY -o $DIR >&-`, 0, nil},
		{"standard error closed", `sweep run $STUDY -o $DIR >/dev/null 2>&-`, 0, nil},
		{"reader of standard output gone", `{ sweep run $STUDY -o $DIR; echo code $? >&2; } | :`, 0, []string{"code 0\n"}},
		{"reader of standard error gone", `{ sweep run $STUDY -o $DIR 2>&1 >/dev/null; echo $? >$DIR/code; } | :; exit $(cat $DIR/code)`, 0, nil},
		{"reader of a shard, a status, a plan gone", `sweep run $STUDY -o $DIR >/dev/null 2>&1; for c in "run $STUDY -o $DIR-shards --shard 1/2" "status $DIR" "plan $STUDY" "show $DIR --point 0"; do { sweep $c; echo "$?" >&2; } | :; done`, 0, []string{"0\n0\n0\n0\n"}},
		{"standard output full", `sweep run $STUDY -o $DIR >/dev/full`, 1, []string{"are whole, but could not be printed: ", "no space left"}},
	} {
		os.RemoveAll(dir)
		p := g.shell(t, dir, c.script)
		p.wants(t, c.code, c.words...)
		g.equal(t, dir)
		g.tell(c.fault, "`"+strings.ReplaceAll(c.script, "|", "\\|")+"`", fmt.Sprintf("tables written, exit %d: %s", c.code, words(p.stderr)))
	}
}

// diskFull lets the disk fill while runs are kept, while tables are written, and
// while old ones are there, and gives it room again.
func (g *ground) diskFull(t *testing.T, dir string) {
	const copied = `; echo code $? >&2
mkdir -p $DIR-left && cp -p $DIR/*.parquet $DIR-left/ 2>/dev/null
mount -o remount,size=64m $DIR && sweep run $STUDY -o $DIR >/dev/null && cp -p $DIR/* $DIR-after/`
	for _, c := range []struct {
		fault string
		size  int // KiB
		first string
	}{
		{"disk full while running", 120, ""},
		{"disk full while tables are written", 380, ""},
		{"disk full at the start", 4, ""},
		{"disk full over old tables", 64 << 10, `sweep run $STUDY -o $DIR >/dev/null; dd if=/dev/zero of=$DIR/fill bs=4k 2>/dev/null; `},
	} {
		os.RemoveAll(dir + "-left")
		os.RemoveAll(dir + "-after")
		if err := os.MkdirAll(dir+"-after", 0o755); err != nil {
			t.Fatal(err)
		}
		p := g.own(t, dir, c.size, c.first+`sweep run $STUDY -o $DIR >/dev/null`+strings.Replace(copied, "mount", "rm -f $DIR/fill; mount", 1))
		p.wants(t, 0, "code 4\n", "no space left", "finished runs are kept: the same command goes on from there")
		left := g.read(t, dir+"-left")
		if old := c.first != ""; old != (len(left) == len(g.tables)) || !old && len(left) > 0 {
			t.Errorf("%s: %d tables", c.fault, len(left))
		}
		g.equal(t, dir+"-after")
		g.tell(c.fault, fmt.Sprintf("a file system of %d KiB", c.size), "exit 4: "+words(p.stderr))
	}
}

// diskFullOfMerge lets the disk fill while runs of shards are gathered, and gives it
// room again.
func (g *ground) diskFullOfMerge(t *testing.T, dir string) {
	for _, part := range []string{"1/2", "2/2"} {
		if p := g.run(t, dir+"-parts", "--shard", part); p.code != 0 {
			t.Fatalf("exit code %d: %s", p.code, p.stderr)
		}
	}
	if err := os.MkdirAll(dir+"-after", 0o755); err != nil {
		t.Fatal(err)
	}
	const merge = `sweep merge $STUDY $DIR-parts -o $DIR >/dev/null`
	p := g.own(t, dir, 120, merge+`; echo code $? >&2
mount -o remount,size=64m $DIR && `+merge+` && cp -p $DIR/*.parquet $DIR-after/`)
	p.wants(t, 0, "code 4\n", "no space left", "the same command goes on from there")
	if n := strings.Count(p.stderr, "no space left"); n != 1 {
		t.Errorf("said %d times: %s", n, p.stderr)
	}
	g.equal(t, dir+"-after")
	g.tell("disk full while shards are merged", "a file system of 120 KiB", "exit 4: "+words(p.stderr))
}

// equal checks that the tables of a folder are those of an undisturbed sweep.
func (g *ground) equal(t *testing.T, dir string) {
	t.Helper()
	got := g.read(t, dir)
	if len(got) != len(g.tables) {
		t.Errorf("%d tables, want %d", len(got), len(g.tables))
	}
	for name, text := range g.tables {
		if !bytes.Equal(got[name], text) {
			t.Errorf("%s is not that of an undisturbed sweep", name)
		}
	}
}

// fileLimit is a full disk where no file system can be made: no file may grow
// above a size.
func (g *ground) fileLimit(t *testing.T, dir string) {
	for _, c := range []struct {
		fault  string
		blocks int // of 512 bytes
	}{
		{"file limit while running", 200},
		{"file limit while tables are written", 0},
	} {
		os.RemoveAll(dir)
		script := `ulimit -f $LIMIT; sweep run $STUDY -o $DIR >/dev/null`
		if c.blocks == 0 { // the journal is there, and the tables are larger
			g.mend(t, dir)
			for name := range g.tables {
				os.Remove(filepath.Join(dir, name))
			}
			c.blocks = 100
		}
		p := g.shell(t, dir, strings.Replace(script, "$LIMIT", fmt.Sprint(c.blocks), 1))
		p.wants(t, 4, "file too large", "finished runs are kept: the same command goes on from there")
		if got := g.read(t, dir); len(got) > 0 {
			t.Errorf("%s: %d tables", c.fault, len(got))
		}
		g.tell(c.fault, fmt.Sprintf("`ulimit -f %d`", c.blocks), "exit 4: "+words(p.stderr)+"; the rerun: "+first(g.mend(t, dir)))
	}
}

func (g *ground) readOnly(t *testing.T, dir string) {
	p := g.own(t, dir, 1<<10, `mount -o remount,ro $DIR && sweep run $STUDY -o $DIR >/dev/null`)
	p.wants(t, 2, "read-only file system")
	g.tell("folder that cannot be written", "a read-only file system", "exit 2, nothing was run: "+words(p.stderr))
	g.mend(t, dir)
}

func (g *ground) removed(t *testing.T, dir string) {
	s := g.start(t, dir, "--set", "workload.requests=20_000")
	underWay(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	p := s.wait(t)
	p.wants(t, 4, "was removed or replaced by another program", "0 finished runs are kept")
	g.tell("folder removed while running", "`rm -r DIR`", "exit 4 at the next flush: "+words(p.stderr))
	g.mend(t, dir)
}

// locks are two processes in one folder, and what dead ones leave.
func (g *ground) locks(t *testing.T, dir string) {
	s := g.start(t, dir, "--set", "workload.requests=20_000")
	underWay(t, dir)
	p := g.run(t, dir)
	p.wants(t, 6, "folder is in use", fmt.Sprintf("process %d", s.Process.Pid))
	g.tell("two processes in one folder", "a second `sweep run` beside the first", "exit 6, the first goes on: "+words(p.stderr))
	s.signal(t, os.Kill)
	s.wait(t)
	if _, err := os.Stat(filepath.Join(dir, ".lock")); err != nil {
		t.Error("the dead process left no lock to test")
	}
	g.tell("stale lock", "the lock file of a process killed by -9", "taken over; the rerun: "+first(g.mend(t, dir)))
}

// clock is a clock that jumps: files, lock and manifest come from the future, or
// the past. Nothing is decided by dates, and times that pass are measured with a
// clock that does not jump.
func (g *ground) clock(t *testing.T, dir string) {
	for _, year := range []int{1970, 2100} {
		os.RemoveAll(dir)
		s := g.start(t, dir)
		underWay(t, dir)
		s.signal(t, os.Kill)
		s.wait(t)
		when := time.Date(year, 2, 1, 0, 0, 0, 0, time.UTC)
		lock := fmt.Sprintf(`{"pid":%d,"host":"elsewhere","start":%q}`, os.Getpid(), when.Format(time.RFC3339))
		manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		manifest = bytes.ReplaceAll(manifest, []byte(fmt.Sprintf(`"started": "%d`, time.Now().UTC().Year())), []byte(fmt.Sprintf(`"started": "%d`, year)))
		for name, text := range map[string]string{".lock": lock, "manifest.json": string(manifest), ".runs.parquet.tmp-1": "half a table"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, f := range append(files, filepath.Join(dir, ".lock")) {
			if err := os.Chtimes(f, when, when); err != nil {
				t.Fatal(err)
			}
		}
		known := first(g.mend(t, dir))
		g.tell(fmt.Sprintf("clock jumps: the folder is of %d", year), "dates of files, lock and manifest", "no date is asked; the rerun: "+known)
	}
}

// damage is done to files of a finished sweep.
func (g *ground) damage(t *testing.T, dir string) {
	g.mend(t, dir)
	journal, tables := filepath.Join(dir, "runs.journal"), filepath.Join(dir, "points.parquet")
	whole, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	line := bytes.IndexByte(whole, '\n') + 1
	length := int(binary.LittleEndian.Uint32(whole[line:]))
	flip := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 0x40
		return b
	}
	for _, c := range []struct {
		fault string
		text  []byte
		says  string
	}{
		{"journal: a byte of a run is damaged", flip(line + length), "bytes in its midst are damaged; the runs they held run again"},
		{"journal: the length of a run is damaged", flip(line + 3), "bytes in its midst are damaged; the runs they held run again"},
		{"journal: cut off", whole[:len(whole)/2], "bytes that were half written are cut off"},
		{"journal: something behind it", append(bytes.Clone(whole), "something"...), "9 bytes that were half written are cut off"},
		{"journal: zeros behind it", append(bytes.Clone(whole), make([]byte, 4096)...), "bytes that were half written are cut off"},
		{"journal: empty", nil, ""},
	} {
		if err := os.WriteFile(journal, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		said := g.mend(t, dir)
		if !strings.Contains(said, c.says) {
			t.Errorf("%s: %s", c.fault, said)
		}
		g.tell(c.fault, "written into the file", words(said)+"; exit 0")
	}
	text := g.tables["points.parquet"]
	if err := os.WriteFile(tables, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	p := g.shell(t, dir, `sweep show $DIR --point 0 >/dev/null`)
	p.wants(t, p.code, "points.parquet")
	if p.code == 0 {
		t.Error("half a table is read")
	}
	g.tell("half a table", "`points.parquet` cut in two by hand", fmt.Sprintf("`sweep show`: exit %d: %s; `sweep run` writes it anew", p.code, words(p.stderr)))
	g.mend(t, dir)
}

package results

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"scoville/core/table"
	"scoville/sweep/results/lock"
	"scoville/sweep/sample"
)

func TestRefusedMeta(t *testing.T) {
	for wantText, change := range map[string]func(*Meta){
		"no name":               func(m *Meta) { m.Study = "" },
		"not UTF-8":             func(m *Meta) { m.StudyTOML = []byte{0xff} },
		"axis 1 has no path":    func(m *Meta) { m.Axes[1].Path = "" },
		`no metric "ttft"`:      func(m *Meta) { m.Selected = []string{"ttft"} },
		`metric "ttft_p99_ms"`:  func(m *Meta) { m.Metrics[0].Kind = table.Int64 },
		`metric "output_tok_s"`: func(m *Meta) { m.Metrics[1].Path = "x" },
		"twice":                 func(m *Meta) { m.Metrics[1].Name = "steady" },
		"snake_case":            func(m *Meta) { m.Metrics[1].Name = "TTFT" },
		"no kind":               func(m *Meta) { m.Axes[0].Kind = 9 },
	} {
		dir := filepath.Join(t.TempDir(), "x")
		meta := testMeta()
		change(&meta)
		s, err := Create(dir, meta)
		if err == nil || !strings.Contains(err.Error(), wantText) {
			t.Errorf("%v, want %q", err, wantText)
		}
		if s != nil {
			s.Close()
		}
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("%s: left %v", wantText, entries)
		}
	}
}

func TestForeignFolders(t *testing.T) {
	for wantText, change := range map[string]func(*Meta){
		"": func(m *Meta) { m.StudyTOML, m.Seed, m.Axes = []byte("edited = 1"), 7, nil },
		"holds a sweep of study oat, this is grid":          func(m *Meta) { m.Study = "grid" },
		"holds results of simulator version 3, this is 4; ": func(m *Meta) { m.SimVersion = 4 },
	} {
		d := write(t, testMeta(), testRuns())
		meta := testMeta()
		change(&meta)
		s, err := Create(d.Dir, meta)
		if wantText == "" {
			if err != nil {
				t.Errorf("an edited study of the same name is refused: %v", err)
			}
			s.Close()
			continue
		}
		if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), wantText) {
			t.Errorf("%v, want %q", err, wantText)
		}
		if _, err := Open(d.Dir); err != nil {
			t.Errorf("the refused folder is changed: %v", err)
		}
	}
}

func TestUnknownFolders(t *testing.T) {
	put := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	for _, c := range []struct {
		files      map[string]string
		foreign    bool // to Create
		openForeig bool
		open       string
	}{
		{nil, false, false, "holds no results"},
		{map[string]string{"notes.txt": "x", ".runs.parquet.tmp-1": "PAR1"}, false, false, "holds no results"},
		{map[string]string{RunsFile: "PAR1"}, true, false, "holds no results"},
		{map[string]string{ManifestFile: "{"}, true, false, "not a manifest"},
		{map[string]string{ManifestFile: "{}"}, true, false, "not a manifest"},
		{map[string]string{ManifestFile: `{"schema":6,"study":"oat","sim_version":3}`}, true, true, "schema 6"},
		{map[string]string{ManifestFile: `{"schema":5,"study":"oat","sim_version":3}`}, false, false, "no results yet"},
		{map[string]string{ManifestFile: `{"schema":5,"study":"oat","sim_version":2}`}, false, false, "no results yet"}, // its journal says more
		{map[string]string{ManifestFile: `{"schema":5,"study":"other","sim_version":3}`}, true, false, "no results yet"},
		{map[string]string{ManifestFile: `{"schema":5,"study":"oat","sim_version":3,"digest":"ab"}`}, false, false, PointsFile},
	} {
		dir := put(c.files)
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.open) || errors.Is(err, ErrForeign) != c.openForeig {
			t.Errorf("open %v: %v, want %q", c.files, err, c.open)
		}
		s, err := Create(dir, testMeta())
		if errors.Is(err, ErrForeign) != c.foreign || (err != nil) != c.foreign {
			t.Errorf("create over %v: %v", c.files, err)
		}
		if err == nil {
			s.Close()
		}
		if m, _ := filepath.Glob(filepath.Join(dir, ".*")); len(m) > 0 && !c.foreign {
			t.Errorf("left %q", m)
		}
	}
}

func TestTornWriteIsSeen(t *testing.T) {
	d := write(t, testMeta(), testRuns())
	points, err := os.ReadFile(filepath.Join(d.Dir, PointsFile))
	if err != nil {
		t.Fatal(err)
	}
	s := create(t, d.Dir, testMeta())
	if err := s.Write(Each(testRuns()[:6])); err != nil {
		t.Fatal(err)
	}
	// As if killed after the rename of runs and before that of points.
	if err := os.WriteFile(filepath.Join(d.Dir, PointsFile), points, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(d.Dir); err == nil || !strings.Contains(err.Error(), "points.parquet and manifest.json are of different makings") {
		t.Errorf("%v", err)
	}
}

func TestOpenRefusesOtherTables(t *testing.T) {
	d := write(t, testMeta(), testRuns())
	w, err := table.Create(filepath.Join(d.Dir, RunsFile), []table.Column{{Name: "x"}}, map[string]string{"digest": d.Manifest.Digest})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Runs(); err == nil || !strings.Contains(err.Error(), "columns of a runs table") {
		t.Errorf("%v", err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir, testMeta())
	if _, err := Create(dir, testMeta()); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("second writer: %v", err)
	}
	if _, err := ReadManifest(dir); err != nil {
		t.Errorf("a reader beside the writer: %v", err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, lock.File)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock file is left: %v", err)
	}
	create(t, dir, testMeta())
}

// deadPID returns the id of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip("cannot run true: ", err)
	}
	return cmd.Process.Pid
}

func TestStaleLockIsTakenOver(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dead, _ := json.Marshal(lock.Holder{PID: deadPID(t), Host: host, Start: time.Now()})
	for _, text := range []string{string(dead), "", "not json", strings.Repeat("x", 10_000)} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, lock.File), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s := create(t, dir, testMeta())
		var h lock.Holder
		data, _ := os.ReadFile(filepath.Join(dir, lock.File))
		if err := json.Unmarshal(data, &h); err != nil || h.PID != os.Getpid() || h.Host != host {
			t.Errorf("lock file holds %q", data)
		}
		s.Close()
	}
}

// TestKilledWriter kills a process that holds the lock and has begun a table.
func TestKilledWriter(t *testing.T) {
	if dir := os.Getenv("RESULTS_TEST_HOLD"); dir != "" {
		if _, err := Create(dir, testMeta()); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Create(filepath.Join(dir, RunsFile), runHead, nil); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(dir, "ready"), nil, 0o644)
		time.Sleep(time.Minute)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
	cmd.Env = append(os.Environ(), "RESULTS_TEST_HOLD="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the writer did not start")
		}
	}
	if _, err := Create(dir, testMeta()); !errors.Is(err, ErrLocked) {
		t.Fatalf("while it lives: %v", err)
	}
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	s := create(t, dir, testMeta())
	if m, _ := filepath.Glob(filepath.Join(dir, ".*.tmp-*")); len(m) > 0 {
		t.Errorf("left %q", m)
	}
	if err := s.Write(Each(testRuns())); err != nil {
		t.Error(err)
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"schema":1,"study":"x","seed":"7","counts":{"ok":3},"started":"2020-01-01T00:00:00Z"}`))
	f.Add([]byte(`{"seed":-1}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := parseManifest(text); err == nil {
			m.Complete()
		}
	})
}

// The rows of a sample stand in a line of manifest.json, and read as they were.
func TestManifestIsCompact(t *testing.T) {
	dir := t.TempDir()
	rows := [][]int32{{0, 1, 2, 2, -1}, {3, 4, 5, 5, 6}}
	m := &Manifest{Schema: Schema, Study: "s", Notes: []string{"[ 1, 2 ]"}, Sample: &sample.Record{Design: sample.Design{Method: sample.LHS, N: 5}, Combinations: 2, Rows: rows}}
	if err := m.write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil || !strings.Contains(string(text), "[0, 1, 2, 2, -1],\n") {
		t.Errorf("%v\n%s", err, text)
	}
	back, err := ReadManifest(dir)
	if err != nil || !reflect.DeepEqual(back.Sample.Rows, rows) || back.Notes[0] != "[ 1, 2 ]" {
		t.Errorf("%v, %+v", err, back)
	}
}

package history

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

// made writes results of a study into dir: point 0 is bound by PCIe and slow, point
// 1 by arithmetic and fast.
func made(t *testing.T, dir, name, text string, slow float64) {
	t.Helper()
	s, err := results.Create(dir, results.Meta{
		Study: name, StudyTOML: []byte(text), SimVersion: 1, Planned: 2, Inputs: map[string]string{},
		Axes:    []results.Axis{{Path: "hardware.pcie_gb_s", Kind: table.Float64}},
		Metrics: []table.Column{{Name: "ttft_mean_ms", Unit: "ms"}, {Name: "ttft_p99_ms", Unit: "ms"}, {Name: "wait_host_link_ratio"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	yes, nan := true, math.NaN()
	run := func(i int, pcie, mean, p99 float64, bound string) results.Run {
		return results.Run{
			PointID: strings.Repeat(string(rune('a'+i)), 16), PointIndex: i, Status: results.OK, Axes: []any{pcie}, Metrics: []float64{mean, p99, 0.8},
			OfferedRPS: 1, CapacityRPS: nan, LoadRatio: nan, SeedHex: "1", Steady: &yes, Bound: bound,
		}
	}
	if err := s.Write(results.Each([]results.Run{run(0, 0.5, slow, 2*slow, "host_link"), run(1, 64, 50, 60, "compute")})); err != nil {
		t.Fatal(err)
	}
}

// world is a folder of results of all kinds.
func world(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	made(t, at("a/one"), "link", "# first\nmodel.name = \"llama\"\n", 300)
	made(t, at("two"), "link", "# first\nmodel.name = \"qwen\"\n", 400)
	made(t, at("three"), "quick", "# quick\n", 60)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	edit := func(dir string, change func(m map[string]any)) {
		path := filepath.Join(dir, results.ManifestFile)
		text, err := os.ReadFile(path)
		must(err)
		m := map[string]any{}
		must(json.Unmarshal(text, &m))
		change(m)
		text, err = json.Marshal(m)
		must(err)
		must(os.WriteFile(path, text, 0o600))
	}
	edit(at("two"), func(m map[string]any) { m["written"] = "2999-01-01T00:00:00Z" })
	made(t, at("old"), "old", "# old\n", 300)
	edit(at("old"), func(m map[string]any) { delete(m, "record") })
	made(t, at("torn"), "torn", "# torn\n", 300)
	edit(at("torn"), func(m map[string]any) { m["digest"] = "other" })
	made(t, at("foreign"), "foreign", "# foreign\n", 300)
	made(t, at("lying"), "lying", "# lying\n", 300)
	edit(at("lying"), func(m map[string]any) {
		m["study"] = "lying\nresults/x  complete"
		m["record"].(map[string]any)["varied"] = []any{map[string]any{"column": "a\nb", "path": "", "levels": 2, "first": "1\n", "last": "2"}}
	})
	edit(at("foreign"), func(m map[string]any) { m["schema"] = 4 })
	made(t, at("begun"), "begun", "# begun\n", 300)
	edit(at("begun"), func(m map[string]any) { m["digest"] = ""; delete(m, "record") })
	made(t, at("shards/1-of-2"), "begun", "# begun\n", 300)
	edit(at("shards/1-of-2"), func(m map[string]any) { m["digest"] = ""; delete(m, "record") })
	made(t, at("damaged"), "damaged", "# damaged\n", 300)
	must(os.WriteFile(at("damaged/manifest.json"), []byte("{"), 0o600))
	made(t, at("lost"), "lost", "# lost\n", 300)
	must(os.Remove(at("lost/manifest.json")))
	made(t, at("piped"), "piped", "# piped\n", 300)
	must(syscall.Mkfifo(at("piped/.lock2"), 0o600))
	made(t, at(".hidden/x"), "hidden", "# hidden\n", 300)
	must(os.Symlink(at("a"), at("link")))
	must(os.MkdirAll(at("1/2/3/4/5/6/7/8/9/10"), 0o700))
	return root
}

func names(r *Report, root string) (out []string) {
	for _, e := range r.Entries {
		out = append(out, strings.TrimPrefix(e.Dir, root+"/"))
	}
	return out
}

func entry(t *testing.T, r *Report, dir string) *Entry {
	t.Helper()
	for i := range r.Entries {
		if strings.HasSuffix(r.Entries[i].Dir, "/"+dir) {
			return &r.Entries[i]
		}
	}
	t.Fatalf("no %s", dir)
	return nil
}

// Every folder is a line, whatever is wrong with it.
func TestFind(t *testing.T) {
	root := world(t)
	r, err := Find(t.Context(), Options{Dirs: []string{root, filepath.Join(root, "a")}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Seen != 12 || len(r.Entries) != 12 || names(r, root)[0] != "two" {
		t.Errorf("%d: %v", r.Seen, names(r, root))
	}
	for dir, want := range map[string]string{
		"a/one": Complete + " ", "three": Complete + " ", "old": Complete + " ", "begun": Stopped + " ",
		"foreign": Unread + " result schema 4, this program reads", "shards/1-of-2": Shard + " ", "damaged": Unread + " manifest.json: not a manifest: its text is damaged or cut short",
		"lost": Unread + " there are tables and no manifest.json", "piped": Unread + " .lock2 is a pipe", "torn": Complete + " ",
	} {
		if e := entry(t, r, dir); !strings.HasPrefix(e.State+" "+e.Problem, want) {
			t.Errorf("%s: %s, %s; want %s", dir, e.State, e.Problem, want)
		}
	}
	if e := entry(t, r, "two"); e.Since != filepath.Join(root, "a/one") || strings.Join(e.Changed, "|") != `- model.name = "llama"|+ model.name = "qwen"` {
		t.Errorf("two: since %s %q", e.Since, e.Changed)
	}
	if e := entry(t, r, "a/one"); e.Since != "" || strings.Join(e.Changed, "|") != "pcie_gb_s 0.5, 64" {
		t.Errorf("one: since %s %q", e.Since, e.Changed)
	}
	if a, b := entry(t, r, "old").Record, entry(t, r, "a/one").Record; a == nil || b == nil || a.Symptoms[0].String() != b.Symptoms[0].String() || *a.Bounds[1].Share != *b.Bounds[1].Share {
		t.Errorf("of tables %+v, of the manifest %+v", a, b)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "deep") {
		t.Errorf("%q", r.Notes)
	}
	var text, long bytes.Buffer
	if r.Text(&text, false) != nil || r.Text(&long, true) != nil || strings.Count(text.String(), "\n") != 14 {
		t.Errorf("%s", &text)
	}
	if strings.Contains(long.String(), "\nresults/x") || strings.Contains(long.String(), "\nb") {
		t.Errorf("a line of its own: %s", &long)
	}
	for _, row := range r.Rows() {
		if len(row) != len(r.Rows()[0]) || len(r.Rows()) != 13 {
			t.Errorf("%d rows, %q", len(r.Rows()), row)
		}
	}
}

// A folder without results says what writes some.
func TestNone(t *testing.T) {
	dir := t.TempDir()
	r, err := Find(t.Context(), Options{Dirs: []string{dir}, Text: []string{"pcie"}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Text(&b, false); err != nil || b.String() != "note  there are no results at or below "+dir+"; sweep run and sweep merge write them\n" {
		t.Errorf("%v, %q", err, &b)
	}
}

// "TTFT high, PCIe bound" finds the studies that had it, and the point.
func TestText(t *testing.T) {
	root := world(t)
	for text, want := range map[string]string{
		"TTFT high, PCIe bound": "a/one old piped torn two", "ttft  HIGH,pcie": "a/one old piped torn two",
		"TTFT high, compute bound": "", "qwen": "two", "quick": "three", "PCIe bound": "a/one begun old three two torn",
		"nothing of this": "",
	} {
		r, err := Find(t.Context(), Options{Dirs: []string{root}, Text: []string{text}})
		if err != nil {
			t.Fatal(err)
		}
		got := names(r, root)
		for _, w := range strings.Fields(want) {
			if w == "piped" || w == "begun" { // not read, so found by nothing that it showed
				continue
			}
			if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+w+" ") {
				t.Errorf("%s: %v lacks %s", text, got, w)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%s: %v", text, got)
		}
		if text == "TTFT high, PCIe bound" {
			if e := entry(t, r, "two"); e.Because[0] != "TTFT high, PCIe bound: 1 point, ttft_mean_ms up to 400 at point 0 (limit 200)" {
				t.Errorf("because %q", e.Because)
			}
			if len(got) != 5 {
				t.Errorf("%v", got)
			}
		}
	}
	if r, _ := Find(t.Context(), Options{Dirs: []string{root}, Text: []string{"pcie bound", "qwen"}}); len(r.Entries) != 1 {
		t.Errorf("both texts: %v", names(r, root))
	}
}

func TestWhere(t *testing.T) {
	root := world(t)
	r, err := Find(t.Context(), Options{Dirs: []string{root}, Where: "ttft_p99_ms > 500 && binding ~ 'pcie'"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Entries) != 4 { // one, two, lying and old; of torn a note
		t.Errorf("%v", names(r, root))
	}
	if e := entry(t, r, "two"); e.Matched != 1 || e.Matches[0].text(r.Names) != "point 0, pcie_gb_s = 0.5: ttft_p99_ms = 800, binding = host_link (PCIe)" {
		t.Errorf("%+v", e.Matches)
	}
	if !strings.Contains(strings.Join(r.Notes, " "), "torn: tables and manifest are of different makings") {
		t.Errorf("%q", r.Notes)
	}
	if r, err := Find(t.Context(), Options{Dirs: []string{root}, Where: "model == 'qwen' && ttft_p99_ms > 500"}); err != nil || len(r.Entries) != 1 || r.Without != 3 {
		t.Errorf("what a study sets: %v, %+v", err, r)
	}
	for where, want := range map[string]string{
		"ttft_p9_ms > 1":       `did you mean "ttft_p99_ms"?`,
		"3 +":                  "the expression ends here",
		"hardware.pcie_gb < 1": `did you mean "hardware.pcie_gb_s"?`,
	} {
		if _, err := Find(t.Context(), Options{Dirs: []string{root}, Where: where}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", where, err)
		}
	}
	if _, err := Find(t.Context(), Options{Dirs: []string{filepath.Join(root, "gone")}}); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("%v", err)
	}
}

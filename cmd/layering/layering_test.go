// Package layering holds the project's layout rules as tests: who may import
// whom, which library lives in which room, and how long files and functions
// may be. The tests parse the sources, so that they never pass from a stale
// cache.
package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "scoville/"

// root is the repository.
const root = "../.."

// file is one parsed Go file.
type file struct {
	path, room string // slash paths relative to the root; room is the folder
	test       bool
	ast        *ast.File
	set        *token.FileSet
}

func sources(t *testing.T) []file {
	t.Helper()
	var out []file
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules" || path == filepath.Join(root, "results")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		out = append(out, file{rel, filepath.ToSlash(filepath.Dir(rel)), strings.HasSuffix(rel, "_test.go"), f, set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d Go files found under %s", len(out), root)
	}
	return out
}

// rank orders the rooms of core: a room imports only lower ranks, or rooms
// below itself.
var rank = map[string]int{
	"core/unit":           0,
	"core/internal/bulk":  0,
	"core/internal/event": 1,
	"core/internal/kv":    1,
	"core/internal/spell": 0,
	"core/internal/caret": 0,
	"core/schema":         1,
	"core/sheet":          1,
	"core/expr":           1,
	"core/model":          2,
	"core/hardware":       2,
	"core/workload":       2,
	"core/metrics":        2,
	"core/table":          2,
	"core/scenario":       3,
	"core/perf":           4,
	"core/engine":         5,
	"core":                6,
}

// within reports whether room is dir or below it.
func within(room, dir string) bool { return room == dir || strings.HasPrefix(room, dir+"/") }

// coreRank returns the rank of a room of core, sub-rooms taking their parent's.
func coreRank(room string) (int, bool) {
	for r := room; r != "."; r = filepath.ToSlash(filepath.Dir(r)) {
		if n, ok := rank[r]; ok && (r != "core" || room == "core") {
			return n, true
		}
	}
	return 0, false
}

// vocabulary are the rooms of core that others may use.
var vocabulary = []string{"core", "core/expr", "core/schema", "core/scenario", "core/unit", "core/model", "core/hardware", "core/workload", "core/metrics", "core/table", "core/sheet"}

// mayImport says why from may not import to, "" if it may.
func mayImport(from, to string) string {
	if within(to, from) {
		return "" // own children
	}
	switch top, _, _ := strings.Cut(from, "/"); top {
	case "core":
		a, ok := coreRank(from)
		b, ok2 := coreRank(to)
		switch {
		case !within(to, "core"):
			return "core imports core only"
		case !ok || !ok2:
			return "a room of core without a rank: add it to the table"
		case b < a || parent(from) == parent(to) && depth(from) > 2:
			return ""
		}
		return "core rooms import lower ranks only"
	case "sweep", "calibrate":
		switch {
		case within(to, top) && (to != top || from == "calibrate/validation"):
			return inside(from, to)
		case slices.Contains(vocabulary, to), within(to, "core/scenario"):
			return ""
		case top == "calibrate" && to == "core/perf":
			return ""
		}
		return top + " uses its own rooms and the vocabulary of core"
	case "report":
		if slices.Contains([]string{"core/unit", "core/expr", "core/sheet", "core/table", "sweep/results", "sweep/results/details", "calibrate/results"}, to) || within(to, "report") {
			return ""
		}
		return "report reads unit, expr, sheet, table, sweep/results and calibrate/results only"
	case "cmd":
		if slices.Contains([]string{"sweep", "sweep/store", "sweep/prompt", "calibrate", "report", "report/fitted", "core/unit", "core/sheet", "core/model", "core/hardware", "core/scenario", "core"}, to) || within(to, "core/scenario") || within(to, "cmd") {
			return ""
		}
		return "commands import the root packages, report/fitted, sweep/store, sweep/prompt, core/unit, core/sheet, core/model, core/hardware and core/scenario only"
	}
	return "a room the layout does not know"
}

func parent(room string) string { return filepath.ToSlash(filepath.Dir(room)) }
func depth(room string) int     { return strings.Count(room, "/") + 1 }

// order of rooms inside sweep and calibrate.
var order = map[string]int{
	"sweep/results/said": -4, "sweep/results/filter": -2, "sweep/results/record": -1, "sweep/export": 3, "sweep/words": 6, "sweep/export/prometheus": 3, "sweep/history": 4,
	"sweep/details": 3, "sweep/results/details": -1,
	"sweep/pace": 1, "sweep/store": 3, "sweep/journal": -3, "sweep/memo": -2, "sweep/campaign": 4, "sweep/shell": -4, "sweep/shard": 2, "sweep/merge": 3, "sweep/status": 5, "sweep/submit": 5, "sweep/cluster": 5, "sweep/pilot": 4,
	"sweep/results/forecast": -3, "sweep/results/place": -4, "sweep/prompt": -4, "sweep/failure": 2, "sweep/work": -4, "sweep/draw": 3, "calibrate/design": -3, "calibrate/saturation": 2, "calibrate/group": 2, "calibrate/score": 3, "calibrate/doubt": 2, "calibrate/suggest": 2,
	"sweep/statistic": -3, "sweep/sensitivity": -3, "sweep/accuracy": -3, "sweep/results/spec": -3, "sweep/results/scope": -3, "sweep/results/lock": -3, "sweep/results/inert": -3, "sweep/results/front": -3,
	"sweep/sample": -4, "sweep/study/space": -1, "sweep/plan/grade": 1, "sweep/plan/column": 1, "sweep/plan/remark": 1, "sweep/study/effort": -1,
	"sweep/study/ask": -2, "sweep/results/class": -2, "sweep/results/impact": -2, "sweep/results/layout": -1, "sweep/results/compare": -2,
	"sweep/results/fate": -3, "sweep/budget": 1, "sweep/schedule": 2, "sweep/dispatch": 3,
	"sweep/study": 0, "sweep/results": 0, "sweep/plan": 1, "sweep/pool": 1, "sweep/explain/origin": 1, "sweep/explain": 2, "sweep": 7,
	"calibrate/measured/plain": -4, "calibrate/measured/row": -3, "calibrate/measured/tidy": -2, "calibrate/measured/silicon": -1, "calibrate/measured/bench": -1,
	"calibrate/measured/clients": -1, "calibrate/measured/console": -1, "calibrate/measured/stages": -1, "calibrate/measured/grid": -1, "calibrate/measured/request": -1, "calibrate/measured/step": -1,
	"sweep/study/span": -3, "sweep/results/searches": -3, "sweep/search": 0, "sweep/row": 2, "sweep/request": 2, "sweep/start": -4, "sweep/again": 2, "sweep/confirm": 3, "sweep/diff": 3, "sweep/hunt": 3, "sweep/handbook": 5,
	"calibrate/measured": 0, "calibrate/reading": 1, "calibrate/fit": 0, "calibrate/results": 0, "calibrate/objective": 1, "calibrate/spec": 2, "calibrate/diagnose": 2, "calibrate/fold": 3, "calibrate": 4, "calibrate/validation": 5,
}

func inside(from, to string) string {
	a, ok := order[from]
	b, ok2 := order[to]
	if !ok || !ok2 {
		return "a room without a place in the order: add it to the table"
	}
	if b < a || to == "sweep/results" && from == "sweep/plan" {
		return ""
	}
	return "rooms import earlier ones only: statistic -> study, results -> plan, pool -> explain -> sweep; measured, fit -> objective, results -> spec -> calibrate"
}

func TestImports(t *testing.T) {
	for _, f := range sources(t) {
		for _, im := range f.ast.Imports {
			to := strings.Trim(im.Path.Value, `"`)
			if !strings.HasPrefix(to, module) {
				continue
			}
			to = strings.TrimPrefix(to, module)
			if f.test && (to == f.room || within(to, "core")) {
				continue // tests may stand on anything in core
			}
			if why := mayImport(f.room, to); why != "" {
				t.Errorf("%s imports %s: %s", f.path, to, why)
			}
		}
	}
}

// rooms of libraries: a library is imported by these rooms and no other.
var libraries = map[string][]string{
	"github.com/apache/arrow-go":  {"core/table"},
	"gonum.org/v1/gonum/optimize": {"calibrate/fit"},
	"gonum.org/v1/gonum/mat":      {"calibrate/fit", "calibrate/diagnose", "sweep/pace"},
	"gonum.org/v1/gonum/stat":     {"core/metrics", "core/workload", "sweep/statistic", "sweep/plan", "calibrate/fit", "calibrate/objective", "calibrate/diagnose"},
	"gonum.org/v1/plot":           {"report/chart"},
	"golang.org/x/image":          {"report/chart"},
	"github.com/BurntSushi/toml":  {"core/scenario", "core/model", "core/hardware", "sweep/study", "calibrate"},
	"github.com/spf13/cobra":      {"cmd"},
	"golang.org/x/term":           {"cmd"},
	"golang.org/x/sync":           {"sweep/pool", "calibrate/objective"},
	"html/template":               {"report"},
	"os/signal":                   {"cmd"},
	"log":                         {"cmd", "core/table"},
	"github.com/rogpeppe":         {"cmd"},
	"gocloud.dev":                 {"sweep/store"},
	"github.com/johannesboyne":    {"sweep/store", "cmd/sweep"},
}

func TestLibraries(t *testing.T) {
	for _, f := range sources(t) {
		for _, im := range f.ast.Imports {
			path := strings.Trim(im.Path.Value, `"`)
			for lib, rooms := range libraries {
				if within(path, lib) && !slices.ContainsFunc(rooms, func(r string) bool { return within(f.room, r) }) {
					t.Errorf("%s imports %s, which lives in %v", f.path, path, rooms)
				}
			}
		}
	}
}

// TestPurity: the simulation reads no clock, no global randomness and no
// environment; only the catalogue and file rooms touch files; only commands
// exit.
func TestPurity(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, im := range f.ast.Imports {
			path := strings.Trim(im.Path.Value, `"`)
			files := within(f.room, "core/table") || within(f.room, "core/scenario")
			if within(f.room, "core") && (path == "os" && !files || path == "math/rand" || path == "math/rand/v2") {
				t.Errorf("%s imports %s: simulations read no files, and draw from named streams", f.path, path)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			switch {
			case !ok:
			case x.Name == "time" && s.Sel.Name == "Now" && within(f.room, "core"):
				t.Errorf("%s reads the clock", f.path)
			case x.Name == "os" && s.Sel.Name == "Exit" && !within(f.room, "cmd"):
				t.Errorf("%s exits", f.path)
			}
			return true
		})
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "init" && fn.Recv == nil {
				t.Errorf("%s has an init function", f.path)
			}
		}
	}
}

// Budgets on the tail. Exceptions stand here by name with their reason.
const (
	maxFile, maxFunc, maxParams, maxPackage = 500, 80, 5, 1500
)

var exceptions = map[string]string{
	"core/engine":   "two implementations of one behaviour: the jumping engine and the plain one that is its oracle",
	"core/scenario": "one line for every study key, and every rule between them",
}

func TestBudgets(t *testing.T) {
	size := map[string]int{}
	for _, f := range sources(t) {
		lines := f.set.Position(f.ast.FileEnd).Line
		if lines > maxFile && exceptions[f.path] == "" {
			t.Errorf("%s has %d lines, at most %d", f.path, lines, maxFile)
		}
		if !f.test {
			size[f.room] += lines
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			name := f.path + ":" + fn.Name.Name
			n := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1
			if n > maxFunc && exceptions[name] == "" {
				t.Errorf("%s has %d lines, at most %d", name, n, maxFunc)
			}
			params := 0
			for _, p := range fn.Type.Params.List {
				params += max(len(p.Names), 1)
			}
			if params > maxParams && exceptions[name] == "" {
				t.Errorf("%s has %d parameters, at most %d", name, params, maxParams)
			}
		}
	}
	for room, n := range size {
		if n > maxPackage && exceptions[room] == "" {
			t.Errorf("package %s has %d lines, at most %d", room, n, maxPackage)
		}
	}
}

// TestDocs: every package says what it knows, in a doc comment.
func TestDocs(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range sources(t) {
		if !f.test && f.ast.Doc != nil {
			documented[f.room] = true
		}
	}
	for _, f := range sources(t) {
		if !f.test && !documented[f.room] {
			t.Errorf("package %s has no doc comment", f.room)
			documented[f.room] = true
		}
	}
}

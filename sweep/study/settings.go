package study

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/schema"
	"scoville/sweep/results/place"
	"scoville/sweep/study/ask"
)

// setting decodes a key that is neither scenario nor design.
func (d *decoder) setting(e scenario.Entry) (err error) {
	st := d.study
	switch e.Key() {
	case "schema":
		d.schema = true
		if e.Value != int64(1) {
			return d.doc.Errorf("schema", "write schema = 1", "this version reads schema 1 only")
		}
	case "name":
		if st.Name, err = d.text(e); err == nil && !names.MatchString(st.Name) {
			return d.doc.Errorf("name", "use a-z, 0-9, _ and -", "%q is not a name of a study", st.Name)
		}
	case "description":
		st.Description, err = d.text(e)
	case "base":
		return d.base(e)
	case "replicates.seed":
		seed, err := d.whole(e, 0, 1<<63-1)
		st.Seed = uint64(seed)
		return err
	case "uncertainty.draws":
		n, err := d.whole(e, 20, 10_000)
		st.Draws = int(n)
		return err
	case "run.max_runs":
		st.MaxRuns, err = d.whole(e, 1, 1_000_000_000)
	case "output.dir":
		if st.OutputDir, err = d.text(e); err != nil {
			return err
		}
		if err := place.Name(st.OutputDir); err != nil {
			return d.doc.Errorf(e.Key(), "use -o for a folder elsewhere, or a URL", "%v", err)
		}
	case "output.metrics":
		return d.metrics(e)
	case "output.requests":
		return d.requests(e)
	default:
		if known, err := st.Effort.Decode(d.doc, e); known {
			return err
		}
		return d.unknown(e)
	}
	return err
}

// Folder is the folder of the results: one that the study names is checked, that no
// link leads from it out of the working directory. The usual one is the user's own
// affair: results may be a link to where there is room.
func (s *Study) Folder() (string, error) {
	if !s.Doc.Has("output.dir") {
		return s.OutputDir, nil
	}
	return s.OutputDir, place.Stays(s.OutputDir)
}

func (d *decoder) text(e scenario.Entry) (string, error) { return ask.Text(d.doc, e) }

func (d *decoder) whole(e scenario.Entry, lo, hi int64) (int64, error) {
	n, ok := e.Value.(int64)
	if !ok || n < lo || n > hi {
		return 0, d.doc.Errorf(e.Key(), "", "needs a whole number from %d to %d", lo, hi)
	}
	return n, nil
}

// requests reads how many requests of a run are kept.
func (d *decoder) requests(e scenario.Entry) error {
	word, _ := e.Value.(string)
	count, sample := strings.CutPrefix(word, "sample:")
	n, err := strconv.Atoi(count)
	switch {
	case word == "none":
	case word == "all":
		d.study.Requests = AllRequests
	case sample && err == nil && n >= 1:
		d.study.Requests = n
	default:
		return d.doc.Errorf(e.Key(), `write "none", "sample:1000" or "all"`, "%s does not say which requests to keep", schema.Show(e.Value))
	}
	return nil
}

// texts reads a list of strings.
func (d *decoder) texts(e scenario.Entry) ([]string, error) {
	list, ok := e.Value.([]any)
	var out []string
	for _, v := range list {
		s, isText := v.(string)
		ok = ok && isText
		out = append(out, s)
	}
	if !ok {
		return nil, d.doc.Errorf(e.Key(), `write ["...", "..."]`, "needs a list of strings")
	}
	return out, nil
}

// base reads the overlays.
func (d *decoder) base(e scenario.Entry) error {
	files, err := d.texts(e)
	if err != nil {
		return err
	}
	for _, name := range files {
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(d.doc.File), file)
		}
		text, err := d.read(file)
		if err != nil {
			return d.doc.Errorf("base", "paths are relative to the study", "cannot read overlay %q: %v", file, err)
		}
		doc, err := scenario.ParseTOML(file, text)
		if err != nil {
			return err
		}
		layer, err := scenario.OverlayLayer(doc)
		if err != nil {
			return err
		}
		layer.Name = name // as the study has it, wherever the command was called
		d.study.Layers = append(d.study.Layers, layer)
	}
	return nil
}

// slo checks that the service levels are about metrics; their limits are the
// scenario's to check.
func (d *decoder) slo(e scenario.Entry) error {
	for _, sub := range d.doc.Under(e.Key()) {
		if err := checkMetric(sub.Key()); err != nil {
			return scenario.Point(d.doc, sub.Key(), err)
		}
	}
	return nil
}

// checkMetric returns an error if a path is a service level of no metric.
func checkMetric(key string) error {
	name, ok := strings.CutPrefix(key, "slo.")
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(name, ".")
	if _, ok := metrics.Index(name); ok {
		return nil
	}
	return &scenario.FieldError{Path: key, Rule: fmt.Sprintf("no metric %q", name), Hint: ask.NearestMetric(name)}
}

// metrics reads the globs of output.metrics; each must match a column.
func (d *decoder) metrics(e scenario.Entry) error {
	globs, err := d.texts(e)
	if err != nil {
		return err
	}
	chosen := map[string]bool{}
	for _, glob := range globs {
		found := false
		for _, c := range metrics.Columns() {
			ok, err := path.Match(glob, c.Name)
			if err != nil {
				return d.doc.Errorf(e.Key(), "use * and ?", "%q is not a pattern", glob)
			}
			if ok {
				found, chosen[c.Name] = true, true
			}
		}
		if !found {
			return d.doc.Errorf(e.Key(), ask.NearestMetric(glob), "no metric matches %q", glob)
		}
	}
	for _, c := range metrics.Columns() {
		if chosen[c.Name] {
			d.study.Metrics = append(d.study.Metrics, c.Name)
		}
	}
	return nil
}

// assign reads "PATH=VALUE" from the command line as a document of its own, so
// that its errors point like others. Strings need no quotes. What the design
// varies cannot be set: the axis would do nothing.
func (d *decoder) assign(sets []string) error {
	if len(sets) == 0 {
		return nil
	}
	var text strings.Builder
	for _, s := range sets {
		key, v, ok := strings.Cut(s, "=")
		key, v = strings.TrimSpace(key), strings.TrimSpace(v)
		if !ok || key == "" || v == "" || strings.ContainsAny(s, "\r\n") {
			return &scenario.Error{File: "--set", Msg: fmt.Sprintf("%q is not of the form PATH=VALUE", s), Hint: "for example hardware.weight_bandwidth_gb_s=4800"}
		}
		if f, ok := scenario.Lookup(key); !strings.ContainsRune(`"'[{`, rune(v[0])) {
			if _, err := scenario.ParseTOML("--set", []byte("x = "+v)); err != nil || ok && (f.Kind == scenario.String || f.Kind == scenario.DType) {
				v = strconv.Quote(v)
			}
		}
		fmt.Fprintf(&text, "%s = %s\n", key, v)
	}
	doc, err := scenario.ParseTOML("--set", []byte(text.String()))
	if err != nil {
		return err
	}
	for _, e := range doc.Entries {
		key := e.Key()
		if _, ok := scenario.Lookup(key); !ok {
			if slices.Contains(known, key) {
				return doc.Errorf(key, "change the study itself", "--set gives keys of the scenario only")
			}
			return scenario.Point(doc, key, unknownPath(key))
		}
		if err := checkMetric(key); err != nil {
			return scenario.Point(doc, key, err)
		}
		if s := d.study.Search; s != nil && overlap(s.Over, key) {
			return doc.Errorf(key, "change the study instead", "is what the study searches over")
		}
		for _, a := range d.study.varied() {
			for _, p := range a.Paths {
				if overlap(p, key) {
					return doc.Errorf(key, "change the study instead", "is varied by the design of the study")
				}
			}
		}
	}
	d.study.Set = &scenario.Layer{Name: "--set", Doc: doc}
	return nil
}

// unknownPath is the error of a path that the scenario does not have.
func unknownPath(path string) error {
	_, err := scenario.Convert(path, 0)
	return err
}

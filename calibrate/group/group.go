// Package group tells what rows are of: which chip, model and engine. Rows of
// different chips or engine eras do not share parameters. Models of one chip and
// era do, some of them.
package group

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
	"scoville/core/scenario"
)

// Key is what a fit of one model is about. Version may be "": not said.
type Key struct{ Hardware, Model, Version string }

// Of tells what a row is of, with the values that are fixed for all rows. The
// error asks for what neither says.
func Of(o *measured.Observation, fixed []scenario.Assignment) (Key, error) {
	text := func(path string) string {
		for _, a := range slices.Backward(fixed) {
			if a.Path == path {
				return fmt.Sprint(a.Value)
			}
		}
		s, _ := o.Value(path).(string)
		return s
	}
	k := Key{text("hardware.name"), cmp.Or(text("model.name"), text("model.config"), text("model.profile")), text("engine.version")}
	if key, what, give := o.Unsaid(fixed); what != "" {
		return k, o.Errorf(key, "give "+give, "%s", what)
	}
	return k, nil
}

// String is the key in words, for names of files too.
func (k Key) String() string {
	name := k.Model
	if ext := filepath.Ext(name); ext == ".json" || ext == ".toml" { // a file: its folder or its name
		name = strings.TrimSuffix(filepath.Base(name), ext)
		if name == "config" {
			name = filepath.Base(filepath.Dir(k.Model))
		}
	}
	return strings.TrimSpace(k.Hardware + " " + name + " " + k.Version)
}

// Where is the filter that picks the rows of a key.
func (k Key) Where() string {
	return fmt.Sprintf("hardware.name == %q && model.name == %q && engine.version == %q", k.Hardware, k.Model, k.Version)
}

// Part is a part of the rows, all of one key.
type Part struct {
	Key
	Rows []*measured.Observation
}

// Split parts the rows by key, in the order of the first usable row of each. Rows
// that are dropped go with the key that they say, if usable ones have it.
func Split(rows []*measured.Observation, fixed []scenario.Assignment) ([]Part, error) {
	var out []Part
	at := map[Key]int{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		k, err := Of(o, fixed)
		if err != nil {
			return nil, err
		}
		if _, ok := at[k]; !ok {
			at[k] = len(out)
			out = append(out, Part{Key: k})
		}
	}
	for _, o := range rows {
		k, _ := Of(o, fixed) // only dropped rows lack something here
		if i, ok := at[k]; ok {
			out[i].Rows = append(out[i].Rows, o)
		}
	}
	return out, nil
}

// family is what one fit is about that may have several models.
type family struct{ hardware, era string }

// members lists what the rows of a group are of.
type members struct {
	rows             int
	models, versions []string
}

func (m *members) add(model, version string) {
	m.rows++
	for _, l := range []struct {
		list *[]string
		word string
	}{{&m.models, model}, {&m.versions, version}} {
		if !slices.Contains(*l.list, l.word) {
			*l.list = append(*l.list, l.word)
		}
	}
}

// selects is the filter that picks the group's rows among others.
func (m *members) selects(g family) string {
	text := fmt.Sprintf("hardware.name == %q", g.hardware)
	if len(m.versions) == 1 {
		return text + fmt.Sprintf(" && engine.version == %q", m.versions[0])
	}
	quoted := make([]string, len(m.versions))
	for i, v := range m.versions {
		quoted[i] = strconv.Quote(v)
	}
	return text + " && engine.version in [" + strings.Join(quoted, ", ") + "]"
}

// One returns an error that asks for what rows do not say, or that is a *Several
// when they are of several chips or eras.
func One(rows []*measured.Observation, fixed []scenario.Assignment) error {
	groups := map[family]*members{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		k, err := Of(o, fixed)
		if err != nil {
			return err
		}
		g := family{k.Hardware, objective.Era(k.Version)}
		if groups[g] == nil {
			groups[g] = &members{}
		}
		groups[g].add(k.Model, k.Version)
	}
	if len(groups) < 2 {
		return nil
	}
	order := slices.SortedFunc(maps.Keys(groups), func(a, b family) int {
		return cmp.Or(groups[b].rows-groups[a].rows, cmp.Compare(a.hardware, b.hardware), cmp.Compare(a.era, b.era))
	})
	several := &Several{}
	for _, g := range order {
		m := groups[g]
		slices.Sort(m.versions)
		slices.Sort(m.models)
		several.where = append(several.where, m.selects(g))
		several.about = append(several.about, fmt.Sprintf("%s, vLLM %s: %s", results.Count(m.rows, "row"), g.era, strings.Join(m.models, ", ")))
	}
	return several
}

// Several lists the groups among the rows: the filter of each, and what it
// is about.
type Several struct{ where, about []string }

// Error lists a filter for each.
func (e *Several) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the rows are of %d chips or engine eras, and one fit is about one; give --each for a fit of each chip, model and version, or choose with", len(e.where))
	for i := range e.where {
		fmt.Fprintf(&b, "\n  --where '%s'   # %s", e.where[i], e.about[i])
	}
	return b.String()
}

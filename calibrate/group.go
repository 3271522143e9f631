package calibrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/objective"
	"scoville/calibrate/results"
)

// group is what one fit is about: rows of different chips or engine eras do not
// share parameters. Models of one chip and era do, some of them.
type group struct{ hardware, era string }

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
func (m *members) selects(g group) string {
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

// oneGroup returns an error that asks for what is missing, or that lists the
// groups when there are several.
func (in *input) oneGroup() error {
	groups := map[group]*members{}
	for _, o := range in.rows {
		if o.Dropped != "" {
			continue
		}
		text := func(path string) string {
			for _, a := range slices.Backward(in.spec.Fixed) {
				if a.Path == path {
					return fmt.Sprint(a.Value)
				}
			}
			s, _ := o.Value(path).(string)
			return s
		}
		chip := text("hardware.name")
		if chip == "" {
			return o.Errorf("hardware.name", `give --hardware NAME ("h100-sxm") or a column hardware`, "the file does not say which chip")
		}
		model := cmp.Or(text("model.name"), text("model.config"), text("model.profile"))
		if model == "" {
			return o.Errorf("model.name", `give --model NAME ("llama-3.1-70b", or a config.json or profile) or a column model`, "the file does not say which model")
		}
		g := group{chip, objective.Era(text("engine.version"))}
		if groups[g] == nil {
			groups[g] = &members{}
		}
		groups[g].add(model, text("engine.version"))
	}
	if len(groups) < 2 {
		return nil
	}
	order := slices.SortedFunc(maps.Keys(groups), func(a, b group) int {
		return cmp.Or(groups[b].rows-groups[a].rows, cmp.Compare(a.hardware, b.hardware), cmp.Compare(a.era, b.era))
	})
	several := &severalError{}
	for _, g := range order {
		m := groups[g]
		slices.Sort(m.versions)
		slices.Sort(m.models)
		several.where = append(several.where, m.selects(g))
		several.about = append(several.about, fmt.Sprintf("%s, vLLM %s: %s", results.Count(m.rows, "row"), g.era, strings.Join(m.models, ", ")))
	}
	return several
}

// severalError lists the groups among the rows: the filter of each, and what it
// is about.
type severalError struct{ where, about []string }

func (e *severalError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the rows are of %d chips or engine eras, and one fit is about one; choose with", len(e.where))
	for i := range e.where {
		fmt.Fprintf(&b, "\n  --where '%s'   # %s", e.where[i], e.about[i])
	}
	return b.String()
}

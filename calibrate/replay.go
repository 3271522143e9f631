package calibrate

import (
	"cmp"
	"slices"

	"scoville/calibrate/measured"
	"scoville/calibrate/measured/row"
	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario"
)

// Requests of a replayed run are compared in groups that arrived one after the
// other: their means show a queue that grows or drains, and are less rough than
// single requests. At most so many groups, none smaller than so many requests.
const (
	replayGroups = 12
	groupSize    = 8
)

// fold replaces the rows of replayed runs by groups of consecutive requests,
// each with its means. Requests that are held out make one group a run: what is
// asked of a replay is the mean over them.
func (in *input) fold() error {
	type part struct {
		file string
		held bool
	}
	parts := map[part][]*measured.Observation{}
	var order []part
	var rows []*measured.Observation
	for _, o := range in.rows {
		if o.Kind != row.Replay || o.Dropped != "" {
			rows = append(rows, o)
			continue
		}
		p := part{o.File, in.spec.Holdout != nil && in.spec.Holdout.Match(o)}
		if parts[p] == nil {
			order = append(order, p)
		}
		parts[p] = append(parts[p], o)
	}
	for _, p := range order {
		list := parts[p]
		slices.SortStableFunc(list, func(a, b *measured.Observation) int { return cmp.Compare(a.Scored[0], b.Scored[0]) })
		groups := 1
		if !p.held {
			groups = max(1, min(replayGroups, len(list)/groupSize))
		}
		for g := range groups {
			rows = append(rows, mean(list[g*len(list)/groups:(g+1)*len(list)/groups]))
		}
	}
	in.rows = rows
	return nil
}

// mean folds requests of one run into one row: the first, with means over all
// that have a value.
func mean(list []*measured.Observation) *measured.Observation {
	o := *list[0]
	o.Scored, o.Targets = nil, nil
	for _, metric := range []string{"ttft_mean_ms", "tpot_mean_ms", "e2e_mean_ms"} {
		sum, n := 0.0, 0
		for _, q := range list {
			if x, ok := q.Target(metric); ok {
				sum += x
				n++
			}
		}
		if n > 0 {
			o.Targets = append(o.Targets, measured.Target{Metric: metric, Value: sum / float64(n)})
		}
	}
	for _, q := range list {
		o.Scored = append(o.Scored, q.Scored...)
	}
	return &o
}

// dropUnknown drops rows whose chip or model no catalogue has when other rows
// can be used: one strange name does not spoil a file. When all are strange, the
// error that names the first tells what to give.
func (in *input) dropUnknown() {
	for _, c := range []struct {
		path, what, give string
		known            func(string) bool
	}{
		{"hardware.name", "chip", "a file for it with --hardware", func(s string) bool { _, err := hardware.Catalog(s); return err == nil }},
		{"model.name", "model", "its config.json with --model, and choose its rows with --where", func(s string) bool { _, err := model.Catalog(s); return err == nil }},
	} {
		var strange []*measured.Observation
		known := false
		for _, o := range in.rows {
			if o.Dropped != "" {
				continue
			}
			name, ok := o.Value(c.path).(string)
			switch {
			case !ok || c.known(name):
				known = true
			case !slices.ContainsFunc(in.spec.Fixed, func(a scenario.Assignment) bool { return a.Path == c.path }):
				strange = append(strange, o)
			}
		}
		for _, o := range strange {
			if known {
				o.Drop("%s not in the catalogue: %v; give %s", c.what, o.Value(c.path), c.give)
			}
		}
	}
}

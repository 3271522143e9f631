package scenario

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"scoville/core/scenario/input"
)

// notIdentity are the keys a simulation does not depend on: where figures come
// from, and file names whose contents count instead.
var notIdentity = []string{"model.source", "model.config", "model.profile", "workload.trace"}

// Canonical returns the scenario as text, one line per key in struct order
// with the shortest floats that read back exactly, then classes, service
// levels by metric and the hash of the trace records. Equal texts mean equal
// simulations (with equal seeds).
func (s *Scenario) Canonical() []byte {
	hash := ""
	if len(s.Workload.Records) > 0 {
		hash = input.Hash(s.Workload.Records)
	}
	return s.CanonicalAs(hash)
}

// CanonicalAs is that of the scenario, whose trace records have the given
// input.Hash; "" without any.
func (s *Scenario) CanonicalAs(trace string) []byte {
	text, _ := s.canonical(trace, nil)
	return text
}

// Canonical is that of the scenario, without hashing the trace records again.
// It holds as long as the records are those that Resolve loaded.
func (r *Resolved) Canonical() []byte {
	text, _ := r.Scenario.canonical(r.trace, nil)
	return text
}

// canonical leaves out the values of the keys that vary, and says where they
// belong; nil = none.
func (s *Scenario) canonical(trace string, vary func(path string) bool) (out []byte, cuts []cut) {
	out = make([]byte, 0, 6<<10)
	value := func(n *node, path string, class int, v reflect.Value) {
		out = append(out, n.Path...)
		if vary != nil && vary(path) {
			cuts = append(cuts, cut{len(out), n, class})
			return
		}
		out = appendValue(out, v)
	}
	root := reflect.ValueOf(s).Elem()
	for _, n := range study().nodes {
		if !n.inClass && !n.notIdentity {
			value(n, n.Path, 0, root.FieldByIndex(n.Index))
		}
	}
	for i := range s.Workload.Class {
		class := reflect.ValueOf(&s.Workload.Class[i]).Elem()
		out = strconv.AppendQuote(append(out, "class="...), s.Workload.Class[i].Name)
		out = append(out, '\n')
		for _, n := range study().nodes {
			if n.inClass && n.keys == nil {
				value(n, classPrefix+s.Workload.Class[i].Name+n.Path[len(anyClass)-1:], i, class.FieldByIndex(n.Index))
			}
		}
	}
	for _, d := range s.Derate {
		out = strconv.AppendQuote(append(out, "derate="...), d.Path)
		for _, x := range []float64{d.Factor, d.FromS, d.ToS} {
			out = strconv.AppendFloat(append(out, ' '), x, 'g', -1, 64)
		}
		out = append(out, '\n')
	}
	limits := slices.Clone(s.SLO)
	slices.SortStableFunc(limits, func(a, b Limit) int { return strings.Compare(a.Metric, b.Metric) })
	for _, l := range limits {
		out = strconv.AppendQuote(append(out, "slo="...), l.Metric)
		out = strconv.AppendFloat(append(out, " max="...), l.Max, 'g', -1, 64)
		out = strconv.AppendFloat(append(out, " min="...), l.Min, 'g', -1, 64)
		out = append(out, '\n')
	}
	return append(append(append(out, "trace="...), trace...), '\n'), cuts
}

// appendValue writes "=value" and a line end.
func appendValue(out []byte, v reflect.Value) []byte {
	out = append(out, '=')
	switch v.Kind() {
	case reflect.Float64:
		out = strconv.AppendFloat(out, v.Float(), 'g', -1, 64)
	case reflect.Int:
		out = strconv.AppendInt(out, v.Int(), 10)
	case reflect.Bool:
		out = strconv.AppendBool(out, v.Bool())
	case reflect.String:
		out = strconv.AppendQuote(out, v.String())
	case reflect.Slice:
		for i := range v.Len() {
			out = append(strconv.AppendFloat(out, v.Index(i).Float(), 'g', -1, 64), ' ')
		}
	}
	return append(out, '\n')
}

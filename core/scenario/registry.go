package scenario

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"scoville/core/hardware"
	"scoville/core/scenario/foreign"
	"scoville/core/schema"
	"scoville/core/workload"
)

// Field is one study key; Kind is the type of its value.
type (
	Field      = schema.Field
	Kind       = schema.Kind
	FieldError = schema.FieldError
)

// Kinds of values.
const (
	Float, Int, Bool      = schema.Float, schema.Int, schema.Bool
	String, DType, Floats = schema.String, schema.DType, schema.Floats
)

// node is a field of the scenario. A key of a class has its place in
// workload.Class, others in Scenario.
type node struct {
	*schema.Node
	inClass  bool
	inDerate bool // its place is in Scenario.Derate

	notIdentity bool                    // no simulation depends on it
	keys        map[string]*schema.Node // of a whole workload.Dist, which may be a number or a table; else nil
}

type registry struct {
	nodes    []*node          // struct order
	byPath   map[string]*node // keys outside classes
	byClass  map[string]*node // keys of a class, without "workload.class.NAME."
	byDerate map[string]*node // keys of a derate, without "hardware.derate.0."
	derates  []*node          // the same in struct order
	defaults Scenario
	derate   hardware.Derate // defaults of a derate
	class    workload.Class  // defaults of a class
}

const (
	classPrefix = "workload.class."
	anyClass    = classPrefix + "NAME."
	sloPrefix   = "slo."
)

// study is the registry of all study keys. A malformed tag is a mistake of the
// programmer and panics.
var study = sync.OnceValue(func() *registry {
	r, err := build()
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return r
})

func build() (*registry, error) {
	r := &registry{byPath: map[string]*node{}, byClass: map[string]*node{}, byDerate: map[string]*node{}}
	fixed, errFixed := schema.Read(reflect.TypeFor[Scenario](), "")
	class, errClass := schema.Read(reflect.TypeFor[workload.Class](), anyClass)
	derate, errDerate := schema.Read(reflect.TypeFor[hardware.Derate](), anyDerate)
	if err := errors.Join(errFixed, errClass, errDerate); err != nil {
		return nil, err
	}
	for _, n := range derate {
		r.derates = append(r.derates, &node{Node: n, inDerate: true})
		r.byDerate[strings.TrimPrefix(n.Path, anyDerate)] = r.derates[len(r.derates)-1]
	}
	for i, n := range fixed {
		r.byPath[n.Path] = &node{Node: n, notIdentity: slices.Contains(notIdentity, n.Path)}
		r.nodes = append(r.nodes, r.byPath[n.Path])
		if strings.HasPrefix(n.Path, "workload.") && (i+1 == len(fixed) || !strings.HasPrefix(fixed[i+1].Path, "workload.")) {
			r.addClass(class)
		}
	}
	return r, errors.Join(
		schema.SetDefaults(reflect.ValueOf(&r.defaults).Elem(), fixed),
		schema.SetDefaults(reflect.ValueOf(&r.class).Elem(), class),
		schema.SetDefaults(reflect.ValueOf(&r.derate).Elem(), derate))
}

// addClass adds the keys of a class, each length distribution also as a whole.
// The name of a class is its address, not a key.
func (r *registry) addClass(nodes []*schema.Node) {
	add := func(key string, n *node) *node {
		r.nodes, r.byClass[key] = append(r.nodes, n), n
		return n
	}
	for _, n := range nodes {
		key := strings.TrimPrefix(n.Path, anyClass)
		if key == "name" {
			continue
		}
		if dist, member, ok := strings.Cut(key, "."); ok {
			whole := r.byClass[dist]
			if whole == nil {
				whole = add(dist, &node{Node: &schema.Node{Index: n.Index[:1]}, inClass: true, keys: map[string]*schema.Node{}})
			}
			whole.keys[member] = n
			if member == "mean" { // the number of a fixed length
				whole.Field = n.Field
				whole.Path = anyClass + dist
				whole.Help = `length: a number (fixed) or a table such as { dist = "lognormal", mean = 256, cv = 0.8 }`
			}
		}
		add(key, &node{Node: n, inClass: true})
	}
}

// Fields lists all study keys of a scenario in struct order. Keys of a class
// appear once, as workload.class.NAME.share and so on, likewise those of the
// derates, hardware.derate.0.factor, last. The keys of service
// levels, slo.METRIC.max and slo.METRIC.min, are not listed: their names come
// from the metrics.
func Fields() []Field {
	fields := make([]Field, 0, len(study().nodes))
	for _, n := range study().nodes {
		fields = append(fields, n.Field)
	}
	for _, n := range study().derates {
		fields = append(fields, n.Field)
	}
	return fields
}

// Lookup returns the field of a path, also for a concrete class
// (workload.class.short.share) and a service level (slo.ttft_p99_ms.max).
func Lookup(path string) (Field, bool) {
	if metric, _, ok := splitSLO(path); ok {
		return Field{
			Path: path, Unit: "unit of " + metric, HasRange: true, Lo: -math.MaxFloat64, Hi: math.MaxFloat64,
			Help: "service level: limit of " + metric,
		}, true
	}
	n, _ := find(path)
	if n == nil {
		return Field{}, false
	}
	f := n.Field
	f.Path = path
	return f, true
}

// find returns the node of a path and, for a class key, the class name, for one
// of a derate its number.
func find(path string) (n *node, element string) {
	if strings.HasPrefix(path, deratePrefix) {
		return findDerate(path)
	}
	rest, ok := strings.CutPrefix(path, classPrefix)
	if !ok {
		return study().byPath[path], ""
	}
	element, key, _ := strings.Cut(rest, ".")
	if element == "" {
		return nil, ""
	}
	return study().byClass[key], element
}

// splitSLO splits slo.METRIC.max and slo.METRIC.min.
func splitSLO(path string) (metric, bound string, ok bool) {
	rest, ok := strings.CutPrefix(path, sloPrefix)
	if !ok {
		return "", "", false
	}
	metric, bound, ok = strings.Cut(rest, ".")
	return metric, bound, ok && metric != "" && (bound == "max" || bound == "min")
}

// Nearest returns the valid path that path is most likely meant to be, or "":
// the right last segment in the wrong table, or a misspelled last segment.
func Nearest(path string) string {
	class := "NAME"
	if rest, ok := strings.CutPrefix(path, classPrefix); ok {
		class, _, _ = strings.Cut(rest, ".")
	}
	table, last := splitLast(path)
	var siblings, lasts, sameLast []string
	at := map[string]string{} // last segment -> first path with it
	for _, n := range study().nodes {
		p := n.Path
		if key, ok := strings.CutPrefix(p, anyClass); ok {
			p = classPrefix + class + "." + key
		}
		t, seg := splitLast(p)
		if seg == last {
			sameLast = append(sameLast, p)
		}
		if t == table {
			siblings = append(siblings, seg)
		}
		if at[seg] == "" {
			at[seg] = p
			lasts = append(lasts, seg)
		}
	}
	if key := foreign.Key(path, strings.TrimPrefix(class, "NAME")); key != "" && len(sameLast) == 0 {
		return key
	}
	if len(sameLast) > 0 {
		return cmp.Or(schema.Closest(path, sameLast), sameLast[0])
	}
	if best := schema.Closest(last, siblings); best != "" {
		return table + best
	}
	return at[schema.Closest(last, lasts)]
}

// Closest returns the candidate that name is most likely a misspelling of, or
// "" when none is near.
func Closest(name string, candidates []string) string { return schema.Closest(name, candidates) }

// splitLast splits a path before its last segment; the table keeps its dot.
func splitLast(path string) (table, last string) {
	i := strings.LastIndexByte(path, '.') + 1
	return path[:i], path[i:]
}

package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"scoville/core/hardware"
	"scoville/core/scenario/foreign"
	"scoville/core/schema"
	"scoville/core/workload"
)

// Default returns a scenario with every default of the registry set and
// nothing else: no model, no chip, no classes.
func Default() Scenario { return study().defaults }

// Get returns the value of a study key as a study writes it: float64, int,
// bool, string, []float64, or for a length distribution that is not a plain
// number a map of its keys.
func (s *Scenario) Get(path string) (any, error) {
	if metric, bound, ok := splitSLO(path); ok {
		return s.limit(metric, bound)
	}
	n, element := find(path)
	if n == nil {
		return nil, unknown(path)
	}
	root, err := s.root(n, path, element)
	if err != nil {
		return nil, err
	}
	return n.plain(root), nil
}

// root returns the struct that a node's place starts from.
func (s *Scenario) root(n *node, path, element string) (reflect.Value, *FieldError) {
	switch {
	case n.inClass:
		i, err := s.classIndex(path, element)
		if err != nil {
			return reflect.Value{}, err
		}
		return reflect.ValueOf(&s.Workload.Class[i]).Elem(), nil
	case n.inDerate:
		i, err := s.derateIndex(path, element)
		if err != nil {
			return reflect.Value{}, err
		}
		return reflect.ValueOf(&s.Derate[i]).Elem(), nil
	}
	return reflect.ValueOf(s).Elem(), nil
}

// Set gives a study key a value. The schema decides the type: 400 and 400.0
// are one value of a float; 3.0 for an integer is an error. Classes and service
// levels shared with other scenarios are copied, not changed. It does not read
// catalogues: setting model.name changes the label only. Errors are of type
// *FieldError.
func (s *Scenario) Set(path string, v any) error {
	set, err := newSetting(path, v)
	if err != nil {
		return err
	}
	if err := set.apply(s); err != nil {
		return err
	}
	return nil
}

// Convert checks v against the schema of a path and returns it in the type
// the schema says, float64 for 400 where a float belongs. A whole length
// distribution comes back as a workload.Dist; Set takes it too.
func Convert(path string, v any) (any, error) {
	set, err := newSetting(path, v)
	if err != nil {
		return nil, err
	}
	return set.value, nil
}

// setting is one checked assignment: what Set does, split so that a layer is
// checked once and applied many times.
type setting struct {
	path          string
	node          *node  // nil: a service level, or the whole list of classes or derates
	element       string // class name, or number of a derate
	metric, bound string
	value         any      // in the type of the struct field
	classKeys     []string // keys given with the class list
}

// newSetting checks path and value.
func newSetting(path string, v any) (setting, *FieldError) {
	if metric, bound, ok := splitSLO(path); ok {
		f, _ := Lookup(path)
		x, err := f.Convert(v)
		return setting{path: path, metric: metric, bound: bound, value: x}, err
	}
	n, element := find(path)
	if n == nil {
		return setting{}, unknown(path)
	}
	value, err := n.convert(path, v)
	return setting{path: path, node: n, element: element, value: value}, err
}

// apply writes the setting into s, replacing what s may share.
func (t *setting) apply(s *Scenario) *FieldError {
	if t.node == nil {
		switch list := t.value.(type) {
		case []workload.Class:
			s.Workload.Class = list
			return nil
		case []hardware.Derate:
			s.Derate = list
			return nil
		}
		s.setLimit(t.metric, t.bound, t.value.(float64))
		return nil
	}
	if t.node.inClass {
		s.Workload.Class = slices.Clone(s.Workload.Class)
	}
	if t.node.inDerate {
		s.Derate = slices.Clone(s.Derate)
	}
	root, err := s.root(t.node, t.path, t.element)
	if err != nil {
		return err
	}
	t.node.Put(root, t.value)
	return nil
}

func (s *Scenario) classIndex(path, class string) (int, *FieldError) {
	if i := slices.IndexFunc(s.Workload.Class, func(c workload.Class) bool { return c.Name == class }); i >= 0 {
		return i, nil
	}
	var names []string
	for _, c := range s.Workload.Class {
		names = append(names, c.Name)
	}
	e := &FieldError{Path: path, Rule: fmt.Sprintf("no class is named %q", class), Hint: schema.DidYouMean(schema.Closest(class, names))}
	switch {
	case e.Hint == "" && len(names) > 0:
		e.Hint = "the classes are " + strings.Join(names, ", ")
	case e.Hint == "":
		e.Hint = fmt.Sprintf("write [[workload.class]] with name = %q", class)
	}
	return 0, e
}

// limit returns a bound of a service level.
func (s *Scenario) limit(metric, bound string) (any, error) {
	for _, l := range s.SLO {
		x := map[string]float64{"max": l.Max, "min": l.Min}[bound]
		if l.Metric == metric && !math.IsNaN(x) {
			return x, nil
		}
	}
	return nil, &FieldError{Path: sloPrefix + metric + "." + bound, Rule: "no such service level is set"}
}

func (s *Scenario) setLimit(metric, bound string, x float64) {
	s.SLO = slices.Clone(s.SLO)
	i := slices.IndexFunc(s.SLO, func(l Limit) bool { return l.Metric == metric })
	if i < 0 {
		i = len(s.SLO)
		s.SLO = append(s.SLO, Limit{Metric: metric, Max: math.NaN(), Min: math.NaN()})
	}
	if bound == "max" {
		s.SLO[i].Max = x
	} else {
		s.SLO[i].Min = x
	}
}

// oneClass reports whether what follows "workload.class." is a key of a class
// without the name of one, as [workload.class] in single brackets makes it.
func oneClass(rest string) bool {
	first, _, more := strings.Cut(rest, ".")
	length := first == "prompt_tokens" || first == "output_tokens"
	return !more && (first == "name" || study().byClass[first] != nil) || more && length
}

func unknown(path string) *FieldError {
	for _, n := range study().nodes {
		if strings.HasPrefix(n.Path, path+".") {
			return &FieldError{Path: path, Rule: fmt.Sprintf("%q is a table of parameters, not one parameter", path)}
		}
	}
	if path == derateTable || strings.HasPrefix(path, deratePrefix) {
		return &FieldError{Path: path, Rule: fmt.Sprintf("no parameter %q", path), Hint: "write [[hardware.derate]] with path, factor, from_s and to_s; hardware.derate.0.factor is the factor of the first"}
	}
	hint := cmp.Or(foreign.Hint(path), schema.DidYouMean(Nearest(path)))
	switch rest, class := strings.CutPrefix(path, classPrefix); {
	case strings.HasPrefix(path, sloPrefix):
		hint = "write METRIC = { max = X } or METRIC = { min = X }"
	case class && oneClass(rest):
		hint = "write [[workload.class]] with two brackets: each class is one of a list, with a name"
	}
	return &FieldError{Path: path, Rule: fmt.Sprintf("no parameter %q", path), Hint: hint}
}

// convert checks a value and returns it in the type of the struct field. A
// length distribution takes a number (fixed), or a table that sets its keys
// over the defaults.
func (n *node) convert(path string, v any) (any, *FieldError) {
	f := n.Field
	f.Path = path
	table, isTable := v.(map[string]any)
	if n.keys == nil {
		return f.Convert(v)
	}
	if d, ok := v.(workload.Dist); ok {
		return d, nil
	}
	if !isTable {
		table = map[string]any{"mean": v}
	}
	class := study().class
	root := reflect.ValueOf(&class).Elem()
	for _, key := range slices.Sorted(maps.Keys(table)) {
		m := n.keys[key]
		if m == nil {
			return nil, unknown(path + "." + key)
		}
		f := m.Field
		if f.Path = path; isTable {
			f.Path = path + "." + key
		}
		value, err := f.Convert(table[key])
		if err != nil {
			return nil, err
		}
		if _, ok := table["dist"]; !ok && key != "mean" {
			return nil, &FieldError{Path: path, Rule: key + " needs dist", Hint: "add dist, one of " + strings.Join(n.keys["dist"].Enum, ", ")}
		}
		m.Put(root, value)
	}
	return root.FieldByIndex(n.Index).Interface(), nil
}

// plain returns a field's value as a study writes it. The inverse of convert
// for a distribution: the number of a fixed length, else a table of what is
// not zero.
func (n *node) plain(root reflect.Value) any {
	if n.keys == nil {
		return n.Get(root)
	}
	out := map[string]any{}
	for key, m := range n.keys {
		if v := root.FieldByIndex(m.Index); !v.IsZero() {
			out[key] = m.Get(root)
		}
	}
	if len(out) == 2 && out["dist"] == workload.Fixed && out["mean"] != nil {
		return out["mean"]
	}
	return out
}

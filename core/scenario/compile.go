package scenario

import (
	"regexp"
	"slices"
	"strings"

	"scoville/core/schema"
	"scoville/core/workload"
)

// tables are the top-level keys of a document that belong to the scenario; the
// others are for the reader of the study, the overlay or the fit.
var tables = []string{"model", "hardware", "engine", "workload", "measurement", "slo"}

// IsTable reports whether name is a table of the scenario.
func IsTable(name string) bool { return slices.Contains(tables, name) }

// compiled is a layer with every value checked, ready to be applied to many
// scenarios.
type compiled struct {
	settings []setting
	given    map[string]string // every key it sets; the value of a string
}

// decisive are the keys that pick catalogue entries and decide whether an
// overlay applies.
var decisive = []string{"model.name", "model.config", "model.profile", "model.weight_dtype", "model.kv_dtype", "hardware.name", "engine.version"}

// classNames is what a class may be called: its name is part of study keys.
var classNames = regexp.MustCompile(`^[a-z0-9_-]+$`)

func (c *compiled) add(set setting) {
	c.settings = append(c.settings, set)
	text, _ := set.value.(string)
	c.given[set.path] = text
}

// compileDoc checks the scenario tables of a document. The class list comes
// first, so that keys of single classes find it wherever they stand.
func compileDoc(d *Document) (*compiled, error) {
	c := &compiled{given: map[string]string{}}
	var rest []setting
	for _, e := range d.Entries {
		var err error
		switch {
		case !slices.Contains(tables, e.Path[0]):
		case e.Key() == "workload.class":
			err = c.compileClasses(d, e)
		case e.Key() == derateTable:
			err = c.compileDerates(d, e)
		default:
			rest, err = settings(d, rest, "", e)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, set := range rest {
		if _, ok := c.given[set.path]; ok {
			return nil, d.Errorf(set.path, "in an inline table and as a dotted key", "given twice")
		}
		c.add(set)
	}
	return c, nil
}

// settings appends the checked values of an entry whose full key is prefix
// plus its own; a table that is not a value of the schema is opened.
func settings(d *Document, out []setting, prefix string, e Entry) ([]setting, error) {
	path := prefix + e.Key()
	if _, ok := e.Value.(map[string]any); ok {
		if n, _ := find(path); n == nil {
			for _, sub := range d.Inside(e) {
				var err error
				if out, err = settings(d, out, prefix, sub); err != nil {
					return nil, err
				}
			}
			return out, nil
		}
	}
	set, err := newSetting(path, e.Value)
	if err != nil {
		pointed := Point(d, strings.TrimPrefix(err.Path, prefix), err).(*Error)
		if err.Value == nil { // about the key, which the message names
			table, _ := splitLast(err.Path)
			pointed.Where = strings.TrimSuffix(table, ".")
		}
		return nil, pointed
	}
	return append(out, set), nil
}

// MaxClasses bounds the classes of a workload: each has metrics of its own.
const MaxClasses = 1000

// compileClasses reads [[workload.class]]: the list replaces that of earlier
// layers.
func (c *compiled) compileClasses(d *Document, e Entry) error {
	elems, ok := e.Value.([]*Document)
	if !ok {
		return d.Errorf(e.Key(), "write each class as a table [[workload.class]] with a name", "%s is not an array of tables", schema.Show(e.Value))
	}
	if len(elems) > MaxClasses {
		return d.Errorf(e.Key(), "one class may draw its lengths from a distribution", "%d classes, the limit is %d", len(elems), MaxClasses)
	}
	var s Scenario
	var paths []string
	for _, el := range elems {
		name, err := className(el, s.Workload.Class)
		if err != nil {
			return err
		}
		class := study().class
		class.Name = name
		s.Workload.Class = append(s.Workload.Class, class)
		var sets []setting
		for _, sub := range el.Entries {
			if sub.Key() == "name" {
				continue
			}
			if sets, err = settings(el, sets, classPrefix+name+".", sub); err != nil {
				return err
			}
		}
		for _, set := range sets {
			if err := set.apply(&s); err != nil {
				return Point(el, "name", err)
			}
			paths = append(paths, set.path)
		}
	}
	c.add(setting{path: e.Key(), value: s.Workload.Class, classKeys: paths})
	return nil
}

// className returns the name of a class, which must be new among the earlier.
func className(el *Document, earlier []workload.Class) (string, error) {
	v := el.Value("name")
	name, ok := v.(string)
	switch {
	case v == nil:
		return "", el.Errorf("name", `add name = "..."; keys such as workload.class.short.share use it`, "a class needs a name")
	case !ok || !classNames.MatchString(name):
		return "", el.Errorf("name", "use a-z, 0-9, _ and -", "%s is not a name of a class", schema.Show(v))
	case slices.ContainsFunc(earlier, func(c workload.Class) bool { return c.Name == name }):
		return "", el.Errorf("name", "give each class its own name", "a class named %q is already there", name)
	}
	return name, nil
}

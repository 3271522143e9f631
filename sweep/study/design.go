package study

import (
	"slices"
	"strings"

	"scoville/core/scenario"
)

// axis decodes PATH = levels of [axes].
func (d *decoder) axis(e scenario.Entry) error {
	a, err := d.path(e, 1)
	if err == nil {
		d.study.Axes = append(d.study.Axes, a)
	}
	return err
}

// path decodes an entry PATH = levels whose path starts after n segments.
func (d *decoder) path(e scenario.Entry, n int) (Axis, error) {
	at := Place{Doc: d.doc, Key: e.Key(), Table: strings.Join(e.Path[:n], ".")}
	if len(e.Path) <= n {
		return Axis{}, at.Errorf(at.Table, `add "PATH" = [level, level]`, "the table is empty")
	}
	path := strings.Join(e.Path[n:], ".")
	levels, err := d.list(path, at, e.Value)
	return Axis{Name: path, Paths: []string{path}, Levels: levels}, err
}

// zip decodes one path of [zip.NAME]; the first one makes the axis.
func (d *decoder) zip(e scenario.Entry) error {
	if len(e.Path) < 3 {
		return d.doc.Errorf(e.Key(), `write [zip.NAME] and in it "PATH" = [level, level]`, "needs a name and paths")
	}
	if scenario.IsTable(e.Path[1]) {
		return d.doc.Errorf(e.Key(), `write [zip.NAME] and in it "PATH" = [level, level]`, "a zip needs a name of its own, and %s is a table of the scenario", e.Path[1])
	}
	p, err := d.path(e, 2)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(d.study.Axes, func(a Axis) bool { return a.Name == e.Path[1] && !a.Named })
	if i < 0 {
		p.Name = e.Path[1]
		d.study.Axes = append(d.study.Axes, p)
		return nil
	}
	a := &d.study.Axes[i]
	if len(p.Levels) != len(a.Levels) {
		return d.doc.Errorf(e.Key(), "lists of a zip are read in step", "%d levels, but %s has %d", len(p.Levels), a.Paths[0], len(a.Levels))
	}
	a.Paths = append(a.Paths, p.Paths[0])
	for j := range a.Levels {
		a.Levels[j].Name += ", " + p.Levels[j].Name
		a.Levels[j].Values = append(a.Levels[j].Values, p.Levels[j].Values...)
	}
	return nil
}

// cases decodes [[cases.NAME]].
func (d *decoder) cases(e scenario.Entry) error {
	elems, ok := e.Value.([]*scenario.Document)
	if !ok || len(e.Path) != 2 || !columnName(e.Path[1]) {
		return d.doc.Errorf(e.Key(), `write [[cases.NAME]], name = "..." and "PATH" = value; NAME is a column: a-z, 0-9 and _`, "is not a list of cases")
	}
	a := Axis{Name: e.Path[1], Named: true}
	for _, el := range elems {
		l := Level{}
		for _, sub := range el.Entries {
			at := Place{Doc: el, Key: sub.Key(), Table: e.Key()}
			if sub.Key() == "name" {
				l.Name, _ = sub.Value.(string)
				continue
			}
			v, err := value(sub.Key(), at, sub.Value)
			if err != nil {
				return err
			}
			l.Values = append(l.Values, v)
			if !slices.Contains(a.Paths, v.Path) {
				a.Paths = append(a.Paths, v.Path)
			}
		}
		switch {
		case l.Name == "":
			return el.Errorf("name", `add name = "..."`, "a case needs a name")
		case slices.ContainsFunc(a.Levels, func(o Level) bool { return o.Name == l.Name }):
			return el.Errorf("name", "give each case its own name", "a case named %q is already there", l.Name)
		}
		a.Levels = append(a.Levels, l)
	}
	d.study.Axes = append(d.study.Axes, a)
	return nil
}

// columnName reports whether a name can be a column of the results.
func columnName(s string) bool {
	return names.MatchString(s) && !strings.Contains(s, "-") && s[0] >= 'a'
}

// oat decodes PATH = levels and group.NAME = { paths, by } of [oat].
func (d *decoder) oat(e scenario.Entry) error {
	if len(e.Path) > 2 && e.Path[1] == "group" {
		return d.group(e)
	}
	a, err := d.path(e, 1)
	if err == nil {
		d.study.OAT = append(d.study.OAT, a)
	}
	return err
}

// group decodes group.NAME = { paths, by }, or the table [oat.group.NAME] at
// its first key.
func (d *decoder) group(e scenario.Entry) error {
	name := "group." + e.Path[2]
	if slices.ContainsFunc(d.study.OAT, func(a Axis) bool { return a.Name == name }) {
		return nil
	}
	keys, _ := e.Value.(map[string]any)
	if len(e.Path) > 3 {
		keys = map[string]any{}
		for _, o := range d.doc.Entries {
			if key, ok := strings.CutPrefix(o.Key(), "oat."+name+"."); ok {
				keys[key] = o.Value
			}
		}
	}
	list, isList := keys["paths"].([]any)
	if len(keys) != 2 || !isList || len(list) == 0 || keys["by"] == nil {
		return d.doc.Errorf(e.Key(), `write group.NAME = { paths = ["PATH", "PATH"], by = ["-20%"] }`, "is not a group")
	}
	a, at := Axis{Name: name}, Place{Doc: d.doc, Key: e.Key(), Table: "oat." + name}
	for _, p := range list {
		path, ok := p.(string)
		if !ok {
			return at.Errorf(at.Table, `write ["PATH", "PATH"]`, "paths needs a list of strings")
		}
		levels, err := d.list(path, at, keys["by"])
		if err != nil {
			return err
		}
		if a.Paths == nil {
			a.Levels = make([]Level, len(levels))
		}
		a.Paths = append(a.Paths, path)
		for i, l := range levels {
			a.Levels[i].Name = l.Name
			a.Levels[i].Values = append(a.Levels[i].Values, l.Values...)
		}
	}
	d.study.OAT = append(d.study.OAT, a)
	return nil
}

// checkAxes refuses a path that two axes set, and an OAT path that is also an
// axis: one would silently undo the other.
func (d *decoder) checkAxes() error {
	var outer []Value
	for _, a := range d.study.Axes {
		own, err := firstValues(a, outer, "is set by two axes")
		if err != nil {
			return err
		}
		outer = append(outer, own...)
	}
	for _, a := range d.study.OAT {
		if _, err := firstValues(a, outer, "is an axis already; one at a time needs a fixed base"); err != nil {
			return err
		}
	}
	return nil
}

// firstValues returns the first value of each path of an axis. A path that
// overlaps with another of the axis or of earlier is an error.
func firstValues(a Axis, earlier []Value, rule string) ([]Value, error) {
	var own []Value
	for _, l := range a.Levels {
		for i, v := range l.Values {
			if slices.ContainsFunc(l.Values[:i], func(o Value) bool { return overlap(o.Path, v.Path) }) {
				return nil, v.At.Errorf(v.At.Table, "", "%q is set twice", v.Path)
			}
			if slices.ContainsFunc(own, func(o Value) bool { return o.Path == v.Path }) {
				continue
			}
			if slices.ContainsFunc(earlier, func(o Value) bool { return overlap(o.Path, v.Path) }) {
				return nil, v.At.Errorf(v.At.Table, "remove one of them", "%q %s", v.Path, rule)
			}
			own = append(own, v)
		}
	}
	return own, nil
}

// overlap reports whether two paths are one, or one is part of the other: a
// length distribution and its mean.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

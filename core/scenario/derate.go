package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scoville/core/hardware"
	"scoville/core/schema"
)

const (
	derateTable  = "hardware.derate"
	deratePrefix = derateTable + "."
	anyDerate    = deratePrefix + "0." // the first stands for all in Fields
)

// findDerate returns the node of a key such as hardware.derate.0.factor and the
// number of the table.
func findDerate(path string) (n *node, number string) {
	number, key, _ := strings.Cut(strings.TrimPrefix(path, deratePrefix), ".")
	if _, err := strconv.ParseUint(number, 10, 16); err != nil {
		return nil, ""
	}
	return study().byDerate[key], number
}

// derateIndex returns which of the tables a number means.
func (s *Scenario) derateIndex(path, number string) (int, *FieldError) {
	if i, err := strconv.Atoi(number); err == nil && i < len(s.Derate) {
		return i, nil
	}
	return 0, &FieldError{
		Path: path, Rule: fmt.Sprintf("there is no [[hardware.derate]] number %s: there are %d, counted from 0", number, len(s.Derate)),
		Hint: "add [[hardware.derate]] with path, factor, from_s and to_s; factor = 1 has no effect",
	}
}

// compileDerates reads [[hardware.derate]]: the list replaces that of earlier
// layers.
func (c *compiled) compileDerates(d *Document, e Entry) error {
	elems, ok := e.Value.([]*Document)
	if !ok {
		return d.Errorf(e.Key(), "write each as a table [[hardware.derate]] with path, factor, from_s and to_s", "%s is not an array of tables", schema.Show(e.Value))
	}
	var s Scenario
	for i, el := range elems {
		s.Derate = append(s.Derate, study().derate)
		prefix := deratePrefix + strconv.Itoa(i) + "."
		var sets []setting
		for _, sub := range el.Entries {
			var err error
			if sets, err = settings(el, sets, prefix, sub); err != nil {
				return err
			}
		}
		for _, set := range sets {
			if err := set.apply(&s); err != nil {
				return Point(el, strings.TrimPrefix(set.path, prefix), err)
			}
		}
		if err := checkDerate(&s.Derate[i], prefix); err != nil {
			return Point(el, strings.TrimPrefix(err.Path, prefix), err)
		}
	}
	c.add(setting{path: e.Key(), value: s.Derate})
	return nil
}

// checkDerate checks what a derate says by itself.
func checkDerate(d *hardware.Derate, prefix string) *FieldError {
	rates := hardware.Rates()
	switch {
	case d.Path == "":
		return &FieldError{Path: prefix + "path", Rule: "a derate needs a path", Hint: `for example path = "hardware.memory_bandwidth_gb_s"`}
	case !slices.Contains(rates, d.Path):
		hint := schema.DidYouMean(schema.Closest(d.Path, rates))
		if hint == "" {
			hint = "the rates are " + strings.Join(rates, ", ")
		}
		return &FieldError{Path: prefix + "path", Value: d.Path, Rule: "is not a rate of the hardware", Hint: hint}
	case !(d.ToS > d.FromS):
		return &FieldError{Path: prefix + "to_s", Value: d.ToS, Rule: fmt.Sprintf("is not after from_s = %v", d.FromS), Hint: "seconds of simulated time from the start of the run"}
	}
	return nil
}

// checkDerates checks every derate against the rates of the machine.
func (s *Scenario) checkDerates() *FieldError {
	for i := range s.Derate {
		d := &s.Derate[i]
		prefix := deratePrefix + strconv.Itoa(i) + "."
		err := checkDerate(d, prefix)
		if err == nil && !s.Hardware.Given(d.Path) {
			err = &FieldError{Path: prefix + "path", Value: d.Path, Rule: "is not a rate of this machine: it is 0", Hint: "name the bandwidth that its kv_path has, or give the rate"}
		}
		if err != nil {
			err.Related = append(err.Related, derateTable)
			return err
		}
	}
	return nil
}

// Package said knows what the text of a study says of its names and limits, without
// the files that it stands on: enough to label results and to judge them, also where
// those files are gone. It resolves nothing.
package said

import (
	"path"
	"strconv"
	"strings"

	"scoville/core/scenario/document"
)

// Study is what a study says by itself, with --set after it. What it does not say
// is empty: a name that nothing is known of is never guessed.
type Study struct {
	Model, Hardware string
	Description     string
	Max             map[string]float64 // [slo] METRIC max, in the unit of the metric
	Varied          bool               // a limit is an axis, and not in Max
}

// Values are the numbers, texts and truth values of a study by their keys, with
// --set after it, and model and hardware for the names of these. A key that the
// design varies somewhere has none, nor has a text that is no study.
func Values(text string, set []string) map[string]any {
	values, varied := map[string]any{}, map[string]bool{}
	if doc, err := document.Parse("study.toml", []byte(text)); err == nil {
		flatten(doc, doc.Entries, values)
		varied = design(doc)
	}
	for _, word := range set {
		key, text, _ := strings.Cut(word, "=")
		assign(values, strings.TrimSpace(key), strings.TrimSpace(text))
	}
	for key := range varied {
		delete(values, key)
	}
	for name, keys := range map[string][]string{"model": {"model.name", "model.config", "model.profile"}, "hardware": {"hardware.name"}} {
		if _, own := values[name]; !own {
			if text := first(values, keys...); text != "" {
				values[name] = text
			}
		}
	}
	return values
}

// assign sets a key as the command line does. A change relative to a number is not
// known by itself.
func assign(values map[string]any, key, text string) {
	_, was := values[key].(string)
	switch x, err := strconv.ParseFloat(text, 64); {
	case err == nil:
		values[key] = x
	case text == "true" || text == "false":
		values[key] = text == "true"
	case values[key] == nil || was:
		values[key] = strings.Trim(text, `"'`)
	default:
		delete(values, key)
	}
}

// design returns the keys that a study varies: of its axes, zips, cases, one-at-a-time
// changes, samples and searches. It may name more, parts of these.
func design(doc *document.Document) map[string]bool {
	keys := map[string]bool{}
	add := func(key string) {
		for range maxParts {
			keys[key] = true
			_, rest, more := strings.Cut(key, ".")
			if key = rest; !more {
				return
			}
		}
	}
	for _, table := range []string{"axes", "zip", "cases", "oat", "sample", "search"} {
		for _, e := range doc.Under(table) {
			add(e.Key())
			switch v := e.Value.(type) {
			case string: // of search.over
				add(v)
			case []any: // of paths that change together
				for _, x := range v {
					if path, is := x.(string); is {
						add(path)
					}
				}
			case []*document.Document: // of cases
				for _, d := range v {
					for _, x := range d.Entries {
						add(x.Key())
						for _, y := range d.Inside(x) {
							add(y.Key())
						}
					}
				}
			}
		}
	}
	return keys
}

// maxParts bounds the parts of a key that are looked at.
const maxParts = 12

// flatten notes the values of entries, with inline tables opened.
func flatten(doc *document.Document, entries []document.Entry, values map[string]any) {
	for _, e := range entries {
		switch e.Value.(type) {
		case float64, int64, string, bool:
			values[e.Key()] = e.Value
		case map[string]any:
			flatten(doc, doc.Inside(e), values)
		}
	}
}

// Read reads the text of a study; set are "path=value" from the command line, axes
// the paths of the axes. A text that is no study says nothing.
func Read(text string, set, axes []string) Study {
	s := Study{Max: map[string]float64{}}
	values := Values(text, set)
	s.Model, _ = values["model"].(string)
	s.Hardware, _ = values["hardware"].(string)
	s.Description, _ = values["description"].(string)
	for key, v := range values {
		metric, ok := strings.CutPrefix(key, "slo.")
		if metric, max := strings.CutSuffix(metric, ".max"); ok && max {
			switch v := v.(type) {
			case float64:
				s.Max[metric] = v
			case int64:
				s.Max[metric] = float64(v)
			}
		}
	}
	if doc, err := document.Parse("study.toml", []byte(text)); err == nil {
		for key := range design(doc) {
			s.Varied = s.Varied || strings.HasPrefix(key, "slo.")
		}
	}
	for _, a := range axes {
		if metric, ok := strings.CutPrefix(a, "slo."); ok {
			s.Varied = true
			delete(s.Max, strings.TrimSuffix(metric, ".max"))
		}
	}
	return s
}

// first is the first of some texts that there is; of a file its name.
func first(values map[string]any, keys ...string) string {
	for _, k := range keys {
		if text, _ := values[k].(string); text != "" {
			return strings.TrimSuffix(path.Base(text), ".toml")
		}
	}
	return ""
}

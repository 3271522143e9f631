package ask

import (
	"fmt"

	"scoville/core/scenario"
)

// Rule is one [[where]]: a condition on the resolved values of a design, which
// stays out of the plan when the rule says so.
type Rule struct {
	Condition        // role "keep" or "drop"
	Why       string // for people; "" = the condition says it all
}

// Removes reports whether a rule takes out a design that its condition is true
// or false of.
func (r *Rule) Removes(match bool) bool { return match == (r.Role == "drop") }

// Label names the rule by its number from 1, and its reason or condition.
func (r *Rule) Label(n int) string {
	if r.Why != "" {
		return fmt.Sprintf("where #%d %q", n, r.Why)
	}
	return fmt.Sprintf("where #%d %s %s", n, r.Role, r.Expr)
}

var whereKeys = []string{"keep", "drop", "why"}

// DecodeWhere decodes [[where]].
func (d *Ask) DecodeWhere(doc *scenario.Document, e scenario.Entry) error {
	return elements(doc, e, `write [[where]], and below it keep = "..." or drop = "..."`, func(el *scenario.Document) error {
		var r Rule
		for _, e := range el.Entries {
			var err error
			switch e.Key() {
			case "keep", "drop":
				if r.Expr != nil {
					return el.Errorf(e.Key(), "write a [[where]] for each", "a rule has one of keep and drop")
				}
				r.Condition, err = condition(el, e)
			case "why":
				r.Why, err = Text(el, e)
			default:
				err = unknownIn(el, e, whereKeys)
			}
			if err != nil {
				return err
			}
		}
		if r.Expr == nil {
			return el.Errorf("keep", `add keep = "..." or drop = "..."`, "a rule needs a condition")
		}
		d.Where = append(d.Where, r)
		return nil
	})
}

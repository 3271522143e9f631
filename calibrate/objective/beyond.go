package objective

import (
	"fmt"
	"slices"

	"scoville/calibrate/measured"
	"scoville/calibrate/measured/row"
	"scoville/core"
	"scoville/core/scenario"
)

// Beyond resolves the rows of servers that were left out as saturated, each to a
// condition of its own, over an overlay unless that is nil. A row that cannot be
// simulated gives no condition and a reason.
func Beyond(rows []*measured.Observation, extra []scenario.Assignment, cat *scenario.Catalog, overlay *scenario.Layer) (out []Condition, why []string) {
	base, err := scenario.ParseTOML("measured runs", []byte(measured.Base))
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, o := range rows {
		if !o.Saturated || o.Kind != row.Serving {
			continue
		}
		r, applies, err := resolve(cat, scenario.Layer{Name: o.File, Doc: base, Values: slices.Concat(o.Values, extra)}, overlay)
		if err == nil {
			err = r.Scenario.Validate()
		}
		if err == nil {
			err = core.Feasible(&r.Scenario)
		}
		if err != nil {
			why = append(why, fmt.Sprintf("%s:%d: %v", o.File, o.Line, err))
			continue
		}
		c := Condition{Scenario: r.Scenario, Rows: []*measured.Observation{o}, Kind: o.Kind, Applies: applies, Outside: r.Outside, run: len(out)}
		c.complete(o, slices.Concat(o.Values, extra))
		out = append(out, c)
	}
	label(out)
	return out, why
}

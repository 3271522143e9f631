package ask

import (
	"fmt"
	"slices"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/schema"
	"scoville/sweep/results/spec"
)

var objectiveKeys = []string{"metric", "goal"}

// DecodeObjective decodes [[objective]].
func (d *Ask) DecodeObjective(doc *scenario.Document, e scenario.Entry) error {
	return elements(doc, e, `write [[objective]], and below it metric = "..." and goal = "min"`, func(el *scenario.Document) error {
		var o spec.Objective
		for _, e := range el.Entries {
			var err error
			switch e.Key() {
			case "metric":
				o.Metric, err = Text(el, e)
			case "goal":
				if o.Goal, err = Text(el, e); err == nil && o.Goal != "min" && o.Goal != "max" {
					err = el.Errorf("goal", `write "min" or "max"`, "no goal %q", o.Goal)
				}
			default:
				err = unknownIn(el, e, objectiveKeys)
			}
			if err != nil {
				return err
			}
		}
		return d.addObjective(el, o)
	})
}

// addObjective checks an objective; the goal is the better direction of the
// metric unless the study says another.
func (d *Ask) addObjective(el *scenario.Document, o spec.Objective) error {
	if o.Metric == "" {
		return missing(el, "metric", "an objective needs a metric")
	}
	better, ok := map[string]string{"accuracy_loss_ratio": "lower", "capacity_rps": "higher"}[o.Metric]
	if i, isMetric := metrics.Index(o.Metric); isMetric {
		better, ok = metrics.Columns()[i].Better, true
	}
	switch {
	case !ok:
		hint := NearestMetric(o.Metric)
		if near := schema.Closest(o.Metric, []string{"accuracy_loss_ratio", "capacity_rps"}); near != "" {
			hint = schema.DidYouMean(near)
		}
		return el.Errorf("metric", hint, "no metric %q", o.Metric)
	case slices.ContainsFunc(d.Objectives, func(p spec.Objective) bool { return p.Metric == o.Metric }):
		return el.Errorf("metric", "remove one of them", "%s is an objective already", o.Metric)
	case o.Goal == "" && better == "":
		return missing(el, "goal", fmt.Sprintf(`add goal = "min" or "max": neither more nor less %s is better`, o.Metric))
	case o.Goal == "":
		o.Goal = map[string]string{"lower": "min", "higher": "max"}[better]
	}
	d.Objectives = append(d.Objectives, o)
	return nil
}

// NearestMetric words a hint for a metric that does not exist.
func NearestMetric(name string) string {
	var all []string
	for _, c := range metrics.Columns() {
		all = append(all, c.Name)
	}
	if near := schema.Closest(name, all); near != "" {
		return schema.DidYouMean(near)
	}
	return `metrics are named like "ttft_p99_ms" and "tpot_mean_ms"`
}

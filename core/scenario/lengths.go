package scenario

import (
	"fmt"
	"math"

	"scoville/core/unit"
	"scoville/core/workload"
)

// movedMean is the share by which limits may move the mean of a length unsaid.
const movedMean = 0.05

// clampedMeans says where min and max of a length leave another mean than the
// one asked for. The mean of the lengths drawn is in closed form.
func (s *Scenario) clampedMeans() (notes []string) {
	if s.Workload.Arrival == workload.Trace {
		return nil
	}
	for i := range s.Workload.Class {
		c := &s.Workload.Class[i]
		if c.Share == 0 {
			continue
		}
		for _, l := range []struct {
			key string
			d   *workload.Dist
		}{{"prompt_tokens", &c.Prompt}, {"output_tokens", &c.Output}} {
			if note := clampedMean(l.d); note != "" {
				notes = append(notes, classPrefix+c.Name+"."+l.key+": "+note)
			}
		}
	}
	return notes
}

// clampedMean says what the limits of a length make of its mean, "" if they
// leave it.
func clampedMean(d *workload.Dist) string {
	got := d.Clamped()
	if math.Abs(got-d.Mean) <= movedMean*d.Mean {
		return ""
	}
	least, most := "min = "+unit.Rounded(d.Min), "max = "+unit.Rounded(d.Max)
	after := fmt.Sprintf("the lengths drawn have a mean of %s", unit.Rounded(got))
	switch {
	case d.Max > 0 && d.Mean > d.Max:
		return fmt.Sprintf("mean = %s is above %s, to which longer ones are cut: %s", unit.Rounded(d.Mean), most, after)
	case d.Mean < d.Min:
		return fmt.Sprintf("mean = %s is below %s, to which shorter ones are raised: %s", unit.Rounded(d.Mean), least, after)
	case d.Min > 0 && d.Max > 0:
		return fmt.Sprintf("mean = %s is before the limits %s and %s: %s", unit.Rounded(d.Mean), least, most, after)
	case d.Max > 0 && got < d.Mean:
		return fmt.Sprintf("mean = %s is before lengths above %s are cut to it: %s", unit.Rounded(d.Mean), most, after)
	}
	return fmt.Sprintf("mean = %s is before lengths below %s are raised to it: %s", unit.Rounded(d.Mean), unit.Rounded(max(1, d.Min)), after)
}

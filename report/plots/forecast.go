package plots

import (
	"scoville/report/chart"
	"scoville/report/view"
)

// tone is how markers of a name stand out: those on a front, where no lines need
// the colours.
func (b *builder) tone(name string) chart.Tone {
	switch {
	case b.spec.Mark != "pareto" || len(b.spec.Series) > 0:
		return chart.Own
	case name == "true":
		return chart.Front
	}
	return chart.Back
}

// forecast shades where 90 % of other runs are expected, of the points of a line
// whose calibration was drawn from. It breaks where a point between has no steady
// value.
func (b *builder) forecast(members []int) {
	if len(b.chart.X.Words) > 0 {
		return
	}
	var band chart.Band
	end := func() {
		if len(band.Lower) > 1 {
			b.chart.Bands = append(b.chart.Bands, band)
		}
		band = chart.Band{}
	}
	for _, i := range members {
		x, placed := b.v.Estimate(b.x.Name, i)
		lo, low := b.v.Points.Float(b.v.Points.Index(b.spec.Y+"_pred_lo"), i)
		hi, high := b.v.Points.Float(b.v.Points.Index(b.spec.Y+"_pred_hi"), i)
		if !placed || !low || !high || b.v.State(i) == view.Saturated || b.chart.X.Log && x.Mean <= 0 || b.chart.Y.Log && lo <= 0 {
			end()
			continue
		}
		band.Lower, band.Upper = append(band.Lower, [2]float64{x.Mean, lo}), append(band.Upper, [2]float64{x.Mean, hi})
	}
	end()
	if len(b.chart.Bands) > 0 {
		b.plot.note("grey band: 90 %% of other runs are expected inside, over draws of what the calibration leaves open")
	}
}

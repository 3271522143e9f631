package view

// NotCalibrated marks a name among others where no calibration applies to it and
// one applies to others.
const NotCalibrated = " (not calibrated)"

// Calibrated says whether a calibration applies to point i; ran is false where
// the point has no numbers.
func (v *View) Calibrated(i int) (is, ran bool) {
	is, known := v.Points.Bool(v.column("calibrated"), i)
	return is, known && v.State(i) != None
}

// Bare lists the points that ran without a calibration, where one applies to
// others; none where all are alike.
func (v *View) Bare() (points []int) {
	calibrated := false
	for i := range v.Points.Len() {
		if is, ran := v.Calibrated(i); ran && !is {
			points = append(points, i)
		} else if ran {
			calibrated = true
		}
	}
	if !calibrated {
		return nil
	}
	return points
}

// BareSearches are the searches, by search_id, that tried points of Bare.
func (v *View) BareSearches() map[string]bool {
	out := map[string]bool{}
	for _, i := range v.Bare() {
		if id, ok := v.Points.String(v.column("search_id"), i); ok {
			out[id] = true
		}
	}
	return out
}

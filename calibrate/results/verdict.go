package results

import (
	"fmt"
	"strings"
)

// Ends of a fit, as Status says them beside "not converged" and "never moved".
const (
	// Converged: the search ended at a minimum, and the minimum is near the data.
	Converged = "converged"
	// Undescribed: the search ended at a minimum that is nowhere near the data.
	Undescribed = "does not describe the data"
)

// MaxMedian is the median of |predicted / measured - 1| over the rows fitted to
// from which a fit does not describe them. Shipped fits leave 0.3 to 11 %; taking
// the value of the nearest measured row, without any model, leaves 6 to 46 %
// (calibrate/ACCURACY.md). A fit beyond has explained nothing, and the reason lies
// outside of its parameters: a unit, an exchanged column, another chip or model.
const MaxMedian = 0.5

// Judge takes back that a fit converged where a fitted metric, over all rows or
// over those of one model, lies beyond MaxMedian, and adds which to Gates.
func (f *Fit) Judge() {
	if f.Status != Converged {
		return
	}
	far := func(errors []Error, of string) {
		for _, e := range errors {
			if e.Split == Fitted && !(e.Median <= MaxMedian) {
				f.Status = Undescribed
				f.Gates = append(f.Gates, Gate{What: "fitted " + e.Metric + of, Value: e.Median, Limit: MaxMedian})
			}
		}
	}
	far(f.Errors, "")
	for _, m := range f.Models {
		far(m.Errors, " of "+m.Name)
	}
}

// ended says in words how the search ended, and that its result is not what was
// looked for.
func (f *Fit) ended() string {
	if f.Status != Undescribed {
		return f.Status
	}
	var off []string
	for _, e := range f.Errors {
		if e.Split == Fitted && !(e.Median <= MaxMedian) {
			off = append(off, fmt.Sprintf("%s is off by %s %%", e.Metric, short(100*e.Median)))
		}
	}
	if off == nil { // of some models only
		off = []string{"see the models"}
	}
	return f.Status + ": " + strings.Join(off, ", ") + " in the median; the search itself converged"
}

// advice says where to look when a fit does not describe the data.
const advice = "        likely a column in another unit or exchanged with another (calibrate check), another chip or model\n" +
	"        than the rows say, or a load that is not theirs; the overlay counts as assumed, not as calibrated\n"

// doubt words the status of a fit that did not succeed.
func (f *Fit) doubt() string {
	switch f.Status {
	case Undescribed:
		return f.Status
	case "never moved":
		return "has never moved"
	}
	return "has " + f.Status
}

package explain

import (
	"fmt"
	"math"

	"scoville/core"
	"scoville/core/metrics"
)

// compare holds the replayed runs against the rows of the runs table: every
// number must be equal to the bit.
func (x *Explanation) compare(in Input, runs []replay) {
	rows, numbers := 0, 0
	for row := range in.Runs.Len() {
		id, _ := in.Runs.String(in.Runs.Index("point_id"), row)
		number, _ := in.Runs.Int(in.Runs.Index("replicate"), row)
		replicate := int(number) - in.From
		if _, probe := in.Runs.String(in.Runs.Index("search_id"), row); probe != (in.Probe != nil) || id != x.ID || replicate < 0 || replicate >= len(runs) {
			continue
		}
		rows++
		n, differs := same(in, row, &runs[replicate].Result)
		numbers += n
		if differs != "" && x.Differs == "" {
			x.Differs = fmt.Sprintf("replicate %d: %s", number, differs)
		}
	}
	switch {
	case x.Differs != "":
	case rows != len(runs):
		x.Differs = fmt.Sprintf("the tables hold %d runs of the point, the study has %d", rows, len(runs))
	case numbers == 0:
		x.Reproduced = fmt.Sprintf("%s as in runs.parquet, for the same reason", x.Status)
	default:
		x.Reproduced = fmt.Sprintf("%d numbers of %s equal runs.parquet to the bit", numbers, plural(rows, "run"))
	}
}

// same compares a run with a row: how many numbers are equal, and the first
// that is not.
func same(in Input, row int, r *core.Result) (equal int, differs string) {
	status, _ := in.Runs.String(in.Runs.Index("status"), row)
	reason, _ := in.Runs.String(in.Runs.Index("error"), row)
	if status != string(r.Status) || reason != r.Reason {
		return 0, fmt.Sprintf("the run was %s %s, is %s %s", status, reason, r.Status, r.Reason)
	}
	check := func(name string, now float64) {
		col := in.Runs.Index(name)
		if col < 0 {
			return
		}
		was, ok := in.Runs.Float(col, row)
		if !ok {
			was = math.NaN()
		}
		if was == now || math.IsNaN(was) && math.IsNaN(now) {
			equal++
		} else if differs == "" {
			differs = fmt.Sprintf("%s was %v, is %v", name, was, now)
		}
	}
	if r.Status == core.OK {
		for i, c := range metrics.Columns() {
			check(c.Name, r.Summary[i])
		}
		check("offered_rps", r.OfferedRPS)
		check("capacity_rps", r.CapacityRPS)
		check("load_ratio", r.LoadRatio)
		check("sim_s", r.SimS)
		check("events", float64(r.Events))
	}
	return equal, differs
}

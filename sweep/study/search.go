package study

import (
	"fmt"
	"strings"

	"scoville/core/scenario"
	"scoville/sweep/study/span"
)

// Search asks for the largest or smallest value of one path that meets every
// service level, around each outer combination and each one-at-a-time change.
type Search struct {
	Over     string // scenario path of a number
	Max      bool   // goal: the largest value; else the smallest
	From, To float64
	Whole    bool    // the path takes whole numbers, and the answer is exact
	Tol      float64 // ratio; default 0.02
	Confirm  int     // fresh replicates that confirm the boundary; default replicates.n, 0 = none

	RequireSteady bool // an open loop must have a stable queue; default true
	MaxProbes     int  // most questions of one search, each at one value; default 100
	Doc           *scenario.Document

	ends [2]any // from and to as written
}

// defaultSearchRuns are the replicates of a search where the study gives none:
// with a single run no bound is known.
const defaultSearchRuns = 5

// At is the place of a key of the search, the table itself where it is left
// out.
func (s *Search) At(key string) Place {
	if key = "search." + key; !s.Doc.Has(key) {
		key = "search"
	}
	return Place{Doc: s.Doc, Key: key, Table: "search"}
}

// search decodes [search]. It is called once, after everything else.
func (d *decoder) search() error {
	if !d.doc.Has("search") {
		return nil
	}
	s := &Search{Doc: d.doc, Tol: 0.02, RequireSteady: true, MaxProbes: 100, Confirm: -1}
	for _, e := range d.doc.Under("search") {
		if err := d.searchKey(s, e); err != nil {
			return err
		}
	}
	for _, key := range []string{"over", "goal", "from", "to"} {
		if !d.doc.Has("search." + key) {
			return s.At(key).Errorf("search."+key, searchForm, "is missing")
		}
	}
	if err := d.searchRange(s); err != nil {
		return err
	}
	for _, key := range []string{"objective", "report.published"} {
		if d.doc.Has(key) {
			return d.doc.Errorf(key, "give it a study of its own", "cannot stand beside [search]: the points of a search are the values it tries")
		}
	}
	if !d.doc.Has("replicates.n") {
		d.study.Replicates = defaultSearchRuns
	}
	if s.Confirm < 0 {
		s.Confirm = d.study.Replicates
	}
	d.study.Search = s
	return nil
}

const searchForm = `write over = "PATH", goal = "max" or "min", and from and to: the range worth looking at`

func (d *decoder) searchKey(s *Search, e scenario.Entry) (err error) {
	var n int64
	switch e.Key() {
	case "search.over":
		s.Over, err = d.text(e)
	case "search.goal":
		var goal string
		if goal, err = d.text(e); err == nil && goal != "max" && goal != "min" {
			err = d.doc.Errorf(e.Key(), `write "max" for the largest value that meets every service level, "min" for the smallest`, "%q is not a goal", goal)
		}
		s.Max = goal == "max"
	case "search.from":
		s.ends[0] = e.Value
	case "search.to":
		s.ends[1] = e.Value
	case "search.tol":
		s.Tol, err = d.tolerance(e)
	case "search.confirm":
		n, err = d.whole(e, 0, 1_000_000)
		if s.Confirm = int(n); err == nil && n == 1 {
			err = d.doc.Errorf(e.Key(), "take 2 or more, or 0 not to confirm", "one fresh run has no interval")
		}
	case "search.max_probes":
		n, err = d.whole(e, 3, 10_000)
		s.MaxProbes = int(n)
	case "search.require_steady":
		var ok bool
		if s.RequireSteady, ok = e.Value.(bool); !ok {
			err = d.doc.Errorf(e.Key(), "", "needs true or false")
		}
	default:
		return d.unknown(e)
	}
	return err
}

// tolerance reads "2%".
func (d *decoder) tolerance(e scenario.Entry) (float64, error) {
	const hint = `write how close the last pass and the first fail must come, such as "2%"`
	text, _ := e.Value.(string)
	if tight := strings.ReplaceAll(text, " ", ""); tight != text && strings.HasSuffix(tight, "%") && span.Decimal(strings.TrimSuffix(tight, "%")) != nil {
		return 0, d.doc.Errorf(e.Key(), fmt.Sprintf("without a space: %q", tight), "%s is not a tolerance", Show(e.Value))
	}
	number, ok := strings.CutSuffix(text, "%")
	percent := span.Decimal(number)
	if !ok || percent == nil {
		return 0, d.doc.Errorf(e.Key(), hint, "%s is not a tolerance", Show(e.Value))
	}
	f, _ := percent.Float64()
	if f < 0.01 || f > 50 {
		return 0, d.doc.Errorf(e.Key(), hint, "%s is not between 0.01%% and 50%%", text)
	}
	return f / 100, nil
}

// searchRange checks over, from and to against the schema.
func (d *decoder) searchRange(s *Search) error {
	at := s.At("over")
	if err := checkMetric(s.Over); err != nil {
		return at.Point(err)
	}
	f, ok := scenario.Lookup(s.Over)
	switch {
	case !ok:
		return at.Point(unknownPath(s.Over))
	case f.Kind != scenario.Float && f.Kind != scenario.Int:
		return at.Errorf("search.over", "search over a number", "%q takes a %s", s.Over, f.Kind)
	}
	s.Whole = f.Kind == scenario.Int
	for i, key := range []string{"from", "to"} {
		number := span.Exact(s.ends[i])
		if number == nil {
			return s.At(key).Errorf("search."+key, searchForm, "needs a number")
		}
		if _, err := scenario.Convert(s.Over, s.ends[i]); err != nil {
			return s.At(key).Point(err)
		}
		*[]*float64{&s.From, &s.To}[i], _ = number.Float64()
	}
	if s.From >= s.To {
		return s.At("from").Errorf("search.from", "", "from = %s is not below to = %s", Show(s.From), Show(s.To))
	}
	for _, a := range d.study.varied() {
		for _, p := range a.Paths {
			if overlap(p, s.Over) {
				return at.Errorf("search.over", "remove one of them", "%q is varied by %s too", p, a.Name)
			}
		}
	}
	return nil
}

package spec

import "scoville/core/scenario"

// Random holds conditions out at random, several times.
type Random struct {
	Fraction float64 // of the conditions; 0 = not so
	Seed     uint64  // of the first draw; the next ones follow
	Seeds    int     // draws, each with a fit of its own
}

// Usual is how random conditions are held out unless said otherwise.
func Usual() Random { return Random{Fraction: 0.2, Seed: 1, Seeds: 5} }

// readHoldout reads [holdout].
func (r *specReader) readHoldout() {
	d := r.Document
	draws := Usual()
	given := ""
	for _, e := range d.Under("holdout") {
		switch e.Key() {
		case "holdout.where":
			r.Holdout = r.filter(e)
		case "holdout.by":
			r.By = r.by(e)
		case "holdout.folds":
			r.Folds = r.whole(e, 2)
		case "holdout.fraction":
			if draws.Fraction = r.positive(d, e); draws.Fraction >= 1 {
				r.fail(e.Key(), "", "%v is not between 0 and 1", e.Value)
			}
			r.Random.Fraction = draws.Fraction
		case "holdout.seed":
			draws.Seed = uint64(r.whole(e, 0))
			given = e.Key()
		case "holdout.seeds":
			draws.Seeds = r.whole(e, 1)
			given = e.Key()
		case "holdout.max_error_ratio":
			r.MaxError = r.positive(d, e)
		default:
			r.unknown(e, e.Path[1], specKeys["holdout"])
		}
	}
	ways := 0
	for _, way := range []bool{r.Holdout != nil, r.By != "", r.Random.Fraction > 0, r.Folds > 0} {
		if way {
			ways++
		}
	}
	switch {
	case ways > 1:
		r.fail("holdout", "keep one of them", "where, by, folds and fraction are ways to hold out")
	case given != "" && r.Random.Fraction == 0 && r.Folds == 0:
		r.fail(given, "add fraction = 0.2", "a seed needs a fraction to draw")
	case r.Random.Fraction > 0 || r.Folds > 0:
		draws.Fraction = r.Random.Fraction
		r.Random = draws
	}
}

// whole reads a whole number of at least lo.
func (r *specReader) whole(e scenario.Entry, lo int) int {
	x, ok := e.Value.(int64)
	if !ok || x < int64(lo) || x > 1000 {
		r.fail(e.Key(), "", "%v is not a whole number from %d to 1000", e.Value, lo)
		return lo
	}
	return int(x)
}

package spec

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"scoville/calibrate/measured"
	"scoville/core/scenario"
)

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
	case r.Folds > 0 && draws.Seeds > 0 && given == "holdout.seeds":
		r.fail(given, "leave it out; seed says how they are drawn", "folds are drawn once")
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

// holdoutPair is a key of [holdout] but where, and its value.
var holdoutPair = regexp.MustCompile(`^\s*(fraction|seed|seeds|folds|by|max_error_ratio)\s*=\s*([^=\s].*?)\s*$`)

// assignment is a text that sets something that is no key.
var assignment = regexp.MustCompile(`^\s*([\w.]+)\s*=[^=]`)

// SetHoldout replaces [holdout] by its short form: KEY=VALUE,... of its keys, such
// as fraction=0.2,seed=7 or by=concurrency, or else the filter of the rows that
// are held out. "" leaves everything as it is, and a gate stays unless a new one
// is given.
func (s *Spec) SetHoldout(text string) error {
	if text == "" {
		return nil
	}
	was := s.MaxError
	if !holdoutPair.MatchString(strings.Split(text, ",")[0]) {
		if m := assignment.FindStringSubmatch(text); m != nil {
			return fmt.Errorf("--holdout %s: no key %q to set; the keys are fraction, seed, seeds, folds, by, max_error_ratio, and a filter compares with ==", text, m[1])
		}
		f, err := measured.ParseFilter("--holdout", text)
		s.Holdout, s.Random, s.Folds, s.By = f, Random{}, 0, ""
		return err
	}
	var b strings.Builder
	b.WriteString("[holdout]\n")
	for _, pair := range strings.Split(text, ",") {
		m := holdoutPair.FindStringSubmatch(pair)
		if m == nil {
			return fmt.Errorf("--holdout %s: %q is none of fraction, seed, seeds, folds, by, max_error_ratio = a value", text, strings.TrimSpace(pair))
		}
		if m[1] == "by" {
			m[2] = strconv.Quote(strings.Trim(m[2], `"'`))
		}
		fmt.Fprintf(&b, "%s = %s\n", m[1], m[2])
	}
	d, err := scenario.ParseTOML("--holdout", []byte(b.String()))
	if err != nil {
		return fmt.Errorf("--holdout %s: a value is a number, of by a key such as concurrency, model or engine.tp", text)
	}
	r := &specReader{Document: d}
	r.readHoldout()
	if r.err != nil {
		if e, ok := errors.AsType[*scenario.Error](r.err); ok {
			e.Line, e.Col, e.Text = 0, 0, ""
			e.Where = strings.TrimPrefix(e.Where, "holdout.")
		}
		return r.err
	}
	s.Holdout, s.Random, s.Folds, s.By, s.MaxError = nil, r.Random, r.Folds, r.By, r.MaxError
	if s.MaxError == 0 {
		s.MaxError = was
	}
	return nil
}

package scenario

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core/hardware"
	"scoville/core/schema"
	"scoville/core/workload"
)

// calibration is what an overlay says of its own numbers.
type calibration struct {
	sources map[string]hardware.Source // of [sources], by study key; one without a known grade has none
	spans   []span                     // of [calibration.range], in file order
	chips   map[string][]span          // of [calibration.hardware], by the chip's name
	version int                        // [calibration] simulator_version; 0 = not given
	failed  string                     // [calibration] status where it is another than "converged"; "" = the fit succeeded, or it is not said

	uncertainty *uncertainty // [calibration.covariance] and [calibration.model_error]; nil = not said
}

// span is where a condition of the fit lay.
type span struct {
	path   string
	lo, hi float64
	chip   bool   // of the chip, see chipOutside
	word   string // of hardware.kv_path, in place of numbers
}

func (p *span) holds(x float64) bool { return p.lo <= x && x <= p.hi }

// Range is where a condition of an overlay's fit lay, of [calibration.range];
// false where it does not say.
func (l *Layer) Range(path string) (lo, hi float64, ok bool) {
	for _, s := range l.fit.spans {
		if s.path == path {
			return s.lo, s.hi, true
		}
	}
	return 0, 0, false
}

// Conditions that stand for the lengths of every class.
const (
	promptTokens = "workload.prompt_tokens"
	outputTokens = "workload.output_tokens"
)

// readCalibration reads [sources], [calibration.range], [calibration.hardware],
// simulator_version, status and
// what the fit knows of its errors.
func readCalibration(d *Document) (c calibration, err error) {
	c.sources = readSources(d)
	const table = "calibration.range"
	for _, e := range d.Under(table) {
		p := span{path: strings.TrimPrefix(e.Key(), table+".")}
		if f, ok := Lookup(p.path); p.path != promptTokens && p.path != outputTokens && !(ok && (f.Kind == Float || f.Kind == Int)) {
			return c, d.Errorf(e.Key(), schema.DidYouMean(Nearest(p.path)), "no parameter %q that is a number", p.path)
		}
		ends, ok := e.Value.([]any)
		if ok = ok && len(ends) == 2; ok {
			var okLo, okHi bool
			p.lo, okLo = number(ends[0])
			p.hi, okHi = number(ends[1])
			ok = okLo && okHi && p.lo <= p.hi
		}
		if !ok {
			return c, d.Errorf(e.Key(), "write [1024, 8192]", "%s is not a span of two numbers, the smaller first", schema.Show(e.Value))
		}
		c.spans = append(c.spans, p)
	}
	if c.chips, err = readChips(d); err != nil {
		return c, err
	}
	const key = "calibration.simulator_version"
	for _, e := range d.Under(key) {
		n, ok := e.Value.(int64)
		if !ok || n < 1 || n > 1e9 {
			return c, d.Errorf(e.Key(), "write the number that the fit wrote", "%s is not a version of the simulator", schema.Show(e.Value))
		}
		c.version = int(n)
	}
	for _, e := range d.Under("calibration.status") {
		status, ok := e.Value.(string)
		if !ok || status == "" {
			return c, d.Errorf(e.Key(), `a fit that succeeded has "converged"`, "%s does not say how the fit ended", schema.Show(e.Value))
		}
		if status != "converged" {
			c.failed = status
		}
	}
	c.uncertainty, err = readUncertainty(d)
	return c, err
}

// readSources reads [sources]: "grade: where" by study key. A text that does
// not begin with a grade says where alone.
func readSources(d *Document) map[string]hardware.Source {
	sources := map[string]hardware.Source{}
	for _, e := range d.Under("sources") {
		path := strings.TrimSuffix(strings.TrimPrefix(e.Key(), "sources."), ".grade")
		text, _ := e.Value.(string)
		word, where, _ := strings.Cut(text, ":")
		g := hardware.Grade(strings.TrimSpace(word))
		if !slices.Contains(grades, g) {
			g, where = "", text
		}
		sources[path] = hardware.Source{Grade: g, Where: strings.TrimSpace(where)}
	}
	return sources
}

func number(v any) (float64, bool) {
	if n, ok := v.(int64); ok {
		return float64(n), true
	}
	x, ok := v.(float64)
	return x, ok
}

// outside says for each condition of a fit whose span the scenario leaves how
// it does, see Resolved.Outside.
func (s *Scenario) outside(spans []span) (out []string) {
	for _, p := range spans {
		if p.chip {
			out = append(out, s.chipOutside(&p)...)
			continue
		}
		if p.path == promptTokens || p.path == outputTokens {
			out = append(out, s.lengthsOutside(&p)...)
			continue
		}
		v, err := s.Get(p.path)
		x, ok := v.(float64)
		if n, isInt := v.(int); isInt {
			x, ok = float64(n), true
		}
		load := p.path == "workload.concurrency" || p.path == "workload.rate_rps" || p.path == "workload.load"
		if err == nil && ok && !(load && x == 0) && !p.holds(x) { // 0: the other kind of loop
			out = append(out, fmt.Sprintf("%s = %s is outside %s to %s", p.path, schema.Show(x), schema.Show(p.lo), schema.Show(p.hi)))
		}
	}
	return out
}

func (s *Scenario) lengthsOutside(p *span) (out []string) {
	if s.Workload.Arrival == workload.Trace {
		return nil
	}
	for _, c := range s.Workload.Class {
		d := &c.Prompt
		if p.path == outputTokens {
			d = &c.Output
		}
		lo, hi := extent(d)
		if c.Share == 0 || p.holds(lo) && p.holds(hi) {
			continue
		}
		length := schema.Show(lo)
		if lo < hi {
			length += " to " + schema.Show(hi)
		}
		key := strings.TrimPrefix(p.path, "workload.")
		out = append(out, fmt.Sprintf("%s%s.%s = %s is outside %s to %s", classPrefix, c.Name, key, length, schema.Show(p.lo), schema.Show(p.hi)))
	}
	return out
}

// extent returns the smallest and the largest length that a distribution
// names: its mean, its bounds and its values.
func extent(d *workload.Dist) (lo, hi float64) {
	var named []float64
	switch d.Kind {
	case workload.Empirical:
		named = d.Values
	case workload.Uniform:
		named = []float64{max(1, d.Min), d.Max}
	case workload.LogNormal, workload.GammaDist:
		named = []float64{d.Mean}
		for _, bound := range []float64{d.Min, d.Max} {
			if bound > 0 {
				named = append(named, bound)
			}
		}
	default:
		named = []float64{d.Mean}
	}
	if len(named) == 0 {
		return 0, 0
	}
	return slices.Min(named), slices.Max(named)
}

// gradeDefaults grades the efficiencies that nobody gave: 1 is an assumption.
// link_util counts when there are links, expert_compute_util when there are
// experts.
func (r *Resolved) gradeDefaults() {
	keys := []string{"compute_util", "weight_bandwidth_util", "kv_bandwidth_util", "attention_compute_util"}
	if r.Scenario.Engine.TP > 1 {
		keys = append(keys, "link_util")
	}
	if r.Scenario.Model.Experts > 0 {
		keys = append(keys, "expert_compute_util")
	}
	for _, key := range keys {
		if _, given := r.Origin["hardware."+key]; !given {
			r.Grades["hardware."+key] = hardware.Assumed
		}
	}
}

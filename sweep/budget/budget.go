// Package budget counts the runs of a sweep that failed or timed out, and says
// when there are too many to go on. It does not run anything.
package budget

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/sweep/results"
	"scoville/sweep/study/effort"
)

// Budget counts the failures of one sweep. It is for one goroutine.
type Budget struct {
	most   int    // failures that are allowed; -1 = any number
	rule   string // as the user gave it
	failed int
	causes []Cause
}

// Cause are the failures for one reason.
type Cause struct {
	Reason           string
	Runs             int
	Point, Replicate int // of the first that finished
}

// maxCauses bounds the reasons that are told apart.
const maxCauses = 100

// New returns the budget of a study. A share is of planned runs, those that the
// study has whatever comes of them, so that whether a sweep stops does not depend
// on the order in which runs finish. failFast allows no failure.
func New(st *effort.Effort, planned int, failFast bool) *Budget {
	b := &Budget{most: -1}
	switch limit := &st.Budget; {
	case failFast:
		b.most, b.rule = 0, "--fail-fast"
	case !math.IsNaN(limit.Share):
		b.most = int(limit.Share * float64(planned))
		b.rule = fmt.Sprintf("max_failures = \"%g%%\" of %d planned runs", 100*limit.Share, planned)
	case limit.Failures >= 0:
		b.most, b.rule = int(limit.Failures), fmt.Sprintf("max_failures = %d", limit.Failures)
	}
	return b
}

// Failures is the number of runs that failed or timed out so far.
func (b *Budget) Failures() int { return b.failed }

// Add takes a finished run. The error, of type *StoppedError, says that there is
// one failure too many.
func (b *Budget) Add(r *results.Run) error {
	if !r.Broken() {
		return nil
	}
	b.failed++
	reason := r.Status + ": " + r.Error
	i := slices.IndexFunc(b.causes, func(c Cause) bool { return c.Reason == reason })
	if i < 0 && len(b.causes) < maxCauses {
		i = len(b.causes)
		b.causes = append(b.causes, Cause{Reason: reason, Point: r.PointIndex, Replicate: r.Replicate})
	}
	if i >= 0 {
		b.causes[i].Runs++
	}
	if b.most < 0 || b.failed <= b.most {
		return nil
	}
	return &StoppedError{Failed: b.failed, Rule: b.rule, Causes: b.causes}
}

// StoppedError says that too many runs failed, and the sweep stopped.
type StoppedError struct {
	Failed int
	Rule   string // that allows fewer
	Causes []Cause
}

// shown bounds the causes that an error lists.
const shown = 5

func (e *StoppedError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "stopped by %s: %d %s without a result", e.Rule, e.Failed, map[bool]string{true: "run ended", false: "runs ended"}[e.Failed == 1])
	causes := slices.Clone(e.Causes)
	slices.SortStableFunc(causes, func(a, b Cause) int { return b.Runs - a.Runs })
	for _, c := range causes[:min(len(causes), shown)] {
		fmt.Fprintf(&text, "\n  %d x %s (point %d replicate %d)", c.Runs, c.Reason, c.Point, c.Replicate)
	}
	if n := len(causes) - shown; n > 0 {
		fmt.Fprintf(&text, "\n  and for %d other reasons", n)
	}
	return text.String()
}

package remark

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// FewTail is how many requests beyond a percentile leave its interval wide:
// with 20, those beyond P99 of 2,000, it moves by a tenth or more from seed to
// seed (by 25 to 33 % with 3, by 4 to 6 % with 100).
const FewTail = 20

// counted gathers how many requests the statistics of a run are over.
type counted struct {
	least, most   int // requests of a run
	first, latest int // warm-up requests
}

// add takes a scenario; one without a number of requests tells nothing.
func (c *counted) add(s *scenario.Scenario) {
	n := requests(s)
	if n <= 0 {
		return
	}
	warm := s.Measurement.Warmup
	n -= min(warm, n)
	if c.most == 0 {
		*c = counted{n, n, warm, warm}
	}
	c.least, c.most = min(c.least, n), max(c.most, n)
	c.first, c.latest = min(c.first, warm), max(c.latest, warm)
}

// requests is how many a run has, on average where time ends it; 0 = not known
// before the run.
func requests(s *scenario.Scenario) int {
	w := &s.Workload
	n := w.Requests
	switch {
	case w.Arrival == workload.Trace:
		if records := len(w.Records); n == 0 || records < n {
			n = records
		}
	case w.Arrival == workload.Closed && s.Measurement.PerConc > 0:
		n = s.Measurement.PerConc * w.Concurrent
	case w.DurationS > 0 && w.RateRPS > 0:
		if until := int(math.Round(w.DurationS * w.RateRPS)); n == 0 || until < n {
			n = until
		}
	}
	return n
}

// note says what statistics are over, and whether that is enough for the
// percentiles among the metrics of the study; nil metrics are all.
func (c *counted) note(metrics []string) []string {
	if c.most == 0 {
		return nil
	}
	text := "statistics are over " + span(c.least, c.most) + " requests a run, "
	if c.latest == 0 {
		text += "from an empty start: none is left out as warm-up (measurement.warmup_requests)"
	} else {
		text += "the first " + span(c.first, c.latest) + " left out as warm-up"
	}
	p99 := metrics == nil || slices.ContainsFunc(metrics, func(m string) bool { return strings.Contains(m, "_p99_") && !strings.HasPrefix(m, "itl_") })
	if tail := c.least / 100; p99 && tail <= FewTail {
		text += fmt.Sprintf("; P99 rests on %d of them beyond it", tail)
		if tail == 0 {
			text += ", it is hardly more than the largest"
		}
		text += ": its interval will be wide, 10,000 requests leave 100"
	}
	return []string{text}
}

// span prints a count, or the ends of several.
func span(least, most int) string {
	if least == most {
		return unit.Grouped(most)
	}
	return unit.Grouped(least) + " to " + unit.Grouped(most)
}

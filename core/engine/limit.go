package engine

import "fmt"

// Limit ends a run that goes on too long. The zero value is no limit. What
// counts as an event is the engine's own business, the simulated time is not:
// every engine ends at the same limit of it or not.
type Limit struct {
	Events int64   // most Output.Events; 0 = any number
	SimS   float64 // last moment, s; 0 = any
}

// LimitError says that a run went on for longer than its Limit.
type LimitError struct {
	Limit  Limit
	Events int64   // so far
	At     float64 // simulated time, s
}

func (e *LimitError) Error() string {
	if e.Limit.SimS > 0 && e.At > e.Limit.SimS {
		return fmt.Sprintf("not over after %g s of simulated time", e.Limit.SimS)
	}
	return fmt.Sprintf("not over after %d events, at %.6g s of simulated time", e.Limit.Events, e.At)
}

// Pass returns a *LimitError once a run is over its limit.
func (l Limit) Pass(events int64, at float64) error {
	if l.Events > 0 && events > l.Events || l.SimS > 0 && at > l.SimS {
		return &LimitError{l, events, at}
	}
	return nil
}

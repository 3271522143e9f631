package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	input "scoville/core/scenario/file"
	"scoville/sweep/memo"
	"scoville/sweep/pace"
	"scoville/sweep/results"
	"scoville/sweep/work"
)

// Standing is what a campaign knows before its first run.
type Standing struct {
	Planned int       `json:"planned"`       // runs that there are whatever comes of them; 0 with [search], which asks as it goes
	Least   bool      `json:"least"`         // there may be more
	Draws   int       `json:"draws"`         // runs of draws besides
	Done    int       `json:"done"`          // of Planned, how many are known
	Known   int       `json:"known"`         // runs that the folder knows in all
	Records int       `json:"records"`       // results in the journal: one may have replaced another
	Cut     int64     `json:"cut_bytes"`     // that a killed process left half written
	Damaged int64     `json:"damaged_bytes"` // of damaged runs, which run again
	Started time.Time `json:"started"`
}

// standingFile is beside the journal, for those who look at a campaign on its way.
const standingFile = ".standing"

// ReadStanding reads what the last campaign in a folder knew when it began; false
// if there was none.
func ReadStanding(dir string) (s Standing, ok bool) {
	text, err := input.Read(filepath.Join(dir, standingFile), input.MaxText)
	return s, err == nil && json.Unmarshal(text, &s) == nil
}

// begin tells what is known.
func (c *Campaign) begin(ctx context.Context, m *memo.Memo) error {
	s := c.start(ctx, m)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Pace.Begin(pace.Planned{
		Left: c.left(ctx, m), Least: s.Least, Capacities: c.Plan.Capacities() * (1 + c.Plan.Study.Draws), Known: s.Done, Recalled: m.Recalled,
	})
	if c.Begun != nil {
		c.Begun(s)
	}
	if c.Recall {
		return nil
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = results.WriteFile(filepath.Join(c.Dir, standingFile), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDisk, err)
	}
	return nil
}

// left counts the runs that are to be simulated by their size; nil where that is
// not known before.
func (c *Campaign) left(ctx context.Context, m *memo.Memo) map[work.Size]int {
	p := c.Plan
	if p.Study.Search != nil {
		return nil
	}
	out := map[work.Size]int{}
	for i := range p.Len() {
		if ctx.Err() != nil {
			break
		}
		size, n := p.Size(i), p.Least(i)
		if size == (work.Size{}) {
			continue
		}
		for replicate := 0; replicate < p.Least(i) && m.Len() > 0; replicate++ {
			if c.done(m, i, replicate) {
				n--
			}
		}
		out[size] += n
	}
	for _, i := range p.Drawn() {
		out[p.Size(i)] += p.Study.Draws
	}
	return out
}

// done reports whether a run of the plan is known.
func (c *Campaign) done(m *memo.Memo, point, replicate int) bool {
	o := c.Plan.OptionsAt(point, replicate)
	k, err := memo.Key(c.Plan.ID(point), o)
	return err == nil && m.Finished(k, &o)
}

// start looks at what is known, until ctx ends.
func (c *Campaign) start(ctx context.Context, m *memo.Memo) Standing {
	p := c.Plan
	out := Standing{Known: m.Len(), Records: m.Records(), Cut: m.Cut(), Damaged: m.Damaged(), Draws: p.DrawRuns(), Started: time.Now().UTC()}
	out.Least = p.Study.Search != nil || p.Study.First() > 0
	if p.Study.Search != nil {
		return out
	}
	out.Planned = p.LeastRuns()
	if out.Known == 0 {
		return out
	}
	for i := range p.Len() {
		if ctx.Err() != nil {
			break
		}
		for replicate := range p.Least(i) {
			if c.done(m, i, replicate) {
				out.Done++
			}
		}
	}
	return out
}

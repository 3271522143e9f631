package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	input "scoville/core/scenario/file"
	"scoville/sweep/draw"
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
	Done    int       `json:"done"`          // of Planned and Draws, how many are known
	Known   int       `json:"known"`         // runs that the folder knows in all
	Records int       `json:"records"`       // results in the journal: one may have replaced another
	Cut     int64     `json:"cut_bytes"`     // that a killed process left half written
	Damaged int64     `json:"damaged_bytes"` // of damaged runs, which run again
	Started time.Time `json:"started"`

	Replaces string `json:"-"` // tables of another study of this name, in words; "" = none
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
	known := c.known(ctx, m)
	s := c.start(m, known)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Pace.Begin(pace.Planned{
		Left: c.left(known), Least: s.Least, Capacities: c.Plan.Capacities() * (1 + c.Plan.Study.Draws), Known: s.Done, Recalled: m.Recalled,
	})
	if c.Begun != nil {
		s.Replaces = c.replaces()
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

// known counts the runs and draws of each point that do not have to run, until ctx
// ends; with [search] none.
func (c *Campaign) known(ctx context.Context, m *memo.Memo) []int {
	p, found := c.Plan, 0
	out := make([]int, p.Len())
	if p.Study.Search != nil || m.Len() == 0 {
		return out
	}
	for i := range out {
		if ctx.Err() != nil {
			return out
		}
		for replicate := range p.Least(i) {
			o := p.OptionsAt(i, replicate)
			if k, err := memo.Key(p.ID(i), o); err == nil && m.Finished(k, &o) {
				out[i]++
				found++
			}
		}
	}
	if found == m.Len() {
		return out // no draws, which take longer to look for
	}
	for _, i := range p.Drawn() {
		if ctx.Err() != nil {
			return out
		}
		out[i] += c.drawn(m, i)
	}
	return out
}

// drawn counts the draws of point i that do not have to run.
func (c *Campaign) drawn(m *memo.Memo, i int) (n int) {
	pt, err := c.Plan.Point(i)
	if err != nil {
		return 0 // whoever runs it tells
	}
	for k := range c.Plan.Study.Draws {
		if sample, o, err := draw.Sample(c.Plan, i, pt, k); err == nil && m.Knows(&sample.Scenario, &o) {
			n++
		}
	}
	return n
}

// left counts the runs that are to be simulated by their size, of points of which
// some are known; nil where that is not known before.
func (c *Campaign) left(known []int) map[work.Size]int {
	p := c.Plan
	if p.Study.Search != nil {
		return nil
	}
	out := map[work.Size]int{}
	for i, n := range known {
		if size := p.Size(i); size != (work.Size{}) {
			out[size] += p.Least(i) - n
		}
	}
	for _, i := range p.Drawn() {
		out[p.Size(i)] += p.Study.Draws
	}
	return out
}

// start is what is known of the plan, and of each of its points.
func (c *Campaign) start(m *memo.Memo, known []int) Standing {
	p := c.Plan
	out := Standing{Known: m.Len(), Records: m.Records(), Cut: m.Cut(), Damaged: m.Damaged(), Draws: p.DrawRuns(), Started: time.Now().UTC()}
	out.Least = p.Study.Search != nil || p.Study.First() > 0
	if p.Study.Search == nil {
		out.Planned = p.LeastRuns()
	}
	for _, n := range known {
		out.Done += n
	}
	return out
}

package status

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"scoville/sweep/failure"
	"scoville/sweep/results"
	"scoville/sweep/shard"
	"scoville/sweep/shell"
)

// shown bounds the causes and shards that a text lists.
const shown = 20

// Text prints the report. now is the time.
func (r *Report) Text(w io.Writer, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "study   %s (%s) in %s\n", r.Study, shell.Short(r.File), r.Dir)
	fmt.Fprintf(&b, "state   %s\n", r.words(now))
	if r.Planned > 0 || r.Known > 0 {
		fmt.Fprintf(&b, "runs    %s\n", r.runs())
	}
	if r.RunsPerS != nil {
		fmt.Fprintf(&b, "rate    %.3g runs/s%s\n", *r.RunsPerS, r.left())
	}
	for i, c := range r.Causes {
		if i == shown {
			fmt.Fprintf(&b, "        and for %d other reasons\n", len(r.Causes)-i)
			break
		}
		fmt.Fprintf(&b, "failed  %d x %s (point %s replicate %d)\n", c.Runs, strings.ReplaceAll(c.Reason, "\n", "\n        "), c.Point, c.Replicate)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, failure.File)); err == nil {
		fmt.Fprintf(&b, "        stacks of panics: %s\n", filepath.Join(r.Dir, failure.File))
	}
	switch {
	case r.Tables == nil:
		fmt.Fprintf(&b, "tables  none yet\n")
	case r.State == Finished:
		fmt.Fprintf(&b, "tables  of %s: %d ok, %d infeasible, %d failed or timed out\n", stamp(*r.Tables), r.Counts[results.OK], r.Counts[results.Infeasible], r.Counts[results.Failed]+r.Counts[results.Timeout])
	default:
		fmt.Fprintf(&b, "tables  of %s stay until it ends\n", stamp(*r.Tables))
	}
	r.shards(&b, now)
	for i, n := range r.Next {
		fmt.Fprintf(&b, "%-7s %s\n", map[bool]string{true: "next"}[i == 0], n)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "        and %d more, of shards %s\n", r.More, shard.Ranges(r.more))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func stamp(t time.Time) string { return t.Format("2006-01-02 15:04:05") }

// words says in what state the folder is.
func (r *Report) words(now time.Time) string {
	switch {
	case r.Writer != nil:
		text := fmt.Sprintf("running: process %d on %s since %s", r.Writer.PID, r.Writer.Host, stamp(r.Writer.Start))
		if quiet := now.Sub(r.Grown); !r.Grown.IsZero() && quiet > 5*time.Minute {
			text += fmt.Sprintf("; nothing finished for %s", quiet.Round(time.Second))
		}
		return text
	case r.State == Stopped:
		return "stopped; finished runs are kept"
	case r.State == Waiting:
		return "in shards, not merged"
	case r.State == Running:
		return "shards are running"
	}
	return r.State
}

func (r *Report) runs() string {
	var text string
	switch {
	case r.Planned == 0 && !r.Least:
		return "none to run"
	case r.Planned == 0:
		return fmt.Sprintf("%d done, %d failed or timed out; how many there will be shows as they run", r.Known, r.Failed)
	case r.Least:
		text = fmt.Sprintf("%d done of at least %d", r.Done, r.Planned)
	default:
		text = fmt.Sprintf("%d of %d done (%.0f%%)", r.Done, r.Planned, 100*float64(r.Done)/float64(r.Planned))
	}
	return text + fmt.Sprintf(", %d failed or timed out", r.Failed)
}

func (r *Report) left() string {
	if r.LeftS == nil {
		return ""
	}
	least := ""
	if r.Least {
		least = "at least "
	}
	return fmt.Sprintf(", %s%s left", least, time.Duration(*r.LeftS*float64(time.Second)).Round(time.Second))
}

// shards lists the shards: how many are in which state, and those that are not
// finished.
func (r *Report) shards(w io.Writer, now time.Time) {
	if len(r.Shards) == 0 {
		return
	}
	by := map[string][]int{}
	for i, x := range r.Shards {
		by[x.State] = append(by[x.State], i+1)
	}
	var parts []string
	for _, state := range []string{Finished, Running, Stopped, Missing} {
		if list := by[state]; len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(list), state, shard.Ranges(list)))
		}
	}
	fmt.Fprintf(w, "shards  %d: %s\n", len(r.Shards), strings.Join(parts, ", "))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	listed := 0
	for _, x := range r.Shards {
		if x.State == Missing || x.State == Finished && len(r.Shards) > shown {
			continue
		}
		if listed++; listed > shown {
			continue
		}
		rate := ""
		if x.RunsPerS != nil {
			rate = fmt.Sprintf("%.3g runs/s%s", *x.RunsPerS, x.left())
		}
		fmt.Fprintf(t, "        %s\t%s\t%s\t%s\n", x.Shard, x.words(now), x.runs(), rate)
	}
	t.Flush() // into memory
	if listed > shown {
		fmt.Fprintf(w, "        and %d more\n", listed-shown)
	}
}

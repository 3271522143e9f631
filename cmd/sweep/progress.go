package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"scoville/cmd/program"
	"scoville/sweep"
)

// progress shows how far a sweep is: one line that is rewritten on a
// terminal, a line every ten seconds elsewhere.
type progress struct {
	w     io.Writer
	mode  string // "line", "plain", "json" or "none"
	every time.Duration
	start time.Time
	last  time.Time // when something was shown
	width int       // of the line on the terminal
	now   func() time.Time
}

func newProgress(w io.Writer, mode string) (*progress, error) {
	w = program.Raw(w) // it rewrites its line, and writes numbers only
	p := &progress{w: w, mode: mode, every: 10 * time.Second, start: time.Now(), now: time.Now}
	switch mode {
	case "auto":
		p.mode = "plain"
		if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
			p.mode, p.every = "line", 100*time.Millisecond
		}
	case "plain", "json", "none":
	default:
		return nil, fmt.Errorf("--progress %q: give auto, plain, json or none", mode)
	}
	p.last = p.start
	return p, nil
}

// show is called after each run.
func (p *progress) show(s sweep.Progress) {
	now := p.now()
	if p.mode == "none" || now.Sub(p.last) < p.every {
		return
	}
	p.last = now
	elapsed := now.Sub(p.start)
	switch p.mode {
	case "json":
		// a struct of numbers cannot fail to encode
		line, _ := json.Marshal(struct {
			Done     int      `json:"done"`
			Total    int      `json:"total"`
			Failed   int      `json:"failed"`
			RunsPerS float64  `json:"runs_per_s"`
			ElapsedS float64  `json:"elapsed_s"`
			LeftS    *float64 `json:"left_s"` // null = not known yet
		}{s.Done, s.Total, s.Failed, s.RunsPerS, elapsed.Seconds(), leftSeconds(s.Left)})
		fmt.Fprintf(p.w, "%s\n", line)
	default:
		line := fmt.Sprintf("%d/%d runs  %.0f%%  %.4g runs/s  elapsed %s  left %s  failed %d",
			s.Done, s.Total, 100*float64(s.Done)/float64(s.Total), s.RunsPerS, elapsed.Round(time.Second), about(s.Left), s.Failed)
		if p.mode == "plain" {
			fmt.Fprintln(p.w, line)
			return
		}
		fmt.Fprint(p.w, "\r"+line+strings.Repeat(" ", max(0, p.width-len(line))))
		p.width = len(line)
	}
}

// about words the time that is left. It is an estimate: more digits would only
// flicker.
func about(left time.Duration) string {
	switch {
	case left < 0:
		return "unknown"
	case left < 2*time.Minute:
		return "about " + left.Round(time.Second).String()
	case left < 20*time.Minute:
		return "about " + left.Round(10*time.Second).String()
	}
	return "about " + strings.TrimSuffix(left.Round(time.Minute).String(), "0s")
}

// leftSeconds is the time that is left in s; nil if it is not known.
func leftSeconds(left time.Duration) *float64 {
	s := left.Seconds()
	if left < 0 {
		return nil
	}
	return &s
}

// end clears the line on the terminal.
func (p *progress) end() {
	if p.width > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.width)+"\r")
	}
}

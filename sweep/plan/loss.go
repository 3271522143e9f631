package plan

import (
	"fmt"

	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/sweep/study"
)

// gaps are the points that the table of accuracy losses says nothing about.
type gaps struct {
	n       int
	example string
}

func (g *gaps) add(a study.Accuracy, sc *scenario.Scenario) {
	if a.Table == nil {
		return
	}
	if _, ok := a.Of(sc); ok {
		return
	}
	if g.n++; g.n == 1 {
		g.example = fmt.Sprintf("weights %s, KV %s, %g tokens", sc.Model.DenseWeights(), sc.Model.KV(), sc.LongestRequest())
	}
}

func (g *gaps) list(points int) []string {
	if g.n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the accuracy table has no row for %s of %s points (%s): their accuracy_loss_ratio is NULL", unit.Grouped(g.n), unit.Grouped(points), g.example)}
}

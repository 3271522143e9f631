package remark

import (
	"fmt"

	"scoville/sweep/sample"
	"scoville/sweep/sensitivity"
	"scoville/sweep/study"
)

// Sample says where a sample gives no indices: of too few rows, or of what
// searches find in them. A nil sample says nothing.
func Sample(s *study.Sample, searched bool) []string {
	switch {
	case s == nil:
		return nil
	case searched:
		return []string{"a search in each row of the sample: searches.parquet has what each found beside the parameters of its row; no indices are made of it"}
	}
	least, thing := sensitivity.LeastRows, "rank correlations"
	switch s.Method {
	case sample.Morris:
		least, thing = sensitivity.LeastTrajectories, "effects"
	case sample.Saltelli:
		least, thing = sensitivity.LeastBlocks, "indices"
	}
	if s.N >= least {
		return nil
	}
	return []string{fmt.Sprintf("warning: n = %d is too few for %s: n = %d is the least that gives any", s.N, thing, least)}
}

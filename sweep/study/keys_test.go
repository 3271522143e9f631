package study

import (
	"slices"
	"strings"
	"testing"
)

// Every key that the decoder knows outside the scenario is listed, and no other.
func TestKeys(t *testing.T) {
	scenario := []string{"model", "hardware", "engine", "workload", "measurement", "slo", "sources"}
	var listed []string
	for _, k := range Keys() {
		path := strings.NewReplacer(`."PATH"`, "", ".NAME", "").Replace(k.Path)
		listed = append(listed, path)
		if !slices.Contains(known, path) || k.Allowed == "" || k.Help == "" {
			t.Errorf("%+v", k)
		}
	}
	for _, k := range known {
		table := slices.ContainsFunc(known, func(o string) bool { return strings.HasPrefix(o, k+".") })
		if !table && !slices.Contains(scenario, k) && !slices.Contains(listed, k) {
			t.Errorf("%s is not listed", k)
		}
	}
}

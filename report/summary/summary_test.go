package summary

import (
	"strings"
	"testing"
)

func TestListed(t *testing.T) {
	if got := listed(strings.Split("fedcba", "")); got != "a, b, c, d, 2 more" {
		t.Error(got)
	}
}

package pilot

import (
	"testing"
	"time"
)

func TestWall(t *testing.T) {
	for d, want := range map[time.Duration]string{10 * time.Millisecond: "1 s", time.Minute: "60 s", 3 * time.Minute: "3 min", 5 * time.Hour: "5 h"} {
		if got := wall(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

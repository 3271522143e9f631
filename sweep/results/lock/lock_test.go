package lock

import (
	"os"
	"os/exec"
	"testing"
)

// deadPID returns the id of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip("cannot run true: ", err)
	}
	return cmd.Process.Pid
}

func TestMayLive(t *testing.T) {
	for _, c := range []struct {
		h    Holder
		want bool
	}{
		{Holder{PID: os.Getpid(), Host: "a"}, true},
		{Holder{PID: deadPID(t), Host: "a"}, false},
		{Holder{PID: deadPID(t), Host: "b"}, true},
	} {
		if got := mayLive(c.h, "a"); got != c.want {
			t.Errorf("%+v on a: %v", c.h, got)
		}
	}
}

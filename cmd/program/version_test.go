package program

import (
	"bytes"
	"regexp"
	"testing"
)

func TestVersion(t *testing.T) {
	var out bytes.Buffer
	c := Version(&out, "sweep", "v1.2", 3, 4)
	c.SetArgs(nil)
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^sweep      v1\.2 go1\.\S+.*\nsimulator  3\nresults    4\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("%q does not match %s", out.String(), want)
	}
	if c := Version(&out, "sweep", "", 3, 4); c.Args(c, []string{"x"}) == nil {
		t.Error("an argument is accepted")
	}
}

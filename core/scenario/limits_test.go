package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// Each class has metrics of its own; a small file has room for many.
func TestClassesAreBounded(t *testing.T) {
	for n, ok := range map[int]bool{MaxClasses: true, MaxClasses + 1: false} {
		var b strings.Builder
		b.WriteString(plain[:strings.Index(plain, "[[workload")])
		for i := range n {
			fmt.Fprintf(&b, "[[workload.class]]\nname = \"c%d\"\nprompt_tokens = 1\noutput_tokens = 1\n", i)
		}
		d, err := ParseTOML("x.toml", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewCatalog(t.TempDir()).Resolve(Layer{Doc: d})
		if ok && err != nil || !ok && (err == nil || !strings.Contains(err.Error(), "workload.class: 1001 classes, the limit is 1000")) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

func TestDoor(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"14.2 ± 0.1\tms …\n", "14.2 ± 0.1\tms …\n"},
		{"größe\u00a0日本 😀", "größe\u00a0日本 😀"},
		{"a\x1b[2Jb\rc\x07\x00\x7f", `a\u001b[2Jb\u000dc\u0007\u0000\u007f`},
		{"a\u009b1m", `a\u009b1m`}, // the same as ESC [ to an 8-bit terminal
		{"abc\u202edef\u2066\u200f\u2028", `abc\u202edef\u2066\u200f\u2028`},
		{"\ufffe\uffff\ufeff\U000e0041", `\ufffe\uffff\ufeff\udb40\udc41`},
		{"a\xff\x9bb", "a\ufffd\ufffdb"},
	} {
		var whole, bytewise bytes.Buffer
		if n, err := NewDoor(&whole).Write([]byte(c.in)); n != len(c.in) || err != nil || whole.String() != c.want {
			t.Errorf("%q: %q, want %q (%d, %v)", c.in, whole.String(), c.want, n, err)
		}
		door := NewDoor(&bytewise)
		for _, b := range []byte(c.in) { // characters may come in pieces
			door.Write([]byte{b})
		}
		if bytewise.String() != c.want {
			t.Errorf("%q byte by byte: %q, want %q", c.in, bytewise.String(), c.want)
		}
	}
}

// JSON that goes through a door reads as what was written.
func TestDoorKeepsJSON(t *testing.T) {
	const want = "a\u202e\x1b\u0085\x7f\U000e0041\u2028"
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	NewDoor(&out).Write(text)
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != want {
		t.Errorf("%q, want %q (%v)", got, want, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestDoorReportsErrors(t *testing.T) {
	if n, err := NewDoor(broken{}).Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	var b bytes.Buffer
	if Raw(NewDoor(&b)) != &b || Raw(&b) != &b {
		t.Error("not what stands behind the door")
	}
}

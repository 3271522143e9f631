package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core/workload"
)

func TestNames(t *testing.T) {
	if m, err := Model("meta-llama/Llama-2-7b-hf"); err != nil || m.Name != "llama-2-7b" {
		t.Errorf("model: %v, %v", m.Name, err)
	}
	if _, err := Model("llama-2-7x"); err == nil || !strings.HasPrefix(err.Error(), `model.name: "llama-2-7x" is not in the catalogue; `) {
		t.Errorf("model: %v", err)
	}
	if e, sum, err := Dir("").Hardware("h100-sxm"); err != nil || sum != "" || e.Hardware.Name != "h100-sxm" {
		t.Errorf("hardware: %v, %v", e.Hardware.Name, err)
	}
	if _, _, err := Dir("").Hardware("h100-sxn"); err == nil || !strings.HasPrefix(err.Error(), `hardware.name: no hardware "h100-sxn" in the catalogue; `) {
		t.Errorf("hardware: %v", err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(full, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc", FIPS 180-2 appendix B.1
	for _, name := range []string{"a.txt", full} {
		data, got, err := Dir(dir).read("model.config", name, 3)
		if string(data) != "abc" || got != sum || err != nil {
			t.Errorf("%s: %q, %s, %v", name, data, got, err)
		}
	}
	for _, c := range []struct{ name, want string }{
		{"a.txt", `model.config: "a.txt" cannot be read: larger than 2 B; looked in ` + dir},
		{"b.txt", `model.config: "b.txt" cannot be read: no such file; looked in ` + dir},
		{full + "x", `model.config: "` + full + `x" cannot be read: no such file`},
		{".", `model.config: "." cannot be read: not a file; looked in ` + dir},
		{"a.txt/b", `model.config: "a.txt/b" cannot be read: not a directory; looked in ` + dir},
	} {
		if _, _, err := Dir(dir).read("model.config", c.name, 2); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestHash(t *testing.T) {
	a := []workload.Record{{Arrival: 0, Prompt: 1, Output: 2}, {Arrival: 1.5, Prompt: 3, Output: 4, Prefix: []int32{5, 6}}}
	same := Hash(append([]workload.Record{}, a...))
	if Hash(a) != same || len(same) != 64 {
		t.Errorf("equal records: %s, %s", Hash(a), same)
	}
	for i, edit := range []func(r *workload.Record){
		func(r *workload.Record) { r.Arrival += 1e-12 },
		func(r *workload.Record) { r.Prompt++ },
		func(r *workload.Record) { r.Output++ },
		func(r *workload.Record) { r.Prefix = []int32{5, 7} },
		func(r *workload.Record) { r.Prefix = []int32{5} },
		func(r *workload.Record) { r.Prefix = nil },
	} {
		b := append([]workload.Record{}, a...)
		edit(&b[1])
		if Hash(b) == same {
			t.Errorf("edit %d does not change the hash", i)
		}
	}
	if Hash(a[:1]) == same {
		t.Error("a shorter trace has the same hash")
	}
}

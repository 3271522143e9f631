package sweep

import "testing"

// Service levels that differ between points are not those of the report.
func TestLimits(t *testing.T) {
	const level = "[slo]\nttft_p99_ms.max = 500\n"
	for text, want := range map[string]int{
		level: 1,
		level + "[axes]\n\"engine.max_num_seqs\" = [8, 16]\n":                                                                          1,
		level + "[axes]\n\"slo.ttft_p99_ms.max\" = [500, 900]\n":                                                                       0,
		"[[cases.limit]]\nname = \"a\"\n\"slo.ttft_p99_ms.max\" = 1e9\n[[cases.limit]]\nname = \"b\"\n\"slo.ttft_p99_ms.max\" = 900\n": 0,
	} {
		p, err := Load(write(t, reference+text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := limits(p); len(got) != want {
			t.Errorf("%s: %+v, want %d", text, got, want)
		}
	}
}

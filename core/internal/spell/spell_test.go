package spell

import "testing"

func TestClosest(t *testing.T) {
	words := []string{"tp", "ep", "max_num_seqs", "weight_bandwidth_gb_s", "state_bandwidth_gb_s", "poisson"}
	for in, want := range map[string]string{
		"wieght_bandwidth_gb_s": "weight_bandwidth_gb_s",
		"stat_bandwith_gb_s":    "state_bandwidth_gb_s",
		"max_num_seq":           "max_num_seqs",
		"Poisson":               "poisson",
		"pt":                    "tp",
		"nothing_like_it":       "",
		"":                      "",
		"dp":                    "tp",
	} {
		if got := Closest(in, words); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abcd", 1}, {"abc", "xbc", 1}, {"abc", "", 3}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b, 9); got != c.want {
			t.Errorf("distance(%s, %s) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"qwen3-8b", "qwen3-32b", "llama-2-7b"}
	for in, want := range map[string]string{
		"qwen3":      "did you mean qwen3-8b or qwen3-32b?",
		"lama-2-7b":  "did you mean llama-2-7b?",
		"lama-2-7":   "did you mean llama-2-7b?",
		"qwen3-9b":   "did you mean qwen3-8b?",
		"x":          "",
		"q":          "",
		"":           "",
		"gpt-oss-20": "",
	} {
		if got := Suggest(in, names); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := Suggest("x", nil); got != "" {
		t.Errorf("no candidates: %q", got)
	}
}

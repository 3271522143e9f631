package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core/model"
	"scoville/core/scenario/profile"
)

const tinyConfig = `{
 "num_hidden_layers": 4, "hidden_size": 256, "vocab_size": 1000, "num_attention_heads": 8, "num_key_value_heads": 2,
 "intermediate_size": 512, "hidden_act": "silu", "torch_dtype": "float16", "max_position_embeddings": 4096, "rope_theta": 10000}`

// profiled writes config.json and p.toml, its profile, into a folder.
func profiled(t *testing.T, change func(string) string) string {
	t.Helper()
	dir := t.TempDir()
	m, err := model.ReadConfig([]byte(tinyConfig))
	if err != nil {
		t.Fatal(err)
	}
	m.Name = "config.json"
	o := &profile.Origin{Name: "config.json"}
	p, err := profile.New(&m, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"config.json": tinyConfig, "p.toml": change(string(profile.Write(p, o)))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func same(s string) string { return s }

// TestProfileIsConfig: a profile gives the scenario that its configuration
// gives, is hashed into the inputs, and can be overridden field by field.
func TestProfileIsConfig(t *testing.T) {
	c := NewCatalog(profiled(t, same))
	tail := plain[strings.Index(plain, "[hardware]"):]
	from := func(key string, v ...any) *Resolved {
		t.Helper()
		r, err := c.Resolve(Layer{Name: "study", Doc: doc(t, "s.toml", "[model]\n"+key+"\n"+tail)}, values(v...))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Scenario.Validate(); err != nil {
			t.Fatal(err)
		}
		return r
	}
	config, prof := from(`config = "config.json"`), from(`profile = "p.toml"`)
	if a, b := string(config.Canonical()), string(prof.Canonical()); a != b {
		t.Errorf("config gives\n%s\nits profile\n%s", a, b)
	}
	a, b := config.Scenario.Model, prof.Scenario.Model
	if a.Config, b.Profile = "", ""; a != b {
		t.Errorf("config %+v, profile %+v", a, b)
	}
	if len(prof.Inputs["p.toml"]) != 64 || prof.Origin["model.layers"] != "p.toml" {
		t.Errorf("inputs %v, origin of layers %q", prof.Inputs, prof.Origin["model.layers"])
	}
	if r := from(`profile = "p.toml"`, "model.kv_dtype", "int8", "model.layers", 2); r.Scenario.Model.KVDType != "int8" || r.Scenario.Model.Layers != 2 || r.Scenario.Model.Hidden != 256 {
		t.Errorf("overridden: %+v", r.Scenario.Model)
	}
}

// TestProfileErrors: errors point into the profile or at the key of the study.
func TestProfileErrors(t *testing.T) {
	tail := plain[strings.Index(plain, "[hardware]"):]
	for _, c := range []struct {
		study, old, new, want string
	}{
		{`profile = "p.toml"`, "kv_bytes_per_token = 1024", "kv_bytes_per_token = 4096", "p.toml:"},
		{`profile = "p.toml"`, "kv_bytes_per_token = 1024", "kv_bytes_per_token = 4096", "4096 is stated, 1024 is derived"},
		{`profile = "gone.toml"`, "", "", `s.toml:2:1: model.profile: "gone.toml" cannot be read: no such file`},
		{`profile = "."`, "", "", `model.profile: "." cannot be read: not a file`},
		{`profile = "config.json"`, "", "", "config.json:1:1"},
		{"profile = \"p.toml\"\nconfig = \"config.json\"", "", "", `s.toml:2:1: model.profile: "p.toml" contradicts model.config: each gives the model`},
		{`profile = 3`, "", "", "3 is not a string"},
	} {
		cat := NewCatalog(profiled(t, func(s string) string { return strings.Replace(s, c.old, c.new, 1) }))
		_, err := cat.Resolve(Layer{Name: "study", Doc: doc(t, "s.toml", "[model]\n"+c.study+"\n"+tail)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.study, err, c.want)
		}
	}
	cat := NewCatalog(profiled(t, func(s string) string { return strings.Replace(s, "rope_theta = 10000", "rope_theta = 4096", 1) }))
	study := Layer{Name: "study", Doc: doc(t, "s.toml", "[model]\nprofile = \"p.toml\"\n"+tail)}
	r, err := cat.Resolve(study)
	if err != nil || len(r.Notes) != 0 { // the profile was made without the details of its file
		t.Errorf("%v %v", r, err)
	}
	cat = NewCatalog(profiled(t, func(s string) string { return strings.Replace(s, "# rope_theta = 0", "rope_theta = 4096", 1) }))
	if r, err = cat.Resolve(study); err != nil || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "compute.rope_theta = 4096 is a context") {
		t.Errorf("notes %v %v", r, err)
	}
}

package submit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"scoville/sweep/shell"
)

// nasty are names that mean something to a shell or to sbatch.
var nasty = []string{"plain", "it's", "a b", "$(touch stolen)", "`touch stolen`", "x;touch stolen", "new\nline\n#SBATCH --uid=0", "-o", "\u00e9\u202e", "*?"}

// scripts writes the files of Slurm for a study in a folder of nasty names.
func scripts(t *testing.T, name string, o Options) (Options, *Job) {
	t.Helper()
	home := t.TempDir()
	t.Chdir(home)
	o.Engine, o.Study, o.Name, o.Dir, o.CPUs = Slurm, filepath.Join(home, name+".toml"), name, "out", 2
	o.Set = []string{"model.name=" + name}
	o.Program = filepath.Join(home, "stub")
	stub := "#!/bin/sh\nfor w in \"$@\"; do printf '%s\\0' \"$w\"; done\n"
	if err := os.WriteFile(o.Program, []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	job, err := Write(o)
	if err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	return o, job
}

// A task gets every word as it is, whatever it means to a shell; and no line of a
// script that sbatch reads comes from a name.
func TestSlurmWords(t *testing.T) {
	for _, name := range nasty {
		o, job := scripts(t, name, Options{Shards: 8, Limit: 3, Mem: "4G", Time: "1:30:00", Partition: "a,b"})
		home := filepath.Dir(o.Study)
		for i, want := range [][]string{
			{"run", o.Study, "--set", o.Set[0], "-o", filepath.Join(home, "out"), "-j", "2", "--wait", "10m", "--shard", "auto/8", "--progress", "plain"},
			{"merge", o.Study, "--set", o.Set[0], "-o", filepath.Join(home, "out"), "-j", "2", "--wait", "10m"},
		} {
			text, err := exec.Command("bash", job.Files[i]).Output()
			if got := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"); err != nil || strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("%q: %q, %v", name, got, err)
			}
			script, err := os.ReadFile(job.Files[i])
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(script), "set -eu") // sbatch stops at the first command
			for _, line := range strings.Split(strings.TrimSpace(head), "\n") {
				if strings.Contains(line, "--uid=") || !strings.HasPrefix(line, "#") {
					t.Errorf("%q: %s", name, line)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(home, "stolen")); err == nil {
			t.Errorf("%q ran a command", name)
		}
	}
}

// What submits hands sbatch the array, also of some shards alone, and the merge
// that waits for it.
func TestSlurmSubmits(t *testing.T) {
	o, job := scripts(t, "it's $(x)", Options{Shards: 8, Limit: 3})
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte("#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"$LOG\"\necho '17;cluster'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for arg, array := range map[string]string{"": "1-8%3", "2,5": "2,5%3"} {
		log := filepath.Join(t.TempDir(), "log")
		args := []string{job.Files[2]}
		if arg != "" {
			args = append(args, arg)
		}
		c := exec.Command("sh", args...)
		c.Env = append(os.Environ(), "LOG="+log, "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil || string(out) != "shards: job 17, merge: job 17\n" {
			t.Errorf("%v: %s", err, out)
		}
		text, err := os.ReadFile(log)
		at := filepath.Join(filepath.Dir(o.Study), "out", "submit")
		want := "--parsable --array=" + array + " --output=" + at + "/logs/%A_%a.txt " + at + "/array.sh\n" +
			"--parsable --dependency=afterok:17 --kill-on-invalid-dep=yes --output=" + at + "/logs/merge_%j.txt " + at + "/merge.sh\n"
		if err != nil || string(text) != want {
			t.Errorf("%v\n%s\n%s", err, text, want)
		}
	}
}

// A task is tried again after exit code 4, three times, and after no other; nor when
// it is told to end.
func TestSlurmTries(t *testing.T) {
	for _, c := range []struct {
		codes    string // of the program, in turn; the last for ever
		failFast bool
		want     int
		tries    int
	}{
		{"0", false, 0, 1},
		{"4 0", false, 0, 2},
		{"4 4 4 0", false, 0, 4},
		{"4", false, 4, 4},
		{"4 6", false, 6, 2},
		{"2", false, 2, 1},
		{"6", false, 6, 1},
		{"1", false, 1, 1},
		{"130", false, 130, 1},
		{"137", false, 137, 1},
		{"4 0", true, 4, 1},
		{"TERM", false, 4, 1},      // the shell is told to end while the program runs
		{"4 SLEEP", false, 130, 1}, // while it waits
	} {
		o, job := scripts(t, "a", Options{Shards: 8, FailFast: c.failFast})
		stub := `#!/bin/sh
set -- $CODES
echo >>tries
n=$(wc -l <tries)
[ "$n" -le $# ] || n=$#
shift $((n - 1))
[ "$1" != TERM ] || { kill -TERM $PPID; exit 4; }
exit "$1"
`
		bin := t.TempDir()
		if err := errors.Join(os.WriteFile(o.Program, []byte(stub), 0o700), os.WriteFile(filepath.Join(bin, "sleep"), []byte("#!/bin/sh\necho \"$1\" >>pauses\ncase $CODES in *SLEEP) kill -TERM $PPID; exit 143;; esac\n"), 0o700)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", job.Files[0])
		cmd.Env = append(os.Environ(), "CODES="+c.codes, "PATH="+bin+":"+os.Getenv("PATH"))
		err := cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != c.want {
			t.Errorf("%+v: exit code %d, %v", c, got, err)
		}
		want := c.tries - 1
		if strings.HasSuffix(c.codes, "SLEEP") {
			want = 1
		}
		tries, _ := os.ReadFile("tries")
		pauses, _ := os.ReadFile("pauses") // none if there was none
		if len(tries) != c.tries || !strings.HasPrefix("30\n60\n120\n", string(pauses)) || strings.Count(string(pauses), "\n") != want {
			t.Errorf("%+v: %d tries, pauses %q", c, len(tries), pauses)
		}
	}
}

// What changes how runs run reaches the shards, of an object store too; the merge
// gets what concerns it.
func TestHandedOn(t *testing.T) {
	t.Chdir(t.TempDir())
	base := Options{
		Shards: 3, Study: "a.toml", Name: "a", Dir: "s3://bucket/a?region=x", Remote: true, Files: "files", CPUs: 2,
		RunTimeout: 90 * time.Second, FailFast: true, OnlyFailed: true, Scratch: "/fast", SendEvery: time.Minute, Set: []string{"a=b"},
	}
	run := []string{"--set", "a=b", "-o", base.Dir, "-j", "2", "--wait", "10m", "--scratch", "/fast", "--send-every", "1m", "--run-timeout", "1m30s", "--fail-fast", "--only-failed", "--shard", "auto/3", "--progress", "plain"}
	for _, engine := range []string{Slurm, Kubernetes} {
		o := base
		o.Engine = engine
		sep, quote := " ", shell.Quote
		if engine == Kubernetes {
			o.Image, o.Claim, o.Secret, o.Account = "sweep:1", "work", "s3", "runner"
			sep, quote = "\n        - ", text
		}
		job, err := Write(o)
		if err != nil {
			t.Fatal(err)
		}
		for i, words := range [][]string{run, run[:10]} {
			written, err := os.ReadFile(job.Files[i])
			var quoted []string
			for _, w := range words {
				quoted = append(quoted, quote(w))
			}
			if want := strings.Join(quoted, sep); err != nil || !strings.Contains(string(written), want) {
				t.Errorf("%v: no %s in\n%s", err, want, written)
			}
			if filepath.Base(filepath.Dir(job.Files[i])) != "files" || strings.Contains(string(written), "submit/") {
				t.Errorf("%s is in another folder", job.Files[i])
			}
			for _, want := range []string{"\n        - sweep-cloud\n", "secretRef:\n            name: \"s3\"\n", "serviceAccountName: \"runner\"\n", "mountPath: \"/fast\"\n", "emptyDir: {}\n", "terminationGracePeriodSeconds: 90\n"} {
				if engine == Kubernetes && !strings.Contains(string(written), want) {
					t.Errorf("no %q in\n%s", want, written)
				}
			}
		}
	}
}

func TestPlainTime(t *testing.T) {
	for d, want := range map[time.Duration]string{10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Second: "1m30s", 36 * time.Hour: "36h", time.Second / 2: "500ms", 61 * time.Minute: "1h1m", 20 * time.Second: "20s"} {
		if got := plainTime(d); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "90": 5400, "1:30": 90, "2:00:00": 7200, "1-12": 129600, "1-0:30": 88200, "1-0:0:5": 86405,
		"0": -1, "x": -1, "1:2:3:4": -1, "-5": -1, "1-": -1, "1-2-3": -1, "99999999999": -1, "UNLIMITED": -1, "1\n#SBATCH": -1,
	} {
		got, err := seconds(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestJobName(t *testing.T) {
	for name, want := range map[string]string{
		"grid": "sweep-grid", "My Study_2": "sweep-my-study-2", "é": "sweep", "": "sweep",
		strings.Repeat("x", 99): "sweep-" + strings.Repeat("x", 34), "a\nb": "sweep-a-b",
	} {
		if got := jobName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Options that no cluster takes are refused, each with its flag.
func TestRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	slurm := Options{Engine: Slurm, Shards: 2, Study: "a.toml", Name: "a", Dir: "out", CPUs: 1}
	pods := Options{Engine: Kubernetes, Shards: 2, Study: "a.toml", Name: "a", Dir: "out", CPUs: 1, Image: "sweep:1", Claim: "work"}
	for want, o := range map[string]struct {
		base Options
		set  func(*Options)
	}{
		"--engine":          {slurm, func(o *Options) { o.Engine = "pbs" }},
		"--shards 0":        {slurm, func(o *Options) { o.Shards = 0 }},
		"--shards 200000":   {pods, func(o *Options) { o.Shards = 200_000 }},
		"--limit":           {slurm, func(o *Options) { o.Limit = -1 }},
		"--cpus":            {slurm, func(o *Options) { o.CPUs = 0 }},
		"--mem":             {slurm, func(o *Options) { o.Mem = "4G\n#SBATCH --uid=0" }},
		"--time":            {slurm, func(o *Options) { o.Time = "soon" }},
		"--partition":       {slurm, func(o *Options) { o.Partition = "a b" }},
		"are of --engine k": {slurm, func(o *Options) { o.Image = "x" }},
		"are of --engine s": {pods, func(o *Options) { o.Partition = "x" }},
		"--image":           {pods, func(o *Options) { o.Image = "" }},
		"--claim":           {pods, func(o *Options) { o.Claim = "Work" }},
		"--mount":           {pods, func(o *Options) { o.Mount = "work" }},
		"STUDY /x.toml":     {pods, func(o *Options) { o.Study = "/x.toml" }},
		"-o ..":             {pods, func(o *Options) { o.Dir = "../out" }},
		"--run-timeout -":   {slurm, func(o *Options) { o.RunTimeout = -1 }},
		"--scratch and":     {slurm, func(o *Options) { o.Scratch = "/x" }},
		"--scratch and -":   {slurm, func(o *Options) { o.SendEvery = time.Minute }},
		"--send-every 1ms":  {slurm, func(o *Options) { o.Dir, o.Remote, o.Files, o.SendEvery = "s3://b/p", true, "f", time.Millisecond }},
		"--files":           {slurm, func(o *Options) { o.Dir, o.Remote = "s3://b/p", true }},
		"--files \"":        {slurm, func(o *Options) { o.Files = "100%" }},
		"--secret and":      {slurm, func(o *Options) { o.Secret = "x" }},
		"--secret \"":       {pods, func(o *Options) { o.Secret = "X\n" }},
		"--service-account": {pods, func(o *Options) { o.Account = "a b" }},
		"--scratch \"":      {pods, func(o *Options) { o.Dir, o.Remote, o.Files, o.Scratch = "s3://b/p", true, "f", "tmp" }},
		"-o \"":             {slurm, func(o *Options) { o.Dir = "100%" }},
	} {
		if _, err := Write(o.base); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		o.set(&o.base)
		if _, err := Write(o.base); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Names in manifests are quoted, and Kubernetes replaces nothing in them.
func TestManifest(t *testing.T) {
	t.Chdir(t.TempDir())
	job, err := Write(Options{
		Engine: Kubernetes, Shards: 5, Limit: 2, Study: "-$(HOME): \"x\"\n.toml", Name: "A b", Dir: "out", CPUs: 3, Mem: "4G", Time: "2:00:00",
		Set: []string{"a=b: {c}\u0085"}, Image: "registry:5000/sweep@sha256:12", Claim: "work", Mount: "/data",
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(job.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n  name: \"sweep-a-b\"\n", "\n  completions: 5\n", "\n  parallelism: 2\n", "\n  backoffLimitPerIndex: 3\n", "\n      activeDeadlineSeconds: 7200\n",
		"\n        - \"./-$$(HOME): \\\"x\\\"\\n.toml\"\n", "\n        - \"a=b: {c}\\u0085\"\n", "\n        - \"auto/5\"\n", "\n            memory: \"4Gi\"\n", "\n          mountPath: \"/data\"\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

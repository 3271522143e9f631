package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const jobs = "/apis/batch/v1/namespaces/default/jobs"

const grid = `schema = 1
name = "grid"
[model]
name = "llama-2-7b"
weight_dtype = "int8"
kv_dtype = "int8"
[hardware]
name = "jalapeno"
[workload]
requests = 30_000
[[workload.class]]
name = "chat"
prompt_tokens = 128
output_tokens = { dist = "lognormal", mean = 64, cv = 0.8 }
[axes]
"workload.rate_rps" = { from = 0.5, to = 10, step = 0.5 }
"engine.max_num_seqs" = [4, 8, 16, 32]
[replicates]
n = 8
`

// try is a cluster with a volume.
type try struct {
	c       *client
	k       *kubelet
	volume  string
	program string
}

// scenario runs studies in the cluster and holds what comes of them against what
// must.
func scenario(ctx context.Context, home string, c *client, all *processes) error {
	t := &try{c: c, volume: filepath.Join(home, "volume"), program: filepath.Join(home, "image", "sweep")}
	if err := errors.Join(os.Mkdir(t.volume, 0o755), os.Mkdir(filepath.Dir(t.program), 0o755)); err != nil {
		return err
	}
	if err := copyFile(*sweep, t.program); err != nil {
		return err
	}
	steps := []func(context.Context) error{t.refuses, t.killed, t.merge, t.foreign, t.wrong}
	if *cloud != "" {
		if err := copyFile(*cloud, t.program+"-cloud"); err != nil {
			return err
		}
		steps = append(steps, t.stored)
	}
	t.k = &kubelet{c: c, all: all, volume: t.volume, path: filepath.Dir(t.program)}
	if err := t.write("grid.toml", grid); err != nil {
		return err
	}
	began := time.Now()
	if out, err := t.sweep(ctx, "run", "grid.toml", "-o", "whole", "-j", "2", "--progress", "none"); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	say("one machine, two cores: %.1f s", time.Since(began).Seconds())

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() { stop(fmt.Errorf("kubelet: %w", t.k.run(ctx))) }()
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return cause(ctx, err)
		}
	}
	return nil
}

func (t *try) write(name, text string) error {
	return os.WriteFile(filepath.Join(t.volume, name), []byte(text), 0o644)
}

// sweep runs the program in the volume, as a user does.
func (t *try) sweep(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, t.program, args...)
	cmd.Dir = t.volume
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// submit writes the manifests of a study.
func (t *try) submit(ctx context.Context, study, dir string) error {
	out, err := t.sweep(ctx, "submit", study, "--engine", "kubernetes", "--shards", "4", "--limit", "2", "--image", "registry/sweep:1", "--claim", "work", "-o", dir)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// post gives a manifest to the API server, which must find nothing to say.
func (t *try) post(ctx context.Context, text []byte, query string) error {
	warnings, err := t.c.do(ctx, "POST", jobs+query, "application/yaml", text, nil)
	if err == nil && len(warnings) > 0 {
		err = fmt.Errorf("the API server warns: %q", warnings)
	}
	return err
}

const (
	strict = "?fieldValidation=Strict"
	dryRun = strict + "&dryRun=All"
)

// apply makes a job of a manifest, and returns its name.
func (t *try) apply(ctx context.Context, file string) (string, error) {
	text, err := os.ReadFile(filepath.Join(t.volume, file))
	if err != nil {
		return "", err
	}
	var job batchv1.Job
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		return "", err
	}
	if err := t.post(ctx, text, dryRun); err != nil {
		return "", fmt.Errorf("%s: dry run: %w", file, err)
	}
	return job.Name, t.post(ctx, text, strict)
}

// ended waits for a job.
func (t *try) ended(ctx context.Context, name string) (*batchv1.Job, error) {
	var job batchv1.Job
	var failed error
	err := until(ctx, 5*time.Minute, "the job "+name+" has not ended", func() bool {
		job = batchv1.Job{}
		_, failed = t.c.do(ctx, "GET", jobs+"/"+name, "", nil, &job)
		return failed != nil || condition(&job) != ""
	})
	return &job, errors.Join(err, failed)
}

// condition says how a job has ended; "" = it has not.
func condition(job *batchv1.Job) string {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == v1.ConditionTrue {
			return strings.TrimSpace(string(c.Type) + " " + c.Reason)
		}
	}
	return ""
}

// refuses sees that a dry run finds mistakes: else it would say nothing.
func (t *try) refuses(ctx context.Context) error {
	if err := t.submit(ctx, "grid.toml", "sharded"); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(t.volume, "sharded/submit/job.yaml"))
	if err != nil {
		return err
	}
	for old, wrong := range map[string]string{"completionMode:": "complationMode:", "parallelism: 2": "parallelism: -1", "action: FailIndex": "action: Fail"} {
		if !bytes.Contains(text, []byte(old)) {
			return fmt.Errorf("no %q in the manifest", old)
		}
		if err := t.post(ctx, bytes.Replace(text, []byte(old), []byte(wrong), 1), dryRun); err == nil {
			return fmt.Errorf("the API server takes %s", wrong)
		}
	}
	return nil
}

// killed runs the shards, kills one in its midst and interrupts another: each is
// tried again by its index, and goes on where it was.
func (t *try) killed(ctx context.Context) error {
	began := time.Now()
	name, err := t.apply(ctx, "sharded/submit/job.yaml")
	if err != nil {
		return err
	}
	for index, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		journal := filepath.Join(t.volume, "sharded/shards", fmt.Sprintf("%d-of-4", index+1), "runs.journal")
		if err := until(ctx, time.Minute, journal+" does not grow", func() bool {
			info, err := os.Stat(journal)
			return err == nil && info.Size() > 2000
		}); err != nil {
			return err
		}
		t.k.latest(name, fmt.Sprint(index)).process.signal(signal)
		say("index %d in the midst of its runs: %v", index, signal)
	}
	job, err := t.ended(ctx, name)
	if err != nil {
		return err
	}
	say("%s after %.1f s: completed %s, %d pods failed", condition(job), time.Since(began).Seconds(), job.Status.CompletedIndexes, job.Status.Failed)
	all := t.k.started(name)
	if condition(job) != "Complete CompletionsReached" || job.Status.CompletedIndexes != "0-3" || job.Status.Failed != 2 || len(all) != 6 {
		return fmt.Errorf("%d pods, status %+v", len(all), job.Status)
	}
	again := regexp.MustCompile(`(?m)^(\d+) runs planned, ([1-9]\d*) already done, (\d+) to run$`)
	for index, code := range []int{128 + 9, 130} {
		codes := ""
		for _, x := range all {
			if x.index == fmt.Sprint(index) {
				codes += fmt.Sprintf("%d ", x.process.code)
			}
		}
		if want := fmt.Sprintf("%d 0 ", code); codes != want {
			return fmt.Errorf("pods of index %d ended with %s, not %s", index, codes, want)
		}
		line := again.Find(t.k.all.log("pod-" + t.k.latest(name, fmt.Sprint(index)).name))
		if line == nil {
			return fmt.Errorf("index %d does not go on where it was", index)
		}
		say("index %d tried again: %s", index, line)
	}
	return nil
}

// merge makes the tables, which are those of one machine.
func (t *try) merge(ctx context.Context) error {
	began := time.Now()
	name, err := t.apply(ctx, "sharded/submit/merge.yaml")
	if err != nil {
		return err
	}
	job, err := t.ended(ctx, name)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(condition(job), "Complete") || len(t.k.started(name)) != 1 {
		return fmt.Errorf("merge: %s", condition(job))
	}
	return t.same("sharded", began)
}

// same wants the tables of a folder to be those of one machine.
func (t *try) same(dir string, began time.Time) error {
	tables, err := filepath.Glob(filepath.Join(t.volume, "whole", "*.parquet"))
	if err != nil || len(tables) < 3 {
		return fmt.Errorf("tables of one machine: %q, %w", tables, err)
	}
	for _, table := range tables {
		want, err := os.ReadFile(table)
		got, err2 := os.ReadFile(filepath.Join(t.volume, dir, filepath.Base(table)))
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if !bytes.Equal(want, got) {
			return fmt.Errorf("%s is not that of one machine", filepath.Base(table))
		}
	}
	say("merged in %.1f s: %d tables are those of one machine, to the byte", time.Since(began).Seconds(), len(tables))
	return nil
}

// stored runs shards that keep their results in an object store, and kills one: the
// pod in its place has a local copy of its own, waits until the lease has run out,
// and goes on from what was sent.
func (t *try) stored(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, t.program+"-cloud", "submit", "grid.toml", "--engine", "kubernetes", "--shards", "2", "--image", "registry/sweep:1", "--claim", "work",
		"-o", "file://"+filepath.Join(t.volume, "store"), "--files", "remote", "--send-every", "1s")
	cmd.Dir = t.volume
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if _, err := t.c.do(ctx, "DELETE", jobs+"/sweep-grid?propagationPolicy=Background", "", nil, nil); err != nil {
		return err
	}
	if _, err := t.c.do(ctx, "DELETE", jobs+"/sweep-grid-merge?propagationPolicy=Background", "", nil, nil); err != nil {
		return err
	}
	began, before := time.Now(), len(t.k.started("sweep-grid"))
	name, err := t.apply(ctx, "remote/job.yaml")
	if err != nil {
		return err
	}
	pieces := filepath.Join(t.volume, "store/shards/1-of-2/runs.journal/*")
	if err := until(ctx, time.Minute, "no piece of a journal is sent", func() bool {
		list, err := filepath.Glob(pieces)
		return err == nil && len(list) > 0
	}); err != nil {
		return err
	}
	t.k.latest(name, "0").process.signal(syscall.SIGKILL)
	say("object store: index 0 killed in the midst of its runs")
	job, err := t.ended(ctx, name)
	if err != nil {
		return err
	}
	line := regexp.MustCompile(`(?m)^(\d+) runs planned, ([1-9]\d*) already done, ([1-9]\d*) to run$`).Find(t.k.all.log("pod-" + t.k.latest(name, "0").name))
	if condition(job) != "Complete CompletionsReached" || len(t.k.started(name))-before != 3 || line == nil {
		return fmt.Errorf("%s with %d pods, %q", condition(job), len(t.k.started(name))-before, line)
	}
	say("%s after %.1f s, index 0 tried again: %s", condition(job), time.Since(began).Seconds(), line)
	began = time.Now()
	if name, err = t.apply(ctx, "remote/merge.yaml"); err != nil {
		return err
	}
	if job, err = t.ended(ctx, name); err != nil {
		return err
	}
	if !strings.HasPrefix(condition(job), "Complete") {
		return fmt.Errorf("merge: %s", condition(job))
	}
	return t.same("store", began)
}

// foreign gives shards a folder that holds those of another study: every index
// fails at once and is not tried again.
func (t *try) foreign(ctx context.Context) error {
	return t.fails(ctx, "other", strings.Replace(grid, `"grid"`, `"other"`, 1), "sharded", 6, "Failed FailedIndexes", 4)
}

// wrong gives shards a study with a mistake: the whole job fails.
func (t *try) wrong(ctx context.Context) error {
	return t.fails(ctx, "bad", strings.Replace(grid, `"grid"`, `"bad"`, 1), "bad", 2, "Failed PodFailurePolicy", 2)
}

// fails runs a study that cannot, and wants every pod to end with a code, the job
// with a condition, and no more pods than most.
func (t *try) fails(ctx context.Context, study, text, dir string, code int, want string, most int) error {
	if err := errors.Join(t.write(study+".toml", text), t.submit(ctx, study+".toml", dir)); err != nil {
		return err
	}
	if code == 2 { // a mistake that comes after submit looked
		if err := t.write(study+".toml", strings.Replace(text, "max_num_seqs", "max_num_seks", 1)); err != nil {
			return err
		}
	}
	began := time.Now()
	name, err := t.apply(ctx, dir+"/submit/job.yaml")
	if err != nil {
		return err
	}
	job, err := t.ended(ctx, name)
	if err != nil {
		return err
	}
	all := t.k.started(name)
	if condition(job) != want || len(all) == 0 || len(all) > most {
		return fmt.Errorf("%s: %s with %d pods, want %s with at most %d", name, condition(job), len(all), want, most)
	}
	for _, x := range all {
		<-x.process.done
		if x.process.code != code && x.process.code != 130 && x.process.code != 128+15 {
			return fmt.Errorf("%s ended with %d, not %d", x.name, x.process.code, code)
		}
	}
	say("exit code %d: %s after %.1f s, %d pods", code, condition(job), time.Since(began).Seconds(), len(all))
	return nil
}

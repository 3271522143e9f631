// Package submit writes what a cluster needs to run the shards of a study and to
// merge them: scripts for Slurm, manifests for Kubernetes. Names come from studies
// and folders of others: none of their characters may mean anything to a shell, to
// sbatch, or in YAML. It knows no plan and runs nothing but what it wrote, when
// asked.
package submit

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"scoville/sweep/results"
	"scoville/sweep/shard"
)

// Folder, in that of the results, is where the files go.
const Folder = "submit"

// Engines that there are.
const (
	Slurm      = "slurm"
	Kubernetes = "kubernetes"
)

// Options is what to submit, and what a shard gets of the cluster.
type Options struct {
	Engine string
	Shards int
	Limit  int    // shards at a time; 0 = all
	Study  string // study file
	Name   string // of the study
	Dir    string // of the results; with Remote the URL of a folder in an object store
	Remote bool
	Files  string // folder for what is written; "" = Folder in Dir, which cannot be a URL then
	Set    []string
	CPUs   int    // of a shard, at least 1
	Mem    string // of a shard, such as "4G"; "" = what the cluster gives
	Time   string // of a shard, as Slurm reads it, such as "90", "2:30:00" or "1-12"; "" = what the cluster gives

	RunTimeout time.Duration // wall time of a run; 0 = any
	FailFast   bool          // a shard stops at its first run that fails or times out
	OnlyFailed bool          // runs that failed or timed out run again
	SendEvery  time.Duration // how often a shard sends what runs gave to an object store; 0 = as sweep run does
	Scratch    string        // folder of the local copy of results in an object store; "" = the user's caches, of Kubernetes a volume of the pod

	Partition string // Slurm
	Program   string // sweep on the nodes of Slurm; "" = this one

	Image string // Kubernetes: has sweep in its PATH
	Claim string // Kubernetes: volume that holds what the current folder holds
	Mount string // Kubernetes: where it is mounted; "" = /work

	Secret  string // Kubernetes: whose keys become environment variables, such as credentials of an object store; "" = none
	Account string // Kubernetes: service account of the pods; "" = that of the namespace
}

// retries of a shard that may end well another time.
const retries = 3

// wait is how long a shard waits for a folder that another process writes to: one
// that was killed is heard of for some minutes yet, by its lease in an object store
// or by its lock on a network file system.
const wait = 10 * time.Minute

// files is where the files go.
func (o *Options) files() string {
	if o.Files != "" {
		return o.Files
	}
	return filepath.Join(o.Dir, Folder)
}

// Job is what was written.
type Job struct {
	Files []string
	Go    [][]string // commands that submit
	Later []string   // what to do when the shards are done; empty = the cluster does it
	Again string     // how to run a part of the shards again
	Notes []string
}

// file is a file to write.
type file struct{ name, text string }

var (
	sizes      = regexp.MustCompile(`^[1-9][0-9]{0,8}[KMGT]$`)
	partitions = regexp.MustCompile(`^[A-Za-z0-9_.-]+(,[A-Za-z0-9_.-]+)*$`)
	claims     = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?$`)
	images     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,500}$`)
)

// check refuses what no cluster takes.
func (o *Options) check() error {
	most := shard.MaxCount
	if o.Engine == Kubernetes {
		most = 100_000 // of an Indexed Job
	}
	switch {
	case o.Engine != Slurm && o.Engine != Kubernetes:
		return fmt.Errorf("--engine %q: give slurm or kubernetes", o.Engine)
	case o.Shards < 1 || o.Shards > most:
		return fmt.Errorf("--shards %d: give 1 to %d", o.Shards, most)
	case o.Limit < 0:
		return fmt.Errorf("--limit %d: give how many shards may run at a time, 0 for all", o.Limit)
	case o.CPUs < 1 || o.CPUs > 100_000:
		return fmt.Errorf("--cpus %d: a shard needs 1 or more", o.CPUs)
	case o.Mem != "" && !sizes.MatchString(o.Mem):
		return fmt.Errorf("--mem %q: give a whole number and K, M, G or T, such as 4G", o.Mem)
	case o.Partition != "" && !partitions.MatchString(o.Partition):
		return fmt.Errorf("--partition %q is no name of partitions", o.Partition)
	case o.RunTimeout < 0:
		return fmt.Errorf("--run-timeout %v: give a time above 0", o.RunTimeout)
	case (o.Scratch != "" || o.SendEvery != 0) && !o.Remote:
		return fmt.Errorf("--scratch and --send-every are of results in an object store")
	case o.SendEvery != 0 && (o.SendEvery < time.Second || o.SendEvery > 10*time.Minute):
		return fmt.Errorf("--send-every %v: give 1s to 10m", o.SendEvery)
	case o.Remote && o.Files == "":
		return fmt.Errorf("-o %s: give a folder for what is written with --files", o.Dir)
	}
	if _, err := seconds(o.Time); err != nil {
		return err
	}
	if o.Engine == Slurm {
		if o.Image+o.Claim+o.Mount+o.Secret+o.Account != "" {
			return fmt.Errorf("--image, --claim, --mount, --secret and --service-account are of --engine kubernetes")
		}
		return nil
	}
	return o.checkPods()
}

// checkPods refuses what no pod takes.
func (o *Options) checkPods() error {
	switch {
	case o.Partition != "" || o.Program != "":
		return fmt.Errorf("--partition and --program are of --engine slurm")
	case !images.MatchString(o.Image):
		return fmt.Errorf("--image %q: give the image that has sweep in its PATH", o.Image)
	case !claims.MatchString(o.Claim):
		return fmt.Errorf("--claim %q: give the PersistentVolumeClaim that holds what the current folder holds", o.Claim)
	case o.Mount != "" && !plainPath(o.Mount):
		return fmt.Errorf("--mount %q: give a path that begins with / and has no : and no dots in a row", o.Mount)
	case o.Scratch != "" && !plainPath(o.Scratch):
		return fmt.Errorf("--scratch %q: give a path in the pods that begins with / and has no : and no dots in a row", o.Scratch)
	case o.Secret != "" && !claims.MatchString(o.Secret):
		return fmt.Errorf("--secret %q: give the Secret whose keys are environment variables, such as AWS_ACCESS_KEY_ID", o.Secret)
	case o.Account != "" && !claims.MatchString(o.Account):
		return fmt.Errorf("--service-account %q is no name of a ServiceAccount", o.Account)
	}
	return nil
}

func plainPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, ":") && !strings.Contains(path, "..") && strings.IndexFunc(path, unicode.IsControl) < 0
}

// seconds reads a time as Slurm does: MIN, MIN:S, H:MIN:S, D-H, D-H:MIN or
// D-H:MIN:S; 0 for none.
func seconds(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	wrong := fmt.Errorf("--time %q: give minutes, H:MM:SS, or D-HH:MM:SS", text)
	days, rest, has := strings.Cut(text, "-")
	if !has {
		days, rest = "0", text
	}
	var n []int
	for _, part := range append([]string{days}, strings.Split(rest, ":")...) {
		x, err := strconv.ParseUint(part, 10, 24)
		if err != nil {
			return 0, wrong
		}
		n = append(n, int(x))
	}
	units := []int{86400, 3600, 60, 1} // of days and what follows
	switch {
	case len(n) > 4:
		return 0, wrong
	case !has && len(n) < 4: // MIN, MIN:S
		units = []int{0, 60, 1}
	}
	total := 0
	for i, x := range n {
		total += x * units[i]
	}
	if total == 0 {
		return 0, wrong
	}
	return total, nil
}

// jobName makes a name that Slurm and Kubernetes take of that of a study.
func jobName(study string) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			return c
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, study)
	name = "sweep-" + name
	return strings.TrimRight(name[:min(len(name), 40)], "-")
}

// Write checks the options and writes the files.
func Write(o Options) (*Job, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	work, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var job *Job
	var files []file
	if o.Engine == Slurm {
		job, files, err = o.slurm(work)
	} else {
		job, files, err = o.kubernetes(work)
	}
	if err != nil {
		return nil, err
	}
	dir := o.files()
	made := dir
	if o.Engine == Slurm {
		made = filepath.Join(dir, logs)
	}
	if err := os.MkdirAll(made, 0o755); err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := results.WriteFile(path, []byte(f.text)); err != nil {
			return nil, err
		}
		job.Files = append(job.Files, path)
	}
	return job, nil
}

// command are the words of sweep run on a shard, or of sweep merge.
func (o *Options) command(verb, study, dir, index string) []string {
	words := []string{verb, study}
	for _, s := range o.Set {
		words = append(words, "--set", s)
	}
	words = append(words, "-o", dir, "-j", strconv.Itoa(o.CPUs), "--wait", plainTime(wait))
	if o.Scratch != "" {
		words = append(words, "--scratch", o.Scratch)
	}
	if verb != "run" {
		return words
	}
	if o.SendEvery > 0 {
		words = append(words, "--send-every", plainTime(o.SendEvery))
	}
	if o.RunTimeout > 0 {
		words = append(words, "--run-timeout", plainTime(o.RunTimeout))
	}
	if o.FailFast {
		words = append(words, "--fail-fast")
	}
	if o.OnlyFailed {
		words = append(words, "--only-failed")
	}
	return append(words, "--shard", index, "--progress", "plain")
}

// plainTime words a time without units that are zero: 10m.
func plainTime(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}

// Commands are those of Go, for a shell.
func (j *Job) Commands() (out []string) {
	for _, words := range j.Go {
		out = append(out, line(words[0], words[1:]))
	}
	return out
}

// Start runs the commands that submit; what they say goes to out.
func (j *Job) Start(ctx context.Context, out io.Writer) error {
	for _, words := range j.Go {
		c := exec.CommandContext(ctx, words[0], words[1:]...)
		c.Stdout, c.Stderr = out, out
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", words[0], err)
		}
	}
	return nil
}

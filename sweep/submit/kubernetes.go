package submit

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"scoville/sweep/shell"
)

// scratch is where the pods have their local copy of results in an object store.
const scratch = "/scratch"

// kubernetes writes an Indexed Job of a pod a shard, and a Job that merges.
func (o *Options) kubernetes(work string) (*Job, []file, error) {
	study, err := within(work, o.Study, "STUDY")
	if err != nil {
		return nil, nil, err
	}
	dir := o.Dir
	if !o.Remote {
		if dir, err = within(work, o.Dir, "-o"); err != nil {
			return nil, nil, err
		}
	} else if o.Scratch == "" {
		o.Scratch = scratch
	}
	name := jobName(o.Name)
	parallel := o.Shards
	if o.Limit > 0 {
		parallel = min(parallel, o.Limit)
	}
	run := fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  completionMode: Indexed
  completions: %d
  parallelism: %d
  backoffLimitPerIndex: %d
%s  template:
%s`, text(name), o.Shards, parallel, retries, o.shardPolicy(), o.pod(o.command("run", study, dir, fmt.Sprintf("auto/%d", o.Shards))))
	merge := fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  backoffLimit: %d
%s  template:
%s`, text(name+"-merge"), retries,
		policy(rule{"FailJob", "the study is wrong, the tables are written with failed runs, or results differ", "2, 3, 5, 6"}),
		o.pod(o.command("merge", study, dir, "")))
	at := o.files()
	jobFile, mergeFile := filepath.Join(at, "job.yaml"), filepath.Join(at, "merge.yaml")
	return &Job{
		Go: [][]string{{"kubectl", "apply", "-f", jobFile}},
		Later: []string{
			"kubectl wait --for=condition=complete --timeout=24h job/" + name,
			"kubectl apply -f " + shell.Quote(mergeFile),
		},
		Again: "kubectl delete job " + name + " && kubectl apply -f " + shell.Quote(jobFile),
		Notes: o.notes(),
	}, []file{{"job.yaml", run}, {"merge.yaml", merge}}, nil
}

// notes are what a user must have seen to.
func (o *Options) notes() []string {
	if !o.Remote {
		return []string{"the claim " + o.Claim + " must hold what this folder holds, for many pods to write (ReadWriteMany)"}
	}
	notes := []string{
		"the claim " + o.Claim + " must hold the study and what it names, for many pods to read (ReadOnlyMany)",
		"the image must have sweep-cloud in its PATH",
	}
	if o.Secret+o.Account == "" && !strings.HasPrefix(o.Dir, "file://") {
		notes = append(notes, "no --secret and no --service-account: the pods must have credentials for "+o.Dir+" otherwise")
	}
	return notes
}

// rule says what follows from exit codes.
type rule struct{ action, why, codes string }

// policy is a failure policy: a pod that the cluster disturbed counts for nothing,
// and one whose exit code is in no rule is tried again.
func policy(rules ...rule) string {
	out := `  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
        status: "True"
`
	for _, r := range rules {
		out += fmt.Sprintf(`    - action: %s # %s
      onExitCodes:
        containerName: sweep
        operator: In
        values: [%s]
`, r.action, r.why, r.codes)
	}
	return out
}

// shardPolicy is the failure policy of the shards.
func (o *Options) shardPolicy() string {
	study := rule{"FailJob", "the study is wrong: of all shards", "2"}
	if o.FailFast {
		return policy(study, rule{"FailIndex", "a run failed, or its folder holds other results", "4, 6"})
	}
	return policy(study, rule{"FailIndex", "its folder holds other results", "6"})
}

// within is a file's name from the working folder, which the volume holds.
func within(work, path, what string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(full) {
		return "", fmt.Errorf("%s %q is no UTF-8", what, path)
	}
	rel, err := filepath.Rel(work, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", fmt.Errorf("%s %s is not in the current folder, which is what the volume of the pods holds", what, path)
	}
	if rel = filepath.ToSlash(rel); strings.HasPrefix(rel, "-") {
		rel = "./" + rel // no flag
	}
	return rel, nil
}

// pod is the template of a pod that runs sweep with words.
func (o *Options) pod(words []string) string {
	mount := o.Mount
	if mount == "" {
		mount = "/work"
	}
	var args, resources, spec, env, mounts, volumes string
	for _, w := range words {
		args += "\n        - " + text(strings.ReplaceAll(w, "$", "$$")) // $(NAME) would be replaced
	}
	if s, _ := seconds(o.Time); s > 0 { // checked
		spec += fmt.Sprintf("\n      activeDeadlineSeconds: %d", s)
	}
	if o.Account != "" {
		spec += "\n      serviceAccountName: " + text(o.Account)
	}
	if o.Mem != "" {
		resources = fmt.Sprintf("\n            memory: %s\n          limits:\n            memory: %[1]s", text(o.Mem+"i"))
	}
	if o.Secret != "" {
		env = "\n        envFrom:\n        - secretRef:\n            name: " + text(o.Secret)
	}
	program := "sweep"
	if o.Remote {
		program = "sweep-cloud"
		spec += "\n      terminationGracePeriodSeconds: 90" // to send what runs gave
		mounts = "\n        - name: scratch\n          mountPath: " + text(o.Scratch)
		volumes = "\n      - name: scratch\n        emptyDir: {}"
	}
	return fmt.Sprintf(`    spec:
      restartPolicy: Never%s
      containers:
      - name: sweep
        image: %s
        workingDir: %s
        command:
        - %s
        args:%s%s
        resources:
          requests:
            cpu: "%d"%s
        volumeMounts:
        - name: work
          mountPath: %s%s
      volumes:
      - name: work
        persistentVolumeClaim:
          claimName: %s%s
`, spec, text(o.Image), text(mount), program, args, env, o.CPUs, resources, text(mount), mounts, text(o.Claim), volumes)
}

// text is a string in YAML: in quotes, with the escapes that YAML and Go share.
func text(s string) string { return strconv.QuoteToASCII(s) }

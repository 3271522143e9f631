package submit

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"scoville/sweep/shell"
)

// retries of a shard that fails, but for one that never can run (exit code 2).
const retries = 3

// kubernetes writes an Indexed Job of a pod a shard, and a Job that merges.
func (o *Options) kubernetes(work string) (*Job, []file, error) {
	study, err := within(work, o.Study, "STUDY")
	if err != nil {
		return nil, nil, err
	}
	dir, err := within(work, o.Dir, "-o")
	if err != nil {
		return nil, nil, err
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
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
        status: "True"
    - action: FailIndex
      onExitCodes:
        containerName: sweep
        operator: In
        values: [2]
  template:
%s`, text(name), o.Shards, parallel, retries, o.pod(o.command("run", study, dir, fmt.Sprintf("auto/%d", o.Shards))))
	merge := fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  backoffLimit: 1
  template:
%s`, text(name+"-merge"), o.pod(o.command("merge", study, dir, "")))
	at := filepath.Join(o.Dir, Folder)
	jobFile, mergeFile := filepath.Join(at, "job.yaml"), filepath.Join(at, "merge.yaml")
	return &Job{
		Go: [][]string{{"kubectl", "apply", "-f", jobFile}},
		Later: []string{
			"kubectl wait --for=condition=complete --timeout=24h job/" + name,
			"kubectl apply -f " + shell.Quote(mergeFile),
		},
		Again: "kubectl delete job " + name + " && kubectl apply -f " + shell.Quote(jobFile),
		Notes: []string{"the claim " + o.Claim + " must hold what this folder holds, for many pods to write (ReadWriteMany)"},
	}, []file{{"job.yaml", run}, {"merge.yaml", merge}}, nil
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
	var args, resources, deadline string
	for _, w := range words {
		args += "\n        - " + text(strings.ReplaceAll(w, "$", "$$")) // $(NAME) would be replaced
	}
	if s, _ := seconds(o.Time); s > 0 { // checked
		deadline = fmt.Sprintf("\n      activeDeadlineSeconds: %d", s)
	}
	if o.Mem != "" {
		resources = fmt.Sprintf("\n            memory: %s\n          limits:\n            memory: %[1]s", text(o.Mem+"i"))
	}
	return fmt.Sprintf(`    spec:
      restartPolicy: Never%s
      containers:
      - name: sweep
        image: %s
        workingDir: %s
        command:
        - sweep
        args:%s
        resources:
          requests:
            cpu: "%d"%s
        volumeMounts:
        - name: work
          mountPath: %s
      volumes:
      - name: work
        persistentVolumeClaim:
          claimName: %s
`, deadline, text(o.Image), text(mount), args, o.CPUs, resources, text(mount), text(o.Claim))
}

// text is a string in YAML: in quotes, with the escapes that YAML and Go share.
func text(s string) string { return strconv.QuoteToASCII(s) }

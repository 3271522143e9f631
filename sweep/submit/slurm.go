package submit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"scoville/sweep/shell"
)

// logs, in Folder, is where tasks write what they say.
const logs = "logs"

// slurm writes an array of a task a shard, a merge, and what submits both.
func (o *Options) slurm(work string) (*Job, []file, error) {
	program := o.Program
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, nil, err
		}
	}
	study, err := filepath.Abs(o.Study)
	if err != nil {
		return nil, nil, err
	}
	dir := o.Dir
	if !o.Remote {
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, nil, err
		}
	}
	at, err := filepath.Abs(o.files())
	if err != nil {
		return nil, nil, err
	}
	if strings.ContainsAny(at, `%\`) || strings.IndexFunc(at, unicode.IsControl) >= 0 {
		flag := "-o"
		if o.Files != "" {
			flag = "--files"
		}
		return nil, nil, fmt.Errorf("%s %q: sbatch would read the %%, \\ or control character in the names of its logs; give another folder", flag, at)
	}
	name := jobName(o.Name)
	limit := ""
	if o.Limit > 0 && o.Limit < o.Shards {
		limit = fmt.Sprintf("%%%d", o.Limit)
	}
	array := "#!/bin/bash\n" + o.directives(name, fmt.Sprintf("--array=1-%d%s", o.Shards, limit), "--requeue", "--open-mode=append") +
		"# A task runs one shard and goes on where it was: run any again, sbatch --array=3,5-7 and this file.\n" +
		"set -eu\ncd " + shell.Quote(work) + "\n" + o.tries(line(program, o.command("run", study, dir, fmt.Sprintf("auto/%d", o.Shards))))
	merge := "#!/bin/bash\n" + o.directives(name+"-merge") + "set -eu\ncd " + shell.Quote(work) + "\nexec " + line(program, o.command("merge", study, dir, "")) + "\n"
	script, merger := filepath.Join(at, "array.sh"), filepath.Join(at, "merge.sh")
	logged := filepath.Join(at, logs)
	submit := fmt.Sprintf(`#!/bin/sh
# Submits the shards, or those alone that are given, such as 3,5-7; and the merge,
# which begins when all of them have ended well.
set -eu
id=$(sbatch --parsable --array="${1:-1-%d}%s" --output=%s %s)
id=${id%%%%;*}
merge=$(sbatch --parsable --dependency=afterok:"$id" --kill-on-invalid-dep=yes --output=%s %s)
echo "shards: job $id, merge: job ${merge%%%%;*}"
`, o.Shards, limit, shell.Quote(filepath.Join(logged, "%A_%a.txt")), shell.Quote(script), shell.Quote(filepath.Join(logged, "merge_%j.txt")), shell.Quote(merger))
	path := filepath.Join(at, "submit.sh")
	job := &Job{Go: [][]string{{"sh", path}}, Again: "sh " + shell.Quote(path) + " 3,5-7"}
	if o.Shards > 1000 {
		job.Notes = append(job.Notes, "many clusters take arrays of at most 1,000 tasks (scontrol show config | grep MaxArraySize)")
	}
	return job, []file{{"array.sh", array}, {"merge.sh", merge}, {"submit.sh", submit}}, nil
}

// tries runs a command again that has ended with exit code 4: the disk is full, or
// an object store takes nothing, which may pass. Signals reach the command without
// the shell, since Slurm sends them to all processes of a task.
func (o *Options) tries(command string) string {
	if o.FailFast {
		return "exec " + command + "\n"
	}
	pauses := ""
	for i := range retries {
		pauses += fmt.Sprintf("%d ", 30<<i)
	}
	return `# What may pass (4: a full disk, an object store that takes nothing) is tried again;
# a wrong study (2), other results in the folder (6) and an interrupt (130) are not.
stopped=
trap 'stopped=1' TERM INT
for pause in ` + pauses + `no; do
    code=0
    ` + command + ` || code=$?
    if [ "$code" -ne 4 ] || [ "$pause" = no ] || [ -n "$stopped" ]; then exit "$code"; fi
    echo "exit code 4: again in $pause s"
    sleep "$pause" || :
    [ -z "$stopped" ] || exit 130
done
`
}

// directives are the lines that sbatch reads. Every value is checked or made here.
func (o *Options) directives(name string, more ...string) string {
	list := append([]string{"--job-name=" + name}, more...)
	list = append(list, "--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", o.CPUs))
	if o.Mem != "" {
		list = append(list, "--mem="+o.Mem)
	}
	if o.Time != "" {
		list = append(list, "--time="+o.Time)
	}
	if o.Partition != "" {
		list = append(list, "--partition="+o.Partition)
	}
	return "#SBATCH " + strings.Join(list, "\n#SBATCH ") + "\n"
}

// line is a command for a shell.
func line(program string, words []string) string {
	out := shell.Quote(program)
	for _, w := range words {
		out += " " + shell.Quote(w)
	}
	return out
}

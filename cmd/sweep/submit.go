package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/sweep/codes"
	"scoville/sweep"
	"scoville/sweep/store"
)

// submitCommand is sweep submit.
func submitCommand(stdout io.Writer) *cobra.Command {
	o := sweep.SubmitOptions{}
	start := false
	c := &cobra.Command{
		Use:   "submit STUDY",
		Short: "Write, and submit, what a cluster needs to run a study in shards",
		Long: strings.TrimSpace(`
Submit writes to DIR/submit what a cluster needs to run a study in shards and to merge
them, and with --go submits it.

slurm: an array of one task a shard (array.sh), a merge that begins when all have
ended well (merge.sh), and what submits both (submit.sh, with 3,5-7 for some shards
alone). The folder of the results must be on a file system that all nodes see. A task
that is requeued or run again goes on where it was; one that ends with exit code 4 is
tried again after 30, 60 and 120 s, any other is not.

kubernetes: an Indexed Job of one pod a shard (job.yaml), and a Job that merges
(merge.yaml), to apply when the first is complete. The volume of --claim must hold what
the current folder holds. A pod that is killed, interrupted (130), without memory or
disk (4) is tried again, three times by index, and goes on where it was; other results
in its folder (6) end its index, a wrong study (2) the whole job.

-o takes the URL of an object store in bin/sweep-cloud: shards and merge write to it,
and what is written here goes to --files. Pods get credentials from --secret, whose
keys become environment variables, or by --service-account; tasks of Slurm as sbatch
hands them on. The volume of --claim must hold the study and what it names.

Shards run with --run-timeout, --fail-fast, --only-failed and --set as given here, and
wait ten minutes for a folder that another process writes to: one that was killed is
heard of for some minutes yet. --fresh is not handed on, since a shard that is tried
again would forget what it has; give a new folder with -o. A shard whose runs are all
there ends well even if some failed: they are rows of the tables, and the merge says so.
A study with race is not split.
`) + "\n" + codes.Of("submit"),
		Example: `  sweep submit studies/tradeoff.toml --engine slurm --shards 10 --limit 4 --cpus 4 --time 2:00:00
  sweep submit studies/tradeoff.toml --engine kubernetes --shards 10 --image registry/sweep:1 --claim work --mem 4G
  sweep-cloud submit studies/tradeoff.toml -o s3://bucket/tradeoff --engine kubernetes --shards 10 --image registry/sweep:1 --claim studies --secret s3`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Remote = store.Is(o.Dir); o.Remote {
				if err := store.Check(c.Context(), o.Dir); err != nil {
					return err
				}
			}
			o.Study = args[0]
			job, err := sweep.Submit(c.Context(), o, start, stdout)
			if job != nil {
				submitted(stdout, job, start)
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&o.Engine, "engine", "", "slurm or kubernetes")
	f.IntVar(&o.Shards, "shards", 0, "how many parts to split the study into")
	f.IntVar(&o.Limit, "limit", 0, "shards at a time; 0 = all")
	f.BoolVar(&start, "go", false, "submit too (sbatch, kubectl)")
	f.StringVarP(&o.Dir, "output", "o", "", "folder or URL of the results (default: [output] dir, else results/NAME)")
	f.StringVar(&o.Files, "files", "", "folder for what is written (default: submit in the folder of the results; of a URL in that which the study names)")
	f.DurationVar(&o.RunTimeout, "run-timeout", 0, "wall time of a run, such as 60s (default: any)")
	f.BoolVar(&o.FailFast, "fail-fast", false, "a shard stops at its first run that fails or times out, and is not tried again")
	f.BoolVar(&o.OnlyFailed, "only-failed", false, "run those again that failed or timed out")
	f.DurationVar(&o.SendEvery, "send-every", 0, "how often a shard sends what finished runs gave to an object store, 1s to 10m (default 30s)")
	f.StringVar(&o.Scratch, "scratch", "", "folder for the local copies of results in an object store (default: in the user's caches; of pods, /scratch in a volume of theirs)")
	f.StringArrayVar(&o.Set, "set", nil, "PATH=VALUE over everything in the study")
	f.IntVar(&o.CPUs, "cpus", 1, "of a shard: cores, and simulations at a time")
	f.StringVar(&o.Mem, "mem", "", "of a shard, such as 4G (default: what the cluster gives)")
	f.StringVar(&o.Time, "time", "", "of a shard at most: minutes, H:MM:SS or D-HH:MM:SS")
	f.StringVar(&o.Partition, "partition", "", "of Slurm")
	f.StringVar(&o.Program, "program", "", "sweep on the nodes of Slurm (default: this one)")
	f.StringVar(&o.Image, "image", "", "of Kubernetes: has sweep in its PATH")
	f.StringVar(&o.Claim, "claim", "", "of Kubernetes: PersistentVolumeClaim that holds the current folder")
	f.StringVar(&o.Secret, "secret", "", "of Kubernetes: Secret whose keys become environment variables, such as AWS_ACCESS_KEY_ID")
	f.StringVar(&o.Account, "service-account", "", "of Kubernetes: ServiceAccount of the pods")
	f.StringVar(&o.Mount, "mount", "", "of Kubernetes: where it is mounted (default /work)")
	return c
}

// submitted says what was written and what to do with it.
func submitted(w io.Writer, job *sweep.Submission, started bool) {
	fmt.Fprintf(w, "wrote   %s\n", strings.Join(job.Files, ", "))
	for _, n := range job.Notes {
		fmt.Fprintf(w, "note    %s\n", n)
	}
	if !started {
		for _, command := range job.Commands() {
			fmt.Fprintf(w, "submit  %s\n", command)
		}
	}
	for _, l := range job.Later {
		fmt.Fprintf(w, "then    %s\n", l)
	}
	fmt.Fprintf(w, "again   %s\n", job.Again)
}

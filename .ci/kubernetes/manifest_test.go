// Package kubernetes holds the manifests that "sweep submit" writes against
// Kubernetes itself: its types, strictly decoded, and the rules that the API server
// checks a new Job by. It is a module of its own, so that none of this is part of the
// programs.
package kubernetes

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/batch"
	convert "k8s.io/kubernetes/pkg/apis/batch/v1"
	"k8s.io/kubernetes/pkg/apis/batch/validation"
	"sigs.k8s.io/yaml"
)

var dir = flag.String("manifests", "", "folder with job.yaml and merge.yaml")

// check decodes a manifest strictly, sets what the API server sets, and returns what
// it would refuse.
func check(text []byte) (*batch.Job, []string) {
	var given batchv1.Job
	if err := yaml.UnmarshalStrict(text, &given); err != nil {
		return nil, []string{err.Error()}
	}
	convert.SetObjectDefaults_Job(&given)
	var job batch.Job
	if err := convert.Convert_v1_Job_To_batch_Job(&given, &job, nil); err != nil {
		return nil, []string{err.Error()}
	}
	job.Namespace, job.UID = "default", "0e1c1d0a-0000-4000-8000-000000000000"
	labels := map[string]string{
		batch.JobNameLabel: job.Name, batch.LegacyJobNameLabel: job.Name,
		batch.ControllerUidLabel: string(job.UID), batch.LegacyControllerUidLabel: string(job.UID),
	}
	job.Spec.Template.Labels = labels
	job.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{batch.ControllerUidLabel: string(job.UID)}}
	var wrong []string
	for _, e := range validation.ValidateJobCreate(&job, validation.JobValidationOptions{RequirePrefixedLabels: true}) {
		wrong = append(wrong, e.Error())
	}
	return &job, wrong
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	if *dir == "" {
		t.Skip("no -manifests")
	}
	text, err := os.ReadFile(filepath.Join(*dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestManifests(t *testing.T) {
	job, wrong := check(read(t, "job.yaml"))
	if len(wrong) > 0 {
		t.Fatalf("job.yaml: %q", wrong)
	}
	args := strings.Join(job.Spec.Template.Spec.Containers[0].Args, "|")
	if *job.Spec.CompletionMode != batch.IndexedCompletion || *job.Spec.Completions != 4 || *job.Spec.Parallelism != 2 || !strings.Contains(args, "|--shard|auto/4|") {
		t.Errorf("completions %d, parallelism %d, %s", *job.Spec.Completions, *job.Spec.Parallelism, args)
	}
	merge, wrong := check(read(t, "merge.yaml"))
	if len(wrong) > 0 {
		t.Fatalf("merge.yaml: %q", wrong)
	}
	for _, c := range []struct {
		job    *batch.Job
		action batch.PodFailurePolicyAction
		codes  []int32
	}{
		{job, batch.PodFailurePolicyActionFailJob, []int32{2}},
		{job, batch.PodFailurePolicyActionFailIndex, []int32{6}},
		{job, batch.PodFailurePolicyActionCount, []int32{1, 4, 130, 137}},
		{merge, batch.PodFailurePolicyActionFailJob, []int32{2, 3, 5, 6}},
		{merge, batch.PodFailurePolicyActionCount, []int32{1, 4, 130, 137}},
	} {
		for _, code := range c.codes {
			if got := action(c.job, code); got != c.action {
				t.Errorf("%s: exit code %d: %s, want %s", c.job.Name, code, got, c.action)
			}
		}
	}
}

// action is what the failure policy of a job says of an exit code.
func action(job *batch.Job, code int32) batch.PodFailurePolicyAction {
	for _, r := range job.Spec.PodFailurePolicy.Rules {
		if r.OnExitCodes != nil && slices.Contains(r.OnExitCodes.Values, code) == (r.OnExitCodes.Operator == batch.PodFailurePolicyOnExitCodesOpIn) {
			return r.Action
		}
	}
	return batch.PodFailurePolicyActionCount // towards the limit of tries
}

// The check itself finds what is wrong.
func TestFinds(t *testing.T) {
	text := string(read(t, "job.yaml"))
	for _, c := range []struct{ old, new, want string }{
		{"completionMode:", "complationMode:", "complationMode"},
		{"parallelism: 2", "parallelism: -1", "spec.parallelism"},
		{"  completions: 4\n", "", "spec.completions"},
		{"restartPolicy: Never", "restartPolicy: Always", "restartPolicy"},
		{"kind: Job\nmetadata:\n  name: \"", "kind: Job\nmetadata:\n  name: \"A_", "metadata.name"},
		{"memory: \"4Gi\"", "memory: \"4GB\"", "quantities"},
		{"claimName: \"work\"", "claimName: \"\"", "claimName"},
		{"action: FailIndex", "action: Fail", "podFailurePolicy"},
		{"values: [2]", "values: [0]", "podFailurePolicy"},
		{"containerName: sweep", "containerName: other", "containerName"},
	} {
		if !strings.Contains(text, c.old) {
			t.Errorf("no %q in the manifest", c.old)
		}
		_, wrong := check([]byte(strings.Replace(text, c.old, c.new, 1)))
		if !strings.Contains(strings.Join(wrong, "\n"), c.want) {
			t.Errorf("%s: %q", c.new, wrong)
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

const pods = "/api/v1/namespaces/default/pods"

// kubelet runs the pods of the default namespace: a container is a process whose
// image is this machine, and whose volume is a folder of it.
type kubelet struct {
	c      *client
	all    *processes
	volume string // folder that every claim is
	path   string // PATH of the containers

	mu  sync.Mutex
	ran []*pod // in the order of their starts
}

// pod is a pod that was started.
type pod struct {
	name, job, index string
	uid              types.UID
	process          *process
	told             bool // its end
}

// run looks at the pods until the context ends.
func (k *kubelet) run(ctx context.Context) error {
	for {
		if err := k.look(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// look starts new pods, tells of those that have ended, and ends those that are
// deleted.
func (k *kubelet) look(ctx context.Context) error {
	var list v1.PodList
	if _, err := k.c.do(ctx, "GET", pods, "", nil, &list); err != nil {
		return err
	}
	wanted := map[types.UID]*v1.Pod{}
	for i := range list.Items {
		p := &list.Items[i]
		if p.DeletionTimestamp == nil {
			wanted[p.UID] = p
		}
		if p.DeletionTimestamp == nil && p.Status.Phase == v1.PodPending && k.find(p.UID) == nil {
			if err := k.start(ctx, p); err != nil {
				return fmt.Errorf("pod %s: %w", p.Name, err)
			}
		}
	}
	k.mu.Lock()
	ran := append([]*pod{}, k.ran...)
	k.mu.Unlock()
	for _, x := range ran {
		p, ended := wanted[x.uid], false
		select {
		case <-x.process.done:
			ended = true
		default:
		}
		switch {
		case p == nil && !ended:
			x.process.signal(syscall.SIGTERM)
		case p != nil && ended && !x.told:
			if err := k.tell(ctx, p, x); err != nil {
				return err
			}
			x.told = true
		}
	}
	return nil
}

func (k *kubelet) find(uid types.UID) *pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.ran {
		if x.uid == uid {
			return x
		}
	}
	return nil
}

// latest is the pod of an index of a job that was started last; nil if there is none.
func (k *kubelet) latest(job, index string) (last *pod) {
	for _, x := range k.started(job) {
		if x.index == index {
			last = x
		}
	}
	return last
}

// started are the pods of a job that were started.
func (k *kubelet) started(job string) (out []*pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.ran {
		if x.job == job {
			out = append(out, x)
		}
	}
	return out
}

// start runs the container of a pod.
func (k *kubelet) start(ctx context.Context, p *v1.Pod) error {
	if len(p.Spec.Containers) != 1 || len(p.Spec.InitContainers) > 0 {
		return errors.New("this kubelet runs pods of one container")
	}
	box := &p.Spec.Containers[0]
	dir, err := k.folder(p, box)
	if err != nil {
		return err
	}
	env := map[string]string{}
	for _, e := range box.Env {
		if env[e.Name], err = value(p, e); err != nil {
			return err
		}
	}
	empty, err := k.empty(p, box)
	if err != nil {
		return err
	}
	words := append(append([]string{}, box.Command...), box.Args...)
	for i := range words {
		words[i] = expansion.Expand(words[i], expansion.MappingFuncFor(env))
		if at, ok := empty[words[i]]; ok {
			words[i] = at
		}
	}
	program := words[0]
	if !strings.Contains(program, "/") {
		program = filepath.Join(k.path, program)
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + k.path, "HOME=/nonexistent", "HOSTNAME=" + p.Name}
	for name, v := range env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	process, err := k.all.start("pod-"+p.Name, cmd, false)
	if err != nil {
		return err
	}
	now := metav1.Now()
	x := &pod{name: p.Name, job: p.Labels[batchv1.JobNameLabel], index: env["JOB_COMPLETION_INDEX"], uid: p.UID, process: process}
	k.mu.Lock()
	k.ran = append(k.ran, x)
	k.mu.Unlock()
	return k.patch(ctx, p, v1.PodStatus{
		Phase: v1.PodRunning, StartTime: &now,
		Conditions:        []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}},
		ContainerStatuses: []v1.ContainerStatus{k.container(box, v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: now}})},
	})
}

// folder is where a container works: every mount is a claim, and all claims are one
// folder.
func (k *kubelet) folder(p *v1.Pod, box *v1.Container) (string, error) {
	claims := map[string]bool{}
	for _, v := range p.Spec.Volumes {
		claims[v.Name] = v.PersistentVolumeClaim != nil
	}
	for _, m := range box.VolumeMounts {
		rel, err := filepath.Rel(m.MountPath, box.WorkingDir)
		if claims[m.Name] && err == nil && filepath.IsLocal(rel) {
			return filepath.Join(k.volume, rel), nil
		}
	}
	return "", fmt.Errorf("the working directory %s is in no claim", box.WorkingDir)
}

// empty makes the empty folders of a pod, and says where they are in place of where
// they are mounted.
func (k *kubelet) empty(p *v1.Pod, box *v1.Container) (map[string]string, error) {
	at := map[string]string{}
	for _, v := range p.Spec.Volumes {
		for _, m := range box.VolumeMounts {
			if v.EmptyDir == nil || m.Name != v.Name {
				continue
			}
			at[m.MountPath] = filepath.Join(filepath.Dir(k.volume), "empty", string(p.UID), v.Name)
			if err := os.MkdirAll(at[m.MountPath], 0o755); err != nil {
				return nil, err
			}
		}
	}
	return at, nil
}

// value is that of a variable: its own, or a label or annotation of the pod.
func value(p *v1.Pod, e v1.EnvVar) (string, error) {
	if e.ValueFrom == nil {
		return e.Value, nil
	}
	if f := e.ValueFrom.FieldRef; f != nil {
		for kind, from := range map[string]map[string]string{"labels": p.Labels, "annotations": p.Annotations} {
			name, ok := strings.CutPrefix(f.FieldPath, "metadata."+kind+"['")
			if v, has := from[strings.TrimSuffix(name, "']")]; ok && has {
				return v, nil
			}
		}
	}
	return "", fmt.Errorf("the variable %s is from nowhere that this kubelet knows", e.Name)
}

func (k *kubelet) container(box *v1.Container, s v1.ContainerState) v1.ContainerStatus {
	return v1.ContainerStatus{Name: box.Name, Image: box.Image, ImageID: box.Image, State: s, Ready: s.Running != nil}
}

// tell says how a pod has ended.
func (k *kubelet) tell(ctx context.Context, p *v1.Pod, x *pod) error {
	phase, reason := v1.PodSucceeded, "Completed"
	if x.process.code != 0 {
		phase, reason = v1.PodFailed, "Error"
	}
	return k.patch(ctx, p, v1.PodStatus{
		Phase:      phase,
		Conditions: []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionFalse}},
		ContainerStatuses: []v1.ContainerStatus{k.container(&p.Spec.Containers[0], v1.ContainerState{
			Terminated: &v1.ContainerStateTerminated{ExitCode: int32(x.process.code), Reason: reason, FinishedAt: metav1.Now()},
		})},
	})
}

// patch sets the status of a pod; one that is gone needs none.
func (k *kubelet) patch(ctx context.Context, p *v1.Pod, s v1.PodStatus) error {
	text, err := json.Marshal(map[string]any{"status": s})
	if err != nil {
		return err
	}
	_, err = k.c.do(ctx, "PATCH", pods+"/"+p.Name+"/status", "application/merge-patch+json", text, nil)
	if gone := (*status)(nil); errors.As(err, &gone) && gone.code == 404 {
		return nil
	}
	return err
}

// copyFile is the image: the program of the containers.
func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

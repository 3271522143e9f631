// Command plane puts the manifests that "sweep submit" writes to a real Kubernetes
// control plane: etcd, the API server and the controllers as processes of this
// machine, and in place of nodes a kubelet that runs the containers' commands as
// processes in a folder that stands for the volume. It needs no root, no container
// runtime and no network beyond this machine.
//
//	plane -bin FOLDER -sweep FILE [-cloud FILE]
//
// FOLDER holds kube-apiserver and kube-controller-manager; etcd is in PATH. All that
// it starts ends with it, whatever ends it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

var (
	bin   = flag.String("bin", "", "folder of kube-apiserver and kube-controller-manager")
	sweep = flag.String("sweep", "", "program to put into the pods")
	cloud = flag.String("cloud", "", "the same with object stores; none = nothing of them is tried")
	keep  = flag.Bool("keep", false, "leave the folder with all logs")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "plane:", err)
		os.Exit(1)
	}
}

// start is when the program began; say tells what is done, and when.
var start = time.Now()

func say(format string, args ...any) {
	fmt.Printf("-- %s (%.1fs)\n", fmt.Sprintf(format, args...), time.Since(start).Seconds())
}

func run(ctx context.Context) (err error) {
	home, err := os.MkdirTemp("", "plane-")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	all := &processes{dir: filepath.Join(home, "log"), dead: stop}
	defer func() {
		stop(nil)
		all.end()
		if err != nil {
			all.tails(os.Stderr)
		}
		if *keep {
			fmt.Println("everything is in", home)
			return
		}
		err = errors.Join(err, os.RemoveAll(home))
	}()
	if err := os.Mkdir(all.dir, 0o755); err != nil {
		return err
	}
	c, err := control(ctx, home, all)
	if err != nil {
		return cause(ctx, err)
	}
	return cause(ctx, scenario(ctx, home, c, all))
}

// cause is why the context ended, if it has; else err.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

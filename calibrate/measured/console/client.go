package console

import (
	"maps"
	"regexp"
	"strings"

	"scoville/calibrate/measured/row"
)

// clients are the programs that print result blocks.
var clients = []string{"vllm bench serve", "benchmark_serving.py", "vllm.benchmarks.serve", "benchmark_serving "}

// client is what the text above a block says of the run: the client's command,
// the arguments it prints, and the lines it prints before it starts.
type client struct{ flags map[string]string }

var (
	namespace = regexp.MustCompile(`Namespace\((.*)\)`)
	argument  = regexp.MustCompile(`(\w+)=('[^']*'|"[^"]*"|[^,()]*)`)
	started   = regexp.MustCompile(`(Traffic request rate|Burstiness factor|Maximum request concurrency):\s*(\S+)`)
	startKeys = map[string]string{"Traffic request rate": "request_rate", "Burstiness factor": "burstiness", "Maximum request concurrency": "max_concurrency"}
)

// next is the client of a block with this text above it. Lengths and model of
// the one before stay: scripts set them once.
func (c client) next(above []string) client {
	out := client{flags: map[string]string{}}
	for _, k := range []string{"model", "dataset_name", "random_input_len", "random_output_len", "input_len", "output_len", "random_range_ratio"} {
		if v, ok := c.flags[k]; ok {
			out.flags[k] = v
		}
	}
	for _, line := range joined(above) {
		if m := namespace.FindStringSubmatch(line); m != nil {
			out.flags = map[string]string{}
			for _, a := range argument.FindAllStringSubmatch(m[1], -1) {
				out.set(a[1], strings.Trim(a[2], `'" `))
			}
			continue
		}
		if m := started.FindStringSubmatch(line); m != nil {
			out.set(startKeys[m[1]], m[2])
			continue
		}
		for _, name := range clients {
			if at := strings.Index(line, name); at >= 0 {
				said := command{flags: map[string]string{}}
				said.parse(strings.Fields(strings.Trim(line[at+len(name):], "`$ ")))
				out.flags = maps.Clone(said.flags)
				out.set("model", said.model)
				break
			}
		}
	}
	return out
}

// set keeps what a line says; a shell variable says nothing.
func (c *client) set(name, value string) {
	if value != "" && value != "None" && !strings.Contains(value, "$") {
		c.flags[name] = value
	}
}

// cells are what the client says of the run and neither the block nor the
// server's command does. Lengths count where prompts are random ones.
func (c *client) cells(block []row.Cell, model string) []row.Cell {
	have := map[string]bool{}
	for _, b := range block {
		have[row.Fold(b.Name)] = true
	}
	var out []row.Cell
	add := func(name, block string, flags ...string) {
		for _, f := range flags {
			if v := c.flags[f]; v != "" && !strings.Contains(v, "$") && !have[block] {
				out = append(out, row.Cell{Name: name, Text: v})
				return
			}
		}
	}
	if model == "" {
		add("model", "", "model")
	}
	add("max_concurrency", "maximum_request_concurrency", "max_concurrency")
	add("request_rate", "request_rate_configured_rps", "request_rate")
	add("burstiness", "", "burstiness")
	if d := c.flags["dataset_name"]; d == "" || d == "random" {
		add("input_len", "", "random_input_len", "input_len")
		add("output_len", "", "random_output_len", "output_len")
	}
	return out
}

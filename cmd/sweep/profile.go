package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/sweep/codes"
	"scoville/sweep"
)

// profileCommand is sweep profile.
func profileCommand(stdout, stderr io.Writer) *cobra.Command {
	var o sweep.ProfileOptions
	var out string
	c := &cobra.Command{
		Use:   "profile config.json | --model NAME",
		Short: "Write a model as a five-part profile to review and use in a study",
		Long: strings.TrimSpace(`
Profile reads a Hugging Face config.json, or a model of the catalogue, and
writes what it costs as TOML: number formats and arithmetic (compute), weights
and KV cache (memory), bytes per token beside them (io), times alone on a chip
(latency) and what it asks of one (constraints). Each number says whether it is
published, derived (by which formula) or assumed.

Review the file, change what you know better, and name it in a study:

  [model]
  profile = "llama.toml"

It then stands for the model as config.json would; the study may still set any
field. A number that does not follow from the others is an error that names
both; what changes no result is a note, here and in sweep plan.
`) + "\n" + codes.Of("profile"),
		Example: `  sweep profile --model llama-3-8b
  sweep profile --model llama-3-8b --hardware h100-sxm -o llama.toml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Config = args[0]
			}
			if (o.Config == "") == (o.Model == "") {
				return usageError{errors.New("give a config.json or --model NAME, one of them")}
			}
			text, notes, err := sweep.Profile(o)
			if err != nil {
				return err
			}
			for _, n := range notes {
				fmt.Fprintln(stderr, "note: "+n)
			}
			if out == "" {
				_, err = stdout.Write(text)
				return err
			}
			return writeProfile(out, o.Config, text)
		},
	}
	f := c.Flags()
	f.StringVarP(&out, "output", "o", "", "file to write; default standard output")
	f.StringVar(&o.Model, "model", "", "model of the catalogue, see sweep list models")
	f.StringVar(&o.Hardware, "hardware", "", "chip for the latencies: a name of sweep list chips, or a hardware file")
	return c
}

// writeProfile writes a profile to a file, which must not be what it was made
// from.
func writeProfile(file, config string, text []byte) error {
	if a, err := os.Stat(file); err == nil {
		if b, err := os.Stat(config); err == nil && os.SameFile(a, b) {
			return usageError{fmt.Errorf("-o %s is the configuration itself", file)}
		}
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return usageError{fmt.Errorf("-o: %w", err)}
	}
	return nil
}

package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Group is verbs that a help lists together.
type Group struct {
	Title string
	Verbs []*cobra.Command
}

// Streams are what a program writes to.
type Streams struct{ Out, Err io.Writer }

// verbError is an error of a verb.
type verbError struct {
	error
	verb string // with its program
}

func (e *verbError) Unwrap() error { return e.error }

// Hint is where to read how to call what an error of Execute is of.
func Hint(err error) string {
	if verb, ok := errors.AsType[*verbError](err); ok {
		return "see " + verb.verb + " --help"
	}
	return ""
}

// Execute runs a program of verbs with arguments. usage makes the error of a
// command line that does not parse.
func Execute(ctx context.Context, root *cobra.Command, args []string, s Streams, usage func(error) error) error {
	began := false
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	if slices.Equal(args, []string{"--version"}) {
		args = []string{"version"} // what people try first
	}
	root.SetArgs(args)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return nil
	}
	if !began {
		err = usage(err)
	}
	return &verbError{err, c.CommandPath()}
}

// Verbs adds the verbs to a program, in groups, with completion and help as the
// last. more says where to read on, at the end of every help.
func Verbs(root *cobra.Command, out io.Writer, more string, groups ...Group) {
	last := &groups[len(groups)-1]
	last.Verbs = append(last.Verbs, completion(root, out))
	cobra.EnableCommandSorting = false // they stand in the order of their use
	for _, g := range groups {
		id := strings.ToLower(g.Title)
		root.AddGroup(&cobra.Group{ID: id, Title: g.Title + ":"})
		for _, v := range g.Verbs {
			v.GroupID = id
			root.AddCommand(v)
		}
	}
	root.SetHelpCommandGroupID(strings.ToLower(last.Title))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		_ = Page(out, func(w io.Writer) error {
			text := c.Long
			if text == "" {
				text = c.Short
			}
			text, codes, _ := strings.Cut(text, exits)
			if codes != "" {
				codes = exits + codes + "\n"
			}
			_, err := fmt.Fprintf(w, "%s\n\n%s\n%s%s\n", strings.TrimSpace(text), strings.TrimSpace(c.UsageString()), codes, more)
			return err
		})
	})
}

// exits begins the exit codes in a long help, which stand behind the flags.
const exits = "\nExit codes:"

// Exit is an exit code of a program, with what it means in lines, and the verbs
// that end with it, apart by blanks; "" = all of them.
type Exit struct {
	Code         int
	Means, Verbs string
}

// Exits is the end of a long help: the exit codes of a verb; of "", the program
// itself, all codes with their verbs.
func Exits(list []Exit, verb string) string {
	var b strings.Builder
	b.WriteString(exits)
	for _, e := range list {
		means := e.Means
		switch {
		case e.Verbs == "":
		case verb == "":
			means += "\n(" + strings.ReplaceAll(e.Verbs, " ", ", ") + ")"
		case !slices.Contains(strings.Fields(e.Verbs), verb):
			continue
		}
		fmt.Fprintf(&b, "\n  %-4d %s", e.Code, strings.ReplaceAll(means, "\n", "\n       "))
	}
	return b.String()
}

const completionHelp = `Completion writes the script that lets a shell complete verbs, flags, files of
studies, folders of results, points, metrics, keys, chips and models. To have it in
every new shell:

  bash        %[1]s completion bash > ~/.local/share/bash-completion/completions/%[1]s
  zsh         %[1]s completion zsh > "${fpath[1]}/_%[1]s"
  fish        %[1]s completion fish > ~/.config/fish/completions/%[1]s.fish
  powershell  %[1]s completion powershell >> $PROFILE

bash needs its package bash-completion, zsh a line "autoload -U compinit; compinit"
in ~/.zshrc. In the shell at hand: source <(%[1]s completion bash).`

// completion is the verb completion.
func completion(root *cobra.Command, out io.Writer) *cobra.Command {
	name := root.Name()
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "Write the script that completes commands in a shell",
		Long:      fmt.Sprintf(completionHelp, name),
		Example:   fmt.Sprintf("  %[1]s completion bash > %[1]s.bash\n  %[1]s completion zsh > _%[1]s", name),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return errors.New("no such shell") // refused before
		},
	}
}

package reading

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/calibrate/measured"
	"scoville/core/model"
	"scoville/core/scenario/file"
)

// Loaded are files that were read.
type Loaded struct {
	Files   []*measured.File
	Unread  []error // files that could not be, where that is tolerated
	Skipped []error // files of a folder that hold no measurements
}

// Load reads files, patterns and folders. Files of a folder that cannot be read
// are skipped, and with tolerant set any of several are listed instead of being
// an error.
// Files that describe a model or a run are no measurements: config.json gives
// the model of rows whose name no catalogue has, meta.json the machine of a log,
// experiment_metadata.json that of runs of genai-bench.
func Load(args []string, opt measured.Options, tolerant bool) (*Loaded, error) {
	names, found, err := Expand(args)
	if err != nil {
		return nil, err
	}
	out := &Loaded{}
	for _, name := range names {
		f, err := load(name, opt)
		switch {
		case err == nil && f != nil:
			out.Files = append(out.Files, f)
		case err == nil && len(names) > 1:
		case err == nil:
			if measured.Description(filepath.Base(name)) {
				return nil, fmt.Errorf("%s: the description of runs, not measurements; give the files beside it, or the folder", name)
			}
			return nil, fmt.Errorf("%s: the description of a model, not measurements; give it as --model %s", name, name)
		case found[name], len(names) > 1 && aside(name):
			out.Skipped = append(out.Skipped, err)
		case tolerant && len(names) > 1:
			out.Unread = append(out.Unread, err)
		default:
			return nil, err
		}
	}
	switch {
	case len(out.Files) > 0:
		return out, nil
	case len(out.Unread) > 0:
		return nil, out.Unread[0]
	case len(out.Skipped) > 1:
		return nil, nothing(out.Skipped)
	case len(out.Skipped) > 0:
		return nil, out.Skipped[0]
	}
	return nil, fmt.Errorf("none of %s holds measurements", count(len(names), "file"))
}

// aside reports whether a file is what lies beside data by its name: a licence, or
// where the data come from. A pattern catches it too.
func aside(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	return slices.ContainsFunc([]string{"license", "licence", "readme", "provenance", "notice", "sha256sums"}, func(p string) bool { return strings.HasPrefix(base, p) })
}

// nothing says of a folder what each of its files is no measurements for.
func nothing(skipped []error) error {
	var b strings.Builder
	fmt.Fprintf(&b, "none of %s holds measurements", count(len(skipped), "file"))
	for i, err := range skipped {
		if i == 5 {
			fmt.Fprintf(&b, "\n  and %d more", len(skipped)-i)
			break
		}
		line, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(&b, "\n  %s", line)
	}
	return errors.New(b.String())
}

// load reads a file and what lies beside it; nil for a model's config.json.
func load(name string, opt measured.Options) (*measured.File, error) {
	data, err := read(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	if isConfig(data) || measured.Description(filepath.Base(name)) {
		return nil, nil
	}
	f, err := measured.Read(name, data, opt)
	if err != nil {
		return nil, err
	}
	if err := describe(name, f); err != nil {
		return nil, err
	}
	return f, models(name, f)
}

// Limits of files, in bytes.
const (
	maxFile   = measured.MaxFile
	maxConfig = 1 << 20
)

// read reads a file, or what a shell hands over as one.
func read(name string) ([]byte, error) {
	dir := filepath.Dir(name)
	if name != "/dev/stdin" && dir != "/dev/fd" && dir != "/proc/self/fd" {
		return file.Read(name, maxFile)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return file.All(f, maxFile)
}

// describe adds what a file beside the measurements says of the runs.
func describe(name string, f *measured.File) error {
	meta := measured.Beside(f.Form)
	if meta == "" {
		return nil
	}
	beside := filepath.Join(filepath.Dir(name), meta)
	data, err := file.Read(beside, file.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(beside, err)
	}
	return measured.Describe(f, beside, data)
}

// unreadable names a file that cannot be read and why.
func unreadable(name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s: cannot read: %w", name, err)
}

// isConfig reports whether a file is a model's config.json of Hugging Face.
func isConfig(data []byte) bool {
	if len(data) > maxConfig || !bytes.Contains(data, []byte(`"num_hidden_layers"`)) && !bytes.Contains(data, []byte(`"n_layer"`)) {
		return false
	}
	var v map[string]any
	if json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &v) != nil {
		return false
	}
	_, measured := v["total_output_tokens"]
	return !measured
}

// models gives rows whose model no catalogue has the config.json that lies
// beside their file: in a folder of the model's name, with the name before
// _config.json, or as config.json.
func models(name string, f *measured.File) error {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return err
	}
	configs := map[string]string{}
	for i := range f.Rows {
		o := &f.Rows[i]
		id, _ := o.Value("model.name").(string)
		if id == "" {
			continue
		}
		config, known := configs[id]
		if !known {
			config = configOf(dir, id)
			for other, c := range configs {
				if c == config && config != "" {
					return fmt.Errorf("%s: %s describes one of the models %s and %s: name it after its own, %s_config.json", name, config, min(id, other), max(id, other), filepath.Base(id))
				}
			}
			configs[id] = config
		}
		if config == "" {
			continue
		}
		o.Unset("model.name")
		o.Set("model.config", config, -1)
		o.Note("model %q is not in the catalogue: %s beside the file describes it", id, filepath.Base(config))
	}
	return nil
}

// configOf finds the config.json of a model that no catalogue has; "" for none.
func configOf(dir, id string) string {
	if _, err := model.Catalog(id); err == nil {
		return ""
	}
	base := filepath.Base(strings.TrimRight(id, "/"))
	flat := strings.ReplaceAll(strings.Trim(id, "/"), "/", "--")
	for _, p := range []string{
		filepath.Join(dir, flat, "config.json"), filepath.Join(dir, base, "config.json"),
		filepath.Join(dir, flat+"_config.json"), filepath.Join(dir, base+"_config.json"),
		filepath.Join(dir, base+".json"), filepath.Join(dir, "config.json"),
	} {
		if data, err := file.Read(p, maxConfig); err == nil && isConfig(data) {
			return p
		}
	}
	return ""
}

// endings are those of files that may hold measurements.
var endings = []string{".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".md", ".log", ".gz", ".out"}

// within lists the files of a folder and those below it that may hold
// measurements. Where a sweep of the client wrote a summary, its runs are in it.
func within(dir string) ([]string, error) {
	var names, summaries []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch base := strings.ToLower(d.Name()); {
		case err != nil:
			return err
		case strings.HasPrefix(base, ".") && path != dir && d.IsDir():
			return filepath.SkipDir
		case d.IsDir(), measured.Description(base), strings.HasPrefix(base, "."), strings.HasPrefix(base, "readme"), strings.HasPrefix(base, "license"):
		case !slices.Contains(endings, filepath.Ext(base)):
		case base == "summary.json", base == "summary.csv" && !slices.Contains(summaries, filepath.Join(filepath.Dir(path), "summary.json")):
			summaries, names = append(summaries, path), append(names, path)
		default:
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(dir, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(summaries, func(s string) bool {
			below, err := filepath.Rel(filepath.Dir(s), name)
			parent := strings.SplitN(filepath.ToSlash(below), "/", 2)[0]
			return err == nil && strings.HasPrefix(parent, "SERVE--") || strings.HasSuffix(name, "summary.csv") && s == strings.TrimSuffix(name, "csv")+"json"
		})
	})
	slices.Sort(names)
	return names, nil
}

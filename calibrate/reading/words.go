package reading

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/measured"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// Sets reads values for all rows from a command line: "engine.tp=8".
func Sets(sets []string) ([]scenario.Assignment, error) {
	var out []scenario.Assignment
	for _, text := range sets {
		path, value, ok := strings.Cut(text, "=")
		path = measured.Path(strings.TrimSpace(path))
		if !ok {
			return nil, fmt.Errorf("--set %s: write KEY=VALUE, such as engine.tp=8", text)
		}
		var v any = strings.TrimSpace(value)
		if f, known := scenario.Lookup(path); known {
			x, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			switch {
			case err != nil && f.Kind == scenario.Bool && (v == "true" || v == "false"):
				v = v == "true"
			case err == nil && f.Kind == scenario.Int && x == math.Trunc(x) && math.Abs(x) < 1e15:
				v = int(x)
			case err == nil && (f.Kind == scenario.Int || f.Kind == scenario.Float):
				v = x
			}
		}
		x, err := scenario.Convert(path, v)
		if err != nil {
			return nil, fmt.Errorf("--set %s: %w", text, err)
		}
		if _, isDist := x.(workload.Dist); !isDist {
			v = x
		}
		out = append(out, scenario.Assignment{Path: path, Value: v})
	}
	return out, nil
}

// Expand replaces patterns that name no file by the files they match, and
// folders by the files in them, sorted. found are those of folders. A pattern
// or folder without a file is an error.
func Expand(args []string) (names []string, found map[string]bool, err error) {
	found = map[string]bool{}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err == nil && info.IsDir() {
			inside, err := within(arg)
			if err != nil {
				return nil, nil, err
			}
			if len(inside) == 0 {
				return nil, nil, fmt.Errorf("%s: no file in this folder ends in %s", arg, strings.Join(endings, ", "))
			}
			for _, name := range inside {
				found[name] = true
			}
			names = append(names, inside...)
			continue
		}
		if err == nil || !strings.ContainsAny(arg, "*?[") {
			names = append(names, arg)
			continue
		}
		match, err := filepath.Glob(arg)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", arg, err)
		}
		match = slices.DeleteFunc(match, func(name string) bool {
			info, err := os.Stat(name)
			return err == nil && info.IsDir()
		})
		if len(match) == 0 {
			return nil, nil, fmt.Errorf("%s: no file has such a name", arg)
		}
		names = append(names, match...)
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("no file of measurements is given, and no specification names any ([data] files)")
	}
	return names, found, nil
}

package hardware

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"scoville/core/internal/spell"
)

//go:embed catalog/*.toml
var files embed.FS

// catalogue maps every name and alias, normalised, to its entry.
type catalogue struct {
	entries map[string]Entry
	names   []string // of files, sorted, without aliases
}

var load = sync.OnceValues(loadCatalogue)

// Catalog returns the catalogue entry of that name or alias: "h100-sxm",
// "h100_sxm" or "NVIDIA H100 80GB HBM3". Case, and blanks or underscores for
// dashes, do not matter. A bare "H100" is no alias: its SXM and PCIe forms
// differ by 1.7 in bandwidth. A name without entry is a *FileError that names
// the nearest. The result is the caller's own.
func Catalog(name string) (Entry, error) {
	c, err := load()
	if err != nil {
		return Entry{}, err
	}
	e, ok := c.entries[normalise(name)]
	if !ok {
		return Entry{}, &FileError{
			Key: "name", Msg: fmt.Sprintf("no hardware %q in the catalogue", name),
			Hint: cmp.Or(spell.Suggest(normalise(name), c.names), "use a name of the catalogue") + ` or name = "path/to/chip.toml" for a file of your own`,
		}
	}
	e.Sources = maps.Clone(e.Sources)
	return e, nil
}

// Chip is the hardware of a catalogue entry without its sources; false for a
// name without entry.
func Chip(name string) (Hardware, bool) {
	c, err := load()
	if err != nil {
		return Hardware{}, false
	}
	e, ok := c.entries[name]
	if !ok {
		e, ok = c.entries[normalise(name)]
	}
	return e.Hardware, ok
}

// Names lists the entries of the catalogue, sorted, without aliases.
func Names() []string {
	c, err := load()
	if err != nil {
		return nil
	}
	return slices.Clone(c.names)
}

func normalise(name string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(name))
}

// loadCatalogue reads every embedded file. Each is named after its entry, and
// every name and alias must be its own.
func loadCatalogue() (*catalogue, error) {
	c := &catalogue{entries: map[string]Entry{}}
	list, err := files.ReadDir("catalog")
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		data, err := files.ReadFile("catalog/" + f.Name())
		if err != nil {
			return nil, err
		}
		e, aliases, err := parse("catalog/"+f.Name(), data)
		if err != nil {
			return nil, err
		}
		if e.Hardware.Name+".toml" != f.Name() {
			return nil, &FileError{File: "catalog/" + f.Name(), Key: "name", Msg: fmt.Sprintf("%q is not the name of the file", e.Hardware.Name)}
		}
		c.names = append(c.names, e.Hardware.Name)
		for _, n := range append(aliases, e.Hardware.Name) {
			if _, taken := c.entries[normalise(n)]; taken {
				return nil, &FileError{File: "catalog/" + f.Name(), Key: "aliases", Msg: fmt.Sprintf("the name %q is taken", n)}
			}
			c.entries[normalise(n)] = e
		}
	}
	return c, nil
}

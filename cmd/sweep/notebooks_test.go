package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notebook is what this test reads of an .ipynb file.
type notebook struct {
	Cells []struct {
		Type    string   `json:"cell_type"`
		Source  []string `json:"source"`
		Outputs []struct {
			Type string                     `json:"output_type"`
			Data map[string]json.RawMessage `json:"data"`
		} `json:"outputs"`
	} `json:"cells"`
}

var ran = regexp.MustCompile(`(?m)^bin/sweep run (studies/\S+\.toml)`)

// TestNotebooks: each notebook says which studies to run first, these exist, every
// code cell keeps an output, none an error, and there is a picture of modest size.
// That the outputs are those of a run is for .ci/notebooks.
func TestNotebooks(t *testing.T) {
	files, err := filepath.Glob("../../studies/notebooks/*.ipynb")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d notebooks, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var book notebook
			if err := json.Unmarshal(text, &book); err != nil {
				t.Fatal(err)
			}
			studies := ran.FindAllStringSubmatch(strings.Join(book.Cells[0].Source, ""), -1)
			for _, s := range studies {
				if _, err := os.Stat(filepath.Join("../..", s[1])); err != nil {
					t.Error(err)
				}
			}
			if pictures := keptOutputs(t, book); len(studies) == 0 || pictures == 0 {
				t.Errorf("%d studies to run first, %d pictures", len(studies), pictures)
			}
		})
	}
}

// keptOutputs checks the outputs of a notebook and counts its pictures.
func keptOutputs(t *testing.T, book notebook) int {
	pictures := 0
	for i, cell := range book.Cells {
		if cell.Type == "code" && len(cell.Outputs) == 0 {
			t.Errorf("cell %d keeps no output", i)
		}
		for _, out := range cell.Outputs {
			if out.Type == "error" {
				t.Errorf("cell %d keeps an error", i)
			}
			if png, ok := out.Data["image/png"]; ok {
				pictures++
				if len(png) > 100_000 {
					t.Errorf("cell %d has a picture of %d bytes", i, len(png))
				}
			}
		}
	}
	return pictures
}

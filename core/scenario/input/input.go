// Package input reads what a scenario names: catalogue entries, model
// configurations, hardware files and traces. Its errors point at the study key
// that names the input, or into the file. It caches nothing and knows nothing
// of scenarios.
package input

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario/document"
	"scoville/core/scenario/file"
	"scoville/core/scenario/profile"
	"scoville/core/schema"
	"scoville/core/workload"
)

// Limits of files, in bytes.
const (
	maxText  = file.MaxText
	maxTrace = 2 << 30
)

// Dir is the folder that relative file names start from.
type Dir string

// Model returns the catalogue entry of model.name.
func Model(name string) (model.Model, error) {
	m, err := model.Catalog(name)
	if ke, ok := errors.AsType[*model.KeyError](err); ok {
		return m, &schema.FieldError{Path: "model.name", Value: name, Rule: ke.Rule, Hint: ke.Hint}
	}
	return m, err
}

// Config reads the Hugging Face configuration model.config and returns the
// SHA-256 of the file with it. A model without a name is called like the file.
func (d Dir) Config(file string) (m model.Model, sum string, err error) {
	data, sum, err := d.read("model.config", file, maxText)
	if err != nil {
		return m, sum, err
	}
	if m, err = model.ReadConfig(data); err != nil {
		return m, sum, configError(file, data, err)
	}
	if m.Name == "" {
		m.Name = file
	}
	return m, sum, nil
}

// ConfigDetails reads what a Hugging Face configuration that Config accepts
// says beside the model.
func (d Dir) ConfigDetails(file string) (model.Details, error) {
	data, _, err := d.read("model.config", file, maxText)
	if err != nil {
		return model.Details{}, err
	}
	details, err := model.ReadDetails(data)
	if err != nil {
		err = configError(file, data, err)
	}
	return details, err
}

// configError points at the line of a configuration that has the key at fault.
func configError(file string, data []byte, err error) error {
	e := &document.Error{File: file, Msg: err.Error()}
	ke, ok := errors.AsType[*model.KeyError](err)
	if !ok || ke.Key == "" {
		return e
	}
	key := ke.Key[strings.LastIndexByte(ke.Key, '.')+1:]
	key, _, _ = strings.Cut(key, "[")
	text := string(data)
	at := strings.Index(text, strconv.Quote(key))
	if at < 0 {
		return e
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	e.Line, e.Col = 1+strings.Count(text[:at], "\n"), at-start+1
	e.Text, _, _ = strings.Cut(text[start:], "\n")
	return e
}

// Profile reads the profile model.profile and returns the SHA-256 of the file
// with it. A model without a name is called like the file.
func (d Dir) Profile(file string) (p *profile.Profile, sum string, err error) {
	data, sum, err := d.read("model.profile", file, maxText)
	if err != nil {
		return nil, sum, err
	}
	p, err = profile.Read(file, data, func(name string) (hardware.Hardware, error) {
		e, _, err := d.Hardware(name)
		return e.Hardware, err
	})
	if err != nil {
		return nil, sum, err
	}
	if p.Model.Name == "" {
		p.Model.Name = file
	}
	return p, sum, nil
}

// IsFile reports whether hardware.name is a file and not a catalogue name.
func IsFile(name string) bool { return strings.HasSuffix(name, ".toml") }

// Hardware returns the catalogue entry of hardware.name, or reads it from a
// file and returns the SHA-256 of the file with it.
func (d Dir) Hardware(name string) (e hardware.Entry, sum string, err error) {
	e, _, sum, err = d.Chip(name)
	return e, sum, err
}

// Chip is Hardware that also returns the document of a file, for errors about
// its keys; nil for a name of the catalogue.
func (d Dir) Chip(name string) (e hardware.Entry, doc *document.Document, sum string, err error) {
	if !IsFile(name) {
		e, err = hardware.Catalog(name)
		if fe, ok := errors.AsType[*hardware.FileError](err); ok {
			err = &schema.FieldError{Path: "hardware.name", Rule: fe.Msg, Hint: fe.Hint}
		}
		return e, nil, "", err
	}
	data, sum, err := d.read("hardware.name", name, maxText)
	if err != nil {
		return e, doc, sum, err
	}
	doc, err = document.Parse(name, data)
	if err != nil {
		return e, doc, sum, err
	}
	e, err = hardware.Read(name, data)
	if fe, ok := errors.AsType[*hardware.FileError](err); ok {
		return e, doc, sum, doc.Errorf(fe.Key, fe.Hint, "%s", fe.Msg)
	}
	if e.Hardware.Name == "" {
		e.Hardware.Name = name
	}
	return e, doc, sum, err
}

// Trace is the content of a trace file.
type Trace struct {
	Records []workload.Record
	Hash    string // of the records, see Hash
	SHA256  string // of the file
}

// Trace reads the file of workload.trace.
func (d Dir) Trace(file string) (*Trace, error) {
	data, sum, err := d.read("workload.trace", file, maxTrace)
	if err != nil {
		return nil, err
	}
	records, err := workload.ReadTrace(file, data)
	if err != nil {
		return nil, err
	}
	return &Trace{Records: records, Hash: Hash(records), SHA256: sum}, nil
}

// Hash returns the SHA-256 of trace records in hex: arrival, prompt, output,
// and the number and ids of the prefix blocks.
func Hash(records []workload.Record) string {
	h := sha256.New()
	var b []byte
	for _, r := range records {
		b = binary.LittleEndian.AppendUint64(b[:0], math.Float64bits(r.Arrival))
		for _, n := range []int32{r.Prompt, r.Output, int32(len(r.Prefix))} {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
		for _, id := range r.Prefix {
			b = binary.LittleEndian.AppendUint32(b, uint32(id))
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Path returns the full name of a file.
func (d Dir) Path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(string(d), file)
}

// read reads the file that the study key names.
func (d Dir) read(key, name string, limit int64) (data []byte, sum string, err error) {
	data, err = file.Read(d.Path(name), limit)
	if err != nil {
		hint := ""
		if !filepath.IsAbs(name) {
			hint = "looked in " + string(d)
		}
		return nil, "", &schema.FieldError{Path: key, Value: name, Rule: "cannot be read: " + err.Error(), Hint: hint}
	}
	hash := sha256.Sum256(data)
	return data, hex.EncodeToString(hash[:]), nil
}

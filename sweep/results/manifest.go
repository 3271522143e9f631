package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"scoville/core/scenario/file"
	"scoville/core/table"
	"scoville/sweep/results/record"
	"scoville/sweep/sample"
)

// Manifest is what manifest.json holds: where a dataset came from, how much of
// it there is, and everything about its making that the tables leave out.
type Manifest struct {
	Schema      int               `json:"schema"`       // Schema of the writer
	Study       string            `json:"study"`        // name of the study
	StudySHA256 string            `json:"study_sha256"` // of its text
	SimVersion  int               `json:"sim_version"`  // version of the simulator
	Seed        uint64            `json:"seed,string"`  // seed of the study; text, since JSON numbers end at 2^53
	Inputs      map[string]string `json:"inputs"`       // SHA-256 by input file
	Overlays    []string          `json:"overlays"`     // overlay files, later wins
	Set         []string          `json:"set"`          // "path=value" from the command line
	Planned     int               `json:"planned_runs"` // runs of the whole study
	Most        int               `json:"most_runs"`    // runs that it could have had, with a stopping rule or a race
	Until       string            `json:"until"`        // stopping rule, in words; "" = none
	Race        bool              `json:"race"`         // designs that lose by the objectives were dropped
	Independent bool              `json:"independent"`  // every point draws requests of its own (crn = false)
	Counts      map[string]int    `json:"counts"`       // runs in the tables by status
	Digest      string            `json:"digest"`       // of all above; the tables carry it too. Empty before the first write

	Metrics []string `json:"metrics"` // of points and effects
	Inert   []string `json:"inert"`   // axes and one-at-a-time parameters that changed no metric of any run
	Outer   []string `json:"outer"`   // columns of the axes whose values have a baseline each
	Tables  []string `json:"tables"`  // the Parquet files
	Notes   []string `json:"notes"`   // what may surprise, from the plan

	Report     ReportSpec  `json:"report"`               // what the study asks of its report
	Objectives []Objective `json:"objectives,omitempty"` // metrics that the points are compared by

	Sample      *sample.Record `json:"sample,omitempty"`      // what [sample] made of the points
	Sensitivity []Judgement    `json:"sensitivity,omitempty"` // what must be said of its effects

	Point     string   `json:"point,omitempty"` // of the study that alone was run, as the user named it; "" = all
	StudyFile string   `json:"study_file"`      // where the study stood, in full: its inputs are found from there
	Numbers   []Number `json:"numbers"`         // of the hardware that the points rest on, the weakest grade first

	Record *record.Record `json:"record,omitempty"` // what the points show, in short; nil in results of older programs

	Started     time.Time `json:"started"`
	Written     time.Time `json:"written"`      // of the tables
	WallSeconds float64   `json:"wall_seconds"` // from started to written
	Workers     int       `json:"workers"`      // simulations at a time
	Hosts       []string  `json:"hosts"`        // machines that simulated
}

// Complete says whether the tables hold a result of every planned run: a value, or
// the reason why there can be none. A run that failed or timed out is no result.
func (m *Manifest) Complete() bool {
	return m.Digest != "" && m.Counts[OK]+m.Counts[Infeasible] >= m.Planned
}

// manifest describes the dataset as it is now; before the first write counts
// is nil.
func (s *Set) manifest(counts map[string]int) *Manifest {
	sum := sha256.Sum256(s.meta.StudyTOML)
	m := &Manifest{
		Schema: Schema, Study: s.meta.Study, StudySHA256: hex.EncodeToString(sum[:]),
		SimVersion: s.meta.SimVersion, Seed: s.meta.Seed,
		Inputs: s.meta.Inputs, Overlays: s.meta.Overlays, Set: s.meta.Set,
		Planned: s.meta.Planned, Most: max(s.meta.Most, s.meta.Planned), Until: s.meta.Until, Race: s.meta.Race, Independent: s.meta.Independent, Counts: counts,
		Metrics: []string{}, Inert: []string{}, Outer: []string{}, Notes: append([]string{}, s.meta.Notes...),
		Report: s.meta.Report, Objectives: s.meta.Objectives, Sample: s.meta.Sample,
		Point: s.meta.Point, StudyFile: s.meta.StudyFile, Numbers: append([]Number{}, s.meta.Numbers...),
		Started: s.started.UTC(), Workers: s.meta.Workers, Hosts: []string{s.host},
	}
	for _, i := range s.selected {
		m.Metrics = append(m.Metrics, s.meta.Metrics[i].Name)
	}
	for i, a := range s.meta.Axes {
		if a.Outer {
			m.Outer = append(m.Outer, s.axes[i].Name)
		}
	}
	if counts != nil {
		m.Written = time.Now().UTC()
		m.WallSeconds = time.Since(s.started).Seconds() // of a clock that does not jump
		text, _ := json.Marshal(s.provenance(m))        // a map of strings cannot fail
		digest := sha256.Sum256(text)
		m.Digest = hex.EncodeToString(digest[:])
	}
	return m
}

// described is the manifest of written runs.
func (s *Set) described(counts map[string]int, inert []string, judged []Judgement) *Manifest {
	m := s.manifest(counts)
	m.Inert, m.Sensitivity = inert, judged
	return m
}

// provenance is the footer metadata of the tables: all that the results depend
// on, and nothing that changes from one making to the next.
func (s *Set) provenance(m *Manifest) map[string]string {
	list := func(v any) string {
		text, _ := json.Marshal(v) // strings and numbers cannot fail; map keys are sorted
		return string(text)
	}
	return map[string]string{
		"schema":       strconv.Itoa(m.Schema),
		"study":        m.Study,
		"study_toml":   string(s.meta.StudyTOML),
		"sim_version":  strconv.Itoa(m.SimVersion),
		"seed":         strconv.FormatUint(m.Seed, 10),
		"inputs":       list(m.Inputs),
		"overlays":     list(m.Overlays),
		"set":          list(m.Set),
		"planned_runs": strconv.Itoa(m.Planned),
		"counts":       list(m.Counts),
	}
}

func (m *Manifest) write(dir string) error {
	s, err := m.stage(dir)
	if err != nil {
		return err
	}
	return s.Publish()
}

// stage writes the manifest but for its name.
func (m *Manifest) stage(dir string) (*table.Staged, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return table.Stage(filepath.Join(dir, ManifestFile), append(sample.Flat(text), '\n'))
}

// maxManifest bounds a manifest in bytes; its longest part are the rows of a
// sample.
const maxManifest = 256 << 20

// ReadManifest reads the manifest of a dataset, whole or begun. A folder
// without one is os.ErrNotExist.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := file.Read(path, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func parseManifest(text []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, errors.New("not a manifest: its text is damaged or cut short")
	}
	if m.Schema < 1 || m.Study == "" {
		return nil, fmt.Errorf("not a manifest: schema %d, study %q", m.Schema, m.Study)
	}
	return &m, nil
}

// Chance is the size that the largest rank correlation of k inert parameters over n
// rows exceeds in one of twenty samples.
func Chance(k, n float64) float64 { return record.Chance(k, n) }

package scenario

import (
	"slices"
	"strings"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/schema"
)

// AppliesTo is where an overlay from a calibration holds: it acts only on a
// scenario that has one of the listed values in each list. An empty list
// allows any. Models and chips may go by any name the catalogue knows; an engine
// version has its releases, and a study that says none takes the overlay's.
type AppliesTo struct {
	Hardware, Model, WeightDType, KVDType, EngineVersion []string
}

// conditions pairs the keys of [calibration] applies_to with its lists and
// with the study keys they are compared with.
func (a *AppliesTo) conditions() []condition {
	return []condition{
		{"hardware", "hardware.name", &a.Hardware},
		{"model", "model.name", &a.Model},
		{"weight_dtype", "model.weight_dtype", &a.WeightDType},
		{"kv_dtype", "model.kv_dtype", &a.KVDType},
		{"engine_version", "engine.version", &a.EngineVersion},
	}
}

type condition struct {
	key, path string
	list      *[]string
}

// overlayTables are the tables an overlay may have beside the scenario's.
// [calibration] beyond what OverlayLayer says belongs to whoever wrote the overlay.
var overlayTables = []string{"schema", "name", "description", "calibration", "sources"}

// OverlayLayer makes a layer of an overlay document: scenario tables,
// optionally with
//
//	[calibration]
//	applies_to = { hardware = ["h100-sxm"], model = ["llama-3.1-70b"], weight_dtype = ["fp8"], kv_dtype = ["bf16"], engine_version = ["0.12"] }
//	[sources]
//	"hardware.compute_util" = "calibrated: ..."
//	[calibration.range]
//	"workload.prompt_tokens" = [1024, 8192]
//	[calibration.hardware."h100-sxm"]
//	memory_bandwidth_gb_s = 3350
//
// and with [calibration.covariance] and [calibration.model_error], which
// Resolved.Draw samples.
//
// A document with [calibration] acts only where applies_to says. Its range,
// hardware, simulator_version and status are those of Resolved.Outside,
// OverlayVersion and Failed. The word
// before the colon of a source grades the number.
func OverlayLayer(d *Document) (Layer, error) {
	l := Layer{Name: d.File, Doc: d}
	for _, e := range d.Entries {
		head := e.Path[0]
		switch {
		case head == "sources":
			if err := checkSource(d, e); err != nil {
				return Layer{}, err
			}
		case head == "calibration" && l.AppliesTo == nil:
			l.AppliesTo = &AppliesTo{}
			if err := readAppliesTo(d, l.AppliesTo); err != nil {
				return Layer{}, err
			}
		case !slices.Contains(tables, head) && !slices.Contains(overlayTables, head):
			hint := schema.DidYouMean(schema.Closest(head, append(overlayTables[:5:5], tables...)))
			if hint == "" {
				hint = "an overlay gives values of the scenario; what belongs to a study stays there"
			}
			err := d.Errorf(e.Key(), hint, "an overlay has no %q", head)
			err.Where = ""
			return Layer{}, err
		}
	}
	fit, err := readCalibration(d)
	if err != nil {
		return Layer{}, err
	}
	l.fit = fit
	return l, nil
}

// StudyLayer makes the layer of a study's own document. Its [sources] grade the
// numbers of the hardware that it sets, as those of an overlay do; without,
// they are assumed.
func StudyLayer(d *Document) (Layer, error) {
	for _, e := range d.Under("sources") {
		if err := checkSource(d, e); err != nil {
			return Layer{}, err
		}
	}
	l := Layer{Name: "study", Doc: d, fit: calibration{sources: readSources(d)}}
	if len(l.fit.sources) == 0 {
		return l, nil
	}
	c, err := compileDoc(d)
	if err != nil {
		return Layer{}, err
	}
	for _, e := range d.Under("sources") {
		path := strings.TrimPrefix(e.Key(), "sources.")
		if _, set := c.given[strings.TrimSuffix(path, ".grade")]; !set {
			err := d.Errorf(e.Key(), "set the number under its table, or remove the line; values of axes are assumed", "is the source of nothing: the study does not set %s", path)
			err.Where = "sources"
			return Layer{}, err
		}
	}
	return l, nil
}

// checkSource checks that an entry of [sources] is about a study key: the key
// itself or a table below it, as in sources."hardware.overlap".grade.
func checkSource(d *Document, e Entry) error {
	path := strings.Join(e.Path[1:], ".")
	table, _ := splitLast(path)
	_, isKey := Lookup(path)
	_, isBelow := Lookup(strings.TrimSuffix(table, "."))
	if isKey || isBelow || path == "" {
		return nil
	}
	err := d.Errorf(e.Key(), schema.DidYouMean(Nearest(path)), "no parameter %q", path)
	err.Where = "sources"
	return err
}

// readAppliesTo reads [calibration] applies_to: lists of strings, or single
// strings.
func readAppliesTo(d *Document, a *AppliesTo) error {
	const table = "calibration.applies_to"
	conditions := a.conditions()
	for _, e := range d.Under(table) {
		key := strings.TrimPrefix(e.Key(), table+".")
		i := slices.IndexFunc(conditions, func(c condition) bool { return c.key == key })
		if i < 0 {
			return d.Errorf(e.Key(), "the conditions are hardware, model, weight_dtype, kv_dtype, engine_version", "no condition %q", key)
		}
		values, ok := e.Value.([]any)
		if !ok {
			values = []any{e.Value}
		}
		for _, v := range values {
			s, ok := v.(string)
			if !ok {
				return d.Errorf(e.Key(), `write ["..."]`, "%s is not a string", schema.Show(v))
			}
			*conditions[i].list = append(*conditions[i].list, s)
		}
	}
	return nil
}

// sameVersion reports whether an overlay of one engine version acts on a study
// of another: of the same, of a release of it ("vllm 0.11" has "vllm 0.11.2"),
// or one that says none, which is taken to mean the overlay's.
func sameVersion(overlay, study string) bool {
	overlay, study = strings.ToLower(overlay), strings.ToLower(study)
	return study == "" || study == overlay || strings.HasPrefix(study, overlay+".")
}

// Miss is why an overlay from a calibration does not apply to a scenario: the
// first of its conditions that does not hold.
type Miss struct {
	Overlay     string   // name of its layer
	Path, Value string   // study key, and what the scenario has there
	Fitted      []string // what the overlay was fitted to
}

// applies returns nil where a scenario meets every condition of an overlay, and
// the name that the overlay has for its chip; "" = any. Overlays cannot set the
// keys compared, so the layers and the base decide them.
func (l *Layer) applies(all []*compiled, b *base) (chip string, miss *Miss) {
	for _, cond := range l.AppliesTo.conditions() {
		if len(*cond.list) == 0 {
			continue
		}
		value, ok := lastGiven(all, cond.path)
		if !ok {
			v, _ := b.scenario.Get(cond.path)
			value, _ = v.(string)
		}
		same := func(s string) bool { return strings.EqualFold(s, value) }
		if cond.key == "hardware" && b.hardware != "" {
			value = b.hardware
			same = func(s string) bool { e, _ := hardware.Catalog(s); return s == value || e.Hardware.Name == value }
		} else if cond.key == "model" && b.model != "" {
			value = b.model
			same = func(s string) bool { m, _ := model.Catalog(s); return m.Name == value }
		} else if cond.key == "engine_version" {
			same = func(s string) bool { return sameVersion(s, value) }
		}
		i := slices.IndexFunc(*cond.list, same)
		if i < 0 {
			return "", &Miss{l.Name, cond.path, value, *cond.list}
		}
		if cond.key == "hardware" {
			chip = (*cond.list)[i]
		}
	}
	return chip, nil
}

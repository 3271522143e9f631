package row

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"scoville/core/hardware"
	"scoville/core/scenario"
)

var (
	chipName    = regexp.MustCompile(`(?i)(?:(\d+)\s?x[-_ ]?)?((?:nvidia|amd)[-_ ])?((?:geforce[-_ ])?(?:rtx[-_ ]?)?(?:pro[-_ ]?6000|gh200|h100|h200|b200|a100|l40s|[45]090|a6000|mi250x?|mi300x|mi325x)(?:[-_ ]?(?:sxm\d?|pcie|nvl))?(?:[-_ ]?(?:40|80|94)gb)?(?:[-_ ]?pcie)?)`)
	shortChip   = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(?:(\d+)\s?x[-_ ]?)?((?:nvidia)[-_ ])?(l40?|a10g?|h20)(?:[-_ ]?(?:24|48|96)gb)?(?:$|[^a-z0-9])`)
	versionName = regexp.MustCompile(`(?i)\bvllm(?:[\s/:=@v_-]|version|openai|api server|\*)*(0\.\d+(?:\.\d+)?(?:\.?post\d+|rc\d+)?)`)
	splitName   = regexp.MustCompile(`(?i)(?:^|[^a-z])tp[_=-]?(\d+)`)
)

// Hint is what a name or a text suggests of the machine. It is a claim.
type Hint struct {
	What    string // "the name of the file"
	Chip    string // of the catalogue, "" for none
	Unclear string // a name that several chips have
	TP      int    // 0 for nothing
	Version string // "vllm 0.8.5", "" for none
}

// String words the hint with the flags that say the same.
func (h Hint) String() string { return h.What + " suggests" + h.Flags() }

// Flags are those that say what the hint suggests, each after a blank.
func (h Hint) Flags() string {
	out := ""
	switch {
	case h.Chip != "":
		out = " --hardware " + h.Chip
	case h.Unclear != "":
		out = fmt.Sprintf(" --hardware NAME (%s: which one? %s)", h.Unclear, strings.Join(LikeChips(h.Unclear), ", "))
	}
	if h.TP > 0 {
		out += fmt.Sprintf(" --set engine.tp=%d", h.TP)
	}
	if h.Version != "" {
		out += fmt.Sprintf(" --set engine.version='%s'", h.Version)
	}
	return out
}

// Hints say what the folder and name of a file suggest of chip, parallelism and
// engine: names are claims, so nothing is taken from them unless that is asked.
func (s *Source) Hints() []Hint {
	where := filepath.Base(s.Name)
	for dir, n := filepath.Dir(s.Name), 0; n < 2 && dir != "." && dir != "/"; n++ {
		where = filepath.Base(dir) + "/" + where
		dir = filepath.Dir(dir)
	}
	return hints("the name of the file", where)
}

// hints reads a text for a chip, its number and the engine's version.
func hints(what, text string) []Hint {
	h := Hint{What: what}
	var m []string // the longest name says the most
	for _, found := range chipName.FindAllStringSubmatch(text, -1) {
		if m == nil || len(found[3]) > len(m[3]) {
			m = found
		}
	}
	if m == nil {
		m = shortChip.FindStringSubmatch(text)
	}
	if m != nil {
		h.TP, _ = strconv.Atoi(m[1])
		if h.Chip = Chip(m[3]); h.Chip == "" {
			h.Unclear = m[3]
		}
	}
	if m := splitName.FindStringSubmatch(text); m != nil {
		h.TP, _ = strconv.Atoi(m[1])
	}
	if h.TP < 0 || h.TP > 1024 {
		h.TP = 0
	}
	if m := versionName.FindStringSubmatch(text); m != nil {
		h.Version = "vllm " + m[1]
	}
	if h == (Hint{What: what}) {
		return nil
	}
	return []Hint{h}
}

// TextHints are Hints from a text of the file.
func TextHints(text string) []Hint { return hints("the text", text) }

// NoTP is the note of a row that does not say how many chips split the model.
const NoTP = "tensor parallelism not said: 1 chip"

// Unsaid asks for what the values of a row and those for all rows do not say:
// the chip, the model, and a parallelism that a name suggests. It returns the
// first key, what is missing and what to give, all empty for nothing.
func (o *Observation) Unsaid(fixed []scenario.Assignment) (key, what, give string) {
	has := func(paths ...string) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			return o.Value(path) != nil && o.Value(path) != "" || slices.ContainsFunc(fixed, func(a scenario.Assignment) bool { return a.Path == path })
		})
	}
	h := Hint{}
	if o.Hint != nil {
		h = *o.Hint
	}
	var gives []string
	add := func(path, missing, text string, args ...any) {
		if key == "" {
			key, what = path, missing
		}
		gives = append(gives, fmt.Sprintf(text, args...))
	}
	switch {
	case has("hardware.name"):
	case h.Chip != "":
		add("hardware.name", "the chip is not said", "--hardware %s, as %s suggests, or --trust-names", h.Chip, h.What)
	case h.Unclear != "":
		add("hardware.name", "the chip is not said", "--hardware NAME: %s suggests %s; which one? %s", h.What, h.Unclear, strings.Join(LikeChips(h.Unclear), ", "))
	default:
		add("hardware.name", "the chip is not said", "--hardware NAME (%s)", strings.Join(hardware.Names(), ", "))
	}
	if !has("model.name", "model.config", "model.profile") {
		add("model.name", "the model is not said", "--model NAME, a catalogue name such as llama-3.1-8b, or a config.json")
	}
	if !has("engine.tp") && h.TP > 1 {
		add("engine.tp", "tensor parallelism is not said", "--set engine.tp=%d, as %s suggests (or another number of chips that split the model), or --trust-names", h.TP, h.What)
	}
	return key, what, strings.Join(gives, "; and ")
}

// Take gives a row what a hint suggests and the row does not say.
func (o *Observation) Take(h Hint) {
	take := func(path string, v any, ok bool) {
		if ok && o.Value(path) == nil {
			o.Set(path, v, -1)
			o.Note("%s is %v by %s", path, v, h.What)
		}
	}
	take("hardware.name", h.Chip, h.Chip != "")
	if o.Value("engine.tp") == nil && h.TP > 0 {
		o.Notes = slices.DeleteFunc(o.Notes, func(n string) bool { return n == NoTP })
	}
	take("engine.tp", h.TP, h.TP > 0)
	take("engine.version", h.Version, h.Version != "")
}

// Chip returns the catalogue name of a chip as files spell it, "" for none:
// makers, counts and words that tell nothing apart are left out, and form and
// capacity may stand in any order.
func Chip(text string) string {
	var words []string
	form, capacity := "", ""
	for _, w := range chipWords(text) {
		switch {
		case idle[w], counted.MatchString(w):
		case forms.MatchString(w):
			form = w
		case capacities.MatchString(w):
			capacity = "-" + w
		default:
			words = append(words, w)
		}
	}
	name := strings.Join(words, "-")
	tries := []string{text, name + "-" + form + capacity, name + capacity + "-" + form, name + "-" + form}
	switch {
	case form == "":
		tries = append(tries, name+capacity, name)
	case strings.HasPrefix(form, "sxm"):
		tries = append(tries, name+capacity, name+"-sxm")
	}
	for _, try := range tries {
		if e, err := hardware.Catalog(strings.Trim(try, "-")); err == nil {
			return e.Hardware.Name
		}
	}
	return ""
}

// chipWords are the words of a chip's name, lower case.
func chipWords(text string) []string {
	spelled := glued.ReplaceAllString(strings.ToLower(text), "$1 $2")
	spelled = strings.Replace(multiple.ReplaceAllString(spelled, "$1x $2"), "rtxpro6000", "rtx-pro-6000", 1)
	return strings.FieldsFunc(spelled, func(r rune) bool { return strings.ContainsRune(" _-/(),", r) })
}

// idle words are of no use in a chip's name.
var idle = map[string]bool{
	"nvidia": true, "amd": true, "geforce": true, "instinct": true, "tesla": true, "gpu": true, "gpus": true, "tensor": true, "core": true,
	"hbm2e": true, "hbm3": true, "hbm3e": true, "vf": true, "oam": true,
}

var (
	glued      = regexp.MustCompile(`(\d)(sxm|pcie|nvl)`)
	multiple   = regexp.MustCompile(`^(\d+)\s*[x×]\s*(\D)`)
	counted    = regexp.MustCompile(`^(?:\d+x|x\d+)$`)
	forms      = regexp.MustCompile(`^(?:sxm\d?|pcie|nvl)$`)
	capacities = regexp.MustCompile(`^\d+g[bi]?b?$`)
)

// LikeChips lists the chips of the catalogue that a word of a name may mean; of
// those only the ones in the form the name says (PCIe, NVL, SXM), if it says one.
func LikeChips(text string) []string {
	words := chipWords(text)
	var out, formed []string
	for _, n := range hardware.Names() {
		if slices.ContainsFunc(words, func(w string) bool { return len(w) > 2 && (n == w || strings.HasPrefix(n, w+"-")) }) {
			out = append(out, n)
			if slices.ContainsFunc(words, func(w string) bool { return forms.MatchString(w) && ofForm(n, w) }) {
				formed = append(formed, n)
			}
		}
	}
	if formed != nil {
		return formed
	}
	return out
}

// ofForm reports whether a chip of the catalogue has a form; names without one
// are those of SXM modules.
func ofForm(chip, form string) bool {
	parts := strings.Split(chip, "-")
	return slices.Contains(parts, form) || strings.HasPrefix(form, "sxm") && !slices.Contains(parts, "pcie") && !slices.Contains(parts, "nvl")
}

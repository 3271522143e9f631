package row

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"scoville/core/hardware"
)

var (
	chipName  = regexp.MustCompile(`(?i)(?:(\d+)\s?x[-_ ]?)?((?:nvidia|amd)[-_ ])?((?:geforce[-_ ])?(?:rtx[-_ ]?)?(?:pro[-_ ]?6000|gh200|h100|h200|b200|a100|l40s|4090|mi250x?|mi300x)(?:[-_ ]?(?:sxm\d?|pcie|nvl))?(?:[-_ ]?(?:40|80)gb)?)`)
	splitName = regexp.MustCompile(`(?i)(?:^|[^a-z])tp[_=-]?(\d+)`)
)

// Hints say what the folder and name of a file suggest of chip and parallelism,
// as flags to give: names are claims, so nothing is taken from them.
func (s *Source) Hints() []string {
	where := filepath.Base(s.Name)
	for dir, n := filepath.Dir(s.Name), 0; n < 2 && dir != "." && dir != "/"; n++ {
		where = filepath.Base(dir) + "/" + where
		dir = filepath.Dir(dir)
	}
	return hints("the name of the file", where)
}

// hints reads a text for a chip and its number.
func hints(what, text string) []string {
	flags, tp := "", ""
	var m []string // the longest name says the most
	for _, found := range chipName.FindAllStringSubmatch(text, -1) {
		if m == nil || len(found[3]) > len(m[3]) {
			m = found
		}
	}
	if m != nil {
		tp = m[1]
		if chip := Chip(m[3]); chip != "" {
			flags = " --hardware " + chip
		} else {
			flags = fmt.Sprintf(" --hardware NAME (%s: which one? %s)", m[3], strings.Join(likeChips(m[3]), ", "))
		}
	}
	if m := splitName.FindStringSubmatch(text); m != nil {
		tp = m[1]
	}
	if tp != "" {
		flags += " --set engine.tp=" + tp
	}
	if flags == "" {
		return nil
	}
	return []string{what + " suggests" + flags}
}

// TextHints are Hints from a text of the file.
func TextHints(text string) []string { return hints("the text", text) }

// Chip returns the catalogue name of a chip as files spell it, "" for none.
func Chip(text string) string {
	spelled := strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), "-")
	spelled = strings.Replace(glued.ReplaceAllString(spelled, "$1-$2"), "rtxpro6000", "rtx-pro-6000", 1)
	for _, name := range []string{text, spelled, strings.TrimPrefix(spelled, "nvidia-"), strings.TrimPrefix(spelled, "nvidia-geforce-"), sxm.ReplaceAllString(strings.TrimPrefix(spelled, "nvidia-"), "$1")} {
		if e, err := hardware.Catalog(name); err == nil {
			return e.Hardware.Name
		}
	}
	return ""
}

// sxm stands between chip and capacity in names whose capacity says enough.
var sxm = regexp.MustCompile(`-sxm\d?(-\d+gb)$`)

var glued = regexp.MustCompile(`(\d)(sxm|pcie|nvl)`)

// likeChips lists the chips of the catalogue whose names start alike.
func likeChips(text string) []string {
	var out []string
	stem := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '_' || r == '-' })[0]
	for _, n := range hardware.Names() {
		if strings.HasPrefix(n, stem) {
			out = append(out, n)
		}
	}
	return out
}

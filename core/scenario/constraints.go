package scenario

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"scoville/core/hardware"
	"scoville/core/unit"
)

// Unmet returns what the model asks of its chip and the chip does not have: a
// number format without units (peak_tflops 0), a compute capability older than
// model.min_sm_arch, or a feature. It is nil, or an *InfeasibleError that names
// both sides and what would fit. A capability or features that the chip does
// not state are not held against it; Notes says that they were not compared.
func (s *Scenario) Unmet() error {
	m, h := &s.Model, &s.Hardware
	for _, d := range [...]unit.DType{m.Activations(), m.AttentionDType} {
		if d != "" && h.Peak.Of(d) == 0 {
			return s.noUnits(d, `give an activation_dtype it has`)
		}
	}
	if m.RequiredDTypes != "" {
		for _, d := range parts(m.RequiredDTypes) {
			if h.Peak.Of(unit.DType(d)) == 0 {
				return s.noUnits(unit.DType(d), "remove it from model.required_dtypes")
			}
		}
	}
	if h.SMArch > 0 && h.SMArch < m.MinSMArch {
		fits := chips(func(h *hardware.Hardware) bool { return h.SMArch >= m.MinSMArch })
		return infeasible("%s needs compute capability %.1f (model.min_sm_arch) and %s has %.1f (hardware.sm_arch); %s",
			s.modelName(), m.MinSMArch, s.chipName(), h.SMArch, fits)
	}
	if m.RequiredFeatures != "" && h.Features != "" {
		has := parts(h.Features)
		for _, f := range parts(m.RequiredFeatures) {
			if !slices.Contains(has, f) {
				fits := chips(func(h *hardware.Hardware) bool { return slices.Contains(parts(h.Features), f) })
				return infeasible("%s needs %s (model.required_features) and %s has only %s (hardware.features); %s",
					s.modelName(), f, s.chipName(), strings.Join(has, ", "), fits)
			}
		}
	}
	return nil
}

func infeasible(format string, args ...any) *InfeasibleError {
	return &InfeasibleError{Reason: fmt.Sprintf(format, args...)}
}

// noUnits words the lack of units for a format.
func (s *Scenario) noUnits(d unit.DType, cure string) error {
	var has []string
	for _, f := range unit.DTypes {
		if s.Hardware.Peak.Of(f) > 0 {
			has = append(has, string(f))
		}
	}
	fits := chips(func(h *hardware.Hardware) bool { return h.Peak.Of(d) > 0 })
	return infeasible("%s has no %s units (hardware.peak_tflops.%s = 0), only %s: %s; %s", s.chipName(), d, d, strings.Join(has, ", "), cure, fits)
}

func (s *Scenario) chipName() string  { return cmp.Or(s.Hardware.Name, "the chip") }
func (s *Scenario) modelName() string { return cmp.Or(s.Model.Name, "the model") }

// chips names the chips of the catalogue that would do, at most six.
func chips(fit func(*hardware.Hardware) bool) string {
	var names []string
	for _, name := range hardware.Names() {
		if chip, ok := hardware.Chip(name); ok && fit(&chip) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "no chip of the catalogue has it"
	}
	rest := ""
	if len(names) > 6 {
		names, rest = names[:6], " and others"
	}
	return "chips that have it: " + strings.Join(names, ", ") + rest
}

// parts splits a list whose parts are joined by |; "" has none.
func parts(list string) []string {
	if list == "" {
		return nil
	}
	out := strings.Split(list, "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// featureNames is what a feature may be called.
var featureNames = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// checkLists checks the values that are lists in one string.
func (s *Scenario) checkLists() *FieldError {
	for _, d := range parts(s.Model.RequiredDTypes) {
		if !unit.DType(d).Valid() {
			return &FieldError{Path: "model.required_dtypes", Value: d, Rule: fmt.Sprintf("is not one of %v", unit.DTypes), Hint: "join formats by |, as in fp8|int8"}
		}
	}
	for _, list := range []struct{ path, value string }{
		{"model.required_features", s.Model.RequiredFeatures},
		{"hardware.features", s.Hardware.Features},
	} {
		for _, f := range parts(list.value) {
			if !featureNames.MatchString(f) {
				return &FieldError{Path: list.path, Value: f, Rule: "is not a name of a feature: a-z, 0-9, dot, _ and -", Hint: "join features by |, as in tma|async-copy"}
			}
		}
	}
	return nil
}

// notCompared lists requirements of the model that the chip says nothing about.
func (s *Scenario) notCompared() (notes []string) {
	m, h := &s.Model, &s.Hardware
	if m.MinSMArch > 0 && h.SMArch == 0 {
		notes = append(notes, fmt.Sprintf("model.min_sm_arch = %.1f is not compared: %s states no hardware.sm_arch", m.MinSMArch, s.chipName()))
	}
	if m.RequiredFeatures != "" && h.Features == "" {
		notes = append(notes, fmt.Sprintf("model.required_features = %q is not compared: %s states no hardware.features", m.RequiredFeatures, s.chipName()))
	}
	return notes
}

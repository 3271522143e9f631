package sweep

import (
	"errors"
	"fmt"
	"os"

	"scoville/core/model"
	"scoville/core/scenario"
	"scoville/core/scenario/input"
	"scoville/core/scenario/profile"
	"scoville/sweep/again"
)

// ProfileOptions is what a profile is made of: a Hugging Face config.json, or a
// model of the catalogue, and optionally a chip for its latencies, by name or
// file.
type ProfileOptions struct {
	Config, Model, Hardware string
}

// Profile returns the profile of a model as TOML, and its notes. Errors of the
// inputs are of type *InputError.
func Profile(o ProfileOptions) (text []byte, notes []string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	from := input.Dir(dir)
	m, origin, err := profileOrigin(from, o)
	if err != nil {
		return nil, nil, again.Input(err)
	}
	if o.Hardware != "" {
		e, _, err := from.Hardware(o.Hardware)
		if fe, ok := errors.AsType[*scenario.FieldError](err); ok {
			err = fmt.Errorf("--hardware: %s; %s", fe.Message(), fe.Hint)
		}
		if err != nil {
			return nil, nil, again.Input(err)
		}
		origin.Chip, origin.Device = o.Hardware, &e.Hardware
	}
	p, err := profile.New(m, origin)
	if err != nil {
		return nil, nil, again.Input(fmt.Errorf("%s: %w", origin.Name, err))
	}
	return profile.Write(p, origin), p.Notes, nil
}

// profileOrigin reads the model.
func profileOrigin(from input.Dir, o ProfileOptions) (*model.Model, *profile.Origin, error) {
	if o.Config == "" {
		m, err := input.Model(o.Model)
		if fe, ok := errors.AsType[*scenario.FieldError](err); ok {
			err = fmt.Errorf("--model: %s; %s", fe.Message(), fe.Hint)
		}
		return &m, &profile.Origin{Name: "the catalogue, " + m.Name}, err
	}
	m, sum, err := from.Config(o.Config)
	origin := &profile.Origin{Name: o.Config, SHA256: sum}
	if err == nil {
		origin.Details, err = from.ConfigDetails(o.Config)
	}
	if fe, ok := errors.AsType[*scenario.FieldError](err); ok {
		err = fmt.Errorf("%s: %s", o.Config, fe.Rule)
	}
	return &m, origin, err
}

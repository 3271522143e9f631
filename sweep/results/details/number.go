package details

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
)

// Number is a number that JSON has as null where it is not known: NaN.
type Number float64

// digits is how many a number is written with.
const digits = 9

// Known reports whether there is a number.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) }

// MarshalJSON writes nine significant digits, null for what is not finite.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(rounded)
}

// UnmarshalJSON reads what MarshalJSON wrote: no time or count is below 0.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	var f float64
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	if f < 0 || f > 1e18 {
		return errors.New("a number below 0, or too large")
	}
	*n = Number(f)
	return nil
}

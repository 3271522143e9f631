package spec

// Number is a number of the hardware that points of a study rest on, with how
// well it is known. Points that agree in all but the value share one.
type Number struct {
	Hardware string  `json:"hardware"` // hardware.name of the points
	Path     string  `json:"path"`     // study key
	Unit     string  `json:"unit"`     // of the values
	Min      float64 `json:"min"`      // smallest value
	Max      float64 `json:"max"`      // largest value
	Grade    string  `json:"grade"`    // published, calibrated, derived or assumed, weakest last
	Source   string  `json:"source"`   // document, formula or reason
	Layer    string  `json:"layer"`    // catalogue entry, overlay or table of the study that set it; "default" for none
	Points   int     `json:"points"`   // how many points
}

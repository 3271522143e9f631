// Package unit holds the quantities the simulator computes with: number
// formats of tensors, and bytes and counts printed with a
// scale people read. It knows nothing of models, chips or files.
//
// Inside the simulator every quantity is a float64 in a base unit: seconds,
// bytes, FLOPs (one multiply-add is two), tokens. Outside (study keys, column
// names) a name carries its unit: GB = 10^9 bytes, GiB = 2^30 bytes.
package unit

import (
	"fmt"
	"math"
	"strings"
)

// Factors between the units of study keys and base units.
const (
	GB   = 1e9     // bytes
	GiB  = 1 << 30 // bytes
	MiB  = 1 << 20 // bytes
	Tera = 1e12
	Ms   = 1e-3 // seconds
	Us   = 1e-6 // seconds
)

// DType is the number format of a tensor: "int4", "fp4", "int8", "fp8",
// "fp16", "bf16" or "fp32". The empty DType means "not given".
type DType string

// The formats the simulator knows. FP4 is a 4-bit float with block scales
// (MXFP4, NVFP4); its bytes include the scale, see Bytes.
const (
	INT4 DType = "int4"
	FP4  DType = "fp4"
	INT8 DType = "int8"
	FP8  DType = "fp8"
	FP16 DType = "fp16"
	BF16 DType = "bf16"
	FP32 DType = "fp32"
)

// DTypes lists every known format, narrowest first.
var DTypes = [...]DType{INT4, FP4, INT8, FP8, FP16, BF16, FP32}

// Bytes returns the bytes one element takes: 0.5 for int4, 0.53125 for fp4
// (4 bits and one 8-bit scale per 32 elements, OCP MX v1.0 section 5.2), 1 for
// int8 and fp8, 2 for fp16 and bf16, 4 for fp32, and 0 for an unknown format.
func (d DType) Bytes() float64 {
	switch d {
	case INT4:
		return 0.5
	case FP4:
		return 0.5 + 1.0/32
	case INT8, FP8:
		return 1
	case FP16, BF16:
		return 2
	case FP32:
		return 4
	}
	return 0
}

// Valid reports whether d is one of DTypes.
func (d DType) Valid() bool { return d.Bytes() > 0 }

// Bytes prints a size in binary units: "64 MiB", "12.6 GiB".
func Bytes(b float64) string {
	switch a := math.Abs(b); {
	case a < 1<<10:
		return digits(b) + " B"
	case a < MiB:
		return digits(b/(1<<10)) + " KiB"
	case a < GiB:
		return digits(b/MiB) + " MiB"
	default:
		return digits(b/GiB) + " GiB"
	}
}

// Count prints a large count with a decimal prefix: "6.74 G", "128", "1.07 T".
func Count(n float64) string {
	for _, p := range []struct {
		f float64
		s string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}} {
		if math.Abs(n) >= p.f {
			return digits(n/p.f) + p.s
		}
	}
	return digits(n)
}

// digits prints x with three significant digits and no exponent.
func digits(x float64) string {
	a := math.Abs(x)
	prec := 0
	switch {
	case a == 0:
	case a < 10:
		prec = 2
	case a < 100:
		prec = 1
	}
	s := fmt.Sprintf("%.*f", prec, x)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

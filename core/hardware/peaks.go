package hardware

import "scoville/core/unit"

// Of returns the dense peak at a number format in TFLOP/s; 0 = the chip has no
// such units. fp16 and bf16 stand in for each other where only one is given:
// no chip that multiplies both does so at different rates. Nothing else does:
// weights in a format without units (fp4 on Hopper) are dequantised, and the
// format they are then multiplied in is the model's activation_dtype.
func (p Peaks) Of(d unit.DType) float64 {
	switch d {
	case unit.INT4:
		return p.INT4
	case unit.FP4:
		return p.FP4
	case unit.INT8:
		return p.INT8
	case unit.FP8:
		return p.FP8
	case unit.FP16:
		return orElse(p.FP16, p.BF16)
	case unit.BF16:
		return orElse(p.BF16, p.FP16)
	case unit.FP32:
		return p.FP32
	}
	return 0
}

func orElse(x, fallback float64) float64 {
	if x == 0 {
		return fallback
	}
	return x
}

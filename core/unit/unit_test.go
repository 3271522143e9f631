package unit

import (
	"math"
	"testing"
)

func TestDType(t *testing.T) {
	for d, want := range map[DType]float64{
		"int4": 0.5, "fp4": 0.53125, "int8": 1, "fp8": 1, "fp16": 2, "bf16": 2, "fp32": 4,
		"": 0, "INT8": 0, "fp64": 0, "int8 ": 0,
	} {
		if d.Bytes() != want || d.Valid() != (want > 0) {
			t.Errorf("%q: %v bytes, valid %t; want %v", d, d.Bytes(), d.Valid(), want)
		}
	}
	last := 0.0
	for _, d := range DTypes {
		if !d.Valid() || d.Bytes() < last {
			t.Errorf("DTypes: %q has %v bytes after %v", d, d.Bytes(), last)
		}
		last = d.Bytes()
	}
}

func TestPrint(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Bytes(0), "0 B"},
		{Bytes(1023), "1023 B"},
		{Bytes(1024), "1 KiB"},
		{Bytes(64 * MiB), "64 MiB"},
		{Bytes(12.6 * GiB), "12.6 GiB"},
		{Bytes(2000 * GiB), "2000 GiB"},
		{Bytes(-1.5 * MiB), "-1.5 MiB"},
		{Count(0), "0"},
		{Count(128), "128"},
		{Count(99_999), "99999"},
		{Count(6.74e9), "6.74 G"},
		{Count(1.07e12), "1.07 T"},
		{Count(1e6), "1 M"},
		{Count(-3.2e6), "-3.2 M"},
		{Count(1.5), "1.5"},
		{digits(9.994), "9.99"},
		{digits(9.996), "10"},
		{digits(99.96), "100"},
		{digits(100), "100"},
		{digits(0.004), "0"},
		{digits(0.05), "0.05"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestFactors(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{GB, 1e9}, {GiB, math.Exp2(30)}, {MiB, math.Exp2(20)}, {Tera, 1e12}, {Ms * 1000, 1}, {Us * 1e6, 1},
	} {
		if c.got != c.want {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

package workload

import (
	"hash/fnv"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Stream is a named source of random numbers. Draw k is a function of the
// stream and k alone: a draw more or less elsewhere shifts nothing, and every
// point of a comparison meets the same requests.
type Stream uint64

// NewStream returns the stream `name` of a replicate of a study. Every
// combination, seed 0 included, gives a stream of its own.
func NewStream(seed uint64, replicate int, name string) Stream {
	h := fnv.New64a()
	h.Write([]byte(name))
	return Stream(mix(mix(mix(seed)+uint64(replicate)) ^ h.Sum64()))
}

// mix is the output function of SplitMix64 (Steele, Lea, Flood 2014) after one
// step of its counter: a bijection that flips half the bits for each input bit.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Uniform returns draw k of the stream, uniform in (0, 1), never 0 or 1.
func (s Stream) Uniform(k int) float64 {
	u := mix(uint64(s) + uint64(k)*0x9e3779b97f4a7c15)
	return (float64(u>>12) + 0.5) * 0x1p-52
}

// Normal returns draw k of the stream, standard normal.
func (s Stream) Normal(k int) float64 { return normalQuantile(s.Uniform(k)) }

// Exponential transforms a uniform draw to a unit-mean exponential one.
func Exponential(u float64) float64 { return -math.Log1p(-u) }

// normalQuantile is the inverse of the standard normal distribution function.
func normalQuantile(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// gammaQuantile is the inverse distribution function of a unit-mean gamma
// variable with coefficient of variation cv.
func gammaQuantile(u, cv float64) float64 {
	if cv == 0 {
		return 1
	}
	shape := 1 / (cv * cv)
	return mathext.GammaIncRegInv(shape, u) / shape
}

package span

import (
	"math/big"
	"strings"
)

// Relative reads "-20%", "+10%" or "x0.5" as a factor on the base value: 4/5,
// 11/10, 1/2. Other text gives nil.
func Relative(s string) *big.Rat {
	if rest, ok := strings.CutPrefix(s, "x"); ok {
		return Decimal(rest)
	}
	rest, ok := strings.CutSuffix(s, "%")
	if !ok || rest == "" || rest[0] != '-' && rest[0] != '+' {
		return nil
	}
	percent := Decimal(rest[1:])
	if percent == nil {
		return nil
	}
	percent.Quo(percent, big.NewRat(100, 1))
	if rest[0] == '-' {
		percent.Neg(percent)
	}
	return percent.Add(percent, big.NewRat(1, 1))
}

// Decimal reads an unsigned decimal number without exponent; nil if it is none.
func Decimal(s string) *big.Rat {
	if len(s) > 30 || strings.Trim(s, "0123456789.") != "" {
		return nil
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return r
}

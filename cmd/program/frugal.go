package program

import (
	"os"
	"runtime/debug"
)

// frugalPercent is how much garbage there may be, of what is in use.
const frugalPercent = 30

// Frugal has garbage collected early for the rest of the program, unless GOGC says
// how. It is for reading and laying out large tables, most of which stays in use:
// memory counts for more than a little time.
func Frugal() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(frugalPercent)
	}
}

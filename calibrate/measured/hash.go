package measured

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Hash is one hash for the contents of several files, whatever their order.
func Hash(files []*File) string {
	sums := make([]string, len(files))
	for i, f := range files {
		sums[i] = f.SHA256
	}
	if len(sums) == 1 {
		return sums[0]
	}
	slices.Sort(sums)
	sum := sha256.Sum256([]byte(strings.Join(sums, "\n")))
	return hex.EncodeToString(sum[:])
}

package hardware

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"scoville/core/schema"
	"scoville/core/unit"
)

// A value of a chip that is so many times the largest of the catalogue, or such
// a part of the smallest, is more likely written in another unit, which is
// 1,000 times off, than meant. Between them is room for weights in on-chip
// memory (80 TB/s), for edge devices (one LPDDR4 channel pair of 25 GB/s, 2
// TFLOP/s) and for what faster chips bring.
const (
	times = 20
	part  = 50
	// partMemory is part for the bandwidth of a memory, whose smallest is low.
	partMemory = 20
)

// likened are keys that few chips of the catalogue have, with the key whose
// values there they are compared with.
var likened = map[string]string{
	"weight_bandwidth_gb_s": "memory_bandwidth_gb_s", "state_bandwidth_gb_s": "memory_bandwidth_gb_s",
	"weight_memory_gib": "memory_gib", "state_memory_gib": "memory_gib",
}

// units are those 1,000 times smaller and larger.
var units = map[string][2]string{"TFLOP/s": {"GFLOP/s", "PFLOP/s"}, "GB/s": {"MB/s", "TB/s"}, "GiB": {"MiB", "TiB"}}

// span is the catalogue's smallest and largest value of a key above 0, and the
// chips that have them.
type span struct {
	least, most     float64
	leastOf, mostOf string
}

// judged is a key that is compared with the catalogue.
type judged struct {
	*schema.Node
	span
	part float64 // of the smallest; 0 = no value is too small
}

// judgedKeys are the peaks, memories and links of which the catalogue has any.
var judgedKeys = sync.OnceValue(func() (out []judged) {
	c, err := load()
	if err != nil {
		return nil // whatever uses the catalogue says so
	}
	spans := map[string]span{}
	for _, k := range keys() {
		if strings.HasPrefix(k.Path, "peak_tflops.") || slices.Contains([]string{"memory_bandwidth_gb_s", "memory_gib", "link_bandwidth_gb_s"}, k.Path) {
			spans[k.Path] = spanOf(c, k)
		}
	}
	for _, k := range keys() {
		like := cmp.Or(likened[k.Path], k.Path)
		j := judged{k, spans[like], part}
		switch like {
		case "memory_bandwidth_gb_s":
			j.part = partMemory
		case "memory_gib":
			j.part = 0 // a memory on the chip may be of any size
		}
		if j.most > 0 {
			out = append(out, j)
		}
	}
	return out
})

func spanOf(c *catalogue, k *schema.Node) (s span) {
	for _, name := range c.names {
		x := reflect.ValueOf(c.entries[normalise(name)].Hardware).FieldByIndex(k.Index).Float()
		if x > 0 && (s.least == 0 || x < s.least) {
			s.least, s.leastOf = x, name
		}
		if x > s.most {
			s.most, s.mostOf = x, name
		}
	}
	return s
}

// Implausible says, one sentence a key that starts with it, which peaks,
// bandwidths and sizes of memories, and links are so far beyond those of the
// catalogue that they are likely written in another unit. Values of 0 are not
// given.
func (h *Hardware) Implausible() (notes []string) {
	root := reflect.ValueOf(h).Elem()
	for _, k := range judgedKeys() {
		switch x := root.FieldByIndex(k.Index).Float(); {
		case x <= 0:
		case x > times*k.most:
			notes = append(notes, fmt.Sprintf("hardware.%s = %s %s is %s times the largest of the catalogue (%s, %s): is it %s?", k.Path, unit.Rounded(x), k.Unit, unit.Rounded(x/k.most), unit.Rounded(k.most), k.mostOf, units[k.Unit][0]))
		case x*k.part < k.least && k.part > 0:
			notes = append(notes, fmt.Sprintf("hardware.%s = %s %s is 1/%s of the smallest of the catalogue (%s, %s): is it %s?", k.Path, unit.Rounded(x), k.Unit, unit.Rounded(k.least/x), unit.Rounded(k.least), k.leastOf, units[k.Unit][1]))
		}
	}
	return notes
}

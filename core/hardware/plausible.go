package hardware

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
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

// spans are those of peaks, memories and links, by key.
var spans = sync.OnceValue(func() map[string]span {
	out := map[string]span{}
	c, err := load()
	if err != nil {
		return out // whatever uses the catalogue says so
	}
	for _, k := range keys() {
		if !strings.HasPrefix(k.Path, "peak_tflops.") && k.Path != "memory_bandwidth_gb_s" && k.Path != "memory_gib" && k.Path != "link_bandwidth_gb_s" {
			continue
		}
		var s span
		for _, name := range c.names {
			x, _ := k.Get(reflect.ValueOf(c.entries[normalise(name)].Hardware)).(float64)
			if x > 0 && (s.least == 0 || x < s.least) {
				s.least, s.leastOf = x, name
			}
			if x > s.most {
				s.most, s.mostOf = x, name
			}
		}
		out[k.Path] = s
	}
	return out
})

// Implausible says, one sentence a key that starts with it, which peaks,
// bandwidths and sizes of memories, and links are so far beyond those of the
// catalogue that they are likely written in another unit. Values of 0 are not
// given.
func (h *Hardware) Implausible() (notes []string) {
	root := reflect.ValueOf(*h)
	for _, k := range keys() {
		like, ok := likened[k.Path]
		if !ok {
			like = k.Path
		}
		s, ok := spans()[like]
		if !ok || s.most == 0 {
			continue
		}
		x, _ := k.Get(root).(float64)
		if x <= 0 {
			continue
		}
		under := float64(part)
		switch like {
		case "memory_bandwidth_gb_s":
			under = partMemory
		case "memory_gib":
			under = 0 // a memory on the chip may be of any size
		}
		switch key := "hardware." + k.Path; {
		case x > times*s.most:
			notes = append(notes, fmt.Sprintf("%s = %s %s is %s times the largest of the catalogue (%s, %s): is it %s?", key, grouped(x), k.Unit, grouped(x/s.most), grouped(s.most), s.mostOf, units[k.Unit][0]))
		case under > 0 && x*under < s.least:
			notes = append(notes, fmt.Sprintf("%s = %s %s is 1/%s of the smallest of the catalogue (%s, %s): is it %s?", key, grouped(x), k.Unit, grouped(s.least/x), grouped(s.least), s.leastOf, units[k.Unit][1]))
		}
	}
	return notes
}

// grouped prints a number with commas; below 1,000 to three digits.
func grouped(x float64) string {
	if x < 1000 {
		return fmt.Sprintf("%.3g", x)
	}
	digits := fmt.Sprintf("%.0f", x)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

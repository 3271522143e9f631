package kv

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPrefixes compares the cache with a list of blocks in order of last use.
func TestPrefixes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const blocks, size, pool = 40, 3, 60
	var c Prefixes
	c.Reset(blocks, size)
	holders := make([]int, blocks)
	var idle []int32 // least recently used first
	var held [][]int32
	used := 0
	for range 20_000 {
		switch chain := randomChain(r, blocks); {
		case r.IntN(2) == 0 && len(held) > 0: // a sequence ends
			i := r.IntN(len(held))
			freed := c.Drop(held[i])
			for j := len(held[i]) - 1; j >= 0; j-- {
				id := held[i][j]
				if holders[id]--; holders[id] == 0 {
					idle = append(idle, id)
					used -= size
					freed -= size
				}
			}
			if freed != 0 {
				t.Fatalf("drop frees %d blocks too many", freed)
			}
			held = slices.Delete(held, i, i+1)
		default: // a sequence begins with what is cached and computes the rest
			n, take := c.Hits(chain)
			wantTake, want := 0, 0
			for _, id := range chain {
				at := slices.Index(idle, id)
				if at < 0 && holders[id] == 0 {
					break
				}
				if at >= 0 {
					wantTake += size
				}
				want++
			}
			if n != want || take != wantTake {
				t.Fatalf("hits %d taking %d, want %d taking %d", n, take, want, wantTake)
			}
			if used+take+(len(chain)-n)*size > pool {
				continue
			}
			c.Hold(chain[:n])
			release := c.Add(chain[n:])
			for i, id := range chain {
				at := slices.Index(idle, id)
				if at >= 0 {
					idle = slices.Delete(idle, at, at+1)
				}
				if holders[id] == 0 {
					used += size
				} else if i >= n {
					release -= size
				}
				holders[id]++
			}
			if release != 0 {
				t.Fatalf("add releases %d blocks too many", release)
			}
			held = append(held, chain)
		}
		c.Trim(pool - used)
		for len(idle)*size > pool-used {
			idle = idle[1:]
		}
		copies := 0
		for _, n := range holders {
			copies += max(n-1, 0)
		}
		if c.Idle() != len(idle)*size || c.Copies() != copies {
			t.Fatalf("idle %d, copies %d; want %d, %d", c.Idle(), c.Copies(), len(idle)*size, copies)
		}
	}
}

// randomChain returns a prefix of one of ten chains that share beginnings.
func randomChain(r *rand.Rand, blocks int32) []int32 {
	chain := []int32{0, 1, 2 + r.Int32N(5)}
	next := 7 + (chain[2]-2)*6
	for range r.IntN(6) {
		chain = append(chain, next)
		next++
	}
	return chain[:1+r.IntN(len(chain))]
}

package perf

import mathbits "math/bits"

// Cost is what one step takes, and how that changes while the same batch goes
// on decoding. Stages and Resources each add up to Total: they hold exposed
// seconds, so work hidden behind other work counts where the time was spent.
type Cost struct {
	Total     Line
	Stages    [NumStages]Line
	Resources [NumResources]Line
	Busy      [NumResources]Line // seconds each resource would need at its datasheet rate; Compute, Weights, State, Link only
	KVBytes   Line               // KV bytes read by decodes, all chips
	KVOnChip  Line               // of these, from the on-chip store
	FLOPs     Line               // all chips
	Bytes     Line               // off-chip memory traffic, all chips, KV as often as chips read it

	// Horizon is the number of steps, at least one, over which the lines hold
	// while no sequence joins, leaves, or fills its window. Steps with chunks
	// have Horizon 1.
	Horizon int

	stages, resources uint32 // sets of those that may be other than 0
	gemms             [2]gemmMemo
	attention         [2]part
}

// clear empties c but for the remembered GEMMs. Most machines have few of the
// stages and resources, so only those in use are touched, here and in sums.
func (c *Cost) clear() {
	for s := c.stages; s != 0; s &= s - 1 {
		c.Stages[mathbits.TrailingZeros32(s)] = Line{}
	}
	for s := c.resources; s != 0; s &= s - 1 {
		c.Resources[mathbits.TrailingZeros32(s)] = Line{}
	}
	c.stages, c.resources = 0, 0
	clear(c.Busy[:Link+1])
	c.Total, c.KVBytes, c.KVOnChip, c.FLOPs, c.Bytes = Line{}, Line{}, Line{}, Line{}, Line{}
	c.Horizon = forever
}

// stage adds exposed time to a stage.
func (c *Cost) stage(s Stage, t Line) {
	c.stages |= 1 << s
	c.Stages[s] = c.Stages[s].add(t)
}

// resource adds exposed time to a resource.
func (c *Cost) resource(r Resource, t Line) {
	c.resources |= 1 << r
	c.Resources[r] = c.Resources[r].add(t)
}

// wait books seconds that one stage waits for one resource and returns them.
func (c *Cost) wait(s Stage, r Resource, seconds float64) float64 {
	if seconds > 0 {
		c.stage(s, constant(seconds))
		c.resource(r, constant(seconds))
	}
	return seconds
}

// AddStages adds the exposed seconds of m steps, stage by stage.
func (c *Cost) AddStages(m float64, sum *[NumStages]float64) {
	for s := c.stages; s != 0; s &= s - 1 {
		i := mathbits.TrailingZeros32(s)
		sum[i] += c.Stages[i].Sum(m)
	}
}

// AddResources adds the exposed seconds of m steps to each sum, resource by
// resource; also may be nil.
func (c *Cost) AddResources(m float64, sum, also *[NumResources]float64) {
	for s := c.resources; s != 0; s &= s - 1 {
		i := mathbits.TrailingZeros32(s)
		t := c.Resources[i].Sum(m)
		sum[i] += t
		if also != nil {
			also[i] += t
		}
	}
}

// Overhead returns the exposed time of the host: its fitted terms, kernel
// launches and the sampling of tokens.
func (c *Cost) Overhead() Line {
	return c.Stages[Host].add(c.Stages[Launch]).add(c.Stages[Sampling])
}

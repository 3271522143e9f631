// Package kv counts the blocks of the KV cache: how many are in use, and when
// running sequences will need new ones. It knows nothing of requests, time or
// models.
package kv

// Pool is a pool of equal blocks shared by the running sequences. Decoding
// sequences all grow by one token a step, so each needs a new block every
// blockSize steps; the pool keeps how many fall on each step of that cycle.
type Pool struct {
	total, used, peak int
	blockSize         int
	phase             []int // phase[r]: decodes whose next step needs a block when (step + r) % blockSize == 0
	decodes           int
}

// Reset makes the pool an empty one of total blocks of blockSize tokens.
func (p *Pool) Reset(total, blockSize int) {
	phase := p.phase
	if cap(phase) < blockSize {
		phase = make([]int, blockSize)
	}
	phase = phase[:blockSize]
	clear(phase)
	*p = Pool{total: total, blockSize: blockSize, phase: phase}
}

// Free returns the blocks not in use.
func (p *Pool) Free() int { return p.total - p.used }

// Used returns the blocks in use, Peak the most there ever were, Total all.
func (p *Pool) Used() int  { return p.used }
func (p *Pool) Peak() int  { return p.peak }
func (p *Pool) Total() int { return p.total }

// Blocks returns the blocks that hold n tokens.
func (p *Pool) Blocks(n int) int { return (n + p.blockSize - 1) / p.blockSize }

// Take takes n blocks and reports whether there were as many; if not, it takes
// none.
func (p *Pool) Take(n int) bool {
	if n > p.Free() {
		return false
	}
	p.used += n
	p.peak = max(p.peak, p.used)
	return true
}

// Release gives n blocks back.
func (p *Pool) Release(n int) { p.used -= n }

// Join adds a decoding sequence that holds n tokens before decode step `step`.
func (p *Pool) Join(n int, step int64) {
	p.phase[p.index(n, step)]++
	p.decodes++
}

// Leave removes a decoding sequence that holds n tokens before decode step
// `step`. Its blocks are released apart.
func (p *Pool) Leave(n int, step int64) {
	p.phase[p.index(n, step)]--
	p.decodes--
}

func (p *Pool) index(n int, step int64) int {
	b := int64(p.blockSize)
	return int(((int64(n)-step)%b + b) % b)
}

// Needs returns how many new blocks decode step `step` takes.
func (p *Pool) Needs(step int64) int {
	b := int64(p.blockSize)
	return p.phase[(b-step%b)%b]
}

// Grow takes the blocks of m decode steps from `step` on. The caller made sure
// with Steps that they are free.
func (p *Pool) Grow(step int64, m int) {
	b := p.blockSize
	n := m / b * p.decodes
	i := int(step % int64(b)) // step + j needs phase[-(i + j) mod b]
	for range m % b {
		if i == 0 {
			n += p.phase[0]
		} else {
			n += p.phase[b-i]
		}
		if i++; i == b {
			i = 0
		}
	}
	p.used += n
	p.peak = max(p.peak, p.used)
}

// Steps returns for how many decode steps from `step` on, at most m, `free`
// blocks last.
func (p *Pool) Steps(step int64, m, free int) int {
	b := p.blockSize
	if (m/b+1)*p.decodes <= free {
		return m
	}
	n := 0
	if p.decodes > 0 {
		cycles := min(free/p.decodes, m/b)
		n, free = cycles*b, free-cycles*p.decodes
	}
	for n < m {
		free -= p.Needs(step + int64(n))
		if free < 0 {
			break
		}
		n++
	}
	return n
}

package kv

// Prefixes is a prefix cache: blocks of prompt tokens that finished or running
// sequences left behind, by the number of the prefix they end. A block in use
// counts as used in the pool; one that no sequence holds counts as free and
// stays cached until the pool needs the room, least recently used first.
type Prefixes struct {
	size    int // pool blocks of one prefix block
	entries []prefix
	head    int32 // least recently used of the blocks nobody holds, none if none
	tail    int32
	idle    int // blocks nobody holds
	copies  int // holders beyond the first, over all blocks
}

type prefix struct {
	cached     bool
	holders    int32
	prev, next int32
}

const none = int32(-1)

// Reset empties the cache: n prefixes numbered from 0, each block of size pool
// blocks.
func (c *Prefixes) Reset(n, size int) {
	if cap(c.entries) < n {
		c.entries = make([]prefix, n)
	}
	c.entries = c.entries[:n]
	clear(c.entries)
	*c = Prefixes{size: size, entries: c.entries, head: none, tail: none}
}

// Hits returns how many leading blocks of a chain are cached, and how many pool
// blocks holding them would take: those that nobody holds yet.
func (c *Prefixes) Hits(chain []int32) (n, take int) {
	for _, id := range chain {
		e := &c.entries[id]
		if !e.cached {
			break
		}
		if e.holders == 0 {
			take += c.size
		}
		n++
	}
	return n, take
}

// Hold makes a sequence a holder of cached blocks. The caller takes the pool
// blocks that Hits named.
func (c *Prefixes) Hold(chain []int32) {
	for _, id := range chain {
		e := &c.entries[id]
		if e.holders == 0 {
			c.unlink(id)
			c.idle--
		} else {
			c.copies++
		}
		e.holders++
	}
}

// Add caches blocks that a sequence has computed and holds. Blocks that were
// cached meanwhile are shared instead: Add returns the pool blocks to give back,
// those computed twice and still held by others. The caller keeps the rest as
// they are.
func (c *Prefixes) Add(chain []int32) (release int) {
	for _, id := range chain {
		e := &c.entries[id]
		switch {
		case !e.cached:
			e.cached = true
		case e.holders == 0:
			c.unlink(id)
			c.idle--
		default:
			c.copies++
			release += c.size
		}
		e.holders++
	}
	return release
}

// Drop ends a sequence's hold and returns the pool blocks that become free.
// The end of the chain becomes the least recently used.
func (c *Prefixes) Drop(chain []int32) (release int) {
	for i := len(chain) - 1; i >= 0; i-- {
		e := &c.entries[chain[i]]
		if e.holders--; e.holders > 0 {
			c.copies--
			continue
		}
		release += c.size
		c.link(chain[i])
		c.idle++
	}
	return release
}

// Trim forgets blocks that nobody holds until they fit the pool's free ones.
func (c *Prefixes) Trim(free int) {
	for c.idle*c.size > free {
		id := c.head
		c.unlink(id)
		c.entries[id].cached = false
		c.idle--
	}
}

// Idle returns the pool blocks of cached prefixes that nobody holds.
func (c *Prefixes) Idle() int { return c.idle * c.size }

// Copies returns by how many blocks sequences hold more than there are.
func (c *Prefixes) Copies() int { return c.copies }

func (c *Prefixes) link(id int32) {
	e := &c.entries[id]
	e.prev, e.next = c.tail, none
	if c.tail == none {
		c.head = id
	} else {
		c.entries[c.tail].next = id
	}
	c.tail = id
}

func (c *Prefixes) unlink(id int32) {
	e := &c.entries[id]
	if e.prev == none {
		c.head = e.next
	} else {
		c.entries[e.prev].next = e.next
	}
	if e.next == none {
		c.tail = e.prev
	} else {
		c.entries[e.next].prev = e.prev
	}
}

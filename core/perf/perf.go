// Package perf says how long one engine step takes, stage by stage, from a
// model, a chip, the parallelism and the shape of the batch. It is a roofline
// per operator group with fitted efficiencies and host costs; every stage time
// is returned with the resource that bounds it. It knows nothing of arrivals,
// queues or schedulers.
//
//	step = gemm + experts + lm_head        each max(FLOPs / (C u_c), bytes / (b u_b))
//	     + decode attention + prefill attention   each max(FLOPs / (C_att u_a), KV bytes / (b u_kv))
//	     + link                            2 L (alpha + 2 (tp-1)/tp T hidden 2 B / (link u_link)), tp > 1
//	     + host                            L tL + L_moe tM + t0 + t1 S + [prefill] tpf
//
// On kv_path = "separate" the attention terms run on their own memory beside
// the GEMMs: max(backbone, state, all FLOPs / C when attention shares the
// backbone's units) + (1 - overlap) min(backbone, state), plus the adapter's
// fixed latency. Each term's formula stands at its function. Effects that are
// off by default are listed in EFFECTS.md with formula, source and size.
package perf

// Stage is a part of a step.
type Stage int

// The stages of a step.
const (
	GEMM             Stage = iota // attention projections, dense feed-forward, shared experts, router
	Experts                       // routed experts
	LMHead                        // LM head over the sampled rows, and embedding rows
	DecodeAttention               // attention of sequences that decode
	PrefillAttention              // attention of prompt chunks
	AllReduce                     // tensor-parallel all-reduce
	Host                          // scheduling, input preparation, whatever the fitted host terms hold
	Adapter                       // fixed latency of a separate KV path
	Swap                          // KV of preempted sequences to host memory and back
	Draft                         // draft tokens of speculative decoding
	Embedding                     // embedding rows from host memory, and the first norm
	Activations                   // activations between the GEMMs, read and written
	KVAccess                      // latency before KV streams
	Launch                        // kernel launches
	Logits                        // the sampler's read of the logits
	Sampling                      // sampling of tokens
	NumStages
)

var stageNames = [NumStages]string{"gemm", "experts", "lm_head", "decode_attention", "prefill_attention", "all_reduce", "host", "adapter", "swap", "draft", "embedding", "activations", "kv_access", "launch", "logits", "sampling"}

// String returns the stage's name as it appears in results: "gemm".
func (s Stage) String() string { return stageNames[s] }

// Resource is what a stage waits for.
type Resource int

// The resources of a machine.
const (
	Compute     Resource = iota // arithmetic units
	Weights                     // memory path of the weights
	State                       // memory path of the KV cache (the same memory on kv_path = shared)
	OnChip                      // on-chip KV store
	Link                        // chip-to-chip link
	HostCPU                     // host
	AdapterPath                 // adapter latency
	HostLink                    // link to host memory
	Drafter                     // whatever drafts tokens
	NumResources
)

var resourceNames = [NumResources]string{"compute", "weight_memory", "kv_memory", "onchip_kv", "link", "host", "adapter", "host_link", "drafter"}

// String returns the resource's name as it appears in results: "weight_memory".
func (r Resource) String() string { return resourceNames[r] }

// Batch is the shape of one step. Contexts count tokens attended, the new
// token included. The Win fields hold the same sums with each context clipped
// to the model's sliding window and act on sliding layers only; without such
// layers they may stay zero.
type Batch struct {
	Seqs    int // sequences scheduled (S)
	Decodes int // sequences that add one token after their prompt (B)
	Tokens  int // new tokens of the step (T): Decodes plus prompt tokens
	Rows    int // rows sampled: Decodes plus prompts completed in this step

	DecodeCtx     float64 // sum of the contexts of the decodes
	DecodeCtxWin  float64 // the same, clipped
	DecodeGrowing int     // decodes whose clipped context still grows

	Verified    int     // draft tokens that decodes verify, beyond one new token each
	VerifiedCtx float64 // contexts of these tokens, summed

	Swapped int // tokens whose KV moves to host memory or back

	Chunks          int     // prompt chunks
	PrefillPairs    float64 // (query, key) pairs: n (c + (n+1)/2) for n tokens after c
	PrefillPairsWin float64
	PrefillCtx      float64 // KV tokens read by chunks: c + n each
	PrefillCtxWin   float64
}

// AddChunk adds a prompt chunk of n tokens after c tokens of context; window
// is the model's sliding window, 0 for none. last says that the chunk ends its
// prompt, so that one row is sampled.
func (b *Batch) AddChunk(c, n, window int, last bool) {
	b.Seqs++
	b.Chunks++
	b.Tokens += n
	if last {
		b.Rows++
	}
	fc, fn := float64(c), float64(n)
	b.PrefillPairs += fn * (fc + (fn+1)/2)
	b.PrefillCtx += fc + fn
	if window > 0 {
		b.PrefillPairsWin += clippedPairs(fc, fn, float64(window))
		b.PrefillCtxWin += fn + min(fc, float64(window))
	}
}

// clippedPairs counts the pairs of n queries after c tokens when query i (from
// 1) attends to min(c + i, w) keys.
func clippedPairs(c, n, w float64) float64 {
	grow := min(max(w-c, 0), n) // queries whose window is not full
	return grow*(c+(grow+1)/2) + (n-grow)*w
}

// AddDecode adds one decoding sequence that attends to ctx tokens, its new one
// included.
func (b *Batch) AddDecode(ctx, window int) {
	b.Seqs++
	b.Decodes++
	b.Tokens++
	b.Rows++
	b.DecodeCtx += float64(ctx)
	if window > 0 {
		b.DecodeCtxWin += float64(min(ctx, window))
		if ctx < window {
			b.DecodeGrowing++
		}
	}
}

// DecodesOnly reports whether the step has decodes and no prompts.
func (b *Batch) DecodesOnly() bool { return b.Decodes > 0 && b.Chunks == 0 }

// AddVerify adds one decoding sequence that verifies n draft tokens beside its
// one new token, after ctx tokens of context with that one included. Its KV is
// read once for all of them.
func (b *Batch) AddVerify(ctx, n, window int) {
	b.AddDecode(ctx, window)
	b.Tokens += n
	b.Rows += n
	b.Verified += n
	b.VerifiedCtx += float64(n) * (float64(ctx) + float64(n+1)/2)
}

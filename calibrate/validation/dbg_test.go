package validation
import ("testing";"context";"fmt";"scoville/core";"scoville/core/metrics";"slices";"scoville/core/engine";"scoville/core/perf";"scoville/core/workload")
func TestDbg(t *testing.T){
 dir:=shared(t)
 r:=&requestRun{name: "rtx-4090", folder: "RTX4090"}
 readRequests(t,dir,r)
 p:=newReplay(&r.sc,1,"compute_util")
 x:=make([]float64,len(p.params)); for i:=range x {x[i]=p.params[i].Init}
 sc:=p.set(t,r.sc,x)
 for range 2 {
 var a []metrics.Request
 core.Simulate(context.Background(),&sc,core.Options{Requests:func(q []metrics.Request){a=slices.Clone(q)}})
 _,b:=p.run(t,r.sc,x)
 fmt.Println(a[0].Finish,b[0].Finish)
 g := workload.Generator{Spec: &sc.Workload, Block: sc.Engine.BlockSize}
	m := perf.Memory(&sc)
	cfg := engine.Config{
		MaxSeqs: sc.Engine.MaxNumSeqs, MaxTokens: sc.Engine.MaxTokens, Chunked: sc.Engine.ChunkedPre, Reserve: sc.Engine.ReserveFull,
		BlockSize: sc.Engine.BlockSize, Blocks: m.Blocks,
	}
	cfg.Prefixes, cfg.PrefixBlock = g.Prefixes()
	var eng engine.Engine
	var got engine.Output
	eng.Run(context.Background(), perf.New(&sc), cfg, g.Append(nil), &got)
	fmt.Println(got.Requests[0].Finish)
	cfg.Trace=func(e engine.Event){}
	eng.Run(context.Background(), perf.New(&sc), cfg, g.Append(nil), &got)
	fmt.Println(got.Requests[0].Finish)
	 p.run(t,r.sc,append([]float64{0.5},x[1:]...))
	}
}

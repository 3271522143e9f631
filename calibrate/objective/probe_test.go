package objective
import ("testing";"os";"fmt";"context";"math";"slices";"time";"runtime";"strings"
"scoville/calibrate/measured";"scoville/calibrate/fit";"scoville/core/scenario")

func load(t *testing.T, hw, model, ver string) []Condition {
 var rows []*measured.Observation
 var files []*measured.File
 for _,n:=range []string{"silicon_sample.vllm-agg.csv","silicon_sample.vllm-agg.trimmed-source.csv"}{
 b,_:=os.ReadFile("../../../shared/data/aiconfigurator-silicon/"+n)
 f,err:=measured.Read(n,b,measured.Options{})
 if err!=nil{t.Fatal(err)}
 files=append(files,f)
 }
 measured.DropDuplicates(files)
 for _,f:=range files{ for i:=range f.Rows { o:=&f.Rows[i]
   v,_:=o.Value("engine.version").(string)
   if o.Value("hardware.name")==hw && o.Value("model.name")==model && strings.HasPrefix(v,ver) { rows=append(rows,o)}}}
 conds,err:=Pair(rows,nil,scenario.NewCatalog("."))
 if err!=nil{t.Fatal(err)}
 for _,o:=range rows { if o.Dropped!="" {fmt.Println("drop",o.Line,o.Dropped)}}
 return conds
}
func quant(e []float64) string { s:=slices.Clone(e); slices.Sort(s); if len(s)==0 {return "-"}
 q:=func(p float64) float64 { h:=p*float64(len(s)-1); i:=int(h); if i+1>=len(s){return s[i]}; return s[i]+(h-float64(i))*(s[i+1]-s[i])}
 return fmt.Sprintf("%.1f/%.1f",100*q(.5),100*q(.9))}

func TestProbe(t *testing.T){
 hw,md,ver:=os.Getenv("HW"),os.Getenv("MD"),os.Getenv("VER")
 if hw=="" {hw,md="h100-sxm","llama-3.1-70b"}
 conds:=load(t,hw,md,ver)
 tp:=0
 for i:=range conds { tp=max(tp,conds[i].Scenario.Engine.TP)}
draws:=1; fmt.Sscan(os.Getenv("DRAWS"),&draws)
 params:=Parameters(&conds[0].Scenario,tp)
 for i:=range params { if slices.Contains(strings.Split(os.Getenv("FREE"),","),params[i].Name){params[i].Fixed=false}
  for _,kv:=range strings.Split(os.Getenv("HOLD"),",") { n,v,ok:=strings.Cut(kv,"="); if ok&&n==params[i].Name { params[i].Fixed=true; fmt.Sscan(v,&params[i].Init)}}}
 for i:=range conds { if v:=os.Getenv("SEQS");v!="" { n:=0; fmt.Sscan(v,&n); if n==0 {n=conds[i].Scenario.Workload.Concurrent}; conds[i].Scenario.Engine.MaxNumSeqs=n}
  for _,kv:=range strings.Split(os.Getenv("SET"),";") { n,v,ok:=strings.Cut(kv,"="); if ok { var x any=v; f:=0.0; if _,e:=fmt.Sscan(v,&f);e==nil{x=f; if f==float64(int(f))&&n!="measurement.length_range"{x=int(f)}}; if e:=conds[i].Scenario.Set(n,x);e!=nil{t.Fatal(e)}}}}
 o,err:=New(conds,params,DefaultTargets(),draws,runtime.NumCPU())
 if err!=nil{t.Fatal(err)}
 all:=make([]int,len(conds)); for i:=range all{all[i]=i}
 ctx:=context.Background()
 t0:=time.Now()
 x0:=make([]float64,len(params)); for i,p:=range params{x0[i]=p.Init}
 o.Predict(ctx,[][]float64{x0},all)
 fmt.Println("one eval",time.Since(t0), len(conds))
 p:=o.Problem(ctx,all,fit.Loss{Kind:fit.Huber,Scale:1.5})
 t0=time.Now()
 r,err:=fit.Run(p,settings())
 if err!=nil{t.Fatal(err)}
 fmt.Println(r.Status,"cost",r.Cost,"iter",r.Iterations,"evals",r.Evals,time.Since(t0))
 for _,e:=range r.Estimates { fmt.Printf("  %-30s %9.4g  %9.4g .. %9.4g %s fixed=%v prior %v\n",e.Name,e.Value,e.Lo,e.Hi,e.Bound,e.Fixed,e.Prior.Center)}
 fmt.Println(r.Weak.Condition,r.Weak.SD,r.Weak)
 pred,_:=o.Predict(ctx,[][]float64{r.Values},all)
 errs:=[2][]float64{}
 for i:=range conds { sc:=&conds[i].Scenario
   for _,row:=range conds[i].Rows { line:=""
   for k,tg:=range o.Targets { m,_:=row.Target(tg.Metric); e:=pred[0][i][k]/m-1; errs[k]=append(errs[k],math.Abs(e)); line+=fmt.Sprintf(" %8.1f %8.1f %+6.1f%%",m,pred[0][i][k],100*e)}
   if os.Getenv("V")!="" {fmt.Printf("%5.0f %5.0f c%3d tp%d %s\n",sc.Workload.Class[0].Prompt.Mean,sc.Workload.Class[0].Output.Mean,sc.Workload.Concurrent,sc.Engine.TP,line)}}}
 fmt.Println("FIT ttft",quant(errs[0]),"tpot",quant(errs[1]))
 if os.Getenv("HO")=="" {return}
 cs:=map[int]bool{}; for i:=range conds{cs[conds[i].Scenario.Workload.Concurrent]=true}
 var list []int; for c:=range cs{list=append(list,c)}; slices.Sort(list)
 errs=[2][]float64{}
 for _,c:=range list[1:len(list)-1] { var in,out []int
  for i:=range conds{ if conds[i].Scenario.Workload.Concurrent==c {out=append(out,i)} else {in=append(in,i)}}
  for j:=range params { o.Params[j].Init=params[j].Init }
  p:=o.Problem(ctx,in,fit.Loss{Kind:fit.Huber,Scale:1.5})
  rr,err:=fit.Run(p,settings()); if err!=nil{t.Fatal(err)}
  pred,_:=o.Predict(ctx,[][]float64{rr.Values},out)
  for n,i:=range out { for _,row:=range conds[i].Rows{ for k,tg:=range o.Targets{ m,_:=row.Target(tg.Metric); errs[k]=append(errs[k],math.Abs(pred[0][n][k]/m-1)); if os.Getenv("V")!="" {fmt.Printf(" %s %+.1f",tg.Metric[:4],100*(pred[0][n][k]/m-1))}}}; sc:=&conds[i].Scenario;if os.Getenv("V")!="" {fmt.Printf("  %5.0f %5.0f c%3d tp%d\n",sc.Workload.Class[0].Prompt.Mean,sc.Workload.Class[0].Output.Mean,sc.Workload.Concurrent,sc.Engine.TP)}}
  fmt.Println("held c",c,rr.Status,rr.Cost,rr.Iterations)
 }
 fmt.Println("HELD ttft",quant(errs[0]),"tpot",quant(errs[1]))
}
func settings() fit.Settings { s:=fit.Settings{}; fmt.Sscan(os.Getenv("STARTS"),&s.Starts); fmt.Sscan(os.Getenv("STEP"),&s.Step); fmt.Sscan(os.Getenv("TOL"),&s.Tolerance); return s}

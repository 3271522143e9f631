package export

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"scoville/core/table"
	"scoville/sweep/again"
	"scoville/sweep/request"
	"scoville/sweep/results"
)

// runFile is the file of the requests of a run.
type runFile struct {
	name      string
	id        string
	seed      uint64
	replicate int64
	point     int // row in points
}

var runName = regexp.MustCompile(`^([0-9a-f]{16})-s([0-9]+)-r([0-9]+)\.parquet$`)

// leading are the columns that say whose the requests are, before the axes.
var leading = []table.Column{
	{Name: "point_id", Kind: table.String, Definition: "hash of the resolved scenario"},
	{Name: "point_index", Kind: table.Int64, Definition: "position of the point in the plan, from 0"},
	{Name: "replicate", Kind: table.Int64, Definition: "replicate, from 0"},
	{Name: "seed", Kind: table.String, Definition: "seed of the study; of fresh replicates another"},
}

// requests writes the requests of all runs, with whose they are and the axes of the
// point before them.
func (s *sink) requests(d *results.Dataset) error {
	list, err := runFiles(d)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return again.Input(fmt.Errorf("%s has no requests: the study does not ask for them ([output] requests = \"all\", or \"sample:100\")", d.Dir))
	}
	axes := d.Axes()
	cols := slices.Clone(leading)
	from := make([]int, len(axes)) // in points
	for i, a := range axes {
		from[i] = d.Points.Index(a.Name)
		if slices.ContainsFunc(request.Columns, func(c table.Column) bool { return c.Name == a.Name }) {
			a.Name = "axis_" + a.Name
		}
		cols = append(cols, a)
	}
	own := len(cols)
	cols = append(cols, request.Columns...)
	chosen, err := s.begin(cols)
	if err != nil {
		return err
	}
	for _, r := range list {
		f, err := table.Read(filepath.Join(d.Dir, request.Dir, r.name))
		if err != nil {
			return again.Input(err)
		}
		row := table.Row{r.id, nil, r.replicate, strconv.FormatUint(r.seed, 10)}
		row[1] = d.Points.Cell(d.Points.Index("point_index"), r.point)
		for _, c := range from {
			row = append(row, d.Points.Cell(c, r.point))
		}
		g, err := table.Beside(f, cols[:own], row)
		if err != nil {
			return again.Input(fmt.Errorf("%s: %w", filepath.Join(d.Dir, request.Dir, r.name), err))
		}
		if err := s.write(g, chosen); err != nil {
			return err
		}
	}
	return nil
}

// runFiles lists the files of requests of the points there are, in the order of
// points, replicates and seeds.
func runFiles(d *results.Dataset) (list []runFile, err error) {
	entries, err := os.ReadDir(filepath.Join(d.Dir, request.Dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, again.Input(err)
	}
	points, id := map[string]int{}, d.Points.Index("point_id")
	for i := range d.Points.Len() {
		name, _ := d.Points.String(id, i)
		points[name] = i
	}
	for _, e := range entries {
		m := runName.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		r := runFile{name: e.Name(), id: m[1]}
		seed, err := strconv.ParseUint(m[2], 10, 64)
		replicate, err2 := strconv.ParseInt(m[3], 10, 64)
		at, ok := points[r.id]
		if err != nil || err2 != nil || !ok {
			continue // of a point that is not planned any more
		}
		r.seed, r.replicate, r.point = seed, replicate, at
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b runFile) int {
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(a.replicate, b.replicate), cmp.Compare(a.seed, b.seed))
	})
	return list, nil
}

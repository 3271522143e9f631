package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"scoville/core/unit"
)

// assets are what every page holds beside its own text. ECharts stands there as
// its authors publish it, with its licence and notice.
//
//go:embed assets
var assets embed.FS

// scripts are the scripts of a page, in their order.
var scripts = []string{"echarts.min.js", "draw.js", "rows.js", "page.js"}

// HTML makes the page one file that needs nothing else. Charts without an ID get
// one; an error is a page that contradicts itself: an ID or a kind of chart that
// cannot be.
func (p *Page) HTML() ([]byte, error) {
	p.identify()
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	data, err := json.Marshal(p.encode())
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	style := asset("page.css")
	in := struct {
		Page    *Page
		Policy  string
		Style   template.HTML
		Data    template.HTML
		Scripts []template.HTML
	}{Page: p, Style: element("style", "", style), Data: element("script", ` type="application/json" id="page-data"`, string(data))}
	var sums []string
	for _, name := range scripts {
		text := asset(name)
		sums = append(sums, sum(text))
		in.Scripts = append(in.Scripts, element("script", "", text))
	}
	in.Policy = "default-src 'none'; script-src " + strings.Join(sums, " ") + "; style-src " + sum(style) + "; base-uri 'none'; form-action 'none'"
	t, err := template.New("page.html").Funcs(template.FuncMap{"text": unit.Visible, "numbers": (*Chart).numbers, "view": (*Table).view}).ParseFS(assets, "assets/page.html")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, in); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return b.Bytes(), nil
}

// asset is an embedded file, which is there.
func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // the program was built without it
	}
	return string(text)
}

// element is an element around text of this package or of encoding/json, neither
// of which ends it.
func element(name, attributes, text string) template.HTML {
	return template.HTML("<" + name + attributes + ">" + text + "</" + name + ">")
}

// sum is how a policy names a text.
func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
}

// identify gives an ID to sections and charts without one.
func (p *Page) identify() {
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.ID == "" {
			s.ID = fmt.Sprintf("s%d", i+1)
		}
		for k := range s.Charts {
			if s.Charts[k].ID == "" {
				s.Charts[k].ID = fmt.Sprintf("%s-c%d", s.ID, k+1)
			}
		}
	}
}

var kinds = map[string]bool{XY: true, Bars: true, Stack: true, Heat: true, Parallel: true}

func (p *Page) check() error {
	seen := map[string]bool{"panel": true, "live": true, "page-data": true}
	name := func(id string) error {
		if seen[id] || strings.ContainsFunc(id, func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-'
		}) {
			return fmt.Errorf("id %q is there twice, or holds more than letters, digits and -", id)
		}
		seen[id] = true
		return nil
	}
	for _, s := range p.Sections {
		if err := name(s.ID); err != nil {
			return err
		}
		for _, c := range s.Charts {
			if err := name(c.ID); err != nil {
				return err
			}
			if !kinds[c.Kind] {
				return fmt.Errorf("chart %s of no kind: %q", c.ID, c.Kind)
			}
		}
	}
	for key, d := range p.Details {
		for _, c := range d.Charts {
			if !kinds[c.Kind] {
				return fmt.Errorf("chart %q in the detail %q of no kind: %q", c.Title, key, c.Kind)
			}
		}
	}
	return nil
}

// encode is what the scripts of the page read.
func (p *Page) encode() object {
	charts := []object{}
	for i := range p.Sections {
		for k := range p.Sections[i].Charts {
			charts = append(charts, p.Sections[i].Charts[k].encode())
		}
	}
	rows := map[string][]text{}
	for key, row := range p.Points.Rows {
		rows[unit.Visible(key)] = texts(row)
	}
	details := map[string]object{}
	for key, d := range p.Details {
		details[unit.Visible(key)] = d.encode()
	}
	title := p.Points.Title
	if title == "" {
		title = "point"
	}
	return object{"charts": charts, "points": object{"title": text(title), "head": texts(p.Points.Head), "rows": rows, "command": text(p.Points.Command)}, "details": details}
}

func (d *Detail) encode() object {
	charts, tables, bodies := []object{}, []object{}, []object{}
	for _, c := range d.Charts {
		o := c.encode()
		o["reading"], o["notes"] = text(c.Reading), texts(c.Notes)
		if t := c.numbers(); t != nil {
			o["numbers"] = t.encode()
		}
		charts = append(charts, o)
	}
	for _, t := range d.Tables {
		tables = append(tables, t.encode())
	}
	for _, t := range d.Texts {
		bodies = append(bodies, object{"title": text(t.Title), "body": text(t.Body)})
	}
	o := object{"title": text(d.Title), "lines": texts(d.Lines), "charts": charts, "tables": tables, "texts": bodies}
	o.put("up", text(d.Up), d.Up != "")
	return o
}

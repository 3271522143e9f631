package layering

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// limit is a row of studies/LIMITS.md: value, what changes it, file and constant.
var limit = regexp.MustCompile("(?m)^\\|[^|]*\\| *([0-9]+) *\\|[^|]*\\| `([^`]+)` ([A-Za-z]+) *\\|$")

// The limits that the page states are the constants in the code.
func TestLimitsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "studies", "LIMITS.md"))
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{} // value by file and name
	for _, f := range sources(t) {
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, name := range v.Names {
					if i >= len(v.Values) {
						continue
					}
					if x, err := types.Eval(f.set, nil, token.NoPos, types.ExprString(v.Values[i])); err == nil && x.Value != nil {
						constants[f.path+" "+name.Name] = x.Value.ExactString()
					}
				}
			}
		}
	}
	rows := limit.FindAllStringSubmatch(string(page), -1)
	if want := strings.Count(string(page), ".go` "); len(rows) != want || want < 30 {
		t.Errorf("%d of %d rows with a constant are read", len(rows), want)
	}
	for _, row := range rows {
		if got, ok := constants[row[2]+" "+row[3]]; !ok || got != row[1] {
			t.Errorf("%s %s is %q in the code, the page says %s", row[2], row[3], got, row[1])
		}
	}
}

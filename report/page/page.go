// Package page is the frame of the pages that people read in a browser: a Page
// is a value, HTML makes one self-contained file of it. What a page says is
// decided by who makes the value; the script of the page draws charts and opens
// panels and says nothing of its own. It knows no results and no metric, and the
// same value gives the same bytes.
package page

// Page is a document: an answer, and sections that support it.
type Page struct {
	Title    string   // name of the study or fit
	Kind     string   // what made it, such as "sweep report"
	Answer   string   // the answer in one sentence
	Lead     []string // what a reader must know next: what ran, what is saturated
	Sections []Section
	Footer   []string // where the page comes from

	// Points are what a chart's points stand for, by Point.Ref: pointing at one
	// shows its row, a click opens a panel with it and with the detail of the same
	// key.
	Points  Points
	Details map[string]Detail
}

// Section is a part of a page with a heading: lines, then charts, tables, texts
// and notes.
type Section struct {
	ID     string // for links: letters, digits and "-"; unique on the page
	Title  string
	Lines  []string // prose
	Charts []Chart
	Tables []Table
	Texts  []Text
	Notes  []string // what must not be overlooked
	Folded bool     // closed until it is asked for

	TablesFirst bool // before the charts
}

// Table is a table of text. Columns of numbers stand to the right by themselves.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
	Notes []string // below; those of rows that are left out say so first
	Max   int      // rows shown, the others are counted in a note; 0 = DefaultRows
	Whole string   // where all rows are, for that note: "points.parquet"; "" = not said
}

// Text is preformatted text.
type Text struct {
	Title, Body string
}

// Points are rows by key, with cells as text.
type Points struct {
	Title   string // what a key is the name of; "" = "point"
	Head    []string
	Rows    map[string][]string
	Command string // how to see more of a point on a command line, the key in place of %s; "" = none
}

// Detail is what the panel of a key shows below its row: opened by a click on a
// point with Ref. Its charts are drawn when it opens; the Refs of their points
// lead to further details, and Up back.
type Detail struct {
	Title  string
	Up     string // key of the detail that this one is part of; "" = none
	Lines  []string
	Charts []Chart
	Tables []Table
	Texts  []Text
}

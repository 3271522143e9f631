package program

import (
	"bytes"
	"fmt"
	"testing"
)

type inner struct {
	Mean *float64 `json:"mean"`
	Note string   `json:"note,omitempty"`
}

type item struct {
	Name  string   `json:"name"`
	At    *inner   `json:"at"`
	Words []string `json:"words"`
	List  []inner  `json:"list"`
}

func items() []item {
	x := 0.25
	return []item{{"=a", &inner{&x, "b"}, []string{"c", "d"}, []inner{{&x, ""}}}, {"e", nil, nil, nil}}
}

// Every structure is a row with the same columns; a cell that a spreadsheet would
// compute is none.
func TestRows(t *testing.T) {
	rows, err := Rows(items())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := CSV(NewDoor(&b), rows); err != nil || b.String() != "name,at_mean,at_note,words,list\n'=a,0.25,b,c; d,1\ne,,,,\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if _, err := Rows(3); err == nil {
		t.Error("a number is a list")
	}
	if got := fmt.Sprint(Objects([][]string{{"a", "b"}, {"1", "2"}})); got != "[map[a:1 b:2]]" {
		t.Error(got)
	}
}

func TestTidy(t *testing.T) {
	rows, err := Tidy(struct {
		Study string `json:"study"`
		Items []item `json:"items"`
	}{"demo", items()[:1]})
	want := "[[part name quantity value] [  study demo] [items.at =a mean 0.25] [items.at =a note b] [items =a words c; d] [items.list =a: 1 mean 0.25]]"
	if got := fmt.Sprint(rows); got != want || err != nil {
		t.Errorf("%s\nwant\n%s (%v)", got, want, err)
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, [][]string{{"a", "b"}, {"long", "1"}}); err != nil || b.String() != "a     b\nlong  1\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if (&Form{CSV: true, JSON: true}).Check() == nil || (&Form{CSV: true}).Check() != nil {
		t.Error("forms")
	}
}

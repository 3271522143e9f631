package bucket

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, bucket, prefix, wrong string }{
		{"s3://b/p/q", "b", "p/q/", ""},
		{"s3://b", "b", "", ""},
		{"s3://b/p/?region=x", "b", "p/", ""},
		{"gs://b/../p//q/./", "b", "p/q/", ""},
		{"file:///a/b", "", "/a/b", ""},
		{"file://a/b", "", "", "in full"},
		{"file:///", "", "", "in full"},
		{"s3:///p", "", "", "no bucket is named"},
		{"http://b/p", "", "", "no object store is known by http://"},
		{"mem://b/p", "", "", "no object store is known by mem://"},
		{"s3://user:secret@b/p", "", "", "credentials"},
		{"s3://b/%zz", "", "", "give s3://"},
	} {
		p, err := parse(c.in)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", c.in, err)
			}
		case err != nil || p.bucket != c.bucket || p.prefix != c.prefix:
			t.Errorf("%s: %+v %v", c.in, p, err)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReference: studies/REFERENCE.md is what sweep list reference writes.
func TestReference(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), []string{"list", "reference"}, &stdout, &stderr); err != nil {
		t.Fatal(err, stderr.String())
	}
	kept, err := os.ReadFile("../../studies/REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	fresh := strings.Split(stdout.String(), "\n")
	for i, line := range strings.Split(string(kept), "\n") {
		if i >= len(fresh) || line != fresh[i] {
			t.Fatalf("studies/REFERENCE.md:%d: %q is not what the program says; make reference writes it anew", i+1, line)
		}
	}
	if stdout.String() != string(kept) {
		t.Error("studies/REFERENCE.md ends early; make reference writes it anew")
	}
}

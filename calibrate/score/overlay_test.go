package score

import (
	"os"
	"path/filepath"
	"testing"
)

// Any file is an overlay or an error.
func FuzzOverlay(f *testing.F) {
	f.Add([]byte("[hardware]\ncompute_util = 0.5\n[calibration.covariance]\npaths = [\"hardware.compute_util\"]\nscale = [\"log\"]\nmean = [-0.69]\nmatrix = [[0.01]]\n"))
	f.Add([]byte("[calibration.applies_to]\nhardware = [\"jalapeno\"]\n[calibration.model_error]\nttft_sd = 0.2\n"))
	f.Add([]byte("[calibration.covariance]\nmatrix = [[[[1]]]]\n"))
	path := filepath.Join(f.TempDir(), "overlay.toml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Overlay(path); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}

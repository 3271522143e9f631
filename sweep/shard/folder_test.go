package shard

import (
	"os"
	"path/filepath"
	"testing"

	"scoville/sweep/journal"
)

// A folder of shards of others is listed, and its records are read, or it holds
// none.
func FuzzFolder(f *testing.F) {
	f.Add("1-of-3", []byte(`{"shard":1,"shards":3,"study":"x","counts":{"ok":4}}`))
	f.Add("9-of-3", []byte(`{"shard":1e99}`))
	f.Add("0000001-of-99999999", []byte("null"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		dir := t.TempDir()
		folder := filepath.Join(dir, Folder, filepath.Base(name))
		if os.MkdirAll(folder, 0o755) != nil {
			t.Skip("no name of a folder")
		}
		for _, file := range []string{RecordFile, journal.File} {
			if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		list, err := In(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if s.Index < 1 || s.Index > s.Count || s.Dir(dir) != folder {
				t.Errorf("%q is %v in %s", name, s, s.Dir(dir))
			}
			_ = Finished(s.Dir(dir))
		}
		if n := Count(list); n < 0 || n > MaxCount {
			t.Errorf("%d shards", n)
		}
	})
}

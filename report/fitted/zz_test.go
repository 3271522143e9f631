package fitted

import ("testing";"os")

func TestZZ(t *testing.T) { if f := os.Getenv("OVERLAY"); f != "" { if err := Write(f); err != nil { t.Fatal(err) } } }

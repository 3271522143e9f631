//go:build !cloud

package bucket

import (
	"context"
	"fmt"
)

// Open opens the bucket of a URL; in this build none.
func Open(_ context.Context, text string) (Bucket, error) {
	if _, err := parse(text); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w; use bin/sweep-cloud, which make cloud builds, or give a folder", text, ErrBuild)
}

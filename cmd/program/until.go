package program

import (
	"context"
	"io"
)

// Until is w until ctx ends: then each Write is its error, so that a long text is
// not written to its end for somebody who has interrupted it.
func Until(ctx context.Context, w io.Writer) io.Writer { return until{ctx, w} }

type until struct {
	ctx context.Context
	io.Writer
}

func (u until) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Writer.Write(b)
}

//go:build cloud

package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/gcsblob" // gs://
	_ "gocloud.dev/blob/s3blob"  // s3://
	"gocloud.dev/gcerrors"
)

// patience is how long a store may say nothing, and slowest the bytes a second that
// it must take.
const (
	patience = time.Minute
	slowest  = 50_000
)

// Open opens the bucket of a URL. It asks the store nothing. Credentials come from
// where the tools of the store look for them; what stands behind ? is as in
// gocloud.dev/blob, such as region=eu-central-1 or endpoint=https://….
func Open(ctx context.Context, text string) (Bucket, error) {
	p, err := parse(text)
	if err != nil {
		return nil, err
	}
	if p.scheme == "file" {
		b, err := fileblob.OpenBucket(p.prefix, &fileblob.Options{CreateDir: true, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		return &cloud{text, p.prefix, b, patience}, nil
	}
	plain := p.scheme + "://" + p.bucket
	if q := p.query.Encode(); q != "" {
		plain += "?" + q
	}
	b, err := blob.OpenBucket(ctx, plain)
	if err != nil && kindOf(err) == ErrNobody {
		return nil, fmt.Errorf("%s: %w (%s)", text, ErrNobody, firstLine(err))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	if p.prefix != "" {
		b = blob.PrefixedBucket(b, p.prefix)
	}
	return &cloud{text, "", b, patience}, nil
}

// cloud is a bucket of gocloud.
type cloud struct {
	name string
	dir  string // of file://
	b    *blob.Bucket
	most time.Duration // without a word of the store
}

// errQuiet says that a store has not answered for too long.
var errQuiet = errors.New("nothing was heard of it for too long")

// limited bounds the time that a store may say nothing, until more is called with
// what it may take besides.
func (c *cloud) limited(ctx context.Context) (inner context.Context, more func(time.Duration), stop func()) {
	inner, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.most, func() { cancel(errQuiet) })
	return inner, func(d time.Duration) { timer.Reset(c.most + d) }, func() { timer.Stop(); cancel(nil) }
}

// why is the error of an operation: that there was no more time, if that ended it.
func why(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errQuiet) || errors.Is(cause, context.DeadlineExceeded)) {
		return cause
	}
	return err
}

// wrap words an error of the store.
func (c *cloud) wrap(verb, key string, err error) error {
	if err == nil {
		return nil
	}
	at := strings.TrimSpace(verb + " " + key)
	if kind := kindOf(err); kind != nil {
		return fmt.Errorf("%s: %s: %w (%s)", c.name, at, kind, firstLine(err))
	}
	return fmt.Errorf("%s: %s: %w", c.name, at, err)
}

// kindOf sorts errors; nil = the store does not understand what it is asked.
func kindOf(err error) error {
	switch {
	case errors.Is(err, ErrExists):
		return ErrExists
	case errors.Is(err, errQuiet), errors.Is(err, context.DeadlineExceeded):
		return ErrAway
	}
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return ErrNotFound
	case gcerrors.PermissionDenied:
		return ErrDenied
	case gcerrors.FailedPrecondition, gcerrors.AlreadyExists:
		return ErrExists
	case gcerrors.Canceled:
		return context.Canceled
	}
	text, code := err.Error(), ""
	if m := httpCode.FindStringSubmatch(text); m != nil {
		code = m[1]
	}
	switch {
	case slices.ContainsFunc([]string{"get credentials:", "could not find default credentials", "/computeMetadata/"}, func(word string) bool { return strings.Contains(text, word) }):
		return ErrNobody
	case forbidden(err), code == "401", code == "403":
		return ErrDenied
	case strings.HasPrefix(code, "3"), strings.HasPrefix(code, "4") && code != "408" && code != "429":
		return nil
	}
	return ErrAway
}

// httpCode finds the code of an answer in an error of a store's client.
var httpCode = regexp.MustCompile(`(?:StatusCode: |googleapi: (?:Error |got HTTP response code ))([1-5][0-9][0-9])`)

// forbidden knows refusals that gocloud has no code for.
func forbidden(err error) bool {
	text := err.Error()
	for _, word := range []string{"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return errors.Is(err, fs.ErrPermission)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Put writes an object.
func (c *cloud) Put(ctx context.Context, key string, from io.Reader, once bool) error {
	if once && c.dir != "" {
		return c.wrap("write", key, c.link(key, from))
	}
	ctx, more, stop := c.limited(ctx)
	defer stop()
	w, err := c.b.NewWriter(ctx, key, &blob.WriterOptions{IfNotExist: once, ContentType: "application/octet-stream"})
	if err != nil {
		return c.wrap("write", key, why(ctx, err))
	}
	n := int64(0)
	_, err = io.Copy(w, heard{from, func(k int) {
		n += int64(k)
		more(time.Duration(n) * time.Second / slowest) // what was read may not be sent yet
	}})
	if err != nil {
		err = why(ctx, err)
		stop() // a writer that is closed after that writes nothing
		w.Close()
		return c.wrap("write", key, err)
	}
	return c.wrap("write", key, why(ctx, w.Close()))
}

// heard tells of the bytes that are read.
type heard struct {
	r    io.Reader
	tell func(n int)
}

func (h heard) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	h.tell(n)
	return n, err
}

// link writes a file that must not be there: gocloud looks first and renames
// then, and between the two another process may write.
func (c *cloud) link(key string, from io.Reader) error {
	path := filepath.Join(c.dir, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".once-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, from)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync()) // readable, as what gocloud writes
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return err
}

// Get reads an object.
func (c *cloud) Get(ctx context.Context, key string, to io.Writer) error {
	ctx, more, stop := c.limited(ctx)
	defer stop()
	r, err := c.b.NewReader(ctx, key, nil)
	if err != nil {
		return c.wrap("read", key, why(ctx, err))
	}
	defer r.Close()
	n, err := io.Copy(to, heard{r, func(int) { more(0) }})
	if err == nil && n != r.Size() {
		err = io.ErrUnexpectedEOF
	}
	return c.wrap("read", key, why(ctx, err))
}

// List lists objects.
func (c *cloud) List(ctx context.Context, prefix string) (out []Object, err error) {
	list := c.b.List(&blob.ListOptions{Prefix: prefix})
	for {
		page, _, stop := c.limited(ctx)
		o, err := list.Next(page)
		err = why(page, err)
		stop()
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, c.wrap("list", prefix, err)
		case !o.IsDir:
			out = append(out, Object{o.Key, o.Size, o.ModTime})
		}
	}
}

// Delete removes an object.
func (c *cloud) Delete(ctx context.Context, key string) error {
	ctx, _, stop := c.limited(ctx)
	defer stop()
	err := why(ctx, c.b.Delete(ctx, key))
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return c.wrap("remove", key, err)
}

// Close ends the use of the bucket.
func (c *cloud) Close() error { return c.b.Close() }

// Package bucket opens buckets of object stores by URL, and gives the few verbs
// that a folder of results needs. It knows nothing of what is kept in them. The
// clients of the stores more than double a program, so they are in builds with
// the tag "cloud" alone; without it every URL is refused.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"time"
)

// Bucket is a bucket, or the part of one below a prefix. A put is whole or not
// there at all.
type Bucket interface {
	// Put writes an object. With once it is ErrExists if there is one of that
	// name, whoever else writes at the same time.
	Put(ctx context.Context, key string, from io.Reader, once bool) error
	// Get reads an object; one that is not there is ErrNotFound.
	Get(ctx context.Context, key string, to io.Writer) error
	// List lists the objects whose names begin with prefix, by name.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Delete removes an object; one that is not there is no error.
	Delete(ctx context.Context, key string) error
	Close() error
}

// Object is an object as it is listed.
type Object struct {
	Key      string
	Size     int64 // bytes
	Modified time.Time
}

// Errors of buckets.
var (
	ErrExists   = errors.New("the object exists already")
	ErrNotFound = errors.New("there is no such bucket or object")
	ErrDenied   = errors.New("access is denied")
	ErrNobody   = errors.New("no credentials were found; give them as the store's own tools take them, such as in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or GOOGLE_APPLICATION_CREDENTIALS")
	ErrAway     = errors.New("the object store does not answer as it should")
	ErrBuild    = errors.New("this build has no clients of object stores")
)

// Schemes are the beginnings of the URLs of buckets.
const Schemes = "s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or file:///FOLDER"

// place is what a URL says.
type place struct {
	scheme, bucket, prefix string // prefix ends in / unless it is empty; of file:// it is the folder
	query                  url.Values
}

// parse takes a URL apart.
func parse(text string) (place, error) {
	u, err := url.Parse(text)
	if err != nil {
		return place{}, fmt.Errorf("%s: give %s", text, Schemes)
	}
	p := place{scheme: u.Scheme, bucket: u.Host, query: u.Query()}
	clean := strings.Trim(path.Clean("/"+u.Path), "/")
	switch {
	case u.User != nil || u.Fragment != "":
		return p, fmt.Errorf("%s://%s: give %s, and credentials as the store's own tools take them", u.Scheme, u.Host, Schemes)
	case u.Scheme == "file" && u.Host == "" && clean != "":
		p.prefix = "/" + clean
	case u.Scheme == "file":
		return p, fmt.Errorf("%s: give the folder in full, file:///FOLDER", text)
	case u.Scheme != "s3" && u.Scheme != "gs":
		return p, fmt.Errorf("%s: no object store is known by %s://; give %s", text, u.Scheme, Schemes)
	case u.Host == "":
		return p, fmt.Errorf("%s: no bucket is named; give %s", text, Schemes)
	case clean != "":
		p.prefix = clean + "/"
	}
	return p, nil
}

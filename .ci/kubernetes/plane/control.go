package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// client speaks to the API server.
type client struct {
	url, token string
	http       *http.Client
}

// control starts etcd, the API server and the controllers that jobs need.
func control(ctx context.Context, home string, all *processes) (*client, error) {
	ports, err := free(4)
	if err != nil {
		return nil, err
	}
	etcd := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	if _, err := all.start("etcd", exec.Command("etcd", "--data-dir", filepath.Join(home, "etcd"),
		"--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", fmt.Sprintf("http://127.0.0.1:%d", ports[1])), true); err != nil {
		return nil, err
	}
	c := &client{url: fmt.Sprintf("https://127.0.0.1:%d", ports[2]), token: rand.Text()}
	at := func(name string) string { return filepath.Join(home, name) }
	key, err := serviceKey()
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
"clusters": [{"name": "c", "cluster": {"server": %q, "certificate-authority": %q}}],
"users": [{"name": "c", "user": {"token": %q}}],
"contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]}`, c.url, at("certs/apiserver.crt"), c.token)
	if err := errors.Join(os.WriteFile(at("service.key"), key, 0o600), os.WriteFile(at("config"), []byte(config), 0o600),
		os.WriteFile(at("tokens.csv"), []byte(c.token+",admin,admin,system:masters\n"), 0o600)); err != nil {
		return nil, err
	}
	began := time.Now()
	if _, err := all.start("kube-apiserver", exec.Command(filepath.Join(*bin, "kube-apiserver"),
		"--etcd-servers="+etcd, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[2]), "--cert-dir="+at("certs"),
		"--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24",
		"--token-auth-file="+at("tokens.csv"), "--authorization-mode=AlwaysAllow", "--disable-admission-plugins=ServiceAccount",
		"--service-account-issuer=https://plane.invalid", "--service-account-key-file="+at("service.key"), "--service-account-signing-key-file="+at("service.key")), true); err != nil {
		return nil, err
	}
	if err := c.ready(ctx, at("certs/apiserver.crt")); err != nil {
		return nil, err
	}
	say("the API server is ready after %.1f s", time.Since(began).Seconds())
	_, err = all.start("kube-controller-manager", exec.Command(filepath.Join(*bin, "kube-controller-manager"),
		"--kubeconfig="+at("config"), "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[3]), "--cert-dir="+at("certs-manager"),
		"--controllers=job-controller,namespace-controller,pod-garbage-collector-controller,garbage-collector-controller",
		"--leader-elect=false", "--authentication-skip-lookup=true"), true)
	return c, err
}

// free finds ports that nobody listens on.
func free(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// serviceKey makes a key for tokens of service accounts, which nobody asks for.
func serviceKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), err
}

// ready waits for the API server, which makes its certificate itself.
func (c *client) ready(ctx context.Context, cert string) error {
	return until(ctx, 2*time.Minute, "the API server is not ready", func() bool {
		text, err := os.ReadFile(cert)
		pool := x509.NewCertPool()
		if err != nil || !pool.AppendCertsFromPEM(text) {
			return false
		}
		c.http = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
		if _, err := c.do(ctx, "GET", "/readyz", "", nil, nil); err != nil {
			return false
		}
		_, err = c.do(ctx, "GET", "/api/v1/namespaces/default", "", nil, nil)
		return err == nil
	})
}

// until waits for something, looking ten times a second.
func until(ctx context.Context, most time.Duration, not string, done func() bool) error {
	end := time.Now().Add(most)
	for !done() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s after %v", not, most)
		}
	}
	return nil
}

// status is an answer that is no success.
type status struct {
	code    int
	Message string `json:"message"`
}

func (s *status) Error() string { return fmt.Sprintf("%d: %s", s.code, s.Message) }

// do asks the API server; the answer is decoded into out unless that is nil. It
// returns the warnings.
func (c *client) do(ctx context.Context, verb, path, kind string, body []byte, out any) ([]string, error) {
	r, err := http.NewRequestWithContext(ctx, verb, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Accept", "application/json")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	a, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		return nil, err
	}
	if a.StatusCode >= 300 {
		s := &status{code: a.StatusCode}
		if json.Unmarshal(text, s) != nil {
			s.Message = string(text)
		}
		return a.Header["Warning"], fmt.Errorf("%s %s: %w", verb, path, s)
	}
	if out != nil {
		err = json.Unmarshal(text, out)
	}
	return a.Header["Warning"], err
}

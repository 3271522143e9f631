# Scoville: how fast an LLM will be served, before the machine exists.
# "make" lists the targets.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  = -X main.version=$(VERSION)
FUZZTIME ?= 10s

.PHONY: help build cloud test-cloud test-gcs test-kubernetes test race lint bench validate accuracy fuzz study calibrations score man reference check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/sweep and bin/calibrate
	@mkdir -p bin
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/sweep ./cmd/calibrate

cloud: ## build bin/sweep-cloud: bin/sweep that also writes to object stores (-o s3://…, gs://…, file://…)
	@mkdir -p bin
	$(GO) build -tags cloud -ldflags '$(LDFLAGS)' -o bin/sweep-cloud ./cmd/sweep

test-cloud: ## test bin/sweep-cloud against an S3 in the process
	$(GO) vet -tags cloud ./cmd/sweep ./sweep/store/...
	$(GO) test -tags cloud -timeout 5m ./sweep/store/... ./cmd/sweep -run 'Cloud|Store|Wrong|Parse'

test-gcs: cloud ## run bin/sweep-cloud against a Google Cloud Storage in a test (a minute of CPU to build it at first)
	cd .ci/gcs && $(GO) test . -sweep $(CURDIR)/bin/sweep-cloud

test-kubernetes: ## run shards on a real Kubernetes control plane; minutes; needs etcd, and a quarter of an hour of CPU to build it at first
	.ci/controlplane

test: ## run all tests (under 5 minutes on 2 cores)
	$(GO) test -timeout 10m ./...

race: ## run the packages with goroutines under the race detector
	$(GO) test -race -timeout 20m -short ./core ./core/scenario/... ./core/table ./sweep/... ./calibrate/...

lint: ## gofumpt, vet and staticcheck
	@out=$$($(GO) run mvdan.cc/gofumpt@v0.12.0 -l .); test -z "$$out" || { echo "not formatted by gofumpt:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

bench: ## engine and study benchmarks; compare two runs with benchstat
	$(GO) test -run '^$$' -bench . -benchtime 1s -count $(or $(COUNT),1) ./core/... ./sweep/... ./calibrate/...

validate: ## replay measured runs of others (../shared/data) and rewrite core/engine/DEVIATIONS.md
	$(GO) test ./calibrate/validation -run '^TestDeviations$$' -count 1 -v -update

accuracy: ## fit published servers (../shared/data) and rewrite calibrate/ACCURACY.md (half an hour)
	$(GO) test ./calibrate/validation -run '^TestAccuracy$$' -count 1 -timeout 3h -v -accuracy -update

# A worker that is busy when FUZZTIME is over makes go test fail with "context
# deadline exceeded" and no input: that is no finding, the next try counts.
fuzz: ## fuzz every parser and the engine, FUZZTIME each
	@log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	for p in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for f in $$(grep -h '^func Fuzz' $$p/*_test.go | sed 's/func \(Fuzz[A-Za-z0-9]*\).*/\1/'); do \
			echo "$$p $$f"; \
			for try in 1 2 3; do \
				$(GO) test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x >$$log 2>&1; code=$$?; cat $$log; \
				test $$code = 0 && break; \
				grep -q 'context deadline exceeded' $$log && ! grep -q 'Failing input' $$log || exit 1; \
				test $$try != 3 || exit 1; \
			done; \
		done; \
	done

study: build ## run the reference study and the calibration, as in the README
	bin/sweep run studies/sensitivity.toml
	bin/calibrate fit studies/measured/h100.csv -o studies/calibrated.toml

calibrations: build ## fit the shipped overlays of studies/calibrations to ../shared/data (minutes)
	@test -d ../shared/data || echo "nothing done: there are no measurements in ../shared/data"
	@test ! -d ../shared/data || for s in studies/calibrations/*.spec.toml; do \
		o=$${s%.spec.toml}; begin=$$(date +%s); \
		bin/calibrate fit --spec $$s -o $$o.toml >$$o.report.txt 2>&1 || { cat $$o.report.txt; exit 1; }; \
		echo "$$o.toml  $$(($$(date +%s) - begin)) s"; grep -A4 '^errors' $$o.report.txt | grep '_ms .*%.*%'; \
	done

score: ## hold the errors that the shipped overlays state against ../shared/data, without a fit
	$(GO) test ./calibrate/validation -run '^TestShippedCalibrations$$' -count 1 -v

man: ## write the manual pages to bin/man/man1: copy them to a folder of MANPATH, or man -M bin/man sweep-run
	@mkdir -p bin/man/man1
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 0) $(GO) test ./cmd/sweep ./cmd/calibrate -run '^TestMan$$' -count 1 -man $(CURDIR)/bin/man/man1

reference: build ## write studies/REFERENCE.md, the keys of a study and the columns of its results, from the code
	bin/sweep list reference >studies/REFERENCE.md

check: lint test race ## everything that must hold before a commit

clean: ## remove what was built
	rm -rf bin results

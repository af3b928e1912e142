# make help lists the targets.

GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Packages that start goroutines, or are driven by those that do.
CONCURRENT = ./cmd/... ./coding ./correct ./engine ./experiment ./lab ./live ./live/loop ./relay ./repair ./run ./sim ./sink ./transport ./watch

# Sessions that start the program dozens of times and nothing that runs beside it: under
# the race detector, whose programs take long to start, they are minutes of nothing.
ALONE = TestScripts/^(compare|correct|find|help|import|lint|merge|own|peaks|plan|saved|usage)$$|^Test(FindTheKneeOfMD1|Readme|LatencyGate|TheAction|TheStampedeExperiment|TheLayersExperiment|ThePlansOfTheRepository)$$

# What make fuzz runs, each for FUZZTIME.
FUZZTIME ?= 20s

.PHONY: help build test lint unit race fuzz bench integration formats browser golden microbench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/openload
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/openload ./cmd/openload

test: lint unit race ## everything that needs only Go; under six minutes

lint: ## gofmt, go vet, staticcheck
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not gofmt'ed:"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags integration,formats ./...
	$(GO) run $(STATICCHECK) ./...

unit: ## unit, property, golden and whole-program tests
	$(GO) test -timeout 300s ./...

# The race detector is C: with only Go installed it can't run, and says so. In CI
# that is a failure.
race: ## the concurrent packages under the race detector
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null; then \
		$(GO) test -race -short -skip '$(ALONE)' -timeout 300s $(CONCURRENT); \
	elif [ -n "$$CI" ]; then echo "the race detector needs a C compiler, and CI needs the race detector"; exit 1; \
	else echo "NOT RUN: the race detector needs a C compiler"; fi

# Making a find smaller can take all the time there is: with 1x it isn't tried.
fuzz: ## every fuzz target for FUZZTIME (20s)
	@$(GO) list ./... | while read -r pkg; do \
		for f in $$($(GO) test -list '^Fuzz' "$$pkg" | grep '^Fuzz'); do \
			$(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x "$$pkg" || exit 1; \
		done; \
	done

bench: ## openload beside other load generators; writes bench/RESULTS.md
	$(GO) run ./bench

microbench: ## the benchmarks of packages
	$(GO) test -run '^$$' -bench . -benchmem ./...

integration: ## against witnesses in C, nginx, haproxy, and make formats; needs gcc and both
	$(GO) test -tags integration -count 1 -timeout 600s ./cmd/openload -run Integration -v
	$(MAKE) formats
	$(MAKE) browser

formats: ## other tools' files, written just now; what is not installed is NOT RUN
	cd internal/grpclab && $(GO) vet ./...
	$(GO) test -tags formats -count 1 -timeout 350s ./cmd/openload -run Formats -v

browser: ## the HTML report, looked at in Chromium, which it needs
	cd internal/browser && $(GO) vet ./... && $(GO) test -count 1 -timeout 350s ./...

golden: ## rewrite the golden files; review the diff like code
	$(GO) test ./sink ./cmd/openload ./repair -update

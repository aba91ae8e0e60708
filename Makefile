# Everything a newcomer needs: `make demo`. Each target installs what it needs first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.9

.PHONY: demo test check bench bench-sectioning bench-collecting bench-building bench-running bench-reporting bench-search constraints clean

demo: $(VENV)/.demo
	$(BIN)/treebench models fetch
	$(BIN)/treebench rebuild --profile demo

test: $(VENV)/.test
	$(BIN)/treebench models fetch
	$(BIN)/pytest --numprocesses 2 --dist worksteal $(PYTEST_ARGS)

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# Every figure that the project claims, each a ratio within one run; a part of it: make bench-sectioning BENCH_ARGS=...
bench: bench-sectioning bench-collecting bench-building bench-running bench-reporting

bench-sectioning bench-collecting bench-building bench-running bench-reporting: bench-%: $(VENV)/.bench
	$(BIN)/treebench models fetch
	$(BIN)/python -m tests.benchmarks.$* $(BENCH_ARGS)

# The search index over a corpus of BrowseComp-Plus's size: 10 to 20 minutes and 3 GB of disk.
bench-search: $(VENV)/.test
	$(BIN)/python -m tests.benchmarks.searching $(BENCH_ARGS)

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "treebench needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	touch $@

$(VENV)/.demo: $(VENV)/.uv pyproject.toml constraints.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable '.[local]'
	touch $@

$(VENV)/.test: $(VENV)/.uv pyproject.toml constraints.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable '.[local,test]'
	touch $@ $(VENV)/.demo

$(VENV)/.bench: $(VENV)/.test
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable '.[bench]'
	touch $@

# After a change of pyproject.toml; the file is committed, so that everybody installs the same. UPGRADE=1 takes newer.
constraints: $(VENV)/.uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra local --extra test --extra bench --extra web --no-emit-index-url \
	  --no-annotate --no-header $(if $(UPGRADE),--upgrade) pyproject.toml --output-file constraints.txt

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis

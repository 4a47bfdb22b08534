# Every command of the project; `just` alone lists them. Each gets what it needs and is missing by itself: `has` installs it.
set shell := ["bash", "-euc"]

env := "source scripts/env.sh"
# Order and examples come from the commit: each tries others, and a red gate is red again when somebody looks into it.
seeded := 'seed=$((0x$(git rev-parse HEAD | cut -c1-7))); pytest --randomly-seed=$seed --hypothesis-seed=$seed'

[private]
default:
    @just --list

# What is there already takes a moment; `scripts/install_missing.sh` says which names there are.
[private]
has *things:
    @scripts/install_missing.sh {{things}}

# make .venv from the pinned, hashed requirements
setup:
    {{env}}; [ -x .venv/bin/python ] || uv venv --quiet .venv
    {{env}}; uv pip sync --quiet --compile-bytecode --require-hashes -p .venv requirements/dev.txt; uv pip install --quiet -p .venv --no-deps -e .; touch .venv/synced

# pin what pyproject.toml asks for
lock:
    {{env}}; for set in runtime dev; do \
      group=""; [ $set = dev ] && group="--group dev"; \
      uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-emit-index-url \
        --python-version 3.12 --all-extras $group pyproject.toml -o requirements/$set.txt; done

# write the table of prices that comes with the package, from the pinned genai-prices
prices: (has "python")
    {{env}}; python scripts/prices.py

# format what can be formatted
fmt: (has "python")
    {{env}}; ruff format .; ruff check --fix --quiet . || true

# lint, types, layers
lint: (has "python")
    {{env}}; ruff format --check .; ruff check .; mypy; lint-imports --no-cache

# an answer in half a minute: lint, layers, types where mypy has looked at them before, and the unit tests of the core
quick: (has "python")
    @{{env}}; ruff format --check --quiet .; ruff check --quiet .
    @{{env}}; if [ -d .mypy_cache ]; then mypy & types=$!; else echo "types are not checked: mypy is slow at first, just lint"; true & types=$!; fi; \
      lint-imports --no-cache > .cache/layers || { cat .cache/layers; exit 1; }; \
      pytest -q -n 2 --hypothesis-profile quick tests/unit/domain tests/unit/planning tests/unit/prompts; wait $types

# all tests but the long ones; paths and options choose: `just test tests/unit/domain -k budget`
test *args: (has "python git node postgres sandbox")
    {{env}}; pytest -n 2 -m "not slow and not durability and not real_agent" {{args}}

# every test of every suite in every combination, and coverage of the core by the tests that are about it
all-tests: (has "python git node postgres sandbox debuggers agents board chromium")
    {{env}}; {{seeded}} -q -n 2 --dist worksteal {{about_the_core}} --cov --cov-report=term:skip-covered --cov-fail-under=100
    {{env}}; {{seeded}} -q -n 6 --dist worksteal --all-combinations $(printf -- '--ignore=%s ' {{about_the_core}})

# what tests take of the processor with all that they start, by folder, file, function and case; paths and options choose
test-times *args: (has "python git node postgres sandbox debuggers agents board chromium")
    @{{env}}; file=$(mktemp); pytest -q -n 2 --dist worksteal --processor-times $file {{args}} || true; python -m tests.processor_times $file; rm $file

# lint, types, layers and the quick tests: what every commit passes
check: lint test

# every recipe with small arguments and every test, as a table, in at most 90 minutes on two cores; recipes can be named, `--list`
full *names: (has "python git")
    @{{env}}; python -m tests.full {{names}}

# write the generated pages and pictures of the documentation
docs: (has "python git")
    {{env}}; for page in docs docs_cli docs_workflow docs_json docs_architecture demo_picture; do python scripts/$page.py; done
    {{env}}; python -m tests.faults.documentation

# write what commands, requests and tools print in three projects: tests compare it
record-outputs: (has "python git")
    @{{env}}; python -m tests.recorded

# print the OpenAPI description of the HTTP API, or write it to a file
openapi *file: (has "python")
    @{{env}}; python scripts/openapi.py {{file}}

# types of the web board, from the description of the HTTP API; they are never edited
web-schema: (has "python packages")
    @mkdir -p .cache; {{env}}; python scripts/openapi.py .cache/openapi.json; cd web; npm run --silent schema

# the web board: packages, types, tests, and its build into the Python package
web: web-schema
    @cd web; npm run --silent types; npm run --silent test; npm run --silent build

# the web board in Chromium: a run from its start to its end, lost connections, hostile texts, keyboard and phone
board *args: (has "python git board chromium")
    @{{env}}; pytest -q tests/board {{args}}

# the pictures of the web board in the documentation, or in another folder of this clone
board-pictures folder="docs": (has "python git board chromium")
    @{{env}}; BOARD_PICTURES={{folder}} pytest -q tests/board -k flow

# the web board with changes shown at once; SHIFTWORK_SERVER is the address that `shiftwork serve` prints
web-dev *args: web-schema
    cd web; npm run dev -- {{args}}

# install the pinned agent CLIs that tests drive
agents: (has "python node")
    {{env}}; python scripts/agents.py

# kill -9 at every failpoint, on SQLite and on Postgres, there with the engine's tables kept and deleted
durability *args: (has "python git postgres sandbox")
    {{env}}; pytest -n 2 -m durability --all-combinations {{args}}

# kill -9 of orchestrators and agents at random, 200 times, with restarts of Postgres and a second project on it; `--kills`, `--seed`, `--backend`, `--minutes`
chaos *args: (has "python git postgres sandbox")
    @{{env}}; python -m tests.chaos {{args}}

# random legal command lines, interrupted and resumed, 5,000 sequences; `--sequences`, `--seed`, `--minutes`, `--jobs`
fuzz *args: (has "python git")
    @{{env}}; python -m tests.fuzz {{args}}

# random answers of agents, and answers in every form that agents like, 200,000 of each; `--inputs`, `--seed`
fuzz-answers *args: (has "python")
    @{{env}}; python -m tests.fuzz.answers {{args}}

# 200 clients that follow the events of a server for ten minutes, cut off at random: `--minutes`, `--clients`, `--rate`, `--seed`
follow-events *args: (has "python git")
    @{{env}}; python -m tests.api.follow_events {{args}}

# the files that newcomers bring, each run for real with a scripted agent, as a table; rows can be named
newcomers *names: (has "python git")
    @{{env}}; python -m tests.newcomers.table {{names}}

# every misbehaviour of the list of pains with the real Claude Code and the real Codex, as a table; rows can be named
faults *args: (has "python git sandbox agents")
    @{{env}}; python -m tests.faults {{args}}

# the e2e, tamper and fault suites with the sandbox on; paths choose others
sandboxed *paths="tests/e2e tests/faults": (has "python git node postgres sandbox agents board chromium")
    {{env}}; SHIFTWORK_TEST_TIER=auto pytest -n 2 --dist worksteal {{paths}}

# every attack of the table, with the sandbox and without, as a table; words choose rows as `pytest -k` does
attacks *args: (has "python git node postgres sandbox debuggers agents")
    @{{env}}; python -m tests.attacks {{args}}

# defects that the gate must find, each made in a copy of the work tree: which test finds it; `--trust-green`, `--whole`
seeded-defects *names:
    @{{env}}; python scripts/agents.py > /dev/null; python -m tests.seeded_defects {{names}}

# ordinary repositories through `init`, `doctor --gates` and `run`, as a table; rows can be named, `--ci` for CI's
repositories *args: (has "python git node postgres sandbox")
    @{{env}}; python -m tests.ordinary {{args}}

# what shiftwork adds to a step, against bare DBOS steps that do the same outside work
bench-overhead: (has "python git")
    @{{env}}; python -m bench.overhead

# start-up of the quick commands in a repository with a thousand runs, against a bare interpreter
bench-cli: (has "python git")
    @{{env}}; python -m bench.cli

# five stories through the `ralph` workflow with the real Claude Code, against a bash loop of `claude -p`
bench-loop *rounds: (has "python git agents")
    @{{env}}; python -m bench.loop {{rounds}}

# sessions and request bytes of five small stories under the default workflow, `ralph` and `dynamic`, against a bare loop
bench-sessions: (has "python git agents")
    @{{env}}; python -m bench.sessions

# landings a second, against bare merge-tree and compare-and-swap, and beside the naive way
bench-landing: (has "python git")
    @{{env}}; python -m bench.landing

# how long a run takes against the best that any order could reach, beside stage barriers
bench-makespan: (has "python")
    @{{env}}; python -m bench.makespan

# what learning which profile to use costs, against having known the best one from the start
bench-bandit: (has "python")
    @{{env}}; python -m bench.bandit

# a million facts against a thousand, a landing after 10,000, a report of 1,000 stories, status with 10,000 runs: each against its limit; `--facts N` for fewer
bench-history *args: (has "python git postgres")
    @{{env}}; python -m bench.history {{args}}

# packages and megabytes of an installation without extras, against one with all of them
bench-install: (has "python node")
    @{{env}}; python -m bench.install

# what 200 sleeping agents cost in one process: time to start, share of a core, lag of the event loop; `--postgres`, `--sandbox`
bench-idle *args: (has "python git postgres sandbox")
    @{{env}}; python -m bench.idle {{args}}

# what a step costs the database, and what one Postgres server carries: the figures of docs/scaling.md
bench-scaling: (has "python git postgres")
    @{{env}}; python -m bench.scaling

# the HTTP API with a run of 1,000 stories: a list, a story, a part of a log and a replay of events, each against its limit
bench-serve: (has "python git")
    @{{env}}; python -m bench.serve

# how the built web board opens, scrolls and keeps its memory with 1,000 stories in Chromium, beside a bare page; `--minutes N`
bench-web *args: (has "python git board chromium")
    @{{env}}; python -m bench.web {{args}}

# from `uvx` with an empty cache and without Node.js to a page that has played the demo, against its limit
demo-web: (has "python git packages chromium")
    @{{env}}; python -m bench.demo_web

# what a session of Claude Code would save if its process were started before its prompt, and what it would not see then
bench-prewarm *rounds: (has "python agents")
    @{{env}}; python -m bench.prewarm {{rounds}}

# bytes of the prompt of every step of every bundled workflow
bench-prompts: (has "python")
    @{{env}}; python -m bench.prompt_sizes

# what the start of a program costs in each kind of sandbox, against a bare one; `--against COMMIT` for the difference to that
bench-sandbox *args: (has "python git sandbox")
    @{{env}}; python -m bench.sandbox {{args}}

about_the_core := "tests/app tests/golden tests/unit/domain tests/unit/planning tests/unit/prompts tests/unit/sandbox tests/unit/workflows"

# The other tests mostly wait for processes, so there are more workers than cores. The tests are compiled once before,
# because all workers would do it at the same time.
# what CI runs: lint, types, all tests but most rows of the long suites, and coverage of the core by the tests about it
ci:
    {{env}}; mkdir -p .cache; just agents & agents=$!; { pytest -qq --collect-only > .cache/collected || { tail -n 40 .cache/collected; false; }; } & tests=$!; just web; wait $agents; wait $tests
    {{env}}; ruff format --check .; ruff check .; lint-imports --no-cache
    {{env}}; mypy & types=$!; {{seeded}} -n 2 --dist worksteal {{about_the_core}} --cov --cov-report=term:skip-covered --cov-fail-under=100; wait $types
    {{env}}; {{seeded}} -n 6 --dist worksteal --long-rows $(printf -- '--ignore=%s ' {{about_the_core}})

# write down what the rows of the long suites take of the processor: the gate chooses by it which of them fit
row-seconds: (has "python git node postgres sandbox debuggers agents board chromium")
    @{{env}}; file=$(mktemp); pytest -q -n 4 --dist worksteal --processor-times $file tests/attacks tests/faults tests/newcomers tests/ordinary tests/board tests/chaos tests/fuzz; python -m tests.gate $file; rm $file

#!/usr/bin/env bash
# Installs what a recipe needs and is not there, and takes a moment if all is there: `scripts/install_missing.sh NAME…`.
#   git node postgres sandbox chromium cargo rustc go   packages of Debian, where there is an apt-get
#   debuggers  what the gates of some repositories use, and tests of their sandbox try: gdb, strace, a C compiler, Go
#   python     .venv, as requirements/dev.txt pins it
#   agents     the agent programs of agents/package.json, in .cache/agents
#   packages   web/node_modules
#   board      the web board, built into the Python package
# What the installers print goes to standard error: the output of a recipe is its own.
set -euo pipefail
cd "$(dirname "$0")/.."
exec >&2

run_as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

has_program() { command -v "$1" >/dev/null 2>&1; }

has_postgres() { has_program pg_ctl || ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1; }

has_seccomp() { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep libseccomp.so.2 >/dev/null; }

install_debian_packages() {
  if ! has_program apt-get; then
    echo "not installed: $*; there is no apt-get here, install them in the way of this system"
    return
  fi
  run_as_root apt-get -o DPkg::Lock::Timeout=300 update -qq
  run_as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq "$@" >/dev/null
}

make_environment() {
  [ .venv/synced -nt requirements/dev.txt ] && [ .venv/synced -nt pyproject.toml ] && return
  bash -euc 'source scripts/env.sh; just setup'
}

install_web_packages() {
  [ web/node_modules/.package-lock.json -nt web/package-lock.json ] && return
  (cd web && npm ci --silent --no-fund --no-audit)
}

missing=()
for name in "$@"; do
  case "$name" in
    git) has_program git || missing+=(git) ;;
    node | packages | board | agents) has_program npm || missing+=(nodejs npm) ;;
    postgres) has_postgres || missing+=(postgresql) ;;
    sandbox)
      has_program bwrap || missing+=(bubblewrap)
      has_seccomp || missing+=(libseccomp2)
      ;;
    debuggers)
      for program in gdb strace gcc; do has_program "$program" || missing+=("$program"); done
      [ -e /usr/include/stdio.h ] || missing+=(libc6-dev)
      has_program go || missing+=(golang-go)
      ;;
    chromium | cargo | rustc) has_program "$name" || missing+=("$name") ;;
    go) has_program go || missing+=(golang-go) ;;
    python) ;;
    *) echo "unknown: $name; scripts/install_missing.sh lists what it knows" && exit 64 ;;
  esac
done
[ "${#missing[@]}" = 0 ] || install_debian_packages "${missing[@]}"

# Two recipes that start at once do not install the same thing at once.
mkdir -p .cache
exec 9>.cache/installing
if has_program flock; then flock 9; fi
for name in "$@"; do
  case "$name" in
    python) make_environment ;;
    agents) make_environment && .venv/bin/python scripts/agents.py ;;
    packages) install_web_packages ;;
    board) make_environment && install_web_packages && .venv/bin/python scripts/build_backend.py ;;
  esac
done

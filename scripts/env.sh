# Sourced by .ci/run and the justfile: finds a Python of at least 3.12, and a uv made from it. Installs nothing else.
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]:-$0}")/.." && pwd)

find_python() {
  local candidate
  for candidate in "${SHIFTWORK_PYTHON:-}" python3.13 python3.12 python3 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  echo "shiftwork needs Python 3.12 or newer; set SHIFTWORK_PYTHON to one" >&2
  return 1
}

tools="$root/.cache/tools"
if [ ! -x "$tools/bin/uv" ] || [ ! -x "$tools/bin/just" ]; then
  python=$(find_python)
  "$python" -m venv "$tools"
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check uv rust-just
fi
export PATH="$root/.venv/bin:$tools/bin:$PATH"
export UV_PYTHON="$tools/bin/python" UV_NO_MANAGED_PYTHON=1
# Tests and benchmarks start hundreds of interpreters: what one has compiled is kept for the next.
unset PYTHONDONTWRITEBYTECODE

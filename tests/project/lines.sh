#!/bin/sh
# Counts the lines of code of the core:  sh tests/project/lines.sh [SOURCE]
#
# The core is tensor, autograd and nn, which an evening is enough to read. A line counts if it contains more than
# comments and blanks. Kernels and file formats are not counted; threads and decoding are counted separately, since a
# model can be understood without them.
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 1

# shellcheck disable=SC2016  # awk's own variables
for file in tensor/*.[ch] tensor/threads/*.[ch] autograd/*.[ch] autograd/ops/*.[ch] autograd/ops/shared/*.[ch] nn/*.[ch] nn/decode/*.[ch]; do
    case $file in
    tensor/kernels/* | nn/params_file.c | nn/checkpoint.c) continue ;; # and tensor/io, which the list above has not
    esac
    printf '%s\n' "$file"
done | xargs awk '
    FNR == 1 { inside = 0; folder = FILENAME; sub(/\/[^\/]*$/, "", folder); sub(/\/ops.*$/, "", folder) }
    {
        code = ""
        rest = $0
        while (rest != "") {
            at = index(rest, inside ? "*/" : "/*")
            if (!inside)
                code = code (at ? substr(rest, 1, at - 1) : rest)
            rest = at ? substr(rest, at + 2) : ""
            if (at)
                inside = !inside
        }
        sub(/\/\/.*/, "", code)
        if (code ~ /[^ \t]/) lines[folder]++
    }
    END {
        printf "tensor %d, autograd %d, nn %d: %d lines", lines["tensor"], lines["autograd"], lines["nn"],
            lines["tensor"] + lines["autograd"] + lines["nn"]
        printf "; beside them tensor/threads %d, nn/decode %d\n", lines["tensor/threads"], lines["nn/decode"]
    }'

#!/bin/sh
# Brings what the notes quote up to date:  sh lectures/runner/notes.sh PROGRAM [README...]
#
#   <!-- code: heads.c head_loop -->     the function of that name (or the struct), from that file beside the README
#   <!-- index -->                       what PROGRAM (build/lectures/lectures) prints as the index, up to
#   <!-- end of index -->
#
# Nothing is typed twice; a test looks whether this script would change anything.
set -eu
program=$1
[ -x "$program" ] || { echo "notes: $program is no program" >&2 && exit 1; }
shift
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "$here/README.md" "$here"/[0-9]*/README.md

for readme in "$@"; do
    "$program" index >"$readme.index" 2>/dev/null || :
    awk -v folder="$(dirname "$readme")" -v index_file="$readme.index" '
        # From the line that begins with a letter and names it, to the first line that begins with "}".
        function quote(path, name,    line, inside, found) {
            while ((getline line <path) > 0) {
                if (!inside && line ~ "^[a-z].*[ *]" name "(\\(|$| )" && line !~ /;$/) inside = found = 1
                if (inside) print line
                if (inside && line ~ /^}/) inside = 0
            }
            close(path)
            if (!found) {
                print "notes: no " name " in " path >"/dev/stderr"
                wrong = 1
            }
        }
        /^<!-- code: / {
            print
            print "```c"
            quote(folder "/" $3, $4)
            print "```"
            if ((getline) <= 0) next
            if ($0 == "```c") { do more = getline; while (more > 0 && $0 != "```") }
            else print
            next
        }
        $0 == "<!-- index -->" {
            print
            while ((getline line <index_file) > 0) print line
            skipping = 1
        }
        $0 == "<!-- end of index -->" { skipping = 0 }
        !skipping { print }
        END { exit wrong }' "$readme" >"$readme.new"
    rm "$readme.index"
    if cmp -s "$readme" "$readme.new"; then rm "$readme.new"; else mv "$readme.new" "$readme"; fi
done

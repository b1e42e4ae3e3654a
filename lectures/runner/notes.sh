#!/bin/sh
# Brings what the notes quote up to date:  sh lectures/runner/notes.sh PROGRAM [README...]
#
#   <!-- code: heads.c head_loop -->     the function of that name (or the struct), from that file beside the README;
#                                        a path with / before it begins at the project's folder
#   <!-- questions: 21 -->               what PROGRAM (build/lectures/lectures) asks about that row
#   <!-- index -->                       what PROGRAM prints as the index, up to
#   <!-- end of index -->
#
# Without README it brings all of them up to date, and lectures/verdicts.md, which PROGRAM prints.
# Nothing is typed twice; a test looks whether this script would change anything.
set -eu
program=$1
[ -x "$program" ] || { echo "notes: found $program; expected a program that can be run" >&2 && exit 1; }
shift
here=$(cd "$(dirname "$0")/.." && pwd)

# FILE.new replaces FILE, unless they are equal.
replace_changed() {
    if cmp -s "$1" "$1.new"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

if [ $# -eq 0 ]; then
    "$program" verdicts "$here" >"$here/verdicts.md.new" || { rm "$here/verdicts.md.new" && exit 1; }
    replace_changed "$here/verdicts.md"
    set -- "$here/README.md" "$here"/[0-9]*/README.md
fi

for readme in "$@"; do
    folder=$(cd "$(dirname "$readme")" && pwd)
    "$program" index >"$readme.index" 2>/dev/null || :
    awk -v folder="$folder" -v top="$here/.." -v program="$program" -v index_file="$readme.index" '
        # From the line that begins with a letter and names it, to the first line that begins with "}".
        function quote(path, name,    line, inside, found) {
            while ((getline line <path) > 0) {
                if (!inside && line ~ "^[A-Za-z].*[ *]" name "(\\(|$| )" && line !~ /;$/) inside = found = 1
                if (inside) print line
                if (inside && line ~ /^}/) inside = 0
            }
            close(path)
            if (!found) {
                print "notes: no " name " in " path >"/dev/stderr"
                wrong = 1
            }
        }
        # A line of a quote in lines of about 120 columns, of which none begins as a table, a list or a heading does.
        function fold(line,    k, n, word, out) {
            n = split(line, word, " ")
            out = word[1]
            for (k = 2; k <= n; k++)
                if (length(out) + length(word[k]) < 120 || word[k] ~ /^([|>#+-]|[0-9]+[.)]$)/) out = out " " word[k]
                else { print out; out = "> " word[k] }
            print out
        }
        function questions(row,    line, chapter, command, found) {
            chapter = folder
            sub(/.*\/0?/, "", chapter)
            sub(/-.*/, "", chapter)
            command = "\"" program "\" ask " chapter " --row " row " --list --format markdown"
            while ((command | getline line) > 0) {
                fold(line)
                found = 1
            }
            close(command)
            if (!found) wrong = 1
        }
        # A marker and what it asks for, in place of what stood after it; then the line after that, which may be a marker.
        {
            for (more = 1; more > 0 && /^<!-- (code|questions): /;) {
                print
                if ($2 == "questions:") {
                    questions($3)
                    do more = getline; while (more > 0 && /^>/)
                } else {
                    print "```c"
                    quote(($3 ~ /^\// ? top : folder "/") $3, $4)
                    print "```"
                    more = getline
                    if (more > 0 && $0 == "```c") {
                        do more = getline; while (more > 0 && $0 != "```")
                        if (more > 0) more = getline
                    }
                }
            }
            if (more <= 0) next
        }
        $0 == "<!-- index -->" {
            print
            while ((getline line <index_file) > 0) print line
            skipping = 1
        }
        $0 == "<!-- end of index -->" { skipping = 0 }
        !skipping { print }
        END { exit wrong }' "$readme" >"$readme.new" || {
        rm -f "$readme.index" "$readme.new"
        exit 1
    }
    rm "$readme.index"
    replace_changed "$readme"
done

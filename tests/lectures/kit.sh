#!/bin/sh
# Tests of the command `kit`, printed as TAP:  sh tests/lectures/kit.sh SOURCE PROGRAM
set -u
source=$(cd "$1" && pwd) || exit 1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive

ends_with() {
    wanted=$1
    shift
    status=0
    "$@" || status=$?
    [ "$status" -eq "$wanted" ] || { echo "ended with $status, not $wanted" && return 1; }
}
attempt 'a lecture that does not exist ends with 2' ends_with 2 "$program" kit Q
attempt 'without a lecture it ends with 2' ends_with 2 "$program" kit
attempt 'two letters end with 2' ends_with 2 "$program" kit VB

# B is the shortest of the five.
attempt 'the kit of B' "$program" kit B
kit=out/kit/B

# Each figure of the lecture's rows once, numbered from 01 on, with its script.
sed -n "s/^    {'B', \"\(.*\)\", [0-9]*, {\([0-9, ]*\)}},/\1|\2/p" "$source/lectures/runner/slides.c" >slides
has_figures() {
    cut -d '|' -f 2 slides | tr -d ' ' | tr , '\n' | sort -u >rows
    "$program" index 2>/dev/null | sed -n '/^## Row/,/^## Slide/p' | awk -F'|' '
        NR == FNR { wanted[$1] = 1; next }
        ($2 + 0) in wanted { n = split($6, part, "["); for (i = 2; i <= n; i++) if (part[i] ~ /pictures/) { sub(/].*/, "", part[i]); print part[i] } }' rows - |
        sort >expected
    for script in "$kit"/figures/[0-9]*.gp; do basename "$script" .gp; done | sed 's/^[0-9]*-//' | sort >found
    [ "$(wc -l <expected)" -gt 10 ] && cmp expected found
}
attempt 'it has each figure of its rows' has_figures
has_all_slides() {
    sed 's/|.*//' slides | while read -r title; do
        grep -qF "$title" "$kit/kit.md" || { echo "lacks: $title" && return 1; }
    done && [ "$(grep -c '^### [0-9]' "$kit/kit.md")" -eq "$(wc -l <slides)" ]
}
attempt 'it has each slide' has_all_slides
has_questions() {
    while read -r row; do
        for chapter in 1 2 3 4 5 6 7 8; do "$program" ask $chapter --row "$row" --list 2>/dev/null; done
    done <rows | grep -c ', row ' >expected
    [ "$(grep -c '^- answer: ' "$kit/kit.md")" -eq "$(cat expected)" ] && [ "$(cat expected)" -gt 15 ] &&
        [ "$(grep -c '^> ' "$kit/kit.md")" -eq "$(cat expected)" ]
}
attempt 'it asks each question of its rows once' has_questions
has_plan() { # of 12 weeks, with the homeworks of its path
    [ "$(sed -n '/^## A plan/,$p' "$kit/kit.md" | grep -oE '\<hw[0-9]+b?\>|\<debug[0-9]' | sort | uniq | tr '\n' ' ')" = "$(
        sed -nE 's/^(write|find) ((hw|debug)[0-9b]*)[ :].*/\2/p' "$source/lectures/steps/paths/B.txt" | sort -u | tr '\n' ' ')" ]
}
attempt 'it has a plan with the homeworks of its path' has_plan

# titles MARK: of the kit's slides that have the line.
titles() {
    awk -v mark="$1" '/^### [0-9]/ { sub(/^### [0-9]*\. /, ""); sub(/ \([0-9]* slides\)$/, ""); title = $0 }
        index($0, mark) == 1 { print title }' "$kit/kit.md" | sort -u
}
says_what_is_missing() {
    titles 'Not covered: no figure' >without
    "$program" index 2>/dev/null | sed -n '/^### B: /,/^### H: /p' | sed -nE 's/ \([0-9]+ slides\)//; s/^\| ([^|]*) \| .* \|  \|$/\1/p' | sort -u >expected
    [ "$(wc -l <expected)" -gt 1 ] && diff expected without || return
    titles 'Not covered: no claim' >without
    sed 's/|.*//' slides | sort -u | while read -r title; do
        grep -qF "\"B: $title\"" --exclude='exercises*' "$source"/lectures/0*/*.c || echo "$title"
    done >expected
    [ "$(wc -l <expected)" -gt 1 ] && diff expected without
}
attempt 'it says which slides no claim cites, and which have no figure' says_what_is_missing
has_objections() { # what the verdicts say of slides of B
    "$program" verdicts "$source/lectures" 2>/dev/null | sed -n 's/^| B, "\(.*\)" | .*/\1/p' | sort -u >expected
    titles '  **The slide says:** ' >found
    [ "$(wc -l <expected)" -gt 1 ] && diff expected found
}
attempt 'it has what the measurements say against slides' has_objections
has_run_times() { # of every example that it names
    grep -oE 'gradus example [a-z]+`( \([0-9a-z .]+\))?' "$kit/kit.md" >named
    [ "$(wc -l <named)" -gt 1 ] && ! grep -v ')$' named
}
attempt 'an example has its run time' has_run_times
has_seconds() { # of each row; row 44 trains models, and row 22 only multiplies some vectors
    [ "$(grep -cE 'explain [0-9]+` \([0-9]+\.[0-9]+ s\)' "$kit/kit.md")" -eq "$(wc -l <rows)" ] || return
    sed -n 's/.*explain \(22\|44\)` (\([0-9.]*\) s).*/\1 \2/p' "$kit/kit.md" | awk '{ of[$1] = $2 } END { exit !(of[44] > 10 * of[22]) }'
}
attempt 'a row has its seconds' has_seconds
attempt 'it is a page, too' shows "$kit/kit.html" 'Masked Decoding' 'Week 12' 'Content-Security-Policy'

pages() { # one page for each figure, as the PDF itself counts them
    figures=$(find "$kit/figures" -name '[0-9]*.pdf' ! -name '*-[0-9].pdf' | wc -l)
    [ "$figures" -gt 10 ] || return
    count=$(tr -d '\0' <"$kit/figures.pdf" | grep -aoE '/Count [0-9]+' | head -n 1)
    [ "$count" = "/Count $figures" ] || { echo "$count; $figures figures" && return 1; }
}
if command -v gnuplot >/dev/null; then attempt 'figures.pdf has a page for each figure' pages; else skip 'figures.pdf' 'no gnuplot'; fi
no_gnuplot() { PATH=/nowhere "$program" kit B --out bare >said && shows said 'there is no gnuplot' && [ -f bare/B/kit.md ]; }
if all; then attempt 'without gnuplot: scripts and data' no_gnuplot; else skip 'without gnuplot' 'with --all alone'; fi
done_testing

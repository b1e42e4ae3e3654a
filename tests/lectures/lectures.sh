#!/bin/sh
# Tests of the program of the lectures, printed as TAP:  sh tests/lectures/lectures.sh SOURCE PROGRAM
# Its commands and its answers to wrong ones; chapter.sh tries each chapter's claims, questions and figures.
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

# ---- the ledger ----------------------------------------------------------------------------------

poison_works() { "$program" claims --row 21 --poison nan >poisoned && shows poisoned FAILS; }
attempt '--poison nan makes claims fail' poison_works
attempt 'an unknown poison ends with 2' ends_with 2 "$program" claims 4 --poison water

counts_seeds() {
    "$program" claims --row 18 --seeds 3 --format tsv >several || return
    awk -F'\t' 'NR > 1 && ($7 != "3 of 3" || $5 > $6) { print; wrong = 1 } END { exit wrong || NR < 2 }' several
}
attempt '--seeds says how often each claim holds' counts_seeds
solved_seeds() {
    "$program" claims --try 22:solved --seeds 2 --format tsv >several || return
    awk -F'\t' 'NR > 1 && $7 != "2 of 2" { print; wrong = 1 } END { exit wrong || NR < 2 }' several
}
attempt '--seeds counts the solutions of exercises, too' solved_seeds
attempt '--seeds with --break ends with 2' ends_with 2 "$program" claims --break 18 --seeds 2

# ---- exercises and questions ---------------------------------------------------------------------

attempt 'an unknown way to do an exercise ends with 2' ends_with 2 "$program" claims 4 --try 22:nonsense

says_right() {
    "$program" ask 4 --row 18 --key >key || return
    "$program" ask 4 --row 18 --answers key >asked && shows asked RIGHT 'because  then neither weight says' '0 wrong'
}
attempt 'ask: a right answer is told so' says_right

wrong_answers() {
    "$program" ask 5 --row 32 --key >key || return
    awk '/^[a-e]$/ { print $0 == "a" ? "b" : "a"; next } { print $1 + 1e9 }' key >wrong
    "$program" ask 5 --row 32 --answers wrong >asked && return 1
    shows asked 'NOT SO' 'because' 'claim' && ! grep -q RIGHT asked
}
attempt 'ask: a wrong answer is told its misconception, and ends with 1' wrong_answers

passes_over() {
    printf '\n' | "$program" ask 4 >asked
    [ $? -eq 1 ] && shows asked 'PASSED OVER' '0 wrong'
}
attempt 'ask: an empty line passes a question over, and the end of the file ends it' passes_over

unreadable() {
    echo nonsense | "$program" ask 4 >asked 2>said
    [ $? -eq 2 ] && shows said "standard input:1: found 'nonsense'; expected"
}
attempt 'ask: an answer that cannot be read is named with its line' unreadable
ends_at_q() {
    printf '?\n\nq\na\n' | "$program" ask 4 >asked
    [ $? -eq 1 ] && shows asked '; ?: help)' 'An empty line passes' 'PASSED OVER' '0 wrong' &&
        [ "$(grep -c 'your prediction' asked)" -eq 3 ]
}
attempt 'ask: ? explains and asks again, q ends' ends_at_q
knows_its_name() {
    ends_with 2 "$program" ask 9 2>said && shows said './gradus ask: there is no chapter "9"; there are: 0 backprop, 1 recurrence' || return
    ends_with 2 "$program" claims 4 --nonsense 2>said && shows said './gradus claims: unknown option'
}
attempt 'a refusal has the name that was typed, and lists the chapters' knows_its_name
attempt 'ask: a file that is not there ends with 2' ends_with 2 "$program" ask 4 --answers nothing
attempt 'ask: without a chapter it ends with 2' ends_with 2 "$program" ask
attempt 'ask: a row without questions ends with 2' ends_with 2 "$program" ask 4 --row 99

# ---- formats -------------------------------------------------------------------------------------

markdown_has() { "$program" claims --row 18 --format markdown | grep -q '^| 18 | .* | HOLDS |'; }
attempt 'markdown has a line a claim' markdown_has

explains() {
    "$program" claims --explain 21 >said
    shows said 'd = 1024' 'because' 'no-scaling'
}
attempt '--explain shows numbers, the reason of the bound, and the faults' explains

same_again() {
    "$program" claims --row 19 --format tsv | cut -f 1-7 >first
    "$program" claims --row 19 --format tsv | cut -f 1-7 >second
    [ "$(wc -l <first)" -gt 1 ] && cmp first second
}
attempt 'the same numbers again' same_again

traces() { "$program" lecture 5 --row 37 --trace=V >said && shows said 'SA               = alpha V' 'LN(x)            = LN(x^)' 'K V              = W^Q,K,V LN(x) + b_qkv'; }
attempt 'a chapter prints its first step in the symbols of a lecture' traces
breaks_one_row() { "$program" claims --row 12 --break all --format tsv >row.tsv; [ "$(cut -f1 row.tsv | sort -u | tr '\n' ' ')" = '12 row ' ]; }
attempt '--row N --break all: the faults of that row' breaks_one_row
attempt 'an unknown chapter ends with 2' ends_with 2 "$program" claims 99
attempt 'a row without claims ends with 2' ends_with 2 "$program" claims --row 99
attempt 'an unknown fault ends with 2' ends_with 2 "$program" claims --break 21:nonsense
attempt 'an unknown format ends with 2' ends_with 2 "$program" claims --format pdf

# ---- the index and the notes ---------------------------------------------------------------------

notes() { python3 -B "$1/lectures/runner/notes.py" "$program" ${2:+"$2"}; }
complete() { notes "$source" --check; }
attempt 'each row has a claim, each claim its slide, each question its answer; what texts cite exists' complete

copy() { # of the project, whose texts are changed
    rm -rf copy && mkdir copy
    for part in "$source"/*; do ln -s "$part" copy/; done
    rm copy/lectures && cp -R "$source/lectures" copy/
}
notes_are_up_to_date() {
    copy && notes copy || return
    for text in copy/lectures/README.md copy/lectures/verdicts.md copy/lectures/[0-9]*/README.md; do
        diff "$source/${text#copy/}" "$text" || return
    done
}
attempt 'the index and the code in the notes are what the program and the sources say' notes_are_up_to_date

# Of markers on consecutive lines each gets what it asks for, and a second run changes nothing.
consecutive_markers() {
    mkdir -p markers/01-recurrence && cp "$source/lectures/01-recurrence/recall.c" markers/01-recurrence/
    text=markers/01-recurrence/README.md
    printf '%s\n' '<!-- code: recall.c set -->' '<!-- code: recall.c share_right -->' '<!-- questions: 3 -->' \
        '<!-- code: recall.c one_batch -->' 'after' >$text
    notes "$source" $text && cp $text once || return
    notes "$source" $text && cmp once $text || return
    shows once 'static void set(' 'static double share_right(' '**Predict.**' 'static double one_batch(' || return
    [ "$(tail -n 1 once)" = after ] && [ "$(grep -c '^```' once)" -eq 6 ]
}
attempt 'notes.py quotes for each of several markers on consecutive lines' consecutive_markers

# A claim that shares.tsv lacks has no number for the page of verdicts.
needs_shares() {
    copy
    for shares in copy/lectures/[0-9]*/shares.tsv; do
        grep -v 'an encoder that fills one mask' "$shares" >kept && cp kept "$shares"
    done
    ends_with 1 notes copy 2>said && shows said 'has no line "an encoder that fills one mask'
}
attempt 'a verdict without its number is named' needs_shares

# ---- figures -------------------------------------------------------------------------------------

titles_go() {
    "$program" figures 4 --only variance --out titled --format svg &&
        "$program" figures 4 --only variance --out bare --format svg --no-title &&
        grep -q 'by width' titled/04-attention/variance.gp && ! grep -q 'by width' bare/04-attention/variance.gp
}
attempt '--no-title leaves the title out' titles_go
attempt 'an unknown format of pictures ends with 2' ends_with 2 "$program" figures 4 --format gif
unknown_figure() { ends_with 1 "$program" figures 4 --only nonsense 2>said && shows said 'there is no "nonsense"'; }
attempt 'an unknown figure is named' unknown_figure

# The figures of a lecture: those of each row at the first slide that shows it.
by_slides() {
    sed -n "s/^    {'B', \".*\", [0-9]*, {\([0-9, ]*\)}},/\1/p" "$source/lectures/runner/slides.c" | tr -d ' ' | tr , '\n' |
        awk '!seen[$1]++' >in_order
    sed -n '/^## Row/,/^## Slide/p' "$source/lectures/README.md" | awk -F'|' 'NR == FNR { rows[++n] = $1; next }
        ($2 + 0) > 0 { of[$2 + 0] = $6 }
        END { for (i = 1; i <= n; i++) { k = split(of[rows[i]], part, "["); for (j = 2; j <= k; j++) if (part[j] ~ /pictures/) {
            sub(/].*/, "", part[j]); printf "%02d-%s\n", ++count, part[j] } } }' in_order - >expected
    "$program" figures --course B --list >listed && [ "$(wc -l <listed)" -gt 10 ] && cmp expected listed
}
attempt '--course: the figures of a lecture in the order of its slides' by_slides
attempt '--course with a letter that is no lecture ends with 2' ends_with 2 "$program" figures --course Q --list
attempt '--course with a chapter ends with 2' ends_with 2 "$program" figures 4 --course B --list

# ---- the slides and claims that texts cite --------------------------------------------------------------------

{
    printf 'V "Self-Attention",\n"Encoder Block"; J, Z\n"Self-attention" and H, J "Q, K, V"\n'
    printf '(Claims "two tokens by hand: ...", "a soft match ..." and\n"two tokens by foot"; claim "a soft mismatch ...".)\n'
} >citing
misses_slide() {
    python3 -B "$source/lectures/runner/notes.py" "$program" --cited citing >said 2>&1
    [ $? -eq 1 ] && shows said 'J has no slide "Q, K, V"' 'no claim states "two tokens by foot"' \
        'no claim states "a soft mismatch ..."' '3 citations of slides and 2 of claims, 3 wrong'
}
attempt 'titles and statements that do not exist are named' misses_slide
done_testing

#!/bin/sh
# Tests of the command `mystery`, printed as TAP:  sh tests/lectures/mystery.sh SOURCE PROGRAM mystery|mystery-runs
set -u
source=$(cd "$1" && pwd) || exit 1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive

mystery() { "$program" mystery "$@"; }

ends_with() { # STATUS COMMAND...
    wanted=$1
    shift
    status=0
    "$@" || status=$?
    [ "$status" -eq "$wanted" ] || { echo "ended with $status, not $wanted" && return 1; }
}
refuses() { # TEXT WORDS...
    text=$1
    shift
    ends_with 2 mystery "$@" >said 2>&1 </dev/null && shows said "$text"
}

sed -nE 's/^    \{"([a-z-]+)", &(language|deep|pictures), [1-9].*/\1/p' "$source/lectures/mystery/faults.c" >names
many() { [ "$(sort -u names | wc -l)" -ge 24 ] && [ -z "$(sort names | uniq -d)" ]; }
# What the models do at a fault asks for it by its name.
planted() {
    while read -r name; do
        grep -q "faulty(r, \"$name\")" "$source"/lectures/mystery/*.c || { echo "nothing plants $name" && return 1; }
    done <names
}

each_once() { # those of chapter 8
    for i in 1 2 3 4 5; do echo collapse | mystery "$i" --chapter 8; done | sed -nE 's/^(RIGHT|NOT SO) *([a-z-]*):.*/\2/p' | sort -u >five
    [ "$(wc -l <five)" -eq 5 ] || return
    echo collapse | mystery 3 --chapter 8 >one
    echo collapse | mystery 3 --chapter 8 >two
    cmp one two
}

# The fault is named once by trying one, and then for what it is.
names_the_fault() {
    status=0
    echo collapse | mystery 3 --chapter 8 >first || status=$?
    fault=$(sed -nE 's/^(RIGHT|NOT SO) *([a-z-]*):.*/\2/p' first)
    [ "$status" -le 1 ] && [ -n "$fault" ] || return
    printf 'latents\n%s\n' "$fault" | mystery 3 --chapter 8 >second || return
    shows second 'RIGHT' 'seen by' 'measurement 1: latents' 'beside the losses: 1'
}

answers_a_file() {
    printf 'latents\n?\n\nmaps\n%s\n' "$fault" >answers
    COLUMNS=60 mystery 3 --chapter 8 <answers >shown || return
    shows shown 'measurement 2: maps' 'this run sound run' 'entropy ' 'RIGHT' 'beside the losses: 2' || return
    # Paragraphs are wrapped for the terminal; tables fit 60 columns.
    grep -E '^  .*[0-9]$' shown >tables && [ "$(wc -l <tables)" -gt 15 ] || return
    awk 'length($0) > 60 { print "wide:", $0; wide = 1 } END { exit wide }' tables
}
# Training and held-out, of this run and of a sound one.
has_sound_numbers() {
    awk '/^ *(step [0-9]+|entropy) / { lines += NF - ($1 == "step") == 5 } END { exit lines != 11 }' shown
}
unanswered() { ends_with 1 mystery 3 --chapter 8 </dev/null >shown && shows shown 'was not named'; }
strange() { # WORD
    echo "$1" | ends_with 2 mystery 3 --chapter 8 >shown 2>&1 && shows shown "found '$1'"
}

if [ "$3" = mystery ]; then
    attempt 'there are at least 24 faults, each once' many
    attempt 'each fault is planted somewhere' planted
    attempt 'a word that is no number' refuses 'expected the number of a mystery' seven
    attempt 'an unknown lecture' refuses 'expected V, B, H, Z or J' --course Q
    attempt 'a chapter without a fault' refuses 'expected a chapter' --chapter 7
else
    attempt 'the first numbers have each fault once' each_once
    attempt 'a seed has the same fault each time, and its name is the answer' names_the_fault
    attempt 'without a terminal, measurements and the answer come from a file' answers_a_file
    attempt 'the losses and the entropy stand beside those of a sound run' has_sound_numbers
    attempt 'without an answer it ends with 1' unanswered
    attempt 'a word that is neither ends with 2' strange weather
    attempt 'a fault of the other model ends with 2' strange no-mask
fi
done_testing

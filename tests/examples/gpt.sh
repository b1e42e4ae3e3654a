#!/bin/sh
# The example gpt, short:  sh tests/examples/gpt.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"

# Three random letters of 16, eight times, then another three: 3 log 16 / 24 = 0.347 nats a letter are chance. What
# follows is told by the letter three places back: by place and order, which a set of letters does not have.
awk 'BEGIN {
    for (x = 1; lines < 2000; lines++) {
        for (k = word = ""; k < 3; k++) {
            x = x * 16807 % 2147483647
            word = word substr("abcdefghijklmnop", 1 + int(x / 2147483647 * 16), 1)
        }
        for (k = 0; k < 8; k++) printf "%s", word
    }
}' >threes
printf 'hardly any text.' >short
small='--data threes --context 32 --channels 32 --layers 2 --batch 8 --lr 1e-2 --prompt akdakd --length 27'

# shellcheck disable=SC2086  # several words
{
    attempt '400 steps' example whole $small --steps 400 --save whole.st --decode greedy
    loss=$(said whole 'validation loss:')
    # 2.3 without positions; below 0.347 only by looking ahead
    attempt 'it has learnt what follows' within 0.347 "$loss" 1.2
    attempt 'and goes on so' shows whole.txt akdakdakdakdakdakdakdakdakdakdakd
    attempt 'the last validation is that of the whole part' \
        within "$(last whole validation loss | awk '{ print $1 - 0.001 }')" "$loss" \
        "$(last whole validation loss | awk '{ print $1 + 0.001 }')"

    attempt '400 steps without positions' example nowhere $small --steps 400 --position none --decode greedy
    attempt 'do not learn it' within 1.5 "$(said nowhere 'validation loss:')" 9
    attempt '400 steps without the mask' example ahead $small --steps 400 --unmasked --decode greedy
    attempt 'look at what they should tell' within 0 "$(said ahead 'validation loss:')" 0.346

    attempt 'weights that were saved' example loaded --load whole.st --prompt akdakd --length 27 --decode greedy --html
    attempt 'its page has gradients, queries and keys' shows loaded/attention.html '"gradients":[' '"q":[' '"k":['
    attempt 'and leaves out the zeros above the diagonal' shows loaded/attention.html '"causal":true'
    attempt 'write the same' shows loaded.txt akdakdakdakdakdakdakdakdakdakdakd
    causes next 2 bnpbnp --load whole.st --prompt akdakd --length 1 --decode greedy
    # Each token from the fourth on occurred before; the weights of each query on all keys sum to 1.
    attempt 'scores of induction' example scores --load whole.st --prompt akdakdakdak --length 1 --decode greedy --sweep induction
    # shellcheck disable=SC2016  # an awk program
    attempt 'are shares' awk '/^prefix/ { on = 1 } on && $1 == "layer" { for (i = 3; i <= NF; i++) { n++; bad += $i < 0 || $i > 1 } } END { exit bad || !n }' scores.txt
    attempt 'without a token that occurs twice there is none' refuses 2 'found no token twice' --load whole.st --prompt akd \
        --length 1 --decode greedy --sweep induction
    attempt 'in all ways' example tour --load whole.st --prompt akdakd --length 40
    attempt 'with the cache and without it, the same' shows tour.txt 'the same 27 of 27 tokens'
    attempt 'and draw the speed' test -s tour/cache.gp
    attempt 'top-k 1 is greedy' example first --load whole.st --prompt akdakd --length 27 --decode sample \
        --top-k 1
    attempt 'and writes as greedy does' shows first.txt akdakdakdakdakdakdakdakdakdakdakd

    goes_on some $small --steps 200 --decode greedy
    takes_no_memory 'further steps take no memory' $small --decode greedy

    # 300 random letters have nothing that the last tenth of them shows again: what is learnt of them by heart makes it worse.
    # Training takes half a second, so that it can be stopped in between.
    awk 'BEGIN { for (x = i = 1; i <= 300; i++) { x = x * 16807 % 2147483647; printf "%c", 97 + int(x / 2147483647 * 16) } }' >random
    by_heart='--data random --context 16 --channels 96 --layers 2 --batch 32 --lr 1e-2 --prompt a --length 4 --decode greedy --steps 400'
    attempt 'a text without rules' example heart $by_heart --patience 1 --save heart.st
    gave_up() { [ "$(awk -F'\t' '$2 == "train" { n++ } END { print n }' heart/metrics.tsv)" -lt 400 ]; }
    attempt 'is given up' gave_up
    attempt 'as when it was interrupted between' interrupted patient $by_heart --patience 1 --save patient.st
    attempt 'and has the same weights' as_never_stopped heart patient
    attempt 'byte pairs' example pairs $small --bpe 40 --steps 30 --save pairs.st --prompt akd --decode beam
    attempt 'that were saved' example unpaired --load pairs.st --prompt akd --length 20 --decode greedy
    attempt 'come with their merges' grep -q '^akd' unpaired.txt
    attempt 'in one file' test ! -e pairs.st.bpe
}

# A terminal gets the form feeds of this text escaped, a file as they are.
awk 'BEGIN { for (i = 0; i < 500; i++) printf "a\f\t" }' >raw
writes_raw() { "$program" --data raw --steps 60 --lr 1e-2 --context 16 --channels 16 --layers 1 --decode greedy --prompt a --length 8 --quiet --out raw-out; }
escapes_for_a_terminal() {
    writes_raw | cat >piped && shows piped 'a\x0c	a\x0c' && fails grep -q "$(printf '\f')" piped
}
attempt 'control characters are escaped where the output is no file' escapes_for_a_terminal
attempt 'and not in a file' sh -c "'$program' --data raw --steps 60 --lr 1e-2 --context 16 --channels 16 --layers 1 \
    --decode greedy --prompt a --length 8 --quiet --out raw-out >written && LC_ALL=C grep -q \"\$(printf 'a\f\ta\f')\" written"

attempt 'an unknown character' refuses 1 'found "Z" at byte 1; expected one of the 16 characters' \
    --load whole.st --prompt aZ
attempt 'an empty prompt' refuses 2 '--prompt: found an empty value; expected TEXT' --prompt ''
attempt 'a prompt beyond the context' refuses 2 'found 33 tokens; expected at most 32' \
    --load whole.st --prompt abcabcabcabcabcabcabcabcabcabcabc
attempt 'top-p 0' refuses 2 "top-p: found '0'; expected a number from 1e-09 to 1" --top-p 0
attempt '3 heads of 64 channels' refuses 2 'heads: found 3 for 64 channels; expected a divisor' --heads 3
attempt 'no such text' refuses 1 'missing.txt: opening failed with' --data missing.txt
printf 'caf\351 au lait' >latin.txt
attempt 'a text that is not UTF-8' refuses 1 'latin.txt: line 1, byte 3: found 0xE9' --data latin.txt
attempt 'too short a text' refuses 1 'found 16 characters; expected at least 130' --data short
attempt 'a file that is no model of an example' refuses 1 "found no metadata 'gpt'; expected a file that was saved with it" \
    --load "$1/tests/golden/encoder.safetensors"

done_testing

#!/bin/sh
# The example bert, short:  sh tests/examples/bert.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"

few='--sentences 2000 --tune-steps 1 --labelled 16'

# shellcheck disable=SC2086  # $few is several options
{
attempt '300 steps' example whole --steps 300 --save whole.st --tune-steps 100
# It comes to 1.76; without positions to 2.63 only, and a wrong sign leaves it above log 218 = 5.4.
attempt 'words with holes are learned' within 1 "$(last whole 'held out' loss)" 2
attempt '"other" stands before "bank"' sh -c "grep -A 1 '<mask> 2' whole.txt | grep -q other"
attempt 'weights that were saved' example loaded --load whole.st --tune-steps 1 --html
attempt 'its page has gradients, queries and keys' shows loaded/attention.html '"gradients":[' '"q":[' '"k":['
attempt 'guess the same' equal "$(said whole 'sequences:')" "$(said loaded 'sequences:')"

goes_on some $few --steps 20
# shellcheck disable=SC2086
takes_no_memory 'further steps take no memory' $few

# Two steps an epoch: the masks of the second epoch are the first one's, or new ones.
attempt 'static masks' example static --sentences 128 --steps 4 --tune-steps 1 --lr 1e-8
attempt 'dynamic masks' example dynamic --sentences 128 --steps 4 --tune-steps 1 --lr 1e-8 --dynamic
losses() { awk -F '\t' '$2 == "train" { print $3 }' "$1/metrics.tsv"; }
}
losses static >static.losses
losses dynamic >dynamic.losses
attempt 'begin alike' equal "$(head -n 2 static.losses)" "$(head -n 2 dynamic.losses)"
attempt 'and part in the second epoch' [ "$(tail -n 2 static.losses)" != "$(tail -n 2 dynamic.losses)" ]

attempt 'an unknown word' refuses 1 'unknown word "rivver"; expected a known one, nearest: "river"' --text 'a <mask> rivver'
attempt 'an empty text' refuses 2 '--text: found an empty value; expected TEXT' --text ''

done_testing

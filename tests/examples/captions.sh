#!/bin/sh
# The example captions, with the weights of chapter 7, and trained for a few steps:  sh tests/examples/captions.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"
weights=$1/lectures/07-vision/captions.safetensors

path=/nowhere # without gnuplot
attempt 'the trained model' example told --load "$weights"
# One caption of 7,248 is right by chance; the words alone never put "white" before "triangle".
attempt 'captions of new pictures are right' within 95 "$(said told 'new pictures:')" 100
attempt 'so are those of pairs that it never had' within 95 "$(said told 'with a pair it never had:')" 100
attempt 'drawings show their captions' within 85 "$(said told 'captions and')" 100
# The best guess without the picture is right in 40 %.
attempt 'answers are right' within 95 "$(said told 'questions about new pictures:')" 100
attempt 'also where another shade was right in training' within 90 "$(said told 'the triangle\" of a pair it never had:')" 100
for picture in both-ways words-attend answers; do
    attempt "the picture $picture has its script" test -s told/$picture.gp
done

goes_on short --steps 40
first() { awk -v column="$1" '/^#/ { next } !at { for (i = 1; i <= NF; i++) if ($i == column) at = i; next } { print $at; exit }' short/metrics.tsv; }
# log 128 = 4.85 nats for each of all words and codes.
for part in caption drawing answer; do
    attempt "the loss of a $part begins at that of guessing" within 4.6 "$(first $part)" 5.1
    attempt "and falls" within 0.5 "$(last short train $part)" 4.5
done
attempt 'weights that were saved' example loaded --load short.st
results() { grep '%' "$1.txt"; }
same() { results short >short.results && results loaded >loaded.results && [ -s short.results ] && cmp short.results loaded.results; }
attempt 'give the same results' same
takes_no_memory 'further steps take no memory'

attempt '--blank is of training alone' refuses 2 '--blank: found --load, too; expected it in training alone' --load "$weights" --blank 0.1
attempt 'weights of another example' refuses 1 "found" --load "$1/lectures/07-vision/speech.safetensors"

done_testing

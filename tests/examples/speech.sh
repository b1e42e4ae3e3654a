#!/bin/sh
# The example speech, with the weights of chapter 7, and trained for a few steps:  sh tests/examples/speech.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"
weights=$1/lectures/07-vision/speech.safetensors

path=/nowhere # without gnuplot
attempt 'the trained model' example told --load "$weights" --text 'five  one eight two' --pitch 150
attempt 'recordings are read: a guess is wrong in 90 %' within 0 "$(said told 'words read wrongly:')" 5
attempt 'so are their codes' within 0 "$(said told 'recordings,')" 10
attempt 'and what the GPT says' within 0 "$(said told 'from their codes,')" 15
# Four words: by chance a quarter of the frames.
attempt 'one head follows the letters' within 60 "$(said told 'being spoken in')" 100
attempt 'it says the words of --text' shows told.txt 'read:       five one eight two'
for picture in spoken letters voices; do
    attempt "the picture $picture has its script" test -s told/$picture.gp
done

# RIFF's header, by the standard: 16-bit PCM, one channel, 16,000 samples a second, and as many bytes as the file has.
number() { od -An -tu"$3" -j"$2" -N"$3" "$1" | tr -d ' '; }
is_wav() {
    bytes=$(wc -c <"$1")
    [ "$(head -c 4 "$1")" = RIFF ] && [ "$(number "$1" 4 4)" = $((bytes - 8)) ] && [ "$(number "$1" 40 4)" = $((bytes - 44)) ] &&
        [ "$(number "$1" 20 2) $(number "$1" 22 2) $(number "$1" 24 4) $(number "$1" 28 4) $(number "$1" 34 2)" = '1 1 16000 32000 16' ]
}
for sound in recorded codec said; do
    attempt "$sound.wav is a sound file" is_wav told/$sound.wav
done
# As loud as 16 bits allow: some sample is the largest or the smallest.
loud() { od -An -v -td2 -w2 -j44 told/said.wav | awk '$1 == 32767 || $1 == -32767 { found = 1 } END { exit !found }'; }
attempt 'a sound file is as loud as its bits allow' loud

attempt '16 steps' example short --steps 16 --save short.st
# log 65 + log 64 = 8.3 nats a frame before anything is learned.
attempt 'begin with the loss of guessing' within 7.5 "$(awk '$2 == "train" { print $3; exit }' short/metrics.tsv)" 9.5
attempt "and learn: less than log 65 + log 64" within 3 "$(last short "held out" loss)" 8.25
attempt 'the recogniser is trained for a quarter as many' within 4 "$(awk '$2 == "train"' short/metrics-recogniser.tsv | wc -l)" 4
attempt 'weights that were saved' example loaded --load short.st
results() { sed -n '/words read/,/heaviest/p' "$1.txt"; }
same() { results short >short.results && results loaded >loaded.results && [ -s short.results ] && cmp short.results loaded.results; }
attempt 'give the same results' same
attempt 'the same, stopped and resumed' interrupted stopped --steps 16 --save stopped.st
attempt 'is as never stopped' as_never_stopped short stopped

attempt '--trace prints a step and ends' traces 10
attempt 'a text of other words' refuses 2 "--text: found 'one two ten four'; expected four words of zero to nine" --text 'one two ten four'
attempt 'a text of three words' refuses 2 '--text: found 3 words; expected 4' --text 'one two three'

done_testing

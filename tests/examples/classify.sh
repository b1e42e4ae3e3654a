#!/bin/sh
# The example classify, short:  sh tests/examples/classify.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"

attempt '400 steps' example whole --steps 400 --save whole.st
# The README's table: a bag of words is right on 6 of 10 negated texts; without positions, or as a bag, a model
# is right on half of those whose order decides.
attempt 'what is negated is read so' within 90 "$(said whole 'negated')" 100
attempt 'order is read' within 95 "$(said whole 'order decides')" 100
attempt 'it names more than 95 % of all labels' within 95 "$(said whole ' all ')" 100
# Padding that is looked at, or that counts in the mean, changes them by tenths.
attempt 'padding changes no probability by more than 1e-6' within 0 "$(said whole 'by at most')" 1e-6
attempt 'without the mask it would' within 0.1 "$(said whole 'it would by up to')" 1

attempt 'the class token, 400 steps' example class --pool class --steps 400
attempt 'names more than 95 % of all labels' within 95 "$(said class ' all ')" 100
attempt 'padding changes nothing there' within 0 "$(said class 'by at most')" 1e-6

attempt 'weights that were saved' example loaded --load whole.st --html
attempt 'its page has gradients, queries and keys' shows loaded/attention.html '"gradients":[' '"q":[' '"k":['
attempt 'answer the same' equal "$(said whole ' all ')" "$(said loaded ' all ')"
goes_on some --steps 30
takes_no_memory 'further steps take no memory'

# A file: which colour is a text about? Three labels, and the word that tells stands anywhere.
awk 'BEGIN {
    split("red green blue", colour); split("rose leaf sea", thing)
    for (i = 0; i < 300; i++) {
        k = i % 3 + 1
        line = ""
        for (j = 0; j < i % 7; j++) line = line "and then "
        print colour[k] "\t" line "a " thing[k] " is seen" (i % 2 ? " here" : "")
    } }' >colours.tsv
attempt 'a file of texts' example file --data colours.tsv --steps 60 --text 'then a sea is seen' --save file.st
attempt 'is learned' within 99 "$(said file ' all ')" 100
attempt 'and a text gets its label' sh -c "grep -A 1 'then a sea is seen' file.txt | grep -q blue"
attempt 'its weights bring words and labels along' example again --load file.st --data colours.tsv

attempt 'an unknown word' refuses 1 'unknown word "plott"; expected a known one, nearest: "plot"' --text 'the plott was dull'
attempt 'no word' refuses 1 'found 0 words; expected 1 to 32' --text ' '
attempt 'weights of other texts' refuses 2 'found a model of other texts than the reviews' --load file.st
printf 'good\tfine\nbad poor\n' >bad.tsv
attempt 'a line without a tab' refuses 1 'bad.tsv: line 2: found no tab; expected LABEL<tab>TEXT' --data bad.tsv
printf 'good\tfine\nbad\tpoor\n' >bad.tsv
attempt 'too few texts' refuses 1 'bad.tsv: found 2 texts; expected at least 5' --data bad.tsv

done_testing

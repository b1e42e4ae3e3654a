#!/bin/sh
# The example attention, short:  sh tests/examples/attention.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"

attempt '450 steps' example whole --steps 450 --save whole.st
# Without a position code half of the sentences on word order go wrong (README): then 83 % in all at best.
attempt 'it answers more than 95 % of the held-out sentences' \
    within 95 "$(said whole ' all ')" 100
attempt 'weights that were saved' example loaded --load whole.st
attempt 'answer the same' equal "$(said whole ' all ')" "$(said loaded ' all ')"

attempt '40 steps' example some --steps 40 --save some.st
attempt '40 steps, stopped and resumed' interrupted stopped --steps 40 --save stopped.st
attempt 'are as never stopped' as_never_stopped some stopped
attempt 'three threads leave the same bits' any_threads some --steps 40

attempt 'an unknown option' refuses 2 'did you mean --steps?' --step 3
attempt 'the same with a value' refuses 2 'unknown option --step; did you mean --steps?' --step=3
# --help is the nearest name, by 4 edits; half of the letters of --model are 2.
attempt 'an option that resembles none' refuses 2 'unknown option --model (--help lists all)' --model x
for number in 1e300 inf nan 1.5; do
    attempt "$number steps" refuses 2 "--steps: found '$number'; expected a whole number" --steps $number
done
attempt 'a file that is no model of an example' refuses 1 \
    'encoder.safetensors: found a file without the metadata "example"' \
    --load "$1/tests/golden/encoder.safetensors"
attempt 'an error names the function that failed' refuses 1 ': safetensors_read: nowhere.st: cannot open' --load nowhere.st
one_name() { ! grep -q 'store_open' refused.txt; }
attempt 'and no other' one_name
attempt 'weights are no checkpoint' refuses 1 "whole.st: found no metadata 'progress'" --resume whole.st

done_testing

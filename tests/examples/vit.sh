#!/bin/sh
# The example vit, short:  sh tests/examples/vit.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"

# 200 steps of a model of half the width and depth.
small() {
    which=$1
    shift
    example "$which" --channels 32 --layers 2 --steps 200 --epochs 1 --lr 4e-3 "$@"
}

attempt '200 steps' small whole --save whole.st
path=/nowhere # without gnuplot from now on
# Without positions a picture is a bag of patches: the same model then reads two thirds (seed 1), with them 82 %.
attempt 'it reads the digits' within 0.76 "$(last whole test accuracy)" 1
attempt '200 steps without positions' small bag --position none
attempt 'read fewer' within 0.4 "$(last bag test accuracy)" 0.74

attempt 'weights that were saved' example loaded --load whole.st
attempt 'read the same' equal "$(said whole 'test images: accuracy')" "$(said loaded 'test images: accuracy')"
for picture in confusion attention-1 attention-3 positions learning; do
    attempt "the picture $picture has its script" test -s whole/$picture.gp
done
attempt 'the image is in grey' grep -q '^grey0(x) =' whole/attention-1.gp
# Table 1 of the picture is the image, the others are the heads' weights and the rollout's.
panels() {
    for table in whole/attention-1-[2-9].csv; do
        tr -d '\r' <"$table" |
            awk -F , 'NR > 1 { for (i = 2; i <= NF; i++) if ($i != "nan") print $i }' | sort -u |
            awk 'END { exit !(NR > 1 && NR <= 16) }' || return 1
    done
}
attempt 'a map of attention has one number for each of the 16 patches' panels
ends_at_largest() {
    end=$(sed -n 's/^set cbrange \[0:\(.*\)\]/\1/p' whole/attention-1.gp)
    awk -F , -v end="$end" '
        FNR > 1 { for (i = 2; i <= NF; i++) if ($i !~ /nan/ && $i + 0 > most) most = $i + 0 }
        END { print most, end; exit !(most > 0 && most < 1 && end - most < 1e-6 && most - end < 1e-6) }
    ' whole/attention-1-[2-9].csv
}
attempt 'the scale of attention ends at the largest weight' ends_at_largest
attempt 'no positions, no picture of them' test ! -e bag/positions.gp

attempt 'sinusoidal positions' example waves --position sinusoidal --layers 1 --channels 16 --steps 1
attempt 'are not called learned' grep -q 'cosine similarity of sinusoidal positional encodings' waves/positions.gp
goes_on mean --pool mean --layers 1 --channels 16 --steps 100
takes_no_memory 'further steps take no memory' --channels 16 --layers 2

attempt 'a patch that does not divide the picture' refuses 1 \
    'vit: patches of 5 x 5 for images of 28 x 28; expected a side that divides 28' --patch-size 5
attempt 'heads that do not divide the channels' refuses 2 '--heads: found 3 for 64 channels' --heads 3

done_testing

#!/bin/sh
# The example vae, short:  sh tests/examples/vae.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"

attempt '140 steps' example whole --epochs 2 --save whole.st
path=/nowhere # without gnuplot from now on
# A code that says nothing leaves each pixel at its mean over all digits, at 200 nats or more; a KL of the wrong
# sign grows without bound.
attempt '-ELBO falls below what a code that says nothing reaches' \
    within 100 "$(said whole '-ELBO of the test images:')" 175
attempt 'with a KL between nothing and too much' within 5 "$(last whole test KL)" 30
sums() {
    awk -v loss="$(last whole test loss)" -v a="$(last whole test reconstruction)" -v b="$(last whole test KL)" \
        'BEGIN { d = loss - a - b; exit !(loss > 0 && d < 1e-4 && d > -1e-4) }'
}
attempt 'it is the sum of its parts' sums

attempt 'weights that were saved' example loaded --load whole.st
attempt 'give the same -ELBO' equal "$(said whole '-ELBO of the test images:')" "$(said loaded '-ELBO of the test images:')"
for picture in reconstructions samples learning; do
    attempt "the picture $picture has its script" test -s whole/$picture.gp
done
# The script of a colour scale sets a palette.
grey() { grep -q '^grey0(x) =' "$1" && ! grep -q palette "$1"; }
for picture in reconstructions samples; do
    attempt "the picture $picture is in grey" grey whole/$picture.gp
done

goes_on flat --latent 2 --hidden 32 --steps 300
for picture in map manifold; do
    attempt "of two latents there is a picture $picture" test -s flat/$picture.gp
done
attempt 'the manifold is in grey' grey flat/manifold.gp
takes_no_memory 'further steps take no memory'

# pictures FOLDER COUNT: black ones of 2 x 2 pixels, a tenth of them for testing.
pictures() {
    mkdir "$1"
    octal=$(printf '\\0%03o\\0%03o' $(($2 / 256)) $(($2 % 256)))
    { printf '%b' "\\0\\0\\010\\003\\0\\0$octal\\0\\0\\0\\002\\0\\0\\0\\002" && head -c $((4 * $2)) /dev/zero; } >"$1/t10k-images-idx3-ubyte"
    { printf '%b' "\\0\\0\\010\\001\\0\\0$octal" && head -c "$2" /dev/zero; } >"$1/t10k-labels-idx1-ubyte"
}
pictures small 600
pictures few 200
attempt 'a code of far more numbers than pixels' example wide --data small --latent 512 --hidden 1 --steps 1
attempt 'too few pictures for testing' refuses 1 'found 20 test images; expected at least 56' --data few --steps 1 --hidden 8
attempt 'a folder without data' refuses 1 'found neither t10k-images-idx3-ubyte[.gz] nor' --data nowhere

done_testing

#!/bin/sh
# The two walks through backward, printed as TAP:  sh tests/lectures/walks.sh SOURCE FOUR_NODES THREE_TOKENS
# The numbers that are expected are those that lectures/00-backprop/README.md computes by hand.
set -u
source=$(cd "$1" && pwd) || exit 1
four=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
three=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1

# has FILE LINE...: each line is in the file, but for the widths of its blanks.
has() {
    tr -s ' ' <"$1" | sed 's/^ //; s/ $//' >squeezed
    shift
    for line in "$@"; do
        grep -qxF -- "$line" squeezed || { echo "not there: $line" && cat squeezed && return 1; }
    done
}
by_hand() {
    "$four" >nodes && has nodes 'add dL/d y (1) 8' 'add dL/d a (1) 4' 'add dL/d a (1) 12' 'a 2 16 16' 'b 3 8 8' 'c 0.5 64 64' \
        'p 6 4' 's 8 4' 'y 4 8' 'L 16 1'
}
attempt 'four-nodes: values, gradients and central differences are those done by hand' by_hand
paged() { "$four" --html >/dev/null && grep -q 'a graph of four ops' four-nodes.html; }
attempt 'its page is written' paged
tokens() {
    "$three" --trace=J >tokens && has tokens '5 A = softmax(E) (3, 3) 0.4 0.2 0.4 ...' '6 head_i = A V (3, 2) 8 6 ...' \
        'add dL/d A (3, 3) 10 0 10 ...' 'add dL/d V (3, 2) 0.4 0 ...' 'add dL/d E (3, 3) 0.8 -1.6 0.8 ...' \
        'add dL/d Q (3, 2) 1.131 -0.5657 ...'
}
attempt 'three-tokens: attention and its gradients are those done by hand' tokens
norm() { "$three" --heads --trace >heads && has heads 'add dL/d x (1, 4) 0.052 -0.064 -0.036 0.048'; }
attempt 'so is the gradient of LayerNorm' norm
page() { "$three" --html >/dev/null && grep -q 'attention on three tokens' three-tokens.html; }
attempt 'three-tokens --html writes three-tokens.html' page
done_testing

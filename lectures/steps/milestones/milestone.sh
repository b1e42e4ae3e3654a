#!/bin/sh
# Grades what a milestone calls of a learner's homeworks, compiles it with them and the library, and runs it:
#   sh build/lectures/milestone.sh tired ~/homework
# Meson writes it there, with the words between two @.
set -eu
top='@TOP@'
from=$top/lectures/steps/milestones gradus=${GRADUS_LAUNCHER:-$top/gradus}
name=$1 homework=$2 out=$2/milestones
mkdir -p "$out"

say() { # shows a command as it can be typed, and runs it
    printf '  '
    for word; do
        case $word in
        *[!a-zA-Z0-9/._=-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n\n' && "$@"
}

# grade HW FILE: an example's numbers do not reach every branch; a homework's tests do.
grade() {
    sed -n 's/^TASK .*[ *]\(.*\)(.*/\1/p' "$top/lectures/homework/$1"-*/"$1.h" | while read -r function; do
        # shellcheck disable=SC2086  # words
        (cd "$from" && grep -qw "$function" $sources) || continue
        say "$gradus" grade "$1" "$2" --function "$function" </dev/null >"$out/report" 2>&1 || { cat "$out/report" && exit 1; }
        echo "   $function of $1 passes its tests"
    done
}

# The parts of the program (milestones.txt) become sources; its example is trained once, in some 10 seconds of processor
# time, and its weights are kept.
parts=$(sed -n "s/^$name //p" "$from/milestones.txt")
sources="$name.c $(echo "$parts" | tr ' ' '\n' | sed -n '/^[^/]*[.]c$/p' | tr '\n' ' ')" weights=''
set -- @COMPILE@ -DLECTURES_FOLDER="\"$top/lectures\"" -o "$out/$name" "$from/$name.c"
for part in $parts; do
    case $part in
    hw*)
        part=${part%%:*} # hw2:graph_backward is hw2
        file=$homework/$part/$part.c
        [ -f "$file" ] || { echo "   $file is not there; write $part first: ./gradus handout $part $homework/$part" && exit 1; }
        grade "$part" "$file"
        set -- "$@" "-I$homework/$part" "$file"
        ;;
    */*) set -- "$@" "$top/$part" ;;
    *.c) set -- "$@" "$from/$part" ;;
    *) weights=$out/$part.safetensors example=$part ;;
    esac
done
[ -z "$weights" ] || [ -f "$weights" ] ||
    say "$gradus" example "$example" --quiet --steps 400 --save "$weights" --out "$out"
say "$@" @LINK@
say "$out/$name" ${weights:+"$weights"}

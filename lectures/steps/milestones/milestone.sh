#!/bin/sh
# Compiles a milestone with a learner's homeworks and the library, and runs it:
#   sh build/lectures/milestone.sh tired ~/homework
# Meson writes it there, with the words between two @.
set -eu
top='@TOP@'
from=$top/lectures/steps/milestones
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

# The parts of the program (milestones.txt) become sources; its example is trained once, in some 10 seconds of processor
# time, and its weights are kept.
parts=$(sed -n "s/^$name //p" "$from/milestones.txt")
weights=''
set -- @COMPILE@ -DLECTURES_FOLDER="\"$top/lectures\"" -o "$out/$name" "$from/$name.c"
for part in $parts; do
    case $part in
    hw*)
        part=${part%%:*} # hw2:graph_backward is hw2
        file=$homework/$part/$part.c
        [ -f "$file" ] || { echo "   $file is not there; write $part first: ./gradus handout $part $homework/$part" && exit 1; }
        set -- "$@" "-I$homework/$part" "$file"
        ;;
    */*) set -- "$@" "$top/$part" ;;
    *.c) set -- "$@" "$from/$part" ;;
    *) weights=$out/$part.safetensors example=$part ;;
    esac
done
[ -z "$weights" ] || [ -f "$weights" ] ||
    say "${GRADUS_LAUNCHER:-$top/gradus}" example "$example" --quiet --steps 400 --save "$weights" --out "$out"
say "$@" @LINK@
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
say "$out/$name" ${weights:+"$weights"}

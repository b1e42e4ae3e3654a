# What the shell tests share: cases reported as TAP, and a temporary folder.
#
#   . tests/harness/tap.sh
#   attempt 'it compiles' cc -c x.c
#   done_testing
#
# shellcheck shell=sh

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cases=0 failures=0

# attempt TITLE COMMAND...: a case that passes if the command returns 0; otherwise its output is shown.
attempt() {
    title=$1
    shift
    cases=$((cases + 1))
    if "$@" >"$work/said" 2>&1 </dev/null; then
        echo "ok $cases - $title"
        return
    fi
    failures=$((failures + 1))
    echo "not ok $cases - $title"
    { echo "$title: $*" && sed 's/^/    | /' "$work/said"; } >&2
}

# Does `./gradus test --all` run? Otherwise a test of many similar cases tries a sample of them.
all() { [ -n "${GRADUS_TEST_ALL:-}" ]; }

# today N: a number from 1 to N that is another one every day, so that a sample changes. GRADUS_TEST_DAY repeats a day's.
today() { echo $((${GRADUS_TEST_DAY:-$(($(date +%s) / 86400))} % $1 + 1)); }

# skip TITLE REASON: a case that cannot run here.
skip() {
    cases=$((cases + 1))
    echo "ok $cases - $1 # SKIP $2"
}

# skip_all REASON: no case of this program can run here.
skip_all() {
    echo "1..0 # SKIP $*"
    exit 0
}

# fails COMMAND...: succeeds if the command fails.
fails() { ! "$@"; }

# shows FILE TEXT...: succeeds if the file contains each of the texts.
shows() {
    shown=$1
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$shown" || { echo "lacks: $text" && cat "$shown" && return 1; }
    done
}

# equal TEXT TEXT: succeeds if both texts are the same and not empty. Two empty ones mean that neither was found.
equal() {
    if [ -z "$1" ] || [ "$1" != "$2" ]; then
        echo "found \"$1\" and \"$2\"; expected one text twice"
        return 1
    fi
}

# done_testing: prints the plan and ends with status 1 if a case failed.
done_testing() {
    echo "1..$cases"
    [ "$failures" -eq 0 ]
}

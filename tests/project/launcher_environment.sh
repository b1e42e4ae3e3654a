# The environment in which the tests run the launcher. They set $project and read this file.
#
# Each test has a small project of its own, in a path with spaces, and a PATH that contains only what the test puts
# there: symbolic links to a few of the system's programs, and stand-ins for the compiler, Meson, Ninja, the package
# managers and sudo. The stand-ins append the words they were called with to the file "calls".
#
# shellcheck shell=sh
# shellcheck disable=SC2154,SC2317  # $project comes from outside; the act_TOOL are called by name

place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
cases=0 failures=0 title='' why=''

# ---- a test and its checks ------------------------------------------------------------------

# Builds the template of every test's environment: a small project, and every tool that it needs.
build_template() {
    bin=$place/template/bin tree=$place/template/tree
    mkdir -p "$bin" "$tree/tests/harness" "$tree/.ci" "$tree/examples/attention"
    for program in sh awk basename cat chmod dirname env grep ln mkdir mv readlink rm rmdir sed \
        sleep tail uname; do
        ln -s "$(command -v $program)" "$bin/$program"
    done
    for tool in id cc meson ninja gnuplot pkg-config; do stand_in $tool; done
    cp "$project/gradus" "$tree/gradus"
    cp -R "$project/.launcher" "$tree/.launcher"
    cp "$project/.ci/run" "$tree/.ci/run"
    cp "$project/tests/harness/tally.awk" "$tree/tests/harness/"
    printf "project('gradus', 'c',\n    version: '9.8.7',\n" >"$tree/meson.build"
    printf '# attention\n\n![a picture](x.png)\n\nWhere it looks.\nMore.\n' \
        >"$tree/examples/attention/README.md"
    echo 'int main(void) { return 0; }' >"$tree/examples/attention/attention.c"
}

# test_case TITLE: ends the test before and begins one, as an ordinary user with a fresh copy of the template.
test_case() {
    conclude
    [ -d "$place/template" ] || build_template
    title=$1 why='' uid=1000 setting=''
    work="$place/a place $cases"
    bin=$work/bin tree=$work/tree from=$work
    cp -RP "$place/template" "$work"
    : >"$work/out"
    : >"$work/err"
}

conclude() {
    [ -n "$title" ] || return 0
    cases=$((cases + 1))
    if [ -z "$why" ]; then
        echo "ok $cases - $title"
        return
    fi
    failures=$((failures + 1))
    echo "not ok $cases - $title"
    printf '%s:%s\n' "$title" "$why" >&2
    sed 's/^/    | /' "$work/out" "$work/err" >&2
}

# done_testing: ends the last test and the program.
done_testing() {
    conclude
    echo "1..$cases"
    [ $failures -eq 0 ]
}

wrong() {
    why="$why
    $*"
}

# run COMMAND...: runs it in the folder $from, with the test's PATH, $setting and no other variables.
run() {
    : >"$work/calls"
    # shellcheck disable=SC2086  # settings are words
    (cd "$from" && env -i PATH="$bin" CALLS="$work/calls" BIN="$bin" FAKE_UID=$uid $setting "$@") \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

gradus() { run "$tree/gradus" "$@"; }

ends_with() { [ "$status" -eq "$1" ] || wrong "ended with $status, not $1"; }
out_has() { grep -qF -- "$1" "$work/out" || wrong "standard output lacks: $1"; }
err_has() { grep -qF -- "$1" "$work/err" || wrong "standard error lacks: $1"; }
err_lacks() { ! grep -qF -- "$1" "$work/err" || wrong "standard error has: $1"; }
is_silent() { [ ! -s "$work/err" ] || wrong "standard error is not empty"; }
called() { grep -qxF -- "$1" "$work/calls" || wrong "was not called: $1 ($(cat "$work/calls"))"; }
uncalled() { ! grep -q "^$1" "$work/calls" || wrong "was called: $(grep "^$1" "$work/calls")"; }
has_file() { [ -e "$1" ] || wrong "there is no $1"; }
last_line_is() {
    last=$(tail -n 1 "$work/out")
    [ "$last" = "$1" ] || wrong "the last line is: $last; not: $1"
}

# ---- stand-ins -----------------------------------------------------------------------------------

# stand_in TOOL: puts a stand-in for the tool into the test's PATH.
stand_in() {
    {
        echo '#!/bin/sh'
        echo "echo \"$1 \$*\" >>\"\$CALLS\""
        "act_$(echo "$1" | tr -- - _)"
    } >"$bin/$1"
    chmod +x "$bin/$1"
}

act_gnuplot() { :; }
act_gdb() { echo "echo \"GRADUS_GDB=\${GRADUS_GDB:-}\""; }
act_doxygen() { echo "cat; exit \${FAKE_DOXYGEN:-0}"; }
act_cc() { echo "[ \"\${FAKE_CC:-}\" != slow ] || { sleep 4; exit 1; }; exit \${FAKE_CC:-0}"; }
act_clang() { echo "case \$* in *resource*) echo \$BIN/../lib/clang/14 ;; esac; exit \${FAKE_CC:-0}"; }
act_valgrind() { :; }
act_gcovr() { echo "echo a.c 9 9 100%; echo b.c 9 5 55% 3-6; echo 8-9; echo TOTAL 100 \${FAKE_LINES:-98} x%"; }
act_clang_15() { echo "case \$FAKE_LIBRARIES:\$* in no:*-fsanitize*) exit 1 ;; esac"; }
act_id() { echo "echo \$FAKE_UID"; }
act_pkg_config() { :; }
act_sudo() {
    cat <<'END'
[ "$1 ${FAKE_SUDO:-}" != "-n asks" ] || exit 1
[ "$1" != -n ] || shift
[ "$1" = true ] || exec "$@"
END
}

# A package manager "installs" a tool by moving its stand-in from the folder "shelf" into PATH.
act_apt_get() {
    cat <<'END'
[ "${FAKE_NET:-up}" != slow ] || { echo "Unpacking ninja-build"; sleep 4; }
[ "${FAKE_NET:-up}" != down ] || { echo "Could not resolve the mirror"; exit 100; }
case "$*" in
*install*) for box in "$BIN"/../shelf/*; do [ ! -f "$box" ] || mv "$box" "$BIN"; done ;;
esac
END
}
# Python "creates" a pip, which "installs" a Meson that is new enough.
act_python3() {
    cat <<'END'
case $* in
*venv\ --clear*)
    mkdir -p "$4/bin"
    printf '#!/bin/sh\nexport CALLS=%s\necho "pip $*" >>"$CALLS"\n' "'$CALLS'" >"$4/bin/pip"
    echo "sed 's/{FAKE_MESON:-1.0.1}/{NOBODY:-1.8.0}/' '$BIN/meson' >'$4/bin/meson'" >>"$4/bin/pip"
    echo "ln -s '$BIN/ninja' '$4/bin/'; chmod +x '$4/bin/meson'" >>"$4/bin/pip"
    chmod +x "$4/bin/pip"
    ;;
esac
END
}
act_dnf() { act_apt_get; }
act_pacman() { act_apt_get; }
act_apk() { act_apt_get; }
act_brew() { act_apt_get; }

act_meson() {
    cat <<'END'
case $1 in
--version) echo "${FAKE_MESON:-1.0.1}" ;;
setup)
    while [ $# -gt 2 ]; do shift; done
    mkdir -p "$1/meson-private" "$1/meson-info"
    : >"$1/build.ninja"
    : >"$1/meson-info/intro-dependencies.json"
    ! pkg-config || echo '{"name": "cunit"}' >"$1/meson-info/intro-dependencies.json"
    ;;
test)
    mkdir -p "$3/meson-logs"
    [ ! -f "$BIN/../log" ] || cat "$BIN/../log" >"$3/meson-logs/testlog.json"
    echo "leaks: ${ASAN_OPTIONS:-} undefined: ${UBSAN_OPTIONS:-}"
    echo "ccache: ${CCACHE_DISABLE:-used}"
    exit "${FAKE_TEST:-0}"
    ;;
esac
END
}

# Ninja "builds" a program that prints its path and its arguments, one a line, and exits with 7; the benchmark and the
# lectures print their arguments.
act_ninja() {
    cat <<'END'
echo "[1/2] Compiling C object lib.a.p/autograd_tape.c.o"
[ "${FAKE_NINJA:-}" != slow ] || sleep 4
[ "${FAKE_NINJA:-}" != warns ] || echo "x.c:1: warning: careful"
[ "${FAKE_NINJA:-}" != fails ] || { echo "x.c:2: error: broken"; exit 1; }
case ${3:-} in
example-*)
    printf '#!/bin/sh\necho "in $PWD"\nfor w in "$@"; do echo "<$w>"; done\nexit 7\n' >"$2/$3"
    chmod +x "$2/$3"
    ;;
lectures/lectures)
    mkdir -p "$2/lectures"
    printf '#!/bin/sh\nprintf lectures:; for w in "$@"; do printf " <%%s>" "$w"; done; echo\n' >"$2/$3"
    chmod +x "$2/$3"
    ;;
tests/bench/bench)
    mkdir -p "$2/tests/bench"
    printf '#!/bin/sh\necho "bench: $*"\n' >"$2/$3"
    chmod +x "$2/$3"
    ;;
esac
END
}

# shelve TOOL...: removes the tools from PATH; installing puts them back.
shelve() {
    mkdir -p "$work/shelf"
    for tool in "$@"; do mv "$bin/$tool" "$work/shelf/"; done
}

# program NAME RESULT TAP: adds a test program to the log of the next `meson test`.
program() {
    printf '{"name": "%s", "stdout": "%s", "result": "%s", "env": {}}\n' "$1" "$3" "$2" >>"$work/log"
}

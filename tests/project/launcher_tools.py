"""What launcher.py tests, and the stand-ins for the tools that the launcher calls."""
SYSTEM = "sh awk basename cat chmod cmp cp dirname env find grep ln mkdir mv readlink rm rmdir sed uname".split()
# A package manager "installs" a tool by moving its stand-in from the folder "shelf" into PATH.
MANAGER = """[ "${FAKE_NET:-up}" != down ] || { echo "Could not resolve the mirror"; exit 100; }
case "$*" in *install* | *-S* | *add*) for box in "$BIN"/../shelf/*; do [ ! -f "$box" ] || mv "$box" "$BIN"; done ;; esac"""
STAND_INS = {
    "gnuplot": "", "pkg-config": "", "valgrind": "", "clang": "", "dnf": MANAGER, "brew": MANAGER, "apt-get": MANAGER,
    "gdb": "echo GRADUS_GDB=$GRADUS_GDB", "lldb": "echo GRADUS_GDB=$GRADUS_GDB", "id": "echo $FAKE_UID", "cc": "exit ${FAKE_CC:-0}",
    "gcovr": "echo a.c 9 9 100%; echo b.c 9 5 55% 3-6; echo 8-9; echo TOTAL 100 ${FAKE_LINES:-98} x%",
    "sudo": '[ "$1 ${FAKE_SUDO:-}" != "-n asks" ] || exit 1; [ "$1" != -n ] || shift; [ "$1" = true ] || exec "$@"',
    "pip": "", "python3": 'case $* in *venv*--clear*) mkdir -p "$4/bin" && cp "$BIN/pip" "$BIN/meson" "$BIN/ninja" "$4/bin" ;; esac',
    "meson": r"""case $1 in
--version) case $0 in *-tools*) echo 1.8.0 ;; *) echo "${FAKE_MESON:-1.0.1}" ;; esac ;;
setup)
    while [ $# -gt 2 ]; do shift; done
    mkdir -p "$1/meson-private" "$1/meson-info" && : >"$1/build.ninja" && : >"$1/meson-info/intro-dependencies.json"
    ! pkg-config || echo '{"name": "cunit"}' >"$1/meson-info/intro-dependencies.json" ;;
test)
    mkdir -p "$3/meson-logs"
    [ ! -f "$BIN/../log" ] || cat "$BIN/../log" >"$3/meson-logs/testlog.json"
    echo "leaks: ${ASAN_OPTIONS:-} undefined: ${UBSAN_OPTIONS:-} ccache: ${CCACHE_DISABLE:-used}"
    exit "${FAKE_TEST:-0}" ;;
esac""",
    # Ninja "builds" a program that prints its folder and its arguments, and exits with 7.
    "ninja": r"""[ "${FAKE_NINJA:-}" = idle ] && echo "ninja: no work to do." && exit
echo "[1/2] Compiling C object lib.a.p/autograd_tape.c.o"
case $* in *" -n "*) exit ;; esac
[ "${FAKE_NINJA:-}" != warns ] || echo "x.c:1: warning: careful"
[ "${FAKE_NINJA:-}" != fails ] || { echo "x.c:2: error: broken"; exit 1; }
case ${3:-} in
-t)
    echo "cc -Ia -MD -MQ x -MF x.d -o lectures/lectures.p/04-attention_exercises.c.o -c ../lectures/04-attention/exercises.c"
    echo "cc  -o lectures/lectures lectures/lectures.p/04-attention_exercises.c.o -lm" ;;
example-* | lectures/* | tests/bench/bench)
    mkdir -p "$2/lectures" "$2/tests/bench"
    printf '#!/bin/sh\nprintf "in $PWD:"; for w in "$@"; do printf " <%%s>" "$w"; done; echo; exit 7\n' >"$2/$3" && chmod +x "$2/$3" ;;
esac""",
}
ALL = "gcc libc6-dev meson ninja-build gnuplot-nox libcunit1-dev pkg-config"
APT = "apt-get install -y --no-install-recommends"
CHECKED = "valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite"
CASES = rf"""
unknown commands, options and examples end with status 2 and propose the nearest one
    do ln -s "$(command -v python3)" bin/python3
    > exmaple attention = 2 | err did you mean "example"? | err commands: example claims
    > --sanitise test = 2 | err did you mean "--sanitize"?
    > example atention = 2 | err did you mean "attention"? | no call meson
    > example ../tests = 2 | no call meson
    > --version = 0 | last gradus 9.8.7
examples are listed with the first line of their README, and kinds of pictures, without a build
    do mkdir tree/examples/notes tree/examples/draft && echo x >tree/examples/notes/README.md && echo x >tree/examples/draft/draft.c
    > example = 0 | last   attention      Where it looks. | no out notes | no out draft | no call meson
    > plot --help = 0 | out   heatmap  FILE...  the numbers | no call meson
programs get their options unchanged, and their exit status is returned
    > example attention --debug '' 'two  words' --help = 7 | last in $F: <--debug> <> <two  words> <--help>
    > claims 4 --explain '2 1' = 7 | last in $F: <claims> <4> <--explain> <2 1>
    > bench --only gemm = 7 | last in $F: <--only> <gemm>
--try measures a copy of the exercises, and compiles a file of it that differs
    do mkdir -p tree/lectures/04-attention && echo 'int f;' >tree/lectures/04-attention/exercises.c
    > claims 4 --try 22 = 7 | file $F/exercises/04-attention/exercises.c | last in $F: <claims> <4> <--try> <22> | no call cc -Ia
    do echo 'int g;' >exercises/04-attention/exercises.c && mkdir -p tree/build/tried && ln -s /bin/true tree/build/tried/lectures
    > claims 4 --try 22 = 0 | call cc -Ia -Wfatal-errors -fsanitize=address -o $B/tried/04-attention_exercises.c.o -c $F/exercises/04-attention/exercises.c | call cc -fsanitize=address -o $B/tried/lectures $B/tried/04-attention_exercises.c.o -lm | file $T/lectures/04-attention/exercises.c
the second run installs and configures nothing and is silent, unless the project was moved or only partly configured
    with apt-get sudo
    > example attention = 7 | no call apt-get | call meson setup $B $T
    > example attention = 7 | silent | no call apt-get | no call sudo | no call meson | no call cc
    do mkdir 'else where' links && ln -s ../links/second 'else where/first' && ln -s ../tree/gradus links/second
    ! '$F/else where/first' example attention = 7 | out in $F | file $B/example-attention | no call meson
    do echo elsewhere >tree/build/gradus-source
    > example attention = 7 | err configured for other sources | call meson setup $B $T
    do : >tree/build/gradus-source
    > example attention = 7 | call meson setup $B $T
    do rm tree/build/gradus-source # as of a folder that was configured by hand
    > example attention = 7 | no call meson
a folder with other contents is no build folder, and clean removes the build folders and nothing else
    do mkdir thesis tree/build-notes && : >thesis/chapter
    set GRADUS_BUILD=thesis
    > example attention = 1 | err holds something else
    > clean = 0 | file $F/thesis/chapter
    set X=
    > --debug build = 0
    > clean = 0 | no file $B-debug | file $B-notes
--debug builds in its own folder and prints the path of the program; CC has one, too, and is not installed
    > --debug example attention = 7 | call meson setup --buildtype=debug $B-debug $T | err $B-debug/example-attention
    with clang apt-get
    set CC=clang
    > example attention = 7 | call meson setup $B-clang $T
    root
    set CC=nosuch
    > example attention = 1 | err CC is "nosuch" | no call apt-get
gdb and lldb start examples and the programs of guides
    with gdb
    > gdb attention --seed 3 = 0 | call gdb -q -x $T/tensor/gradus-gdb.py -ex keep-maps --args $B-debug/example-attention --seed 3 | out GRADUS_GDB=yes
    > debug stepping-em --causal = 0 | call gdb -q -x $T/tensor/gradus-gdb.py --args $B-debug/lectures/stepping-em --causal
    with lldb
    > lldb attention --seed 3 = 0 | call lldb -o command script import '$T/tensor/gradus_lldb.py' -o keep-maps -- $B-debug/example-attention --seed 3 | out GRADUS_GDB=yes
    do rm bin/gdb
    > debug stepping = 0 | call lldb -o command script import '$T/tensor/gradus_lldb.py' -- $B-debug/lectures/stepping
the status is not 0 if Meson reports an error, or no test has the name
    > test nosuch = 1 | last 0 passed, 0 failed | err --list names the tests
    logged one OK ok 1 - a
    > test one --repeat 2 = 0 | last 1 passed, 0 failed | call meson test -C $B --print-errorlogs one --repeat 2
    set FAKE_TEST=3
    > test = 3 | call meson test -C $B --print-errorlogs --no-suite long
tests under instruments: a report of the sanitizers fails, --coverage requires 98 % of the lines, --tsan and --valgrind run some tests
    with gcovr clang valgrind
    logged one OK ok 1 - a
    > test --sanitize = 0 | call meson setup -Db_sanitize=address,undefined -Db_lundef=false $B-sanitize $T | out leaks: detect_leaks=1 undefined: halt_on_error=1 | out ccache: 1
    > test --coverage = 0 | call meson setup -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic $B-coverage $T | call meson test -C $B-coverage --print-errorlogs --timeout-multiplier 4 --no-suite examples --no-suite lectures --no-suite browser --no-suite homework | call gcovr -d -r $T $B-coverage -f tensor/ -f autograd/ -f nn/ -f data/ | out b.c 9 5 55% 3-6 | out 8-9 | out lines executed: 98.0 % | no out a.c | last 1 passed, 0 failed
    set FAKE_LINES=97 HOME=/tmp
    > test --coverage = 1 | out ccache: used
    set X=
    > test --tsan = 0 | call meson setup -Db_sanitize=thread -Db_lundef=false -Dexamples=false $B-tsan-clang $T | call meson test -C $B-tsan-clang --print-errorlogs --timeout-multiplier 4 parallel kernels gemm attention step threads
    > test rng --valgrind = 0 | call meson test -C $B --print-errorlogs --timeout-multiplier 10 --wrapper {CHECKED} rng
compiler output is shown if the compiler warns or fails, without progress lines but on a terminal
    set FAKE_NINJA=warns
    > example attention = 7 | err x.c:1: warning: careful | no err [1/2]
    set FAKE_NINJA=fails
    > example attention = 1 | err x.c:2: error: broken | no err [1/2] | err failed; its whole output is in $B/gradus.log
    >tty example attention = 1 | out [1/2] Compiling | out example-attention could not be built
    set FAKE_NINJA=idle
    >tty build = 0 | no out no work to do
the closing line counts cases and all kinds of failures
    logged good OK 1..3\nok 1 - a\nok 2 - b \\ \"result\": \"x\"\nok 3 - spells \\nok\n
    logged bad ERROR 1..2\nok 1 - a\nnot ok 2 - sum of \"1\"\n# why\n
    logged skips OK ok 1 - a # SKIP no gnuplot\nok 2 - b\n
    logged absent SKIP 1..0 # SKIP nothing to see\n
    logged crash ERROR 1..2\nok 1 - a\n
    logged slow TIMEOUT 
    logged empty SKIP 1..0\n
    set FAKE_TEST=4
    > test = 1 | last 6 passed, 4 failed, 2 skipped | out failed: bad: 2 - sum of "1" | out failed: crash: the program ended with ERROR | out failed: slow: the program ended with TIMEOUT | out failed: empty: no case ran
root on a machine without tools: everything is installed at once, and the example runs
    with apt-get
    without cc meson ninja gnuplot pkg-config
    root
    > example attention = 7 | call apt-get update | call {APT} {ALL} | err {ALL}
    > example attention = 7 | silent | no call apt-get
sudo is used if it needs no password; at a terminal it may ask for one; else the exact command is printed
    with apt-get sudo
    without ninja
    > example attention = 7 | call sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update | call {APT} ninja-build
    without ninja cc
    set FAKE_SUDO=asks
    > example attention = 1 | err cannot go on without a C compiler, Ninja | err sudo apt-get update; sudo {APT} gcc libc6-dev ninja-build | no call apt-get
    >tty example attention = 7 | call sudo -n true | call sudo env DEBIAN_FRONTEND=noninteractive {APT} gcc libc6-dev ninja-build
no root, no sudo, or GRADUS_INSTALL=no: the exact command is printed, also for a compiler without headers
    with apt-get
    set FAKE_CC=1
    > example attention = 1 | err , as root: | err     apt-get update; {APT} gcc libc6-dev | no call meson setup
    root
    set FAKE_CC=1 GRADUS_INSTALL=no
    > test = 1 | err cannot go on without a C compiler; to install it: | err     apt-get update; {APT} gcc libc6-dev | no call apt-get
without gnuplot or CUnit an example runs, and the consequence is said; CUnit that comes later is found
    with apt-get
    logged one OK ok 1 - a
    without gnuplot pkg-config
    > example attention = 7 | err without gnuplot, pictures are drawn in the terminal only | err     apt-get update; {APT} gnuplot-nox | no err CUnit
    > test = 1 | err cannot go on without CUnit | err libcunit1-dev pkg-config
    root
    > example attention = 7 | call {APT} gnuplot-nox
    > test = 0 | call meson setup --reconfigure $B $T
without network it goes on without optional tools, and does not try again; without a required one it ends
    with apt-get
    without gnuplot
    root
    set FAKE_NET=down
    > example attention = 7 | call apt-get update | err Could not resolve the mirror
    > example attention = 7 | no call apt-get
    without ninja
    > example attention = 1 | err Could not resolve the mirror | err cannot go on without Ninja
Fedora and macOS: their package managers and package names; on an unknown system the tools are listed
    without cc meson ninja pkg-config
    with dnf
    > test = 1 | err dnf install -y gcc meson ninja-build CUnit-devel pkgconf-pkg-config
    do rm bin/dnf && mv shelf/cc bin
    > example attention = 1 | err your system's packages of Meson 1.0 or newer, Ninja
    with brew
    > example attention = 7 | call brew install meson ninja cunit pkg-config
Meson is too old, no root: pip installs Meson and Ninja
    with python3 pip
    set FAKE_MESON=0.61.2
    > example attention = 7 | call python3 -m venv --clear $B-tools/venv | call pip install meson>=1.0 ninja
"""

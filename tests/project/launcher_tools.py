"""What launcher.py tests, and the stand-ins for the tools that the launcher calls."""

SYSTEM = "sh awk basename cat chmod cmp cp dirname env find grep ln mkdir mv readlink rm rmdir sed sleep tail touch tr sort uname".split()

# A package manager "installs" a tool by moving its stand-in from the folder "shelf" into PATH.
MANAGER = """[ "${FAKE_NET:-up}" != slow ] || { echo "Unpacking ninja-build"; sleep 4; }
[ "${FAKE_NET:-up}" != down ] || { echo "Could not resolve the mirror"; exit 100; }
case "$*" in *install* | *-S* | *add*) for box in "$BIN"/../shelf/*; do [ ! -f "$box" ] || mv "$box" "$BIN"; done ;; esac"""
DEBUGGER = 'echo "GRADUS_GDB=${GRADUS_GDB:-}"'
STAND_INS = {
    "gnuplot": "", "pkg-config": "", "valgrind": "", "clang": "", "dnf": MANAGER, "pacman": MANAGER, "apk": MANAGER, "brew": MANAGER, "apt-get": MANAGER,
    "gdb": DEBUGGER, "lldb": DEBUGGER, "doxygen": "cat; exit ${FAKE_DOXYGEN:-0}", "id": "echo $FAKE_UID",
    "cc": '[ "${FAKE_CC:-}" != slow ] || { sleep 4; exit 1; }; exit ${FAKE_CC:-0}',
    "clang-15": "case $FAKE_LIBRARIES:$* in no:*-fsanitize*) exit 1 ;; esac",
    "gcovr": "echo a.c 9 9 100%; echo b.c 9 5 55% 3-6; echo 8-9; echo TOTAL 100 ${FAKE_LINES:-98} x%",
    "sudo": '[ "$1 ${FAKE_SUDO:-}" != "-n asks" ] || exit 1; [ "$1" != -n ] || shift; [ "$1" = true ] || exec "$@"',
    # Python "creates" a pip, which "installs" a Meson that is new enough.
    "python3": r"""case $* in *venv\ --clear*)
    mkdir -p "$4/bin"
    printf '#!/bin/sh\nexport CALLS=%s\necho "pip $*" >>"$CALLS"\n' "'$CALLS'" >"$4/bin/pip"
    echo "sed 's/{FAKE_MESON:-1.0.1}/{NOBODY:-1.8.0}/' '$BIN/meson' >'$4/bin/meson'" >>"$4/bin/pip"
    echo "ln -s '$BIN/ninja' '$4/bin/'; chmod +x '$4/bin/meson'" >>"$4/bin/pip"
    chmod +x "$4/bin/pip" ;; esac""",
    "meson": r"""case $1 in
--version) echo "${FAKE_MESON:-1.0.1}" ;;
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
    "ninja": r"""echo "[1/2] Compiling C object lib.a.p/autograd_tape.c.o"
case $* in *" -n "*) exit ;; esac
[ "${FAKE_NINJA:-}" != slow ] || sleep 4
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
TEST = "--no-rebuild --print-errorlogs"
CASES = rf"""
--version shows the version of meson.build
    > --version = 0 | last gradus 9.8.7
unknown commands, options and examples end with status 2 and propose the nearest one
    > exmaple attention = 2 | err did you mean "example"? | err commands: example test
    > zzzzzzzzzz = 2 | no err did you mean
    > --sanitise test = 2 | err did you mean "--sanitize"?
    > test --debugger = 2 | err did you mean "--debug"?
    > example atention = 2 | err did you mean "attention"? | no call meson
    > example ../tests = 2 | no call meson
example without a name lists the examples with the first line of their README
    do mkdir tree/examples/notes tree/examples/draft && echo x >tree/examples/notes/README.md && echo x >tree/examples/draft/draft.c
    > example = 0 | last   attention      Where it looks. | no out notes | no out draft | no call meson
kinds of pictures are listed without a build
    > plot --help = 0 | out   heatmap  FILE...  the numbers | no call meson
    > plot heatmap t.csv --x '' = 7 | last in $F: <heatmap> <t.csv> <--x> <>
an example gets its options unchanged, and its exit status is returned
    > example attention --debug '' 'two  words' --help = 7 | last in $F: <--debug> <> <two  words> <--help>
every program of the lectures and the benchmark get their options unchanged
    > claims 4 --explain '2 1' = 7 | last in $F: <claims> <4> <--explain> <2 1>
    > figures 4 = 7 | last in $F: <figures> <4>
    > lecture = 7 | last in $F: <lecture>
    > steps next = 7 | last in $F: <steps> <next>
    > mystery = 7 | last in $F: <mystery>
    > exam --course J = 7 | last in $F: <exam> <--course> <J>
    > bench --only gemm = 7 | last in $F: <--only> <gemm>
mutate and fuzz get the source and a build folder of their own, cross the folder alone
    with python3
    do mkdir -p tree/tests/fuzz tree/tests/platforms && for s in fuzz/fuzz platforms/cross; do echo 'echo "got: $*"' >tree/tests/$s.sh; done
    > test --mutate 7 = 0 | call python3 $T/tests/project/mutate.py $T $B-mutate 7
    > test --fuzz 7 = 0 | last got: $T $B-fuzz 7
    > test --cross 7 = 0 | last got: $B/.launcher $B-cross 7
--try measures a copy of the exercises, and compiles a file of it that differs
    do mkdir -p tree/lectures/04-attention && echo 'int f;' >tree/lectures/04-attention/exercises.c
    > claims 4 --try 22 = 7 | file $F/exercises/04-attention/exercises.c | last in $F: <claims> <4> <--try> <22> | no call cc -Ia
    do echo 'int g;' >exercises/04-attention/exercises.c && mkdir -p tree/build/tried && ln -s /bin/true tree/build/tried/lectures
    > claims 4 --try 22 = 0 | call cc -Ia -Wfatal-errors -fsanitize=address -o $B/tried/04-attention_exercises.c.o -c $F/exercises/04-attention/exercises.c | call cc -fsanitize=address -o $B/tried/lectures $B/tried/04-attention_exercises.c.o -lm
    do grep -qx 'int f;' tree/lectures/04-attention/exercises.c
if every tool is present, the second run installs and configures nothing and is silent
    with apt-get sudo
    > example attention = 7 | no call apt-get | call meson setup $B $T
    > example attention = 7 | silent | no call apt-get | no call sudo | no call meson | no call cc
it runs from another folder and through symbolic links
    do mkdir 'else where' links && ln -s ../links/second 'else where/first' && ln -s ../tree/gradus links/second
    ! '$F/else where/first' example attention = 7 | out in $F | file $B/example-attention
a project that was moved, or only partly configured, is configured again; one that was configured by hand stays as it is
    > example attention = 7
    do sed -i 's/^source [^,]*/source elsewhere/' tree/build/gradus-stamp
    > example attention = 7 | err configured for other sources | call meson setup $B $T
    do : >tree/build/gradus-stamp
    > example attention = 7 | call meson setup $B $T
    do rm tree/build/gradus-stamp
    > example attention = 7 | no call meson
a folder with other contents is no build folder, and clean removes the build folders and nothing else
    do mkdir thesis tree/build-notes && : >thesis/chapter
    set GRADUS_BUILD=thesis
    > example attention = 1 | err holds something else
    > clean = 0 | file $F/thesis/chapter
    set X=
    > --debug build = 0
    > build = 0
    > clean = 0 | no file $B | no file $B-debug | file $B-notes
--debug builds in its own folder and prints the path of the program; CC has one, too
    > --debug example attention = 7 | call meson setup --buildtype=debug $B-debug $T | err $B-debug/example-attention
    with clang
    set CC=clang
    > example attention = 7 | call meson setup $B-clang $T
    with apt-get
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
docs generates the reference in out/docs
    with doxygen
    do mkdir tree/.doxygen && echo 'PROJECT_NAME = gradus' >tree/.doxygen/config
    > docs = 0 | call doxygen - | out PROJECT_NAME = gradus | out OUTPUT_DIRECTORY = "$T/out/docs" | err $T/out/docs/html/index.html
    set FAKE_DOXYGEN=1
    > docs = 1
--sanitize builds with both sanitizers, and every report is a failure; without a home folder ccache keeps nothing
    logged one OK ok 1 - a
    > test --sanitize = 0 | call meson setup -Db_sanitize=address,undefined -Db_lundef=false $B-sanitize $T | out leaks: detect_leaks=1 undefined: halt_on_error=1 | out ccache: 1
    set HOME=/tmp
    > test --sanitize = 0 | out ccache: used
--coverage lists the lines that no test executes, and requires 98 % to be executed
    with gcovr
    logged one OK ok 1 - a
    > test --coverage = 0 | call meson setup -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic $B-coverage $T | call meson test -C $B-coverage {TEST} --timeout-multiplier 4 --no-suite examples --no-suite lectures --no-suite browser --no-suite homework | call gcovr -d -r $T $B-coverage -f tensor/ -f autograd/ -f nn/ -f data/ | out b.c 9 5 55% 3-6 | out 8-9 | out lines executed: 98.0 % | no out a.c | last 1 passed, 0 failed
    set FAKE_LINES=97
    > test --coverage = 1
--tsan builds with clang and runs the tests that use threads; --valgrind runs a few, or those named
    with clang valgrind
    logged one OK ok 1 - a
    > test --tsan = 0 | call meson setup -Db_sanitize=thread -Db_lundef=false -Dexamples=false $B-tsan-clang $T | call meson test -C $B-tsan-clang {TEST} --timeout-multiplier 4 parallel kernels gemm attention step threads
    > test --valgrind = 0 | call meson test -C $B {TEST} --timeout-multiplier 10 --wrapper {CHECKED} arena attention nn safetensors step tensor
    > test rng --valgrind = 0 | call meson test -C $B {TEST} --timeout-multiplier 10 --wrapper {CHECKED} rng
compiler output is shown if the compiler warns or fails, without progress lines
    set FAKE_NINJA=warns
    > example attention = 7 | err x.c:1: warning: careful
    set FAKE_NINJA=fails
    > example attention = 1 | err x.c:2: error: broken | no err [1/2]
what takes long says what it does, and how far it is; at a terminal in one line, which is gone at the end
    > example attention = 7 | no err building
    set FAKE_NINJA=slow
    > example attention = 7 | err gradus: building example-attention, | err s: 1 of 2: autograd_tape.c
    >tty example attention = 7 | out gradus: building example-attention: 1 of 2: autograd_tape.c | out ESC[Kin $F:
    with apt-get
    without ninja
    root
    set FAKE_NET=slow
    > example attention = 7 | err gradus: installing, | err s: Unpacking ninja-build
    do mkdir -p tree/lectures/homework/grader && echo 'int main(void) {{ return 0; }}' >tree/lectures/homework/grader/main.c
    set FAKE_CC=slow
    > grade = 1 | err gradus: building the grader,
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
tests by name build what they need, as the quick run does
    with python3
    > test ops rng = 1 | call python3 $T/.launcher/quick_targets.py $B ops rng
    > test ops --repeat 2 = 1 | no call python3
    > test = 1 | call python3 $T/.launcher/quick_targets.py $B
the status is not 0 if Meson reports an error, or no test has the name
    logged one OK ok 1 - a
    > test one --repeat 2 = 0 | last 1 passed, 0 failed | call meson test -C $B {TEST} one --repeat 2
    set FAKE_TEST=3
    > test = 3
    set X=
    do rm log
    > test nosuch = 1 | last 0 passed, 0 failed | err these are the tests
.ci/run ends with the closing line
    with python3
    logged one OK ok 1 - a
    ! '$T/.ci/run' = 0 | last 1 passed, 0 failed
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
    without ninja cc gnuplot
    set FAKE_SUDO=asks
    > example attention = 1 | err cannot go on without a C compiler, Ninja | err sudo apt-get update; sudo {APT} gcc libc6-dev ninja-build gnuplot-nox | no call apt-get
    >tty example attention = 7 | call sudo -n true | call sudo env DEBIAN_FRONTEND=noninteractive {APT} gcc libc6-dev ninja-build gnuplot-nox
no root, no sudo: the exact command for root is printed, also for a compiler without headers
    with apt-get
    set FAKE_CC=1
    > example attention = 1 | err gcc libc6-dev
    set CC=cc
    without cc
    > test = 1 | err , as root: | err     apt-get update; {APT} gcc libc6-dev | no call meson setup
without gnuplot or CUnit an example runs, and the consequence is said; CUnit that comes later is found
    with apt-get
    logged one OK ok 1 - a
    without gnuplot pkg-config
    > example attention = 7 | err without gnuplot, pictures are drawn in the terminal only | err     apt-get update; {APT} gnuplot-nox | no err CUnit
    > test = 1 | err no test can run | err libcunit1-dev pkg-config
    root
    > example attention = 7 | call {APT} gnuplot-nox
    > test = 0 | call meson setup --reconfigure $B $T
without network it goes on without optional tools, and does not try again; without a required one it ends
    with apt-get
    without gnuplot
    root
    set FAKE_NET=down
    > example attention = 7 | call apt-get update | err Could not resolve the mirror
    > example attention = 7 | no call apt-get | err without gnuplot
    without ninja
    > example attention = 1 | err Could not resolve the mirror | err cannot go on without Ninja
clang comes without the sanitizer libraries
    with apt-get clang-15
    set CC=clang-15 FAKE_LIBRARIES=no
    > example attention = 7 | no err missing
    > --sanitize example attention = 1 | err {APT} libclang-rt-15-dev
GRADUS_INSTALL=no installs nothing
    with apt-get
    without meson
    root
    set GRADUS_INSTALL=no
    > example attention = 1 | no call apt-get | err {APT} meson
Fedora, Arch, Alpine and macOS: their package managers and package names; on an unknown system the tools are listed
    without cc meson ninja gnuplot pkg-config
    with dnf
    > example attention = 1 | err dnf install -y gcc meson ninja-build gnuplot CUnit-devel pkgconf-pkg-config
    do mv bin/dnf dnf
    with pacman
    > example attention = 1 | err pacman -Sy --needed --noconfirm gcc meson ninja gnuplot cunit pkgconf
    do rm bin/pacman
    with apk
    > example attention = 1 | err apk add gcc musl-dev meson samurai gnuplot cunit-dev pkgconf
    do rm bin/apk && mv shelf/cc bin
    > example attention = 1 | err your system's packages of Meson 1.0 or newer, Ninja
    with brew
    > example attention = 7 | call brew install meson ninja gnuplot cunit pkg-config
Meson is too old, no root: pip installs Meson and Ninja
    with python3
    set FAKE_MESON=0.61.2
    > example attention = 7 | call python3 -m venv --clear $B-tools/venv | call pip install meson>=1.0 ninja
"""

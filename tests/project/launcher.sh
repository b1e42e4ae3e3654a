#!/bin/sh
# Tests of the launcher, printed as TAP:  sh tests/project/launcher.sh [PROJECT]
# Nothing is built: each test has an environment of its own, see launcher_environment.sh.
set -u
project=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/project/launcher_environment.sh
. "$project/tests/project/launcher_environment.sh"

# ---- words ---------------------------------------------------------------------------------------

test_case 'shellcheck accepts the shell scripts'
if [ -z "${GRADUS_TEST_ALL:-}" ]; then
    title="$title # SKIP with --all alone"
elif command -v shellcheck >/dev/null; then
    (cd "$project" && shellcheck -x gradus .launcher/*.sh .ci/run tests/*/*.sh data/*.sh lectures/runner/*.sh lectures/steps/milestones/*.sh) >"$work/out" || wrong 'it has'
else
    title="$title # SKIP there is no shellcheck"
fi

test_case 'help names every command, and every command that it names exists'
gradus help
ends_with 0
sed -n 's/^do_\([a-z]*\)() .*/\1/p' "$tree/gradus" "$tree"/.launcher/*.sh | sort >"$work/functions"
sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' "$work/out" | sort >"$work/helped"
cmp -s "$work/functions" "$work/helped" || wrong "$(diff "$work/functions" "$work/helped")"
grep -q example "$work/helped" || wrong 'no command was found'

test_case 'help, --help, -h and no argument show the same text'
gradus help
cp "$work/out" "$work/help"
for word in --help -h; do
    gradus $word
    cmp -s "$work/help" "$work/out" || wrong "$word shows something else"
done
gradus
cmp -s "$work/help" "$work/out" || wrong 'nothing shows something else'
out_has GRADUS_BUILD

test_case '--version shows the version of meson.build'
gradus --version
ends_with 0
last_line_is 'gradus 9.8.7'

test_case 'an unknown command ends with status 2 and proposes the nearest one'
gradus exmaple attention
ends_with 2
err_has 'did you mean "example"?'
err_has 'commands: example test'
gradus zzzzzzzzzz
ends_with 2
err_lacks 'did you mean'

test_case 'an unknown option ends with status 2 and proposes the nearest one'
gradus --sanitise test
ends_with 2
err_has 'did you mean "--sanitize"?'
gradus test --debugger
ends_with 2
err_has 'did you mean "--debug"?'

test_case 'an unknown example ends with status 2 and proposes the nearest one'
gradus example atention
ends_with 2
err_has 'did you mean "attention"?'
gradus example ../tests
ends_with 2
uncalled meson

test_case 'example without a name lists the examples with the first line of their README'
mkdir "$tree/examples/notes" "$tree/examples/draft"
echo '# notes' >"$tree/examples/notes/README.md"
echo 'int x;' >"$tree/examples/draft/draft.c"
gradus example
ends_with 0
[ "$(wc -l <"$work/out")" -eq 2 ] || wrong 'not just one example'
last_line_is '  attention      Where it looks.'
uncalled meson

# ---- building and running ------------------------------------------------------------------------

test_case 'an example gets its options unchanged, and its exit status is returned'
gradus example attention --debug '' 'two  words' --help
ends_with 7
[ "$(sed 1d "$work/out")" = '<--debug>
<>
<two  words>
<--help>' ] || wrong 'the words changed'

test_case 'mutate and fuzz get the source and a build folder of their own, cross the folder alone'
mkdir -p "$tree/tests/fuzz" "$tree/tests/platforms"
# shellcheck disable=SC2016  # the scripts expand their own arguments
for script in fuzz/fuzz platforms/cross; do echo 'echo "got: $*"' >"$tree/tests/$script.sh"; done
stand_in python3
gradus test --mutate 7
called "python3 $tree/tests/project/mutate.py $tree $tree/build-mutate 7"
gradus test --fuzz 7
last_line_is "got: $tree $tree/build-fuzz 7"
gradus test --cross 7
last_line_is "got: $tree/build/.launcher $tree/build-cross 7"

test_case 'bench gets its options unchanged'
gradus bench --only gemm
ends_with 0
last_line_is 'bench: --only gemm'

test_case 'claims, figures, lecture, plot, steps, mystery and exam run the lectures program with their options unchanged'
for word in claims figures lecture plot steps mystery exam; do
    gradus $word 4 --explain '2 1'
    ends_with 0
    last_line_is "lectures: <$word> <4> <--explain> <2 1>"
done

test_case '--try measures a copy of the exercises, and compiles a file of it that differs'
mkdir -p "$tree/lectures/04-attention"
echo 'int f;' >"$tree/lectures/04-attention/exercises.c"
gradus claims 4 --try 22
ends_with 0
has_file "$from/exercises/04-attention/exercises.c"
last_line_is 'lectures: <claims> <4> <--try> <22>'
uncalled 'cc -Ia'
echo 'int g;' >"$from/exercises/04-attention/exercises.c"
gradus claims 4 --try 22
tried=$tree/build/tried
called "cc -Ia -Wfatal-errors -fsanitize=address -o $tried/04-attention_exercises.c.o -c $from/exercises/04-attention/exercises.c"
called "cc -fsanitize=address -o $tried/lectures $tried/04-attention_exercises.c.o -lm"
[ "$(cat "$tree/lectures/04-attention/exercises.c")" = 'int f;' ] || wrong 'the project was changed'

test_case 'if every tool is present, the second run installs and configures nothing and is silent'
stand_in apt-get
stand_in sudo
gradus example attention
uncalled apt-get
called "meson setup $tree/build $tree"
gradus example attention
ends_with 7
is_silent
uncalled apt-get
uncalled sudo
uncalled meson
uncalled cc

test_case 'it runs from another folder and through symbolic links, and keeps the current folder'
mkdir "$work/else where" "$work/links"
ln -s ../links/second "$work/else where/first"
ln -s "$tree/gradus" "$work/links/second"
run "./else where/first" example attention
ends_with 7
out_has "in $work"
has_file "$tree/build/example-attention"

test_case 'a project that was moved, or only partly configured, is configured again'
gradus example attention
mv "$tree" "$work/moved"
tree=$work/moved
gradus example attention
ends_with 7
called "meson setup $tree/build $tree"
: >"$tree/build/gradus-stamp"
gradus example attention
called "meson setup $tree/build $tree"

test_case 'a build folder that was configured by hand is used unchanged'
mkdir -p "$tree/build/meson-private"
: >"$tree/build/build.ninja"
gradus example attention
ends_with 7
uncalled meson

test_case 'a folder with other contents is never used as a build folder'
mkdir "$work/thesis"
: >"$work/thesis/chapter"
from=$work
setting="GRADUS_BUILD=thesis"
gradus example attention
ends_with 1
err_has 'holds something else'
gradus clean
has_file "$work/thesis/chapter"

test_case 'clean removes the build folders and nothing else'
mkdir "$tree/build-notes"
gradus example attention
gradus --debug build
gradus clean
ends_with 0
[ ! -e "$tree/build" ] || wrong 'build is left'
[ ! -e "$tree/build-debug" ] || wrong 'build-debug is left'
has_file "$tree/build-notes"

test_case '--debug builds for a debugger in its own folder and prints the path of the program'
gradus --debug example attention
ends_with 7
called "meson setup --buildtype=debug $tree/build-debug $tree"
err_has "$tree/build-debug/example-attention"

test_case 'gdb starts the debug program with its options'
stand_in gdb
gradus gdb attention --seed 3
ends_with 0
called "gdb -q -x $tree/tensor/gradus-gdb.py -ex keep-maps --args $tree/build-debug/example-attention --seed 3"
out_has 'GRADUS_GDB=yes'

for name in stepping stepping-time stepping-pairs stepping-token stepping-em; do
    test_case "debug $name starts the program of its guide"
    stand_in gdb
    gradus debug $name --causal
    ends_with 0
    called "gdb -q -x $tree/tensor/gradus-gdb.py --args $tree/build-debug/lectures/$name --causal"
done

test_case 'lldb starts the debug program with its options'
stand_in lldb
gradus lldb attention --seed 3
ends_with 0
called "lldb -o command script import '$tree/tensor/gradus_lldb.py' -o keep-maps -- $tree/build-debug/example-attention --seed 3"
out_has 'GRADUS_GDB=yes'

test_case 'debug takes lldb where there is no gdb'
stand_in lldb
gradus debug stepping
ends_with 0
called "lldb -o command script import '$tree/tensor/gradus_lldb.py' -- $tree/build-debug/lectures/stepping"

test_case 'docs generates the reference in out/docs'
stand_in doxygen
mkdir "$tree/.doxygen"
echo 'PROJECT_NAME = gradus' >"$tree/.doxygen/config"
gradus docs
ends_with 0
called 'doxygen -'
out_has 'PROJECT_NAME = gradus'
out_has "OUTPUT_DIRECTORY = \"$tree/out/docs\""
err_has "$tree/out/docs/html/index.html"
setting='FAKE_DOXYGEN=1'
gradus docs
ends_with 1

test_case '--sanitize builds with both sanitizers, and every report is a failure'
program one OK 'ok 1 - a'
gradus test --sanitize
ends_with 0
called "meson setup -Db_sanitize=address,undefined -Db_lundef=false $tree/build-sanitize $tree"
out_has 'leaks: detect_leaks=1 undefined: halt_on_error=1'

test_case 'without a home folder nothing is kept there by ccache'
gradus test
out_has 'ccache: 1'
setting='HOME=/tmp'
gradus test
out_has 'ccache: used'

test_case '--coverage lists the lines that no test executes, and requires 98 % to be executed'
program one OK 'ok 1 - a'
stand_in gcovr
gradus test --coverage
ends_with 0
called "meson setup -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic $tree/build-coverage $tree"
called "meson test -C $tree/build-coverage --no-rebuild --print-errorlogs --timeout-multiplier 4 --no-suite examples --no-suite lectures --no-suite browser --no-suite homework"
called "gcovr -d -r $tree $tree/build-coverage -f tensor/ -f autograd/ -f nn/ -f data/"
out_has 'b.c 9 5 55% 3-6'
out_has '8-9'
out_has 'lines executed: 98.0 %'
! grep -q 'a.c' "$work/out" || wrong 'a file without a gap is shown'
last_line_is '1 passed, 0 failed'
setting='FAKE_LINES=97'
gradus test --coverage
ends_with 1

test_case '--tsan builds with clang and runs the tests that use threads'
program one OK 'ok 1 - a'
stand_in clang
gradus test --tsan
ends_with 0
called "meson setup -Db_sanitize=thread -Db_lundef=false -Dexamples=false $tree/build-tsan-clang $tree"
called "meson test -C $tree/build-tsan-clang --no-rebuild --print-errorlogs --timeout-multiplier 4 parallel kernels gemm attention step threads"

test_case '--valgrind runs a few tests, or those named, under Valgrind'
program one OK 'ok 1 - a'
stand_in valgrind
checks='valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite'
checks="--no-rebuild --print-errorlogs --timeout-multiplier 10 --wrapper $checks"
gradus test --valgrind
ends_with 0
called "meson test -C $tree/build $checks arena attention nn safetensors step tensor"
gradus test rng --valgrind
called "meson test -C $tree/build $checks rng"

test_case 'CC selects the compiler and a build folder of its own'
stand_in clang
setting='CC=clang'
gradus example attention
ends_with 7
called "meson setup $tree/build-clang $tree"

test_case 'a compiler in CC that does not exist is reported, not installed'
stand_in apt-get
uid=0
setting='CC=nosuch'
gradus example attention
ends_with 1
err_has 'CC is "nosuch"'
uncalled apt-get

test_case 'compiler output is shown if the compiler warns or fails, without progress lines'
setting='FAKE_NINJA=warns'
gradus example attention
ends_with 7
err_has 'x.c:1: warning: careful'
setting='FAKE_NINJA=fails'
gradus example attention
ends_with 1
err_has 'x.c:2: error: broken'
err_lacks '[1/2]'

test_case 'a long build says in a log every three seconds what it builds, and how far it is; a short one says nothing'
gradus example attention
err_lacks building
setting='FAKE_NINJA=slow'
gradus example attention
ends_with 7
err_has 'gradus: building example-attention, 3 s: 1 of 2: autograd_tape.c'
setting="FAKE_NINJA=slow GRADUS_BUILD=other"
gradus build
err_has 'gradus: building everything, 3 s: 1 of 2: autograd_tape.c'

test_case 'at a terminal one line shows the same, and it is gone when the build has ended'
setting='FAKE_NINJA=slow'
if script -qec true /dev/null >"$work/out" 2>&1; then # util-linux's: it plays the terminal
    ln -s "$(command -v script)" "$bin/script"
    run script -qec "'$tree/gradus' example attention" /dev/null
    ends_with 7
    out_has 'gradus: building example-attention: 1 of 2: autograd_tape.c'
    awk '/building/ { at = NR } /\033\[K$|\033\[Kin / { gone = NR } END { exit !(at && gone >= at) }' "$work/out" ||
        wrong 'the line is left'
else
    title="$title # SKIP script cannot play the terminal here"
fi

test_case 'a long installation and a long compilation of the grader show that they go on'
stand_in apt-get
shelve ninja
uid=0
setting='FAKE_NET=slow'
gradus example attention
ends_with 7
err_has 'gradus: installing, 3 s: Unpacking ninja-build'
mkdir -p "$tree/lectures/homework/grader"
echo 'int main(void) { return 0; }' >"$tree/lectures/homework/grader/main.c"
ln -s "$(command -v find)" "$bin/find"
setting='FAKE_CC=slow'
gradus grade
err_has 'gradus: building the grader, 3 s'

# ---- the closing line ----------------------------------------------------------------------------

test_case 'the closing line counts cases and all kinds of failures'
program good OK '1..3\nok 1 - a\nok 2 - b \\ \"result\": \"x\"\nok 3 - spells \\nok\n'
program bad ERROR '1..2\nok 1 - a\nnot ok 2 - sum of \"1\"\n# why\n'
program skips OK 'ok 1 - a # SKIP no gnuplot\nok 2 - b\n'
program absent SKIP '1..0 # SKIP nothing to see\n'
program crash ERROR '1..2\nok 1 - a\n'
program slow TIMEOUT ''
program empty SKIP '1..0\n'
setting='FAKE_TEST=4'
gradus test
ends_with 1
last_line_is '6 passed, 4 failed, 2 skipped'
out_has 'failed: bad: 2 - sum of "1"'
out_has 'failed: crash: the program ended with ERROR'
out_has 'failed: slow: the program ended with TIMEOUT'
out_has 'failed: empty: no case ran'

test_case 'the status is 0 if all tests pass, and not 0 if Meson reports an error'
program good OK 'ok 1 - a\nok 2 - b'
gradus test good --repeat 2
ends_with 0
last_line_is '2 passed, 0 failed'
called "meson test -C $tree/build --no-rebuild --print-errorlogs good --repeat 2"
setting='FAKE_TEST=3'
gradus test
ends_with 3

test_case 'a test name that does not exist is a failure, whatever ran before'
program good OK 'ok 1 - a'
gradus test
rm "$work/log"
gradus test nosuch
ends_with 1
last_line_is '0 passed, 0 failed'
err_has 'these are the tests'

test_case '.ci/run ends with the closing line'
stand_in python3
program good OK 'ok 1 - a'
from=/
run "$tree/.ci/run"
ends_with 0
last_line_is '1 passed, 0 failed'

done_testing

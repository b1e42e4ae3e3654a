#!/bin/sh
# Tests of the launcher, printed as TAP:  sh tests/project/launcher.sh [PROJECT]
# Nothing is built: each scene plays on a stage of its own, see launcher_stage.sh.
set -u
project=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/project/launcher_stage.sh
. "$project/tests/project/launcher_stage.sh"

# ---- words ---------------------------------------------------------------------------------------

scene 'shellcheck has nothing to say'
if command -v shellcheck >/dev/null; then
    (cd "$project" && shellcheck -x gradus .launcher/*.sh .ci/run tests/*/*.sh data/*.sh lectures/runner/*.sh) >"$work/out" || wrong 'it has'
else
    title="$title # SKIP there is no shellcheck"
fi

scene 'help names every command, and every command it names is there'
gradus help
ends_with 0
sed -n 's/^do_\([a-z]*\)() .*/\1/p' "$tree/gradus" | sort >"$work/functions"
sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' "$work/out" | sort >"$work/helped"
cmp -s "$work/functions" "$work/helped" || wrong "$(diff "$work/functions" "$work/helped")"
grep -q example "$work/helped" || wrong 'no command was found'

scene 'help, --help, -h and nothing at all show the same text'
gradus help
cp "$work/out" "$work/help"
for word in --help -h; do
    gradus $word
    cmp -s "$work/help" "$work/out" || wrong "$word shows something else"
done
gradus
cmp -s "$work/help" "$work/out" || wrong 'nothing shows something else'
out_has GRADUS_BUILD

scene '--version shows the version of meson.build'
gradus --version
ends_with 0
last_line_is 'gradus 9.8.7'

scene 'an unknown command ends with 2, and says which was meant'
gradus exmaple attention
ends_with 2
err_has 'did you mean "example"?'
err_has 'commands: example test'
gradus zzzzzzzzzz
ends_with 2
err_lacks 'did you mean'

scene 'an unknown option ends with 2, and says which was meant'
gradus --sanitise test
ends_with 2
err_has 'did you mean "--sanitize"?'
gradus test --debugger
ends_with 2
err_has 'did you mean "--debug"?'

scene 'an unknown example ends with 2, and says which was meant'
gradus example atention
ends_with 2
err_has 'did you mean "attention"?'
gradus example ../tests
ends_with 2
uncalled meson

scene 'example alone lists the examples with the first line of their README'
mkdir "$tree/examples/notes" "$tree/examples/draft"
echo '# notes' >"$tree/examples/notes/README.md"
echo 'int x;' >"$tree/examples/draft/draft.c"
gradus example
ends_with 0
[ "$(wc -l <"$work/out")" -eq 2 ] || wrong 'not just one example'
last_line_is '  attention      Where it looks.'
uncalled meson

# ---- building and running ------------------------------------------------------------------------

scene 'an example gets its options unchanged, and its status is the status'
gradus example attention --debug '' 'two  words' --help
ends_with 7
[ "$(sed 1d "$work/out")" = '<--debug>
<>
<two  words>
<--help>' ] || wrong 'the words changed'

scene 'bench gets its options unchanged'
gradus bench --only gemm
ends_with 0
last_line_is 'bench: --only gemm'

scene 'claims, figures, lecture and plot are the lectures program, with their options unchanged'
for word in claims figures lecture plot; do
    gradus $word 4 --explain '2 1'
    ends_with 0
    last_line_is "lectures: <$word> <4> <--explain> <2 1>"
done

scene 'with every tool there, the second run installs and configures nothing and is silent'
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

scene 'it runs from another folder and through symbolic links, and stays where it is called'
mkdir "$work/else where" "$work/links"
ln -s ../links/second "$work/else where/first"
ln -s "$tree/gradus" "$work/links/second"
run "./else where/first" example attention
ends_with 7
out_has "in $work"
has_file "$tree/build/example-attention"

scene 'a project that was moved, or left half configured, is configured anew'
gradus example attention
mv "$tree" "$work/moved"
tree=$work/moved
gradus example attention
ends_with 7
called "meson setup $tree/build $tree"
: >"$tree/build/gradus-stamp"
gradus example attention
called "meson setup $tree/build $tree"

scene 'a build folder configured by hand is used as it is'
mkdir -p "$tree/build/meson-private"
: >"$tree/build/build.ninja"
gradus example attention
ends_with 7
uncalled meson

scene 'a folder with something else in it is never taken for a build folder'
mkdir "$work/thesis"
: >"$work/thesis/chapter"
from=$work
setting="GRADUS_BUILD=thesis"
gradus example attention
ends_with 1
err_has 'holds something else'
gradus clean
has_file "$work/thesis/chapter"

scene 'clean removes the build folders and nothing else'
mkdir "$tree/build-notes"
gradus example attention
gradus --debug build
gradus clean
ends_with 0
[ ! -e "$tree/build" ] || wrong 'build is left'
[ ! -e "$tree/build-debug" ] || wrong 'build-debug is left'
has_file "$tree/build-notes"

scene '--debug builds for a debugger in its own folder and says where the program is'
gradus --debug example attention
ends_with 7
called "meson setup --buildtype=debug $tree/build-debug $tree"
err_has "$tree/build-debug/example-attention"

scene 'gdb starts the debug program with its options'
stand_in gdb
gradus gdb attention --seed 3
ends_with 0
called "gdb -q -x $tree/tensor/gradus-gdb.py --args $tree/build-debug/example-attention --seed 3"

scene 'gdb starts the program of the stepping page'
stand_in gdb
gradus gdb stepping --causal
ends_with 0
called "gdb -q -x $tree/tensor/gradus-gdb.py --args $tree/build-debug/lectures/stepping --causal"

scene 'docs makes the reference in out/docs'
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

scene '--sanitize builds with both checkers, and leaves no report unseen'
program one OK 'ok 1 - a'
gradus test --sanitize
ends_with 0
called "meson setup -Db_sanitize=address,undefined -Db_lundef=false $tree/build-sanitize $tree"
out_has 'leaks: detect_leaks=1 undefined: halt_on_error=1'

scene '--coverage shows the lines that no test reaches, and wants 97 % of them reached'
program one OK 'ok 1 - a'
stand_in gcovr
gradus test --coverage
ends_with 0
called "meson setup -Db_coverage=true -Doptimization=1 -Dc_args=-fprofile-update=atomic $tree/build-coverage $tree"
called "gcovr -d -r $tree $tree/build-coverage -f tensor/ -f autograd/ -f nn/ -f data/"
out_has 'b.c 9 5 55% 3-6'
out_has '8-9'
out_has 'lines executed: 98.0 %'
! grep -q 'a.c' "$work/out" || wrong 'a file without a gap is shown'
last_line_is '1 passed, 0 failed'
setting='FAKE_LINES=96'
gradus test --coverage
ends_with 1

scene '--tsan builds with clang, and runs what has threads'
program one OK 'ok 1 - a'
stand_in clang
gradus test --tsan
ends_with 0
called "meson setup -Db_sanitize=thread -Db_lundef=false -Dexamples=false $tree/build-tsan-clang $tree"
called "meson test -C $tree/build-tsan-clang --no-rebuild --print-errorlogs --timeout-multiplier 4 parallel kernels gemm attention step threads"

scene '--valgrind runs a few tests under it, or those named'
program one OK 'ok 1 - a'
stand_in valgrind
checks='valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite'
checks="--no-rebuild --print-errorlogs --timeout-multiplier 10 --wrapper $checks"
gradus test --valgrind
ends_with 0
called "meson test -C $tree/build $checks arena attention nn safetensors step tensor"
gradus test rng --valgrind
called "meson test -C $tree/build $checks rng"

scene 'CC chooses the compiler and a folder of its own'
stand_in clang
setting='CC=clang'
gradus example attention
ends_with 7
called "meson setup $tree/build-clang $tree"

scene 'a compiler CC names that does not exist is said to be missing, not installed'
stand_in apt-get
uid=0
setting='CC=nosuch'
gradus example attention
ends_with 1
err_has 'CC is "nosuch"'
uncalled apt-get

scene 'what the compiler says is shown if it warns or fails, without the progress lines'
setting='FAKE_NINJA=warns'
gradus example attention
ends_with 7
err_has 'x.c:1: warning: careful'
setting='FAKE_NINJA=fails'
gradus example attention
ends_with 1
err_has 'x.c:2: error: broken'
err_lacks '[1/2]'

# ---- the closing line ----------------------------------------------------------------------------

scene 'the closing line counts cases, and every way to fail'
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

scene 'when all passes the status is 0; when Meson is not content it is not'
program good OK 'ok 1 - a\nok 2 - b'
gradus test good --repeat 2
ends_with 0
last_line_is '2 passed, 0 failed'
called "meson test -C $tree/build --no-rebuild --print-errorlogs good --repeat 2"
setting='FAKE_TEST=3'
gradus test
ends_with 3

scene 'no test of that name: not a success, whatever ran before'
program good OK 'ok 1 - a'
gradus test
rm "$work/log"
gradus test nosuch
ends_with 1
last_line_is '0 passed, 0 failed'
err_has 'these are the tests'

scene '.ci/run ends with the closing line'
program good OK 'ok 1 - a'
from=/
run "$tree/.ci/run"
ends_with 0
last_line_is '1 passed, 0 failed'

curtain

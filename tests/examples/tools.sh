# What the tests of the examples share: a short run, and what its metrics.tsv says.
#
#   sh tests/examples/NAME.sh SOURCE PROGRAM [COUNTER]
#
# A test trains for a few seconds and holds what came out against thresholds: above (or below) what the model
# can reach with a fault that the comment names. See attention.sh.
#
# shellcheck shell=sh

# shellcheck source=tests/harness/tap.sh
. "$1/tests/harness/tap.sh"
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") || exit 1
# The tests run side by side, so that more threads than one would compete for the processors.
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1
path=$PATH # the program's; where gnuplot is not on it, pictures have their scripts only, which is much faster
counter=${3:+$(cd "$(dirname "$3")" && pwd)/$(basename "$3")} # allocations.c, or nothing
cd "$work" || exit 1

# example NAME [options]: runs the program into the folder NAME; what it says is in NAME.txt.
example() {
    name=$1
    shift
    PATH=$path "$program" --quiet --threads 1 --out "$name" "$@" >"$name.txt" 2>&1 || { cat "$name.txt" && return 1; }
}

# last NAME SPLIT COLUMN: the last number of a column in the run's metrics.
last() {
    awk -F '\t' -v split_="$2" -v column="$3" '
        /^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
        $2 == split_ && $at != "-" { value = $at }
        END { print value }' "$1/metrics.tsv"
}

# said NAME PATTERN: the number after the pattern in what the run said.
said() { sed -n "s/.*$2 *\\([-+0-9.e]*\\).*/\\1/p" "$1.txt" | tail -n 1; }

# within LOW VALUE HIGH: is it between? An empty value, or none at all, is not.
within() {
    awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN {
        if (value != "" && value + 0 == value && value >= low && value <= high) exit 0
        print "found " value "; expected " low " to " high
        exit 1
    }'
}

# numbers NAME: the run's table without what is a matter of time, its last two columns, and the header.
numbers() { awk -F '\t' -v OFS='\t' '!/^#/ { NF -= 2; print }' "$1/metrics.tsv"; }

# refuses STATUS TEXT [options]: the program ends with that status and says this.
refuses() {
    status=$1 text=$2
    shift 2
    "$program" --quiet --out refused "$@" >refused.txt 2>&1
    found=$?
    [ "$found" = "$status" ] || { echo "status $found; expected $status" && cat refused.txt && return 1; }
    shows refused.txt "$text"
}

# rows NAME: how many rows of training a run's table has by now; no table yet, no rows.
rows() { { cat "$1/metrics.tsv" || :; } 2>/dev/null | grep -c train; }

# stopped_early NAME [options]: starts a run and stops it by Ctrl-C's signal once its table has rows; its status.
stopped_early() {
    name=$1
    shift
    rm -rf "$name"
    PATH=$path "$program" --quiet --threads 1 --out "$name" "$@" >"$name.txt" 2>&1 &
    started=$!
    waited=0
    while [ "$(rows "$name")" -lt 3 ] && [ $waited -lt 600 ]; do
        sleep 0.05
        waited=$((waited + 1))
    done
    kill -INT $started
    wait $started
}

# interrupted NAME [options]: a run that was stopped early, resumed by the very command that it then names. One
# that was through before the signal came (another program had the processor) starts again.
interrupted() {
    for try in 1 2 3 4 5; do
        stopped_early "$@"
        found=$?
        [ "$found" = 0 ] || break
    done
    [ "$found" = 130 ] || { echo "status $found in try $try; expected 130" && cat "$name.txt" && return 1; }
    sed -n 's/^  //p' "$name.txt" | tail -n 1 >"$name.command"
    PATH=$path /bin/sh "$name.command" >"$name.txt" 2>&1 || { cat "$name.command" "$name.txt" && return 1; }
}

# as_never_stopped WHOLE STOPPED: two runs have the same weights (saved as NAME.st) and the same numbers.
as_never_stopped() {
    cmp "$1.st" "$2.st" && numbers "$1" >"$1.numbers" && numbers "$2" >"$2.numbers" &&
        cmp "$1.numbers" "$2.numbers"
}

# any_threads NAME [options]: three threads leave the weights that one left (NAME.st), bit by bit.
any_threads() {
    name=$1
    shift
    PATH=$path "$program" --quiet --threads 3 --out "$name-3" --save "$name-3.st" "$@" >"$name-3.txt" 2>&1 &&
        cmp "$name.st" "$name-3.st"
}

# traces LEAST: --trace prints the first step, forward and back with at least so many gradients, ends after it, and leaves no file.
# Backward has as many ops as gradients: each line "in" has its number above it.
traces() {
    "$program" --trace --out untouched >traced 2>&1 || { cat traced && return 1; }
    gradients=$(grep -c '^ *in  dL' traced)
    grep -q '^forward:' traced && [ "$gradients" -ge "$1" ] &&
        [ "$gradients" = "$(sed '1,/^backward:/d' traced | grep -c '^ *[0-9][0-9]*  ')" ] && [ ! -e untouched ]
}

# goes_on NAME [options]: a short run (NAME, NAME.st), which is the same when it was stopped and resumed, and with three threads.
goes_on() {
    short=$1
    shift
    attempt "$short: a run" example "$short" "$@" --save "$short.st"
    attempt 'the same, stopped and resumed' interrupted stopped "$@" --save stopped.st
    attempt 'is as never stopped' as_never_stopped "$short" stopped
    attempt 'three threads leave the same bits' any_threads "$short" "$@"
    attempt '--trace prints a step and ends' traces 10
}

# asked_for STEPS [options]: how often a run of so many steps asks for memory.
asked_for() {
    COUNT_ALLOCATIONS=$work/asked LD_PRELOAD=$counter PATH=$path "$program" --quiet --threads 1 --out asked_for \
        --steps "$@" >asked.txt 2>&1 && cat "$work/asked"
}

# steady [options]: 20 further steps of a run ask for no memory.
steady() {
    mkdir -p asked_for
    if ! few=$(asked_for 20 "$@") || ! more=$(asked_for 40 "$@"); then cat asked.txt && return 1; fi
    echo "20 steps asked $few times, 40 steps $more times"
    [ "$few" -gt 0 ] && [ "$few" = "$more" ]
}

# heard [options]: whichever single request for memory fails, the program ends well or reports it: it never fails in
# silence, nor by a signal.
heard() {
    COUNT_ALLOCATIONS=$work/asked LD_PRELOAD=$counter PATH=$path "$program" --quiet --threads 1 --out heard "$@" >heard.txt 2>&1 ||
        { cat heard.txt && return 1; }
    first=1 last=$(cat "$work/asked")
    [ "$last" -gt 100 ] || { echo "counted $last requests" && return 1; }
    while [ "$first" -le "$last" ]; do
        FAIL_ALLOCATION=$first LD_PRELOAD=$counter PATH=$path "$program" --quiet --threads 1 --out heard "$@" >/dev/null 2>heard.txt
        status=$?
        [ $status -eq 0 ] || { [ $status -lt 128 ] && grep -q 'no memory\|out of memory\|Cannot allocate' heard.txt; } ||
            { echo "request $first: status $status" && cat heard.txt && return 1; }
        first=$((first + 1))
    done
}

# reports_no_memory, takes_no_memory TITLE [options]: the cases `heard` and `steady`, where requests can be counted.
reports_no_memory() { where_counted heard "$@"; }
takes_no_memory() { where_counted steady "$@"; }
where_counted() {
    case_=$1 title=$2
    shift 2
    if [ -n "$counter" ]; then attempt "$title" "$case_" "$@"; else skip "$title" 'needs the GNU C library and no sanitizer'; fi
}

# log_p NAME LINE, change NAME LINE: of the right answer, in the line that begins so.
log_p() { sed -n "s/^  $2 .*log p of .* \\(-*[0-9][0-9.]*\\)\\( *([-+0-9.]*)\\)*\$/\\1/p" "$1.txt"; }
change() { sed -n "s/^  $2 .*(\\([-+0-9.]*\\))\$/\\1/p" "$1.txt"; }

# as_swept NAME LINE: is the change that of head 1.1 in the sweep, which is written with all digits?
as_swept() {
    swept=$(tr -d '\r' <"$1/sweep-heads-1.csv" | awk -F , 'NR == 2 { print $2 }')
    awk -v said="$(change "$1" "$2")" -v swept="$swept" 'BEGIN {
        print "found " said " and " swept
        exit said == "" || swept == "" || said - swept > 0.00051 || swept - said > 0.00051
    }'
}

# causes NAME LAYERS FROM [options]: what an answer depends on. The stream after the last block is all that the answer is
# read from; so the lens after it is the answer, and it is that of FROM where the stream is.
causes() {
    name_=$1 layers=$2 from=$3 kept_path=$path
    shift 3
    path=/nowhere # without gnuplot
    attempt "$name_: cuts, the lens, sweeps" example "$name_" "$@" --cut 1.1 --lens --sweep heads --sweep arcs --html
    attempt 'the last layer is read as the answer' \
        equal "$(log_p "$name_" 'as it is')" "$(log_p "$name_" "read after layer $layers")"
    attempt 'a head is cut by itself as in a sweep' as_swept "$name_" 'cut 1.1'
    attempt 'a page has the cuts' shows "$name_/cuts.html" '"cuts":[[-1,-1,-1,-1,"'
    attempt "$name_: patches" example "$name_-from" "$@" --from "$from" --patch "resid.$layers" --patch 1.1 \
        --sweep heads --sweep positions
    attempt 'the patched stream has the answer of --from' \
        equal "$(log_p "$name_-from" 'of --from')" "$(log_p "$name_-from" "patched resid.$layers")"
    attempt 'and that is another' [ "$(log_p "$name_-from" 'of --from')" != "$(log_p "$name_-from" 'as it is')" ]
    attempt 'a head is patched by itself as in a sweep' as_swept "$name_-from" 'patched 1.1'
    attempt 'a patch from nowhere' refuses 2 '--patch: found no --from' "$@" --patch 1.1
    attempt 'another input that nothing reads' refuses 2 '--from: found neither --patch nor' "$@" --from "$from" --cut 1.1
    attempt 'a layer that is not there' refuses 2 "--cut: found '99.1'; expected LAYER.HEAD" "$@" --cut 99.1
    attempt 'a sweep of nothing' refuses 2 '--sweep' "$@" --sweep tokens
    path=$kept_path
}

#!/bin/sh
# Training on several processes:  sh processes.sh SOURCE MPIRUN KILLED PROGRAM
# KILLED is killed.c as a library, PROGRAM is the example gpt; both are of MPIRUN's MPI.
# shellcheck disable=SC2086  # lists of options
set -u
source=$(cd "$1" && pwd) mpirun=$2 killed=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
gpt=$4
. "$source/tests/harness/tap.sh"

OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_mpi_yield_when_idle=1 # on a busy machine: who waits leaves the processor to others
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_btl_base_warn_component_unused \
    OMPI_MCA_mpi_yield_when_idle
"$mpirun" -n 2 true >"$work/said" 2>&1 || skip_all "$mpirun starts no processes here: $(head -n 1 "$work/said")"

# of COUNT PROGRAM [options]: runs it in so many processes, without pictures; 0: without MPI, in slices.
of() {
    count=$1
    shift
    if [ "$count" = 0 ]; then
        "$@" --slices 8 --quiet --threads 1
    else
        timeout 300 "$mpirun" -n "$count" "$@" --quiet --threads 1
    fi
}

# The columns of metrics.tsv that depend on the options alone: all but the last two.
numbers() { awk -F '\t' '!/^#/ { for (i = 1; i < NF - 1; i++) printf "%s ", $i; print "" }' "$1/metrics.tsv" | cksum; }

# ---- the same bits -----------------------------------------------------------------------------------------

same_bits() {
    for count in 0 1 2 4 8; do
        of "$count" "$gpt" --decode greedy --length 8 --steps 6 --out "$work/$count" --save "$work/$count.safetensors" || return 1
        cmp "$work/0.safetensors" "$work/$count.safetensors" || return 1
        equal "$(numbers "$work/0")" "$(numbers "$work/$count")" || return 1
    done
}

attempt 'weights and losses have the bits of one process' same_bits

attempt 'another number of slices gives other bits' sh -c "
    '$gpt' --decode greedy --length 8 --slices 2 --quiet --threads 1 --steps 6 --out '$work/two' --save '$work/two.safetensors' &&
    ! cmp -s '$work/two.safetensors' '$work/0.safetensors'"

# ---- one message -----------------------------------------------------------------------------------------

# one_message COUNT TEXT PROGRAM [options]: the processes fail, all of them, and exactly one says TEXT.
one_message() {
    count=$1 text=$2
    shift 2
    timeout 300 "$mpirun" -n "$count" "$@" --quiet >"$work/out" 2>&1
    status=$?
    case $status in 0 | 124) echo "it ended with $status; 124: some process waits for ever" && return 1 ;; esac
    said=$(grep -cF -- "$text" "$work/out")
    [ "$said" = 1 ] || { echo "said $said times: $text" && cat "$work/out" && return 1; }
}

attempt 'three processes: those that divide the slices are listed' one_message 3 \
    'found 3 processes for 8 slices of a batch; expected a power of two up to 8' "$gpt" --out "$work/x"
attempt 'a bad option is said once' one_message 2 'unknown option --stepps' "$gpt" --stepps 3
attempt 'so is a number of slices that is no power of two' one_message 2 'found 6; expected a power of two' "$gpt" --slices 6
attempt 'the help is no failure' timeout 300 "$mpirun" -n 2 "$gpt" --help
attempt 'a smaller batch than slices is refused' one_message 2 'found 8 slices of a batch of 4' "$gpt" --batch 4 --out "$work/x"
attempt 'nothing is trained with --load' one_message 2 'found several processes beside it; expected one process' "$gpt" --load "$work/0.safetensors"
attempt 'nor with --slices' sh -c "! '$gpt' --slices 8 --load '$work/0.safetensors' 2>'$work/out' && grep -q -- '--load: found --slices beside it' '$work/out'"
attempt 'a folder that cannot be written is said once' one_message 2 'cannot be written' "$gpt" --out /proc/none

# No file may have more than 8 MB, and a checkpoint has 38.
# shellcheck disable=SC2016  # the inner shell expands them
attempt 'where rank 0 can write no checkpoint, all end' one_message 2 'File too large' \
    sh -c 'trap "" XFSZ; ulimit -f 16384; exec "$@"' sh "$gpt" --channels 256 --context 16 --steps 300 --checkpoint 3 --out "$work/full"

# ---- ends that nobody expects ------------------------------------------------------------------------------

# A short text and windows of 16 tokens in place of 128: little to compute, and nearly as many weights to exchange.
cat "$source"/nn/*.c | tr -cd '\n -~' | head -c 50000 >"$work/text"
short="--data $work/text --prompt int --decode greedy --length 8 --context 16"

# The processes of this test's program that mpirun has started from this folder.
ours() { pgrep -f -- "--out $work/run " || true; } # not mpirun itself, whose command line has it, too

# The seconds that processes may take to end: 10, and on a busy machine so many times more as it has processes for each processor.
limit() { awk -v processors="$(getconf _NPROCESSORS_ONLN)" '{ load = $1 / processors; print int(10 * (load > 1 ? load : 1)) }' /proc/loadavg; }

# ended PID: waits until it and all processes of the run have ended, at most `limit` seconds.
ended() {
    most=$(limit) since=$(date +%s)
    while kill -0 "$1" 2>/dev/null || [ -n "$(ours)" ]; do
        [ $(($(date +%s) - since)) -le "$most" ] || { echo "after $most s there still are: $(ours)" && return 1; }
        sleep 0.1
    done
}

attempt 'an uninterrupted run, for comparison' of 0 "$gpt" $short --steps 60 --out "$work/whole" --save "$work/whole-60.safetensors"

# begin COUNT: starts a run of 60 steps in the background that saves every third, and waits until it has trained.
begin() {
    rm -rf "$work/run" && mkdir "$work/run"
    "$mpirun" -n "$1" "$gpt" $short --out "$work/run" --steps 60 --checkpoint 3 --save "$work/w.safetensors" --quiet --threads 1 \
        >"$work/out" 2>&1 </dev/null &
    run=$!
    waited=0
    until [ -f "$work/run/checkpoint.safetensors" ]; do
        waited=$((waited + 1))
        if [ "$waited" -gt 300 ] || ! kill -0 "$run" 2>/dev/null; then cat "$work/out" && return 1; fi
        sleep 0.1
    done
}

# go_on COUNT STEPS: continues from the last checkpoint with so many processes; the weights are those of the uninterrupted run.
go_on() {
    of "$1" "$gpt" $short --steps "$2" --resume "$work/run/checkpoint.safetensors" --out "$work/run" --save "$work/w.safetensors" &&
        cmp "$work/w.safetensors" "$work/whole-$2.safetensors"
}

# kills RANK EXCHANGE: kill -9 for the process of this rank of 4 at its exchange of this number. Then two processes go on;
# in the first steps there was no checkpoint yet.
kills() {
    rank=$1 exchange=$2
    rm -rf "$work/run" && mkdir "$work/run"
    timeout 300 "$mpirun" -n 4 env LD_PRELOAD="$killed" KILLED_RANK="$rank" KILLED_AT="$exchange" "$gpt" $short \
        --out "$work/run" --steps 24 --checkpoint 3 --quiet --threads 1 >"$work/out" 2>&1 </dev/null &
    run=$!
    ended "$run" || return 1
    if wait "$run"; then echo "it was not killed" && return 1; fi
    if [ -f "$work/run/checkpoint.safetensors" ]; then go_on 2 24; else [ "$exchange" -lt $((exchanges / 4)) ]; fi
}

counted() {
    timeout 300 "$mpirun" -n 4 env LD_PRELOAD="$killed" KILLED_COUNT="$work/count" "$gpt" $short --out "$work/x" \
        --steps 24 --save "$work/whole-24.safetensors" --quiet --threads 1 && exchanges=$(cat "$work/count") && [ "$exchanges" -ge 48 ]
}

# The moments are the same in every run, and spread over all of the 24 steps.
if [ "$(uname -s)" != Linux ] || grep -q __asan_init "$gpt"; then
    skip 'a rank is killed at an exchange' 'killed.c is loaded before the program on Linux, and before no sanitizer'
else
    attempt 'the exchanges of 24 steps are counted' counted
    times=20
    all || times=4
    number=0
    while [ $number -lt $times ]; do
        number=$((number + 1))
        moment=$((number * 618 % 1000 * exchanges / 1000))
        attempt "rank $((number % 4)) is killed at exchange $moment of $exchanges, and two processes go on" \
            kills $((number % 4)) $moment
    done
fi

interrupted() {
    begin 4 && kill -INT "$run" && ended "$run" && wait "$run"
    go_on "$1" 60
}
for count in 1 8; do attempt "Ctrl-C, and $count go on with the same bits" interrupted $count; done

done_testing

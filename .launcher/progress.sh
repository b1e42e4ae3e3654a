# progress.sh: shows that a command which takes time is still at work. Read by ../gradus.
#
# shellcheck shell=sh
# shellcheck disable=SC2154  # variables that ../gradus sets

# What a log says last: the number of the build's step and its file, ": 12 of 340: tape.c"; else its last line; else nothing.
log_says() {
    awk '{ sub(/.*\r/, "") }
        /^\[[0-9]+\/[0-9]+\] / { step = $0 }
        NF { last = $0 }
        END {
            if (step) {
                split(substr(step, 2, index(step, "]") - 2), number, "/")
                last = number[1] " of " number[2] ": " substr(step, index(step, "]") + 2)
                sub(/Compiling C object .*\//, "", last)
                sub(/\.o$/, "", last)
            }
            if (last) print ": " substr(last, 1, 60)
        }' "$1"
}

# show_progress WORDS LOG: until it is killed, or the launcher has ended, shows the words and what the log says: on a
# terminal in one line, every second; elsewhere in a line of its own, every three seconds. The descriptors of sleep are
# closed, so that nobody who reads the launcher's output waits for it.
show_progress() {
    pause=3 seconds=0
    [ ! -t 2 ] || pause=1
    while sleep $pause >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        seconds=$((seconds + pause))
        if [ -t 2 ]; then
            printf '\r\033[Kgradus: %s%s' "$1" "$(log_says "$2")" >&2
        else
            say "$1, $seconds s$(log_says "$2")"
        fi
    done
}

# watched WORDS LOG COMMAND...: runs the command with its output in LOG and shows its progress; returns its status.
watched() {
    words=$1 log=$2
    shift 2
    : >"$log" || fail "cannot write to $log (another user's?)"
    [ ! -t 2 ] || printf 'gradus: %s' "$words" >&2
    show_progress "$words" "$log" &
    watcher=$!
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    [ ! -t 2 ] || printf '\r\033[K' >&2
    return $status
}

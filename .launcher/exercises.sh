# shellcheck shell=sh disable=SC2154  # variables of gradus
#
# exercises.sh: `./gradus claims --try ROW` measures a copy of the chapters' exercises, so that nobody has to change the project.

# The copy is $GRADUS_EXERCISES, or exercises in the current folder. Files that it lacks are copied into it. Each file of it that differs from
# the chapter's is compiled and linked into $program by the commands with which Ninja has built that. Where the compiler has the address
# sanitizer, it finds accesses beyond the arrays.
try_exercises() {
    mine=${GRADUS_EXERCISES:-exercises} tried=$build/tried
    { mkdir -p "$mine" "$tried" && mine=$(cd "$mine" && pwd); } || fail "cannot write $mine; expected a folder to write to"
    "$ninja" -C "$build" -t commands lectures/lectures >"$tried/commands" || fail "cannot write $tried"
    say "the exercises to change are in $mine"
    link=$(sed -n '$p' "$tried/commands") sanitize=-fsanitize=address
    echo 'int main(void) { return 0; }' | sh -c "${link%% -o *} $sanitize -x c -o '$tried/none' -" 2>/dev/null || sanitize=''
    link=$(echo "$link" | sed "s| -o lectures/lectures | $sanitize -o '$tried/lectures' |")
    export ASAN_OPTIONS="detect_leaks=0:print_legend=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    for file in "$top"/lectures/0*/exercises*.c; do
        name=${file#"$top"/lectures/}
        [ -f "$mine/$name" ] || { mkdir -p "$mine/${name%/*}" && cp "$file" "$mine/$name"; } || fail "cannot write $mine/$name; expected a folder to write to"
        cmp -s "$file" "$mine/$name" && continue
        object=$(echo "$name" | sed 's|/|_|').o
        compile=$(grep -- " -c [^ ]*lectures/$name\$" "$tried/commands" | sed "s| -M[DQ].* -o [^ ]* -c .*| -Wfatal-errors $sanitize -o '$tried/$object' -c '$mine/$name'|")
        (cd "$build" && sh -c "$compile") || fail "$mine/$name does not compile"
        link=$(echo "$link" | sed "s| lectures/lectures.p/$object | '$tried/$object' |")
        program=$tried/lectures
    done
    [ "$program" != "$tried/lectures" ] || (cd "$build" && sh -c "$link") || fail "the program with your exercises does not link"
}

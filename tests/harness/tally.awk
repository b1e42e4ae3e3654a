# Prints the names of failed cases and the closing line of `./gradus test`: "N passed, N failed".
#
#   awk -f tally.awk build/meson-logs/testlog.json
#
# It counts cases, whereas Meson counts programs. Meson's log has one line of JSON for each program,
# with the program's TAP output in the field "stdout" and Meson's verdict in "result".
# A program that failed without a failed case (a crash, a timeout) counts as one failure, and so does a program
# without any case. The exit status is 1 if something failed or nothing passed.

function field(key,    mark, start, rest)
{
    mark = "\"" key "\": \""
    start = index(line, mark)
    rest = substr(line, start + length(mark))
    return start ? substr(rest, 1, index(rest, "\"") - 1) : ""
}

function lost(what)
{
    failed++
    printf "failed: %s: %s\n", name, what
}

function count_case(text)
{
    if (text ~ /# *([Ss][Kk][Ii][Pp]|[Tt][Oo][Dd][Oo])/)
        skipped++
    else if (text ~ /^ok/)
        passed++
    else
        lost(substr(text, length("not ok ") + 1))
}

{
    # Escapes become single characters, so that every quote left ends a field.
    line = $0
    gsub(/\\\\/, "\001", line)
    gsub(/\\"/, "\002", line)
    name = field("name")
    result = field("result")
    rows = split(field("stdout"), row, /\\n/)

    cases = 0
    before = failed
    for (i = 1; i <= rows; i++) {
        text = row[i]
        gsub(/\002/, "\"", text)
        gsub(/\001/, "\\", text)
        if (text ~ /^1\.\.0.*# *[Ss][Kk][Ii][Pp]/) {
            cases++ # the whole program was skipped
            skipped++
        } else if (text ~ /^(not )?ok( |$)/) {
            cases++
            count_case(text)
        }
    }
    if (result != "OK" && result != "SKIP" && failed == before)
        lost("the program ended with " result)
    else if (cases == 0)
        lost("no case ran")
}

END {
    printf "%d passed, %d failed", passed, failed
    if (skipped)
        printf ", %d skipped", skipped
    print ""
    exit failed > 0 || passed == 0
}

#!/bin/sh
# Tests of the command `steps`, printed as TAP:  sh tests/lectures/steps.sh SOURCE PROGRAM GRADER GPT VIT VAE
set -u
source=$(cd "$1" && pwd) || exit 1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
grader=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
gpt=$(cd "$(dirname "$4")" && pwd)/$(basename "$4")
vit=$(cd "$(dirname "$5")" && pwd)/$(basename "$5")
vae=$(cd "$(dirname "$6")" && pwd)/$(basename "$6")
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive
paths=$source/lectures/steps/paths

# The launcher of these tests: the grader, and three examples, which train for a few steps only.
cat >launcher <<END
#!/bin/sh
case "\$1 \$2" in
'example gpt') shift 2 && exec "$gpt" "\$@" --steps 20 ;;
'example vit') shift 2 && exec "$vit" "\$@" --steps 20 ;;
'example vae') shift 2 && exec "$vae" "\$@" --steps 20 ;;
claims*) shift && exec "$program" claims "\$@" ;;
esac
exec "$grader" "$source/lectures/homework" "$work/cache" "\$@"
END
chmod +x launcher
export GRADUS_LAUNCHER="$work/launcher"

# steps WORDS...: with a record of its own in state/, and without a terminal.
record=state/gradus/steps.txt
steps() { XDG_STATE_HOME=$work/state "$program" steps "$@"; }
fresh() { rm -rf state homework; }
unset GRADUS_HOMEWORK

ends_with() {
    wanted=$1
    shift
    status=0
    "$@" || status=$?
    [ "$status" -eq "$wanted" ] || { echo "ended with $status, not $wanted" && return 1; }
}

# ---- the paths -----------------------------------------------------------------------------------

# Each path has the homeworks of its column of the guide's plan.
has_all_homeworks() {
    column=3
    for letter in V B H Z J; do
        sed -n '/^| week |/,/^$/p' "$source/lectures/homework/GUIDE.md" | cut -d '|' -f "$column" |
            grep -oE '\<hw[0-9]+b?\>' | grep -v '^hw2$' | sort -u >guide
        # Of homework 2, which fits any week, one function is needed for a milestone.
        grep -oE 'homework hw[0-9]+b?' "$paths/$letter.txt" | sed 's/homework //' | grep -v '^hw2$' | sort -u >path
        { [ "$(wc -l <guide)" -gt 4 ] && cmp guide path; } || { echo "$letter: other homeworks than the guide's" && return 1; }
        column=$((column + 1))
    done
}
attempt 'a path has the homeworks of the guide' has_all_homeworks

reads() {
    for path in "$paths"/*.txt; do
        fresh
        steps --course "$path" >shown && shows shown '0 of' './gradus steps next' || return
    done
}
attempt 'every path can be read' reads

# expands STEPS LINE...: a path of these lines has so many steps.
expands() {
    wanted=$1
    shift
    fresh
    { echo 'path mine' && printf '%s\n' "$@"; } >mine.txt
    steps --course mine.txt >shown && shows shown "0 of $wanted steps"
}
attempt 'a row is predicted, seen with a fault, and changed' expands 3 'row 22'
follows() {
    printf 'slides B\nafter 22 walk stepping, mystery 4\n' >mine.txt
    steps --course mine.txt --weeks 1 >shown && shows shown 'row 22, walk stepping, mystery4, row 20'
}
attempt 'a row of the slides is followed by what stands after it' follows
attempt 'a homework has a step for each function of its header, and its milestone' expands 9 'homework hw1-tensor-ops'
attempt 'functions that are named are those that are written' expands 2 'homework hw2-autodiff gelu gelu_backward' '# a comment'
attempt 'a milestone comes after the last of its homeworks' expands 15 'homework hw2-autodiff gelu' 'homework hw3-attention' \
    'homework hw3b-heads' 'homework hw7-positions add_learned' 'homework hw4-norm embed' 'homework hw4b-block dropout'
attempt 'a bug, a lab, a guide and a mystery are one step each' expands 4 'homework debug1-lookup' 'homework lab-op' 'walk stepping' 'mystery 4'

names_the_line() { # LINE TEXT
    printf 'path mine\nrow 22\n%s\n' "$1" >mine.txt
    ends_with 2 steps --course mine.txt 2>said && shows said 'mine.txt:3: ' "$2"
}
attempt 'a row that does not exist is named with its line' names_the_line 'row 99' "there is no row '99'"
attempt 'so is one that the slides do not have' names_the_line 'after 1 walk stepping' 'found row 1; expected one of the slides'
attempt 'an unknown kind, too' names_the_line 'sing 21' "found 'sing 21'"
attempt 'a row that stands there twice' names_the_line 'row 22' "found 'predict 22' twice"
attempt 'a homework that does not exist' names_the_line 'homework hw99-none' "found 'hw99-none'"
attempt 'a bug that does not exist' names_the_line 'homework debug9-none' "found 'debug9-none'"
attempt 'a function that a homework does not have' names_the_line 'homework hw1-tensor-ops sofmax' "found 'sofmax'; expected functions of hw1.h"
attempt 'the beginning of a name' names_the_line 'homework hw1-tensor-ops soft' "found 'soft'"
no_step_at_all() { : >empty.txt && ends_with 2 steps --course empty.txt 2>said && shows said 'found no step'; }
attempt 'a path without a step' no_step_at_all
attempt 'a course that does not exist' ends_with 2 steps --course Q
attempt 'a word that is no step' ends_with 2 steps predict
attempt 'a step that the course does not have' ends_with 2 steps predict 99
attempt '--weeks beside a step' ends_with 2 steps next --weeks 3

# ---- what is noted -------------------------------------------------------------------------------

notes_a_step() {
    fresh
    steps --course V >shown && shows shown 'predict 1 (' ': a map' || return
    "$program" ask 1 --row 1 --key >key && steps next <key >shown || return
    shows shown 'done    predict 1' && shows "$record" 'course V' 'done predict 1' || return
    steps >shown && shows shown '1 of' 'break 1 (' ': a map' || return
    steps --course Z >shown && shows shown '0 of'
}
attempt 'a step is noted when it is done, and the next one follows' notes_a_step

leaves_undone() {
    fresh
    ends_with 1 steps predict 18 </dev/null >shown && shows shown 'not yet' || return
    "$program" ask 4 --row 18 --key | tr abcde bcdea >wrong
    ends_with 1 steps predict 18 <wrong >shown && shows shown 'not yet' && [ ! -f "$record" ]
}
attempt 'without an answer, or with a wrong one, a step is not done' leaves_undone

names_a_fault() {
    fresh
    echo collapse | steps find mystery8 --course H --seed 3 >shown || shows shown 'not yet' || return
    sed -nE 's/^(RIGHT|NOT SO) *([a-z-]*):.*/\2/p' shown >fault
    steps find mystery8 --seed 3 <fault >shown && shows "$record" 'done find mystery8'
}
attempt 'a mystery is done when its fault is named' names_a_fault

is_shared() {
    fresh
    mkdir -p state/gradus && echo 'done predict 36' >"$record"
    for course in V B H Z J; do
        steps --course $course >shown && shows shown '1 of' || return
    done
}
attempt 'a step is done in every course that has it' is_shared

merges() {
    fresh
    mkdir -p state/gradus
    { printf 'done predict 36\r\n# mine\n\ncourse V\ndone predict 36\n' && printf 'course B\ndone break 22\ndone sing later'; } >"$record"
    steps >shown && shows shown 'B: ' '2 of' || return
    "$program" ask 4 --row 18 --key | steps predict 18 >shown || return
    shows "$record" 'done break 22' 'done sing later' 'done predict 18' 'course B' || return
    steps >shown && shows shown '3 of'
}
attempt 'two records, one after the other, are one' merges

passes_over() { # lines that say nothing
    fresh
    mkdir -p state/gradus
    for bytes in 'nothing' '\0001' '\0033'; do
        printf 'done predict 36\n%b\ndone predict\ncourse B' "$bytes" >"$record"
        steps 2>said >shown && [ ! -s said ] && shows shown 'B: ' '1 of' || return
    done
}
attempt 'what is no line of a record is passed over' passes_over

without_memory() {
    "$program" ask 4 --row 18 --key >key
    rm -rf .local && env -u HOME -u XDG_STATE_HOME -u USERPROFILE "$program" steps predict 18 <key >shown || return
    shows shown 'done    predict 18' './.local/state/gradus/steps.txt' && shows .local/state/gradus/steps.txt 'done predict 18' || return
    env -u XDG_STATE_HOME -u USERPROFILE HOME=relative "$program" steps >shown && shows shown '1 of' || return
    fresh
    : >state
    steps predict 18 <key >shown && shows shown 'done    predict 18' 'nothing is noted' || return
    rm state && mkdir -p "$record" && steps predict 18 <key >shown && shows shown 'nothing is noted' "$record"
}
attempt 'without a home folder the record is in the current one; where nothing can be written, it is said' without_memory
rm -rf state .local

both_are_noted() { # a step that another program notes in the meantime is not lost
    fresh
    mkfifo slow
    steps predict 18 <slow >shown &
    exec 3>slow
    until grep -q 'your prediction' shown 2>/dev/null; do kill -0 $! || return; done # it has read the record
    "$program" ask 4 --row 20 --key | steps predict 20 >other || return
    "$program" ask 4 --row 18 --key >&3
    exec 3>&-
    wait $! && shows "$record" 'done predict 18' 'done predict 20'
}
attempt 'what another terminal notes meanwhile is kept' both_are_noted

# ---- made questions ------------------------------------------------------------------------------

# right_letter FILE: the letter of the choice with which the answer of a shown question begins. Long texts are wrapped: the
# words of a choice and of the answer are compared without line ends.
right_letter() {
    awk '/^   [a-d]  /  { letter = substr($0, 4, 1); sub(/^   [a-d]  /, ""); text[letter] = $0; open = 1; next }
        /^   answer  /  { sub(/^   answer */, ""); answer = $0; open = 0; more = 1; next }
        /^   [a-z]/     { more = 0; open = 0 }
        /^$/            { open = 0; more = 0 }
        open            { sub(/^ */, " "); text[letter] = text[letter] $0 }
        more            { sub(/^ */, " "); answer = answer $0 }
        END { for (l in text) if (index(answer, text[l]) == 1) print l }' "$1"
}

# answers STEP...: a wrong answer leaves the step undone and shows the right one, with which the same question is done.
answers() {
    fresh
    echo a | steps "$@" --seed 1 >first
    letter=$(right_letter first)
    [ ${#letter} -eq 1 ] || { echo "found the letters '$letter'; expected one" && cat first && return 1; }
    other=a && [ "$letter" != a ] || other=b
    echo "$other" | ends_with 1 steps "$@" --seed 1 >shown && shows shown 'NOT SO' 'because' 'not yet' || return
    echo "$letter" | steps "$@" --seed 1 >shown && shows shown RIGHT 'done  '
}
attempt 'break: the planted fault' answers break 18
attempt 'break: a claim with several faults' answers break 26

has_four() {
    for number in 18 22 26; do
        for seed in 1 2 3; do
            steps break "$number" --seed $seed </dev/null >shown
            sed -n 's/^   [a-d]  //p' shown | sort >choices
            { [ "$(wc -l <choices)" -eq 4 ] && [ -z "$(uniq -d choices)" ]; } ||
                { echo "row $number, seed $seed" && cat shown && return 1; }
            all || break
        done
    done
}
attempt 'a fault is one of four' has_four

# Each guide has questions; a number that is far off is wrong, that of walks.tsv is right, and no guide has the question.
asks_of_guides() {
    fresh
    asked=$source/lectures/steps/walks.tsv
    for guide in "$source"/lectures/*/stepping*.md; do basename "$guide" .md; done | sort >guides
    sed 's/^/walk /' guides >mine.txt
    grep -v '^#' "$asked" | cut -f 1 | sort -u | cmp - guides || return
    while read -r guide; do
        for seed in 1 2 3; do
            echo 1e9 | ends_with 1 steps walk "$guide" --course mine.txt --seed $seed >shown && shows shown 'NOT SO' 'not yet' || return
            # shellcheck disable=SC2016  # the program prints these quotes
            typed=$(tr -s '\n ' ' ' <shown | sed 's/.*, type `\([^`]*\)`: which.*/\1/')
            ! grep -qF -- "(gdb) $typed" "$source"/lectures/*/"$guide".md || return
            awk -F'\t' -v guide="$guide" -v typed="$typed" '$1 == guide && $3 == typed { print $4 }' "$asked" |
                steps walk "$guide" --course mine.txt --seed $seed >shown || { cat shown && return 1; }
            shows "$record" "done walk $guide" && rm "$record" || return
        done
    done <guides
}
attempt 'walk: a number that the guide does not print, of each guide' asks_of_guides

# ---- what others check ---------------------------------------------------------------------------

is_graded() {
    fresh
    ends_with 1 steps write hw0:transpose >shown && shows shown 'handout hw0' 'homework/hw0/README.md' 'not yet' || return
    [ -f homework/hw0/hw0.c ] || return
    ends_with 1 steps write hw0:transpose >shown && shows shown 'not yet ./gradus steps write hw0:transpose begins' || return
    "$work/launcher" handout hw0 solved --solution >/dev/null && cp solved/hw0.c homework/hw0/hw0.c || return
    steps write hw0:transpose >shown && shows shown 'done    write hw0:transpose'
}
attempt 'write: handed out at first, then graded' is_graded
chooses_folder() {
    fresh
    mkdir -p mine && (export GRADUS_HOMEWORK="$work/mine" && ends_with 1 steps find debug1 >shown) && [ -f mine/debug1/debug1.c ]
}
attempt 'GRADUS_HOMEWORK: where homeworks are' chooses_folder
is_not_solved() { ends_with 1 steps change 22 >shown && shows shown 'exercise of section 22' FAILS 'not yet'; }
attempt 'change: an exercise that is not done leaves the step undone' is_not_solved

# ---- milestones ----------------------------------------------------------------------------------

reaches() { # MILESTONE HOMEWORK...
    fresh
    milestone=$1
    shift
    mkdir -p homework
    ends_with 1 steps milestone "$milestone" >shown && shows shown 'is not there' "write $1" || return
    for name in "$@"; do
        [ -d "kept/$name" ] || "$work/launcher" handout "$name" "kept/$name" --solution >/dev/null || return
        rm -rf "homework/$name" && cp -r "kept/$name" "homework/$name" || return
    done
    steps milestone "$milestone" >shown 2>&1 || { cat shown && return 1; }
    shows shown "done    milestone $milestone"
}
breaks() { # MILESTONE FILE OLD NEW WORDS: with a mistake in a homework it is not reached, and says this
    [ "$(grep -cF -- "$3" "homework/$2")" -eq 1 ] || { echo "$3: not once in $2" && return 1; }
    awk -v old="$3" -v new="$4" '{ i = index($0, old); if (i) $0 = substr($0, 1, i - 1) new substr($0, i + length(old)); print }' \
        "homework/$2" >changed && cp changed "homework/$2" || return
    ends_with 1 steps milestone "$1" >shown && shows shown 'not yet' "$5"
}
if command -v cc >/dev/null; then
    attempt 'head: the solution' reaches head hw1
    attempt 'head: a softmax that is not normalised' breaks head hw1/hw1.c '/ sum);' ');' 'softmax of rows  (0 of 8)'
    attempt 'xor: the solution' reaches xor hw2
    # A network may learn with gradients that are partly wrong, and an example meets no ties: the homeworks' tests do.
    attempt 'xor: MUL sets the gradient of its right input' breaks xor hw2/hw2.c 'grad[r] += g * to_right;' \
        'grad[r] = (kind[i] == MUL ? 0 : grad[r]) + g * to_right;' 'a node that is used twice'
    attempt 'vae: the solution' reaches vae hw13
    attempt 'vae: a KL divergence without its half' breaks vae hw13/hw13.c '(m * m + exp(v) - v - 1) / 2;' '(m * m + exp(v) - v - 1);' failed
    attempt 'tired: the solution' reaches tired hw2 hw3 hw3b hw4 hw4b hw7
    # The homework's tests have few channels.
    attempt 'tired: a mean that is wrong in large models alone' breaks tired hw4/hw4.c 'mean /= c;' 'mean /= c > 16 ? c + 1 : c;' \
        'layernorm of hw4 passes its tests' 'compared with what the library computes'
    attempt 'writes: the solution' reaches writes hw2 hw3 hw3b hw4 hw4b hw7 hw8
    attempt 'writes: a draw where the sum stays below u' breaks writes hw8/hw8.c 'return last;' 'return 0;' 'the sum stays below u'
    attempt 'digit: the solution' reaches digit hw2 hw3 hw3b hw4 hw4b hw12
else
    skip 'milestones' 'no C compiler'
fi

# ---- the plan ------------------------------------------------------------------------------------

plans() {
    for course in V B H Z J gradus; do
        steps --course $course --weeks 12 >plan || return
        awk '/^[0-9]* hours: / { all = $1 }
            /^### Week/ { weeks++; sum += $4; if ($4 < all / 24 || $4 > all / 6) wrong = 1 }
            /^- exam/ { exams++ }
            END { exit wrong || weeks != 12 || exams != 2 || sum < all - 1.1 || sum > all + 1.1 }' plan || { cat plan && return 1; }
    done
}
attempt 'a plan has all hours, spread over its weeks' plans
exams() { # the exams of a plan have all rows, and questions on them
    mkdir programs && ln -s "$(python3 -c 'import sys; print(sys.executable)')" programs/python3
    for letter in V B H Z J; do
        steps --course $letter --weeks 12 | tr -s ' \n' ' ' | grep -oE 'gradus exam --course . --rows [-0-9,]*' >two
        [ "$(wc -l <two)" -eq 2 ] || return
        while read -r _ words; do
            # shellcheck disable=SC2086  # a list of words; without LaTeX, which takes its time
            PATH=$work/programs "$program" $words --out exams >told && grep -q ' [1-9][0-9]* questions' told || return
        done <two
    done
}
attempt 'the exams of a plan can be written' exams
changes_nothing() { fresh && steps --course J --weeks 3 >plan && [ ! -e "$record" ]; }
attempt 'a plan notes nothing' changes_nothing

# ---- screens -------------------------------------------------------------------------------------

narrow() { COLUMNS=60 steps --course V >shown && [ "$(wc -l <shown)" -ge 5 ] && ! grep -E '.{61}' shown; }
attempt 'in 60 columns no line is longer' narrow
done_testing

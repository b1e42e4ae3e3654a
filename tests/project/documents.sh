#!/bin/sh
# Tests of the documentation, printed as TAP:  sh tests/project/documents.sh [SOURCE]
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$source" || exit 1
documents=$(find README.md READING.md .github tensor autograd nn plot data python lectures examples tests -name '*.md' | sort)

# ---- the reference -------------------------------------------------------------------------------

reference() {
    { cat .doxygen/config && echo "OUTPUT_DIRECTORY = \"$work\"" && echo 'GENERATE_XML = YES'; } | doxygen -
}

# Prints the functions without a description.
described() {
    awk '/<memberdef kind="function"/ { inside = 1; has = 0; name = "" }
        inside && name == "" && /<name>/ { name = $0; gsub(/ *<[^>]*> */, "", name) }
        /<(brief|detailed)description>/ { describes = 1 }
        describes && /<para>/ { has = 1 }
        /<\/(brief|detailed)description>/ { describes = 0 }
        inside && /<\/memberdef>/ {
            inside = 0
            count++
            if (!has) { print "no description: " name; wrong = 1 }
        }
        END { print count " functions"; exit wrong || count < 200 }' "$work"/xml/*_8h.xml
}

# Every function that gradus.h declares is in the reference.
complete() {
    # shellcheck disable=SC2046  # a list of words
    sed '/^#/d' $(sed -n 's/^#include "\(.*\)".*/\1/p' gradus.h) | tr '\n' ' ' | grep -oE 'GRADUS_API [^(;]*\(' |
        sed 's/($//; s/.*[ *]//' | sort -u >"$work/declared"
    [ "$(wc -l <"$work/declared")" -gt 200 ] &&
        while read -r name; do
            grep -q "<name>$name</name>" "$work"/xml/*_8h.xml || { echo "not there: $name" && return 1; }
        done <"$work/declared"
}

# Every section of the headers, such as "views" of autograd.h, and the page for those who know PyTorch.
sections() {
    wanted=$(cat tensor/tensor.h autograd/autograd.h nn/nn.h | grep -c '^/\* ---- ')
    found=$(cat "$work"/xml/tensor_8h.xml "$work"/xml/autograd_8h.xml "$work"/xml/nn_8h.xml | grep -c '<header>')
    echo "$found sections; expected $wanted"
    [ "$wanted" -gt 15 ] && [ "$found" -eq "$wanted" ] && grep -q ag_transpose "$work"/xml/md_nn_from*.xml
}

if command -v doxygen >/dev/null; then
    attempt 'the reference is generated without a warning' reference
    attempt 'every public function is in it' complete
    attempt 'every public function has a description' described
    attempt 'the sections of the headers are in it' sections
else
    skip 'the reference' 'there is no doxygen'
fi

# ---- names and links -----------------------------------------------------------------------------

# The functions that a document names are in a public header; `square` is the one that a contributor writes.
names_exist() {
    cat gradus.h ./*/*.h lectures/*/*.h examples/*/*.h tensor/threads/*.h tensor/kernels/kernels.h tensor/kernels/strided.h nn/decode/decode.h plot/own.h plot/html/own_pages.h data/corpora/corpora.h examples/*/*.[ch] >"$work/headers"
    # shellcheck disable=SC2086,SC2016  # a list of words; backquotes
    grep -ho '`[^`]*`' $documents |
        grep -oE '\<(tensor|shape|arena|rng|tape|ag|params|nn|adam|sgd|data|plot)_[a-z0-9_]*[a-z0-9]\>' |
        sort -u >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 20 ] &&
        while read -r name; do
            case $name in
            ag_square | nn_x | nn_x_init | ag_ops) continue ;;
            esac
            grep -qw -- "$name" "$work/headers" || { echo "no such name: $name" && return 1; }
        done <"$work/names"
}
attempt 'functions that documents name are in the headers' names_exist

# In the glossary, types, members and weights as well: every C identifier in the column "here".
glossary_names_exist() {
    cat gradus.h ./*/*.h lectures/*/*.h examples/*/*.h tensor/threads/*.h tensor/kernels/kernels.h tensor/kernels/strided.h nn/decode/decode.h nn/*.c autograd/attention_composed.c >"$work/headers"
    # shellcheck disable=SC2016  # backquotes
    grep '^|' lectures/glossary.md | grep -o '`[^`]*`' | grep -oE '[A-Za-z_][A-Za-z0-9_]{3,}' |
        sort -u >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 30 ] &&
        while read -r name; do
            grep -qw -- "$name" "$work/headers" || { echo "no such name: $name" && return 1; }
        done <"$work/names"
}
attempt 'names in the glossary are in the sources' glossary_names_exist

# Every link into the project leads to a file.
links_lead() {
    links=0
    for document in $documents; do
        grep -oE '\]\([^)]*\)' "$document" | sed 's/^](//; s/)$//; s/#.*//' >"$work/links"
        while read -r link; do
            case $link in
            '' | http*) continue ;;
            esac
            [ -e "$(dirname "$document")/$link" ] || { echo "$document: no $link" && return 1; }
            links=$((links + 1))
        done <"$work/links"
    done
    [ "$links" -ge 300 ] || { echo "$links links to files" && return 1; }
}
attempt 'links lead to files' links_lead

# A drawing's link leads to a section of a chapter's page, whose anchors are those of GitHub.
drawings_lead() {
    grep -ohE '[0-9]{2}-[a-z]+\.html#[^"]+' lectures/*/drawings.c | sort -u >"$work/drawn"
    while IFS='#' read -r page anchor; do
        grep '^#' "lectures/${page%.html}/README.md" | sed 's/^#* //' | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' |
            grep -qxF -- "$anchor" || { echo "no section $anchor in $page" && return 1; }
    done <"$work/drawn"
    [ -s "$work/drawn" ]
}
attempt 'the links of drawings lead to sections' drawings_lead

# A chapter has at most 4,000 words (4 and 6: 4,500), at most one in 25 with a digit, outside of folds, tables, pictures and
# fenced code: formulas, questions, headings and commands count. No line of its text has more than 140 columns.
chapters_are_short() {
    for notes in lectures/0[0-8]*/README.md; do
        awk -v most="$(case $notes in */0[46]*) echo 4500 ;; *) echo 4000 ;; esac)" '
            /^```/ { code = !code; next }
            !code && !/^\|/ && length > 140 { print FILENAME ":" FNR ": " length " columns"; wrong = 1 }
            /<details/ { fold++ }
            /<\/details/ { fold--; next }
            code || fold || /^\|/ || /^!\[/ { next }
            { words += NF; for (i = 1; i <= NF; i++) digits += $i ~ /[0-9]/ }
            END {
                if (words > most || 25 * digits > words) { print FILENAME ": " words " words, " digits " with a digit"; wrong = 1 }
                exit wrong || words < 500
            }' "$notes" || return
    done
}
attempt 'chapters are short, and few of their words are numbers' chapters_are_short

# A power, a root, an index in brackets is a formula, $`...`$; not in questions and headings, which terminals and links show.
formulas_are_set() {
    awk '/^```/ { code = !code }
        !code && !/^(>|#|    |<!--)/ {
            line = $0
            gsub(/`[^`]*`|"[^"]*"|\]\([^)]*\)/, " ")
            if (/\^[[:alnum:]({-]|_\(|sqrt\(/) { print FILENAME ":" FNR ": " line; wrong = 1 }
        }
        END { exit wrong }' lectures/0*/README.md
}
attempt 'formulas of the chapters are set as formulas' formulas_are_set

# nn/README.md shows a function that a test calls.
model_is_tested() {
    sed -n '/^static bool language_model(/,/^}/{ s/^static //; p; }' tests/nn/test_models.c >"$work/tested"
    sed -n '/^bool language_model(/,/^}/p' nn/README.md | cmp - "$work/tested" && [ -s "$work/tested" ]
}
attempt 'the language model of nn/README.md is tested' model_is_tested

# READING.md: what a stop names in code stands in a file that the stop names: a function, a type, a member, a line of code.
reading_points() {
    awk '
        /^## / { stop = $0; files = "" }
        /^## Answers/ { exit }
        {
            line = $0
            while (match(line, /[a-z_\/]+\.[ch]\)/)) {
                files = files " " substr(line, RSTART, RLENGTH - 1)
                line = substr(line, RSTART + RLENGTH)
            }
            line = $0
            while (match(line, /autograd\/[a-z_\/]+\.[ch]/)) {
                files = files " " substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
            }
            line = $0
            while (match(line, /`[^`]+`/)) {
                code = substr(line, RSTART + 1, RLENGTH - 2)
                line = substr(line, RSTART + RLENGTH)
                if (stop && code !~ /^\.\// && code !~ /^kernels\//)
                    print files "\t" code
            }
        }' READING.md | sed 's/^ //' >"$work/named"
    [ "$(wc -l <"$work/named")" -ge 20 ] || return 1
    while IFS="$(printf '\t')" read -r files code; do
        # A call in the text has its operands, a definition their types.
        word=$(printf '%s' "$code" | sed 's/^\([a-z_]*\)(.*)$/\1/')
        # shellcheck disable=SC2086  # a list of files
        grep -qF -- "$word" $files || echo "READING.md names $code, which is not in $files"
    done <"$work/named" >"$work/missing"
    cat "$work/missing"
    [ ! -s "$work/missing" ]
}
attempt 'what READING.md names stands where it says' reading_points

done_testing

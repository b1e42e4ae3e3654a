# shell.sh: the manual page and the shells' completions, made from the launcher's own help. Read by ../gradus.
#
# shellcheck shell=sh
# shellcheck disable=SC2154  # variables that ../gradus sets
# shellcheck disable=SC2317,SC2329  # the functions do_NAME are called by their names

# The help as a manual page: what is in columns there stays in columns.
do_man() {
    version=$(sed -n "s/^ *version: '\(.*\)',.*/\1/p" "$top/meson.build")
    printf '.TH GRADUS 1 "" "gradus %s" ""\n.SH NAME\ngradus \\- build gradus and run its examples, lectures, homeworks and tests\n' "$version"
    do_help | sed 's/\\/\\\\/g; s/-/\\-/g; s/^\./\\\&./' | awk '
        NR == 1 { sub(/^usage: \.\//, ""); print ".SH SYNOPSIS\n.B " $0; next }
        /^[a-z]/ && NF == 1 { if (open) print ".fi"; print ".SH " toupper($0) "\n.nf"; open = 1; next }
        /^[A-Z]/ { if (open) print ".fi"; open = 0; if (!said++) print ".SH NOTES" }
        { print }
        END { if (open) print ".fi" }'
    printf '.SH SEE ALSO\nREADME.md in the folder of gradus, and README.md of each folder in it.\n'
}

# words_after COMMAND: what may follow it, from the project's folders.
words_after() {
    case $1 in
    example) example_names && echo four-nodes three-tokens ;;
    debug | gdb | lldb) example_names && printf '%s\n' stepping stepping-time stepping-pairs stepping-token stepping-em ;;
    grade | handout | gradescope) (cd "$top/lectures/homework" && for folder in hw*/; do echo "${folder%%[-/]*}"; done) ;;
    claims | ask | figures | lecture | notebook) (cd "$top/lectures" && for folder in 0*/; do folder=${folder#0} && echo "${folder%%-*}"; done) ;;
    plot) sed -n 's/^KIND(\([a-z]*\).*/\1/p' "$top/lectures/runner/plot_kinds.h" ;;
    mystery) printf '%s\n' --course --chapter --gallery --out ;;
    exam) printf '%s\n' --course --seed --sheets --minutes --rows --grade --out ;;
    steps) printf '%s\n' next predict break change walk write find milestone ;;
    data) printf '%s\n' mnist shakespeare cifar10 minilm ;;
    test) do_help | sed -n '/^  test /,/^  bench /s/^ \{26,\}\(--[a-z]*\).*/\1/p' ;;
    *) ;;
    esac
}

# The commands that have such words, one a line: "COMMAND WORD...".
second_words() {
    for name in $(command_names); do
        words=$(words_after "$name" | sort -u | tr '\n' ' ')
        [ -z "$words" ] || echo "$name ${words% }"
    done
}

do_completions() {
    first="$(command_names | tr '\n' ' ')--debug --sanitize --help --version"
    case ${1:-} in
    bash)
        cat <<END
_gradus() {
    local word=\${COMP_WORDS[COMP_CWORD]} words=
    if [ "\$COMP_CWORD" -eq 1 ]; then words="$first"
    else case \${COMP_WORDS[1]} in
$(second_words | sed 's/^\([a-z]*\) \(.*\)/        \1) words="\2" ;;/')
    esac; fi
    COMPREPLY=(\$(compgen -W "\$words" -- "\$word"))
}
complete -o default -F _gradus gradus ./gradus
END
        ;;
    zsh)
        cat <<END
#compdef gradus
if (( CURRENT == 2 )); then compadd -- $first
else case \$words[2] in
$(second_words | sed 's/^\([a-z]*\) \(.*\)/    \1) compadd -- \2 ;;/')
    *) _files ;;
esac; fi
END
        ;;
    fish)
        echo "complete -c gradus -f -n __fish_use_subcommand -a '$first'"
        second_words | sed "s/^\([a-z]*\) \(.*\)/complete -c gradus -n '__fish_seen_subcommand_from \1' -a '\2'/"
        ;;
    *) unknown shell "${1:-}" bash zsh fish ;;
    esac
}

# shellcheck shell=sh disable=SC2034,SC2154  # variables that ../gradus sets or reads
#
# tools.sh: the programs that gradus needs: which of them are here, and how to install the others. Read by ../gradus.
# require_tools is what the commands call. A tool is a row of tool_table; is_here knows those that are no program of that name.

# Is the tool here? Once the build folder is configured, it is looked up in PATH; before that, slower probes try it.
is_here() {
    case $1 in
    compiler) # gcc may lack the C library's headers
        compiler=${CC:-$(for name in cc gcc clang; do command -v $name >/dev/null && echo $name && break; done)}
        { configured && command -v "${compiler%% *}"; } || echo '#include <stdio.h>' | $compiler -fsyntax-only -x c -
        ;;
    meson) command -v meson && { configured || meson --version | grep -q '^[1-9]'; } ;;
    ninja) ninja=$(command -v ninja || command -v ninja-build || command -v samu) ;;
    debugger) command -v gdb || command -v lldb ;;
    cunit) "${PKG_CONFIG:-pkg-config}" --exists cunit ;;
    browser)
        command -v chromedriver && command -v pdftotext && { command -v chromium || command -v google-chrome; } &&
            { python3 -c 'import selenium' || /usr/bin/python3 -c 'import selenium'; }
        ;;
    wasm) command -v clang && command -v wasm-ld && [ -e /usr/include/wasm32-wasi/stdio.h ] ;;
    venv) python3 -c 'import ensurepip, venv' ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# find_missing TOOL...: sets $missing to those of the tools that are not here.
find_missing() {
    missing=
    for tool in "$@"; do
        case " $missing " in
        *" $tool "*) ;;
        *) is_here "$tool" || missing="$missing $tool" ;;
        esac
    done
}

# The tools' names, what goes without an optional one, and what package managers call them.
tool_table() {
    cat <<'END'
tool     | name                  | without it                              | apt-get                  | dnf                            | pacman        | apk             | brew
compiler | a C compiler          |                                         | gcc libc6-dev            | gcc                            | gcc           | gcc musl-dev    |
meson    | Meson 1.0 or newer    |                                         | meson                    | meson                          | meson         | meson           | meson
ninja    | Ninja                 |                                         | ninja-build              | ninja-build                    | ninja         | samurai         | ninja
gnuplot  | gnuplot               | pictures are drawn in the terminal only | gnuplot-nox              | gnuplot                        | gnuplot       | gnuplot         | gnuplot
cunit    | CUnit with pkg-config | no test can run, while examples can     | libcunit1-dev pkg-config | CUnit-devel pkgconf-pkg-config | cunit pkgconf | cunit-dev pkgconf | cunit pkg-config
gcovr    | gcovr                 |                                         | gcovr                    | gcovr                          |               | gcovr           | gcovr
valgrind | Valgrind              |                                         | valgrind                 | valgrind                       | valgrind      | valgrind        |
doxygen  | Doxygen               |                                         | doxygen                  | doxygen                        | doxygen       | doxygen         | doxygen
debugger | gdb or lldb           |                                         | gdb                      | gdb                            | gdb           | gdb             |
gdb      | gdb                   |                                         | gdb                      | gdb                            | gdb           | gdb             | gdb
lldb     | lldb                  |                                         | lldb                     | lldb                           | lldb          | lldb            |
browser  | Chromium and selenium |                                         | chromium chromium-driver python3-selenium poppler-utils | chromium chromedriver python3-selenium poppler-utils | chromium python-selenium poppler | chromium chromium-chromedriver py3-selenium poppler-utils |
wasm     | clang for WebAssembly |                                         | clang lld wasi-libc libclang-rt-14-dev-wasm32 | clang lld wasi-libc compiler-rt | clang lld wasi-libc wasi-compiler-rt | |
python3  | Python 3              | no pages for a browser are written      | python3                  | python3                        | python        | python3         | python
venv     | Python's venv         | no pages for a browser are written      | python3-venv             |                                | python        |                 | python
END
}

# column NAME SEPARATOR TOOL...: prints the tools' entries in that column of the table.
column() {
    tool_table | awk -F ' *[|] *' -v column="$1" -v separator="$2" -v tools="$*" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        { cell[$1] = $at }
        END {
            count = split(substr(tools, length(column separator) + 2), tool, " ")
            for (i = 1; i <= count; i++)
                if (cell[tool[i]] != "") { printf "%s%s", gap, cell[tool[i]]; gap = separator }
        }'
}

# install_command ROOT TOOL...: prints the line that installs the tools, with ROOT before what root has to run.
install_command() {
    as=$1
    shift
    list=$(column "$manager" ' ' "$@")
    case $manager in
    apt-get) echo "${as}apt-get update; ${as}apt-get install -y --no-install-recommends $list" ;;
    dnf) echo "${as}dnf install -y $list" ;;
    pacman) echo "${as}pacman -Sy --needed --noconfirm $list" ;;
    apk) echo "${as}apk add $list" ;;
    brew) echo "brew install $list" ;;
    esac
}

# say_install_command REASON TOOL...: tells the user what to type to install the tools.
say_install_command() {
    reason=$1 as=''
    shift
    [ -n "$manager" ] || { say "$reason: get your system's packages of $(column name ', ' "$@")" && return; }
    case $manager:$(id -u) in
    brew:* | *:0) ;;
    *) if command -v sudo >/dev/null; then as='sudo '; else reason="$reason, as root"; fi ;;
    esac
    say "$reason:"
    say "    $(install_command "$as" "$@")"
}

# May packages be installed here? Sets $root, the words before a command that root has to run.
can_install() {
    root=
    [ -n "$manager" ] && [ "${GRADUS_INSTALL:-yes}" != no ] || return 1
    [ "$manager" != brew ] && [ "$(id -u)" != 0 ] || return 0
    root='sudo -n '
    sudo -n true 2>/dev/null && return
    root='sudo ' # asks for the password: someone must sit at a terminal
    command -v sudo >/dev/null && [ -t 0 ] && [ -t 2 ]
}

# install TOOL...: fails if nothing may be installed here, or if the package manager fails.
install() {
    can_install && [ -n "$(column "$manager" ' ' "$@")" ] || return
    say "installing $(column name ', ' "$@"): $(install_command "$root" "$@")"
    [ "$manager" != apt-get ] || root="${root}env DEBIAN_FRONTEND=noninteractive "
    sh -c "$(install_command "$root" "$@")" >&2
}

# Without root, pip installs Meson and Ninja into a Python environment beside the build folder.
install_with_pip() {
    find_missing meson ninja
    [ -n "$missing" ] && is_here python3 && { is_here venv || install venv; } || return
    say "fetching Meson and Ninja with pip into $tools (this needs no root)"
    python3 -m venv --clear "$tools/venv" && "$tools/venv/bin/pip" install 'meson>=1.0' ninja >&2 && mkdir -p "$tools/bin" &&
        ln -sf "$tools/venv/bin/meson" "$tools/venv/bin/ninja" "$tools/bin/" && PATH=$tools/bin:$PATH
}

# require_tools "REQUIRED..." "OPTIONAL...": installs what is missing of both lists. If a required tool is still
# missing, it prints how to install it and ends; if an optional one is, it prints what will not work.
# shellcheck disable=SC2086  # the arguments, and what missing leaves, are lists of words
require_tools() {
    choose_build_folder
    find_missing $1
    required=$missing
    find_missing $2
    optional=$missing
    [ -n "$required$optional" ] || return 0
    case ${CC:+named}$required in named*compiler*) fail "CC is \"$CC\", and no such compiler works here" ;; esac
    mkdir -p "$tools" || fail "cannot write to $tools"
    manager=$(for name in apt-get dnf pacman apk brew; do command -v $name >/dev/null && echo $name && break; done)
    if [ -n "$required" ]; then
        find_missing $1 $2 gnuplot cunit # all at once, so that other commands need not install again
        all=$missing
        install $all || [ "$all" = "$required" ] || install $required
        install_with_pip
        find_missing $required
        [ -z "$missing" ] || { say_install_command "cannot go on without $(column name ', ' $missing); to install it" $missing && exit 1; }
    elif can_install && [ "$(cat "$tools/not-installed" 2>/dev/null)" != "$optional" ]; then # it is not tried at every start
        install $optional || echo "$optional" >"$tools/not-installed"
    fi
    find_missing $2
    for tool in $missing; do
        say_install_command "without $(column name '' $tool), $(column 'without it' '' $tool); to install it" $tool
    done
}

# tools.sh: the programs that gradus needs: which of them are here, and how to install the others. Read by ../gradus.
#
# require_tools is what the commands call. A tool is a row of tool_table; a function have_TOOL looks for those that are no program of that name.
#
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154  # variables that ../gradus sets or reads
# shellcheck disable=SC2317,SC2329  # the functions have_TOOL are called by their names

# ---- which tools are here ------------------------------------------------------------------------
# Once the build folder is configured, a tool is looked up in PATH; before that, slower probes try it.

have_compiler() {
    for compiler in ${CC:-cc gcc clang}; do
        if command -v "$compiler" >/dev/null; then
            configured || probe stdio.h -fsyntax-only # gcc may lack the C library's headers
            return
        fi
        [ -z "${CC:-}" ] || return 1 # only the first word of CC is a program
    done
    return 1
}

# probe HEADER [FLAG...]: does a program with this header compile?
probe() {
    header=$1
    shift
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" |
        ${CC:-$compiler} "$@" -x c - >/dev/null 2>&1
}

have_meson() {
    command -v meson >/dev/null || return 1
    configured && return
    case $(meson --version 2>/dev/null) in
    '' | 0.*) return 1 ;;
    esac
}

have_ninja() {
    for ninja in ninja ninja-build samu; do command -v "$ninja" >/dev/null && return; done
    return 1
}

have_debugger() { command -v gdb || command -v lldb; } >/dev/null
have_cunit() { "${PKG_CONFIG:-pkg-config}" --exists cunit 2>/dev/null; }
have_browser() {
    command -v chromedriver >/dev/null && { command -v chromium || command -v google-chrome; } >/dev/null &&
        { python3 -c 'import selenium' || /usr/bin/python3 -c 'import selenium'; } 2>/dev/null
}
have_wasm() { command -v clang && command -v wasm-ld && [ -e /usr/include/wasm32-wasi/stdio.h ]; } >/dev/null
have_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

have_sanitizers() {
    configured && return
    mkdir -p "$tools" && probe stdio.h -fsanitize=address,undefined -o "$tools/probe"
}

is_clang() {
    case ${CC:-} in
    '') "$compiler" --version 2>/dev/null | grep -q clang ;;
    *clang*) ;;
    *) return 1 ;;
    esac
}

# is_here TOOL: by its function, or as the program of that name.
is_here() {
    case $1 in
    compiler | meson | ninja | debugger | cunit | browser | wasm | venv | sanitizers) "have_$1" ;;
    *) command -v "$1" >/dev/null ;;
    esac
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

# ---- installing tools ----------------------------------------------------------------------------

# The tools' names, and what package managers call them.
tool_table() {
    program=${CC:-gcc}
    program=${program%% -*}
    program=${program##*/}
    v=${program##*[a-z]} # clang-15 has libraries of its own
    case $program in
    *clang*) apt_rt=libclang-rt$v-dev dnf_rt=compiler-rt ;;
    *) apt_rt='' dnf_rt='libasan libubsan' ;;
    esac
    [ "$program" != cc ] || program=gcc
    cat <<END
tool       | name                    | apt-get                    | dnf                            | pacman        | apk                            | brew
compiler   | a C compiler            | $program libc6-dev         | $program                       | $program      | $program musl-dev              |
meson      | Meson 1.0 or newer      | meson                      | meson                          | meson         | meson                          | meson
ninja      | Ninja                   | ninja-build                | ninja-build                    | ninja         | samurai                        | ninja
gnuplot    | gnuplot                 | gnuplot-nox                | gnuplot                        | gnuplot       | gnuplot                        | gnuplot
cunit      | CUnit with pkg-config   | libcunit1-dev pkg-config   | CUnit-devel pkgconf-pkg-config | cunit pkgconf | cunit-dev pkgconf              | cunit pkg-config
sanitizers | the sanitizers' library | $apt_rt                    | $dnf_rt                        |               |                                |
gcovr      | gcovr                   | gcovr                      | gcovr                          |               | gcovr                          | gcovr
valgrind   | Valgrind                | valgrind                   | valgrind                       | valgrind      | valgrind                       |
doxygen    | Doxygen                 | doxygen                    | doxygen                        | doxygen       | doxygen                        | doxygen
debugger   | gdb or lldb             | gdb                        | gdb                            | gdb           | gdb                            |
gdb        | gdb                     | gdb                        | gdb                            | gdb           | gdb                            | gdb
lldb       | lldb                    | lldb                       | lldb                           | lldb          | lldb                           |
browser    | Chromium and selenium   | chromium chromium-driver python3-selenium | chromium chromedriver python3-selenium | chromium python-selenium | chromium chromium-chromedriver py3-selenium |
wasm       | clang for WebAssembly   | clang lld wasi-libc libclang-rt-14-dev-wasm32 | clang lld wasi-libc compiler-rt | clang lld wasi-libc wasi-compiler-rt | |
python3    | Python 3                | python3                    | python3                        | python        | python3                        | python
venv       | Python's venv           | python3-venv               |                                | python        |                                | python
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

tool_names() { column name ', ' "$@"; }

find_package_manager() {
    for manager in apt-get dnf pacman apk brew; do command -v "$manager" >/dev/null && return; done
    manager=
}

# May packages be installed here? Sets $root, the words before a command that root has to run.
can_install() {
    root=
    [ -n "$manager" ] && [ "${GRADUS_INSTALL:-yes}" != no ] || return 1
    [ "$manager" != brew ] && [ "$(id -u)" != 0 ] || return 0
    command -v sudo >/dev/null || return 1
    root='sudo -n '
    sudo -n true 2>/dev/null && return
    root='sudo ' # asks for the password: someone must sit at a terminal
    [ -t 0 ] && [ -t 2 ]
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
    brew) echo "${as}brew install $list" ;;
    esac
}

# print_install_command REASON TOOL...: tells the user what to type to install the tools.
print_install_command() {
    reason=$1 as=''
    shift
    [ -n "$manager" ] || { say "$reason: get your system's packages of $(tool_names "$@")" && return; }
    case $manager:$(id -u):" $* " in
    brew:*' compiler '*) as='xcode-select --install; ' ;;
    brew:* | *:0:*) ;;
    *) if command -v sudo >/dev/null; then as='sudo '; else reason="$reason, as root"; fi ;;
    esac
    say "$reason:"
    say "    $(install_command "$as" "$@")"
}

# install TOOL...: fails if nothing may be installed here, or if the package manager fails.
install() {
    can_install && [ -n "$(column "$manager" ' ' "$@")" ] || return
    say "missing: $(tool_names "$@")"
    say "installing: $(install_command "$root" "$@")"
    [ "$manager" != apt-get ] || root="${root}env DEBIAN_FRONTEND=noninteractive "
    trap : INT # Ctrl-C at the password prompt ends the installation alone, not the launcher
    installs sh -c "$(install_command "$root" "$@")"
    status=$?
    trap - INT
    return $status
}

# Without root, pip installs Meson and Ninja into the build folder's own Python environment.
install_with_pip() {
    command -v python3 >/dev/null || return 1
    have_venv || install venv || return 1
    say "fetching Meson and Ninja with pip into $tools (this needs no root)"
    mkdir -p "$tools/bin"
    installs python3 -m venv --clear "$tools/venv" &&
        installs "$tools/venv/bin/pip" install 'meson>=1.0' ninja &&
        ln -sf "$tools/venv/bin/meson" "$tools/venv/bin/ninja" "$tools/bin/" &&
        PATH=$tools/bin:$PATH
}

# installs COMMAND...: runs the command and shows its progress; if it fails, the last lines of its output.
installs() {
    watched installing "$tools/install.log" "$@" && return
    say "the installation failed; the last lines of $log:"
    tail -n 6 "$log" >&2
    return 1
}

# require_tools "REQUIRED..." "OPTIONAL...": installs what is missing of both lists. If a required tool is still
# missing, it prints how to install it and ends; if an optional one is, it prints what will not work.
# shellcheck disable=SC2086  # the arguments, and what missing leaves, are lists of words
require_tools() {
    choose_build_folder
    case $flavour in
    sanitize | tsan) set -- "$1 sanitizers" "$2" ;;
    coverage) set -- "$1 gcovr" "$2" ;;
    esac
    find_missing $1
    required=$missing
    find_missing $2
    optional=$missing
    [ -n "$required$optional" ] || return 0
    mkdir -p "$tools" || fail "cannot write to $tools"
    find_package_manager
    if [ -n "$required" ]; then
        case "$required:${CC:-gcc}" in
        *compiler*:*cc* | *compiler*:*clang*) ;;
        *compiler*) fail "CC is \"$CC\", and no such compiler works here" ;;
        esac
        find_missing $1 $2 gnuplot cunit # all at once, so that other commands need not install again
        all=$missing
        install $all || [ "$all" = "$required" ] || install $required
        find_missing compiler meson ninja
        case $missing in *compiler* | '') ;; *) install_with_pip ;; esac
        find_missing $required
        if [ -n "$missing" ]; then
            say "cannot go on without $(tool_names $missing)"
            [ "$missing" != ' cunit' ] || say "no test can run; ./gradus example works without it"
            find_missing $missing gnuplot cunit
            print_install_command "to install what is missing" $missing
            exit 1
        fi
    elif can_install && [ "$(cat "$tools/not-installed" 2>/dev/null)" != "$optional" ]; then # it is not tried at every start
        install $optional || echo "$optional" >"$tools/not-installed"
    fi
    find_missing $2
    for tool in $missing; do
        case $tool in
        gnuplot) lost='pictures are drawn in the terminal only' ;;
        python3 | venv) lost='no pages for a browser are written' ;;
        *) lost='no test can run, while examples can' ;;
        esac
        print_install_command "without $(tool_names $tool), $lost; to install it" $tool
    done
}

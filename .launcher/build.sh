# build.sh: the build folder: where it is, what it is configured for, and how it is made. Read by ../gradus.
#
# shellcheck shell=sh
# shellcheck disable=SC2154  # variables that ../gradus and tools.sh set

# Sets $build, the folder, and $stamp, a line that names everything the folder is configured for.
choose_build_folder() {
    build=$base${flavour:+-$flavour}
    [ -z "${CC:-}" ] ||
        build=$build-$(printf %s "$CC" | sed 's|[^ ]*/||g; s|[^A-Za-z0-9.+-]|-|g')
    stamp="source $top, compiler ${CC:-default}, ${flavour:-plain}"
    [ ! -d "$tools/bin" ] || PATH=$tools/bin:$PATH
    # Meson calls the compiler through ccache where that is installed, which keeps its results in the home folder.
    [ -n "${CCACHE_DIR:-}" ] || [ -w "${HOME:-/nowhere}" ] || export CCACHE_DISABLE=1
}

# Is the folder configured for this stamp? A folder without a stamp was configured by hand and stays as it is.
configured() {
    [ -f "$build/build.ninja" ] || return 1
    [ ! -f "$build/gradus-stamp" ] && return
    IFS= read -r found <"$build/gradus-stamp" && [ "$found" = "$stamp" ]
}

is_build_folder() { [ -d "$1/meson-private" ] || [ -f "$1/gradus-stamp" ]; }

strict_sanitizers() {
    leaks=1
    [ "$(uname)" != Darwin ] || leaks=0 # macOS has no leak checker
    export ASAN_OPTIONS="detect_leaks=$leaks${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
}

# Configures the build folder. A folder that is configured for another stamp, or incompletely, is deleted first.
prepare() {
    [ "$flavour" != sanitize ] || strict_sanitizers
    configured && return
    if is_build_folder "$build"; then
        [ ! -s "$build/gradus-stamp" ] || say "$build is configured for other sources, another compiler or another kind of build; configuring it again"
        rm -rf "$build"
    elif [ -d "$build" ] && ! rmdir "$build" 2>/dev/null; then
        fail "$build holds something else than a build: remove it, or set GRADUS_BUILD"
    fi
    mkdir -p "$build" || fail "cannot write to $build"
    # An empty stamp marks a folder of ours that is not configured yet.
    : >"$build/gradus-stamp"
    say "setting up $build"
    case $flavour in
    debug) set -- --buildtype=debug ;;
    sanitize) set -- -Db_sanitize=address,undefined -Db_lundef=false ;;
    coverage) set -- -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic ;; # threads share the counters
    tsan) set -- -Db_sanitize=thread -Db_lundef=false -Dexamples=false ;;
    *) set -- ;;
    esac
    quietly configuring meson setup "$@" "$build" "$top"
    printf '%s\n' "$stamp" >"$build/gradus-stamp"
}

# quietly WORDS COMMAND...: shows the command's progress, and its output only if it warns or fails; a failure ends the
# launcher.
quietly() {
    words=$1
    shift
    watched "$words" "$build/gradus.log" "$@"
    status=$?
    if [ "$status" -ne 0 ] || grep -q 'warning:' "$log"; then
        sed '/^\[[0-9]*\/[0-9]*\] /d; /^ninja: Entering/d' "$log" >&2
    fi
    [ "$status" -eq 0 ] || fail "$1 failed; its whole output is in $log"
}

# Builds targets. Where many files are to be compiled, says how many, and for how long: a processor takes 0.2 s for one.
make() {
    files=$("$ninja" -C "$build" -n "$@" 2>/dev/null | grep -c '] Compiling')
    cpus=$(nproc 2>/dev/null || echo 1)
    [ "$files" -lt 40 ] || say "building ${*:-everything}: $files files, about $((files / 5 / cpus + 1)) s on $cpus free processors"
    quietly "building ${*:-everything}" "$ninja" -C "$build" "$@"
}

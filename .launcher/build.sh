# shellcheck shell=sh disable=SC2154  # variables that ../gradus and tools.sh set
#
# build.sh: the build folder: where it is, what it is configured for, and how it is made. Read by ../gradus.

# Sets $build, the folder, whose name says the kind of build and the compiler.
choose_build_folder() {
    build=$base${flavour:+-$flavour}
    [ -z "${CC:-}" ] ||
        build=$build-$(printf %s "$CC" | sed 's|[^ ]*/||g; s|[^A-Za-z0-9.+-]|-|g')
    [ ! -x "$tools/bin/meson" ] || PATH=$tools/bin:$PATH
    # Meson calls the compiler through ccache where that is installed, which keeps its results in the home folder.
    [ -n "${CCACHE_DIR:-}" ] || [ -w "${HOME:-/nowhere}" ] || export CCACHE_DISABLE=1
}

# Is the folder configured for these sources? A folder without a note was configured by hand and stays as it is.
configured() {
    [ -f "$build/build.ninja" ] && { [ ! -f "$build/gradus-source" ] || [ "$(cat "$build/gradus-source")" = "$top" ]; }
}

is_build_folder() { [ -d "$1/meson-private" ] || [ -f "$1/gradus-source" ]; }

# Configures the build folder. A folder that is configured for other sources, or incompletely, is deleted first.
prepare() {
    if [ "$flavour" = sanitize ]; then # any report is a failure
        [ "$(uname)" = Darwin ] || export ASAN_OPTIONS="detect_leaks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
        export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
    fi
    configured && return
    if is_build_folder "$build"; then
        [ ! -s "$build/gradus-source" ] || say "$build is configured for other sources; configuring it again"
        rm -rf "$build"
    elif [ -d "$build" ] && ! rmdir "$build" 2>/dev/null; then
        fail "$build holds something else than a build: remove it, or set GRADUS_BUILD"
    fi
    mkdir -p "$build" || fail "cannot write to $build"
    : >"$build/gradus-source" # empty: a folder of ours that is not configured yet
    say "setting up $build"
    case $flavour in
    debug) set -- --buildtype=debug ;;
    sanitize) set -- -Db_sanitize=address,undefined -Db_lundef=false ;;
    coverage) set -- -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic ;; # threads share the counters
    tsan) set -- -Db_sanitize=thread -Db_lundef=false -Dexamples=false ;;
    *) set -- ;;
    esac
    quietly meson setup "$@" "$build" "$top"
    printf '%s\n' "$top" >"$build/gradus-source"
}

# quietly COMMAND...: shows the command's output only if it warns or fails; a failure ends the launcher.
quietly() {
    log=$build/gradus.log hides='/^\[[0-9]*\/[0-9]*\] /d; /^ninja: Entering/d'
    "$@" >"$log" 2>&1 || { sed "$hides" "$log" >&2 && fail "$1 failed; its whole output is in $log"; }
    ! grep -q 'warning:' "$log" || sed "$hides" "$log" >&2
}

# Builds targets. Where many files are to be compiled, says how many, and for how long: a processor takes 0.2 s for one. On a terminal Ninja
# shows how far it is.
make() {
    plan=$("$ninja" -C "$build" -n "$@" 2>&1)
    case $plan in *'no work to do'*) return ;; esac
    files=$(echo "$plan" | grep -c '] Compiling')
    cpus=$(nproc 2>/dev/null || echo 1)
    [ "$files" -lt 40 ] || say "building ${*:-everything}: $files files, about $((files / 5 / cpus + 1)) s on $cpus free processors"
    if [ -t 2 ]; then "$ninja" -C "$build" "$@" >&2 || fail "${*:-everything} could not be built"; else quietly "$ninja" -C "$build" "$@"; fi
}

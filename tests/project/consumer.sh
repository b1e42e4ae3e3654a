#!/bin/sh
# Tests of gradus as other projects use it, printed as TAP:  sh tests/project/consumer.sh SOURCE BUILD [COMPILER...]
#
# The build is installed into a temporary folder. Programs in C and C++ are then compiled with the flags that
# pkg-config prints, and another project builds gradus as its subproject. FLAGS, if set, has the flags of this build
# (the sanitizers).
set -u
source=$(cd "$1" && pwd) && build=$(cd "$2" && pwd) || exit 1
shift 2
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cc=${*:-cc}
case $cc in
*clang*) cxx=$(echo "$cc" | sed 's/clang/clang++/') ;;
*gcc*) cxx=$(echo "$cc" | sed 's/gcc/g++/') ;;
*) cxx=c++ ;;
esac
warnings='-Wall -Wextra -Wpedantic -Wshadow -Werror'
programs=$source/tests/project/consumer
installed=$work/installed

for tool in meson pkg-config nm; do
    command -v "$tool" >/dev/null || skip_all "there is no $tool"
done

# ---- the installation, and pkg-config ------------------------------------------------------------

install_all() { meson install -C "$build" --no-rebuild --destdir "$installed"; }
attempt 'meson install succeeds' install_all

header=$(cd "$installed" && find . -path '*/include/gradus/gradus.h')
prefix=$installed${header#.}
prefix=${prefix%/include/gradus/gradus.h}
package=$(find "$installed" -name gradus.pc)
shared=${package%/pkgconfig/gradus.pc}

# A folder with the static libraries alone: there -lgradus can only mean them.
static=$work/static
mkdir -p "$static/pkgconfig"
cp "$shared"/*.a "$static/"
for name in gradus gradus-f64; do
    sed "s|^libdir=.*|libdir=$static|" "$shared/pkgconfig/$name.pc" >"$static/pkgconfig/$name.pc"
done

# The flags that pkg-config prints, with our packages before the system's: cflags PACKAGE, libs KIND PACKAGE.
config() { env PKG_CONFIG_PATH="$shared/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$installed" pkg-config "$@"; }
cflags() { config --cflags "$1"; }
libs() {
    case $1 in
    shared) config --libs "$2" ;;
    static) env PKG_CONFIG_PATH="$static/pkgconfig" pkg-config --static --libs "$2" ;;
    esac
}

# compile COMPILER KIND PACKAGE FILE PROGRAM [FLAG...]: KIND is shared or static.
# shellcheck disable=SC2046,SC2086  # lists of words
compile() {
    compiler=$1 kind=$2 package=$3 file=$4 program=$5
    shift 5
    $compiler $warnings ${FLAGS:-} $(cflags "$package") "$file" $(libs "$kind" "$package") "$@" -o "$program"
}

# links_to PROGRAM NAME: the program loads the library of that name from the install.
links_to() {
    LD_LIBRARY_PATH=$shared ldd "$1" >"$work/loads"
    shows "$work/loads" "$2 => $shared/$2"
}
links_to_none() {
    ldd "$1" >"$work/loads"
    fails grep gradus "$work/loads"
}

# The program is the README's own: it prints four losses, the last far below log 2 = 0.69, the loss
# of a model that guesses.
learns() {
    LD_LIBRARY_PATH=$shared "$1" >"$work/losses" && cat "$work/losses" &&
        awk '{ last = $2 } END { exit !(NR == 4 && $1 == 200 && last > 0 && last < 0.1) }' "$work/losses"
}
runs() { LD_LIBRARY_PATH=$shared "$@"; }

# shellcheck disable=SC2016  # backquotes, not commands
sed -n '/^## A first program/,/^## Lectures/ { /^```c$/,/^```$/ { /^```/!p } }' "$source/README.md" \
    >"$work/first.c"

# The README's own line, with the static library and the headers of the source; this program reads gzip, too.
# shellcheck disable=SC2016,SC2046,SC2086  # backquotes, lists of words
readme_line() {
    flags=$(sed -n 's/.*`cc -I\. first\.c build\/libgradus\.a \(.*\)` (.*/\1/p' "$source/README.md")
    printf '#include <gradus.h>\nint main(void) { Images m; return data_idx_read("nowhere", &m) || !tensor_failed(); }\n' >"$work/gzip.c"
    [ -n "$flags" ] && $cc ${FLAGS:-} -I"$source" "$work/gzip.c" "$static/libgradus.a" $flags -o "$work/gzip" && "$work/gzip"
}
attempt "the README's line links a program that reads gzip" readme_line
licence_is_there() { find "$installed" -path '*/licenses/gradus/LICENSE' | grep -q .; }
attempt 'the licence is installed' licence_is_there

for name in gradus gradus-f64; do
    first=$work/first-$name
    attempt "C, $name, shared: compiles with pkg-config alone" \
        compile "$cc -std=gnu11" shared $name "$work/first.c" "$first"
    attempt "C, $name, shared: loads the installed library, by its soversion" \
        links_to "$first" lib$name.so.0
    attempt "C, $name, shared: the README's program learns" learns "$first"
    attempt "C, $name, static: compiles with pkg-config --static alone" \
        compile "$cc -std=gnu11" static $name "$work/first.c" "$first-static"
    attempt "C, $name, static: needs no library of ours" links_to_none "$first-static"
    attempt "C, $name, static: the README's program learns" learns "$first-static"
    attempt "$name: an op and a module from outside compile" \
        compile "$cc -std=gnu11" shared $name "$programs/own.c" "$work/own-$name" -lm
    attempt "$name: an op and a module from outside pass their checks" runs "$work/own-$name"
    for consumer in ops host names; do
        attempt "$name: $consumer.c compiles" \
            compile "$cc -std=gnu11" shared $name "$programs/$consumer.c" "$work/$consumer-$name" -lm
        attempt "$name: $consumer.c passes its checks" runs "$work/$consumer-$name" "$work"
    done
done

# Under a prefix that the system does not search, the flags of pkg-config are all that a program needs.
# shellcheck disable=SC2046,SC2086  # lists of words
runs_from_prefix() {
    $cc -std=gnu11 ${FLAGS:-} "$work/first.c" $(env PKG_CONFIG_PATH="$shared/pkgconfig" \
        pkg-config --define-variable=prefix="$prefix" --cflags --libs "$1") -o "$work/moved" &&
        env -u LD_LIBRARY_PATH "$work/moved"
}
for name in gradus gradus-f64; do
    attempt "$name: installed under a prefix, a program runs without LD_LIBRARY_PATH" runs_from_prefix $name
done

# The functions are macros, and calls of them are nested: an error is reported at the call, not in the headers.
cat >"$work/missing.c" <<'END'
#include <gradus.h>
Tensor *attend(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_matmul(ag_softmax(ag_scale(ag_matmul(ag_add(q), k), 0.5)), v);
}
END
# shellcheck disable=SC2046,SC2086  # lists of words
told_at_the_call() {
    fails $cc -fsyntax-only $(cflags gradus) "$work/missing.c" 2>"$work/errors" || return
    grep 'error:' "$work/errors" | head -n 1 >"$work/first"
    shows "$work/first" "$work/missing.c:4:5" 'too few arguments' && fails grep 'in expansion of macro' "$work/errors"
}
attempt 'a missing argument is an error at the call, with its column' told_at_the_call

if command -v "${cxx%% *}" >/dev/null; then
    for name in gradus gradus-f64; do
        for kind in shared static; do
            attempt "C++, $name, $kind: compiles with pkg-config alone" \
                compile "$cxx -std=c++17" $kind $name "$programs/attend.cpp" "$work/attend"
            attempt "C++, $name, $kind: attends" runs "$work/attend"
        done
    done
else
    skip 'C++ compiles with pkg-config alone' "there is no $cxx"
fi

# ---- CMake -----------------------------------------------------------------------------------------

# A CMake project that finds the installation builds and runs the README's program, in float and in double.
loads_gradus() { ldd "$1" | grep libgradus; }
with_cmake() {
    mkdir -p "$work/cmake" && cp "$work/first.c" "$work/cmake/" && cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(first C)
find_package(gradus 0.9 REQUIRED)
add_executable(first first.c)
target_link_libraries(first gradus::gradus)
add_executable(first-f64 first.c)
target_link_libraries(first-f64 gradus::gradus-f64)
add_executable(first-static first.c)
target_link_libraries(first-static gradus::gradus-static)
END
    CC=$cc cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="${FLAGS:-}" &&
        cmake --build "$work/cmake/build" && learns "$work/cmake/build/first" && learns "$work/cmake/build/first-f64" &&
        learns "$work/cmake/build/first-static" && fails loads_gradus "$work/cmake/build/first-static"
}
if command -v cmake >/dev/null; then attempt "CMake's find_package finds both libraries" with_cmake; else
    skip "CMake's find_package finds both libraries" 'there is no cmake'
fi

# The wrap file is that of this version, and names what the project provides.
wrapped() {
    version=$(sed -n "s/^ *version: '\(.*\)',.*/\1/p" "$source/meson.build")
    shows "$source/.install/gradus.wrap" "directory = gradus-$version" "source_filename = gradus-$version.tar.xz" 'gradus, gradus-f64'
}
attempt 'the wrap file names this version' wrapped

# ---- the wrong library ---------------------------------------------------------------------------

# mixed CFLAGS-OF LIBS-OF KIND SYMBOL: does not link, and the linker names the reason.
# shellcheck disable=SC2046,SC2086  # lists of words
mixed() {
    $cc ${FLAGS:-} -c $(cflags "$1") "$work/first.c" -o "$work/mixed.o" || return
    fails $cc ${FLAGS:-} "$work/mixed.o" $(libs "$3" "$2") -o "$work/mixed" 2>"$work/refused" &&
        shows "$work/refused" "undefined reference to \`$4'"
}
for kind in shared static; do
    attempt "compiled for float, linked with gradus-f64 ($kind): refused" \
        mixed gradus gradus-f64 $kind gradus_real_is_float
    attempt "compiled for double, linked with gradus ($kind): refused" \
        mixed gradus-f64 gradus $kind gradus_real_is_double
done

# ---- headers -------------------------------------------------------------------------------------

# alone COMPILER PACKAGE HEADER SUFFIX: a file that includes only this one compiles without a warning.
# shellcheck disable=SC2046,SC2086  # lists of words
alone() {
    printf '#include <%s>\nint gradus_header_alone;\n' "$3" >"$work/alone.$4"
    $1 $warnings -fsyntax-only $(cflags "$2") "$work/alone.$4"
}
headers=$(cd "$prefix/include/gradus" && find . -name '*.h' | sed 's|^\./||' | sort)
for header in $headers; do
    for name in gradus gradus-f64; do
        attempt "$header ($name) compiles alone as C11" alone "$cc -std=gnu11" $name "$header" c
        ! command -v "${cxx%% *}" >/dev/null ||
            attempt "$header ($name) compiles alone as C++17" alone "$cxx -std=c++17" $name "$header" cc
    done
done
all_headers() { [ "$(echo "$headers" | wc -l)" -eq 25 ] || { echo "$headers" && return 1; }; }
attempt 'the public headers are installed, and no others' all_headers

# ---- symbols -------------------------------------------------------------------------------------

# The functions of a header: the word before the parenthesis of each declaration with GRADUS_API.
promised() {
    sed 's|/\*.*\*/||; /^#.*\\$/{N;d}; /^#/d' "$prefix"/include/gradus/*/*.h "$prefix"/include/gradus/nn/*/*.h |
        awk '{ text = text " " $0 } END {
            gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
            gsub(/TENSOR_DEFINE_PLACED\([^()]*\)/, "", text)
            count = split(text, piece, /[;{}]/)
            for (i = 1; i <= count; i++)
                if (piece[i] ~ /GRADUS_API/) {
                    gsub(/ *GRADUS_PRINTF.*|[(\[].*| *$/, "", piece[i])
                    words = split(piece[i], word, /[ *]+/)
                    print word[words]
                }
        }' | sed "s/GRADUS_REAL_SYMBOL/$1/" | sort -u
}

# The symbol that tells the two libraries apart.
symbol_of() {
    case $1 in
    gradus) echo gradus_real_is_float ;;
    gradus-f64) echo gradus_real_is_double ;;
    esac
}

# Names that begin with _ are the compiler's (its sanitizers').
exports_promised() {
    nm -D --defined-only "$shared/lib$1.so" | awk '$NF !~ /^_/ { print $NF }' | sort -u >"$work/exported"
    promised "$2" >"$work/promised"
    [ "$(wc -l <"$work/promised")" -gt 100 ] && diff "$work/promised" "$work/exported"
}

# Each function links from C++, too; without extern "C" a header would declare another name.
links_from_cxx() {
    { printf '#include <gradus.h>\n#include <autograd/inspect.h>\n#include <nn/slices.h>\n#include <plot/pages.h>\n#include <tensor/files.h>\n' && echo 'const void *const all[] = {' &&
        promised "$2" | sed 's/.*/(const void *)\&&,/' && echo '}; int main() { return !all[0]; }'; } \
        >"$work/all.cc"
    compile "$cxx -std=c++17 -w" shared "$1" "$work/all.cc" "$work/all"
}
! command -v "${cxx%% *}" >/dev/null ||
    for name in gradus gradus-f64; do
        attempt "every function of lib$name links from C++" links_from_cxx $name "$(symbol_of $name)"
    done

# Does this nm command print no function that ends the process or jumps out of the library?
ends_nothing() {
    "$@" | sed 's/@.*//' | awk '{ print $NF }' >"$work/needed"
    grep -qx malloc "$work/needed" && fails grep -xE \
        'abort|_?exit|_Exit|quick_exit|__assert(_fail|_perror_fail)?|raise|kill|longjmp|err|errx|error' \
        "$work/needed"
}

# Do only objects that match HOME call the system functions that match NAMES? Both are patterns.
only_in() {
    nm -A -u "$static/libgradus.a" | awk -v home="$1" -v names="^($2)\$" '
        $NF ~ names { asked++ }
        $NF ~ names && $0 !~ home { print; elsewhere++ }
        END { exit elsewhere > 0 || !asked }'
}
attempt 'one file alone allocates memory' only_in ':tensor_memory' 'malloc|calloc|realloc|strdup'
attempt 'it alone frees memory' only_in ':tensor_memory' free
attempt 'one file alone opens files' only_in ':tensor_system_posix' \
    'f?open(64)?|p?read(64)?|p?write(64)?|fsync|fchmod|rename|unlink|remove|mkdir'

case ${FLAGS:-} in
*coverage*) skip 'what the libraries export and call' 'code that counts lines is in them' ;;
*GRADUS_INVARIANTS*) skip 'what the libraries export and call' 'this build ends at a violated invariant' ;;
*)
    for name in gradus gradus-f64; do
        attempt "lib$name exports what the headers declare, and nothing else" \
            exports_promised $name "$(symbol_of $name)"
        attempt "lib$name never ends the process" \
            ends_nothing nm -Du "$shared/lib$name.so"
    done
    ;;
esac

# ---- gdb -----------------------------------------------------------------------------------------

# In the folder that gdb searches, a script has the path of its library: here that of the installation.
gdb_by_itself() {
    loads=$work/gdb$shared
    mkdir -p "$loads" && cp "${prefix}/share/gdb/auto-load${shared#"$installed"}"/* "$loads/" &&
        gdb -nx -batch -iex "set auto-load scripts-directory $work/gdb" \
            -iex "set auto-load safe-path $work/gdb" "$shared/lib$1.so" -ex 'info pretty-printer' \
            -ex 'help break-op' >"$work/seen" 2>&1 && shows "$work/seen" gradus 'Stop where an op computes'
}
gdb_by_hand() {
    gdb -nx -batch -x "$(config --variable=gdb gradus)" -ex 'help tape' >"$work/seen" 2>&1
    shows "$work/seen" 'List the ops on a tape'
}
if gdb -nx -batch -ex 'python print(1)' 2>&1 | grep -qx 1; then
    attempt 'gdb finds the printers beside libgradus' gdb_by_itself gradus
    attempt 'gdb finds the printers beside libgradus-f64' gdb_by_itself gradus-f64
    attempt 'gdb takes the printers that pkg-config names' gdb_by_hand
else
    skip 'gdb finds the printers' 'there is no gdb with Python'
fi

# ---- as a subproject -----------------------------------------------------------------------------

# The project beside this file, with gradus in its subprojects. It is built as Meson does by default, without optimisation, and
# with OpenMP's threads if the compiler has them, so that this kind of build is tested, too.
library_only() {
    CC=$cc meson setup "$work/library" "$source" -Dlibrary-only=true >"$work/setup" 2>&1 || { cat "$work/setup" && return 1; }
    meson introspect --targets "$work/library" | awk 'BEGIN { RS = "\\{\"name\": \"" }
        /"build_by_default": true/ && NR > 1 { sub(/".*/, ""); print }' | sort -u >"$work/built"
    printf '%s\n' gradus gradus-f64 >"$work/wanted"
    grep -xE '(kernels|interleaved)_[a-z0-9]*' "$work/built" >>"$work/wanted" # not those of an emulated unit
    sort -u "$work/wanted" | diff - "$work/built"
}
openmp_works() {
    printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' >"$work/omp.c"
    $cc -fopenmp "$work/omp.c" -o "$work/omp" && "$work/omp"
}
if ! all; then # it builds the library again
    done_testing
    exit
fi
attempt 'with -Dlibrary-only=true, the libraries alone are built' library_only
if openmp_works >/dev/null 2>&1; then openmp=enabled; else openmp=disabled; fi
as_subproject() {
    mkdir -p "$work/project/subprojects" && cp "$programs"/* "$work/project/" &&
        ln -s "$source" "$work/project/subprojects/gradus" &&
        CC=$cc meson setup "$work/project/build" "$work/project" --wrap-mode=forcefallback \
            -Dgradus:werror=false -Dgradus:openmp=$openmp &&
        meson compile -C "$work/project/build" own && "$work/project/build/own" >"$work/own" && cat "$work/own"
}
# Meson's default for the parent is a debug build: the program prints the kernels in use, which are those of an installed library.
fast_in_a_debug_build() {
    printf '#include <gradus.h>\n#include <stdio.h>\nint main(void) { puts(tensor_kernels()); return 0; }\n' >"$work/kernels.c" &&
        compile "$cc -std=gnu11" shared gradus "$work/kernels.c" "$work/kernels" && equal "$(cat "$work/own")" "$("$work/kernels")"
}
calls_of() { nm -u "$1/libgradus.a" | awk '{ print $NF }' | grep -E '^(GOMP|omp|__kmpc)_'; }
attempt "a Meson project builds and runs with gradus as its subproject, OpenMP $openmp" as_subproject
attempt 'in a debug build of that project, it has the fast kernels' fast_in_a_debug_build
attempt "with OpenMP $openmp too, the library never ends the process" \
    ends_nothing nm -u "$work/project/build/subprojects/gradus/libgradus.a"
attempt 'without OpenMP, nothing of it is called' fails calls_of "$static"
if [ "$openmp" = enabled ]; then
    attempt 'with OpenMP, it is' calls_of "$work/project/build/subprojects/gradus"
else
    skip 'with OpenMP, it is' "$cc has none"
fi

done_testing

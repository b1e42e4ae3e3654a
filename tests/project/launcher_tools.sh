#!/bin/sh
# Tests of how the launcher comes by its tools, printed as TAP:  sh tests/project/launcher_tools.sh [PROJECT]
# Nothing is installed: each test has an environment of its own, see launcher_environment.sh.
set -u
project=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/project/launcher_environment.sh
. "$project/tests/project/launcher_environment.sh"

all_packages='gcc libc6-dev meson ninja-build gnuplot-nox libcunit1-dev pkg-config'

test_case 'root on a machine without tools: everything is installed at once, and the example runs'
stand_in apt-get
shelve cc meson ninja gnuplot pkg-config
uid=0
gradus example attention
ends_with 7
called 'apt-get update'
called "apt-get install -y --no-install-recommends $all_packages"
err_has "$all_packages"
[ "$(grep -c apt-get "$work/calls")" -eq 2 ] || wrong 'apt-get was called more than twice'
gradus example attention
is_silent
uncalled apt-get

test_case 'sudo is used if it needs no password'
stand_in apt-get
stand_in sudo
shelve ninja
gradus example attention
ends_with 7
called 'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update'
called 'apt-get install -y --no-install-recommends ninja-build'

test_case 'at a terminal, sudo may ask for a password'
stand_in apt-get
stand_in sudo
shelve ninja
setting='FAKE_SUDO=asks'
if script -qec true /dev/null >"$work/out" 2>&1; then # util-linux's: it plays the terminal
    ln -s "$(command -v script)" "$bin/script"
    run script -qec "'$tree/gradus' example attention" /dev/null
    ends_with 7
    called 'sudo -n true'
    called 'sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ninja-build'
else
    title="$title # SKIP script cannot play the terminal here"
fi

test_case 'without a terminal, sudo that needs a password is not used: the exact command is printed'
stand_in apt-get
stand_in sudo
shelve cc meson ninja gnuplot pkg-config
setting='FAKE_SUDO=asks'
gradus example attention
ends_with 1
err_has 'cannot go on without a C compiler, Meson 1.0 or newer, Ninja'
err_has "sudo apt-get update; sudo apt-get install -y --no-install-recommends $all_packages"
uncalled apt-get

test_case 'no compiler, no root, no sudo: the exact command for root is printed'
stand_in apt-get
shelve cc
gradus test
ends_with 1
err_has ', as root:'
err_has '    apt-get update; apt-get install -y --no-install-recommends gcc libc6-dev'
uncalled 'meson setup'
setting='CC=cc'
gradus test
err_has 'gcc libc6-dev'

test_case 'a compiler without the headers of the C library counts as missing'
stand_in apt-get
setting='FAKE_CC=1'
gradus example attention
ends_with 1
err_has 'gcc libc6-dev'

test_case 'without gnuplot the example runs, and the consequence and the exact command are printed'
stand_in apt-get
shelve gnuplot
gradus example attention
ends_with 7
err_has 'without gnuplot, pictures are drawn in the terminal only'
err_has ', as root:'
err_has '    apt-get update; apt-get install -y --no-install-recommends gnuplot-nox'
uid=0
gradus example attention
called 'apt-get install -y --no-install-recommends gnuplot-nox'

test_case 'without CUnit an example runs silently; test reports it and fails'
stand_in apt-get
shelve pkg-config
gradus example attention
ends_with 7
err_lacks CUnit
gradus test
ends_with 1
err_has 'no test can run'
err_has 'libcunit1-dev pkg-config'

test_case 'CUnit that was installed after the build folder was configured is found'
shelve pkg-config
program one OK 'ok 1 - a'
gradus example attention
mv "$work/shelf/pkg-config" "$bin"
gradus test
ends_with 0
called "meson setup --reconfigure $tree/build $tree"

test_case 'without network it continues without optional tools, and does not try again'
stand_in apt-get
shelve gnuplot
uid=0
setting='FAKE_NET=down'
gradus example attention
ends_with 7
called 'apt-get update'
err_has 'Could not resolve the mirror'
gradus example attention
ends_with 7
uncalled apt-get
err_has 'without gnuplot'

test_case 'without network and without a required tool it ends with the reason'
stand_in apt-get
shelve ninja
uid=0
setting='FAKE_NET=down'
gradus example attention
ends_with 1
err_has 'Could not resolve the mirror'
err_has 'cannot go on without Ninja'

test_case 'clang comes without the sanitizer libraries'
stand_in apt-get
stand_in clang-15
setting='CC=clang-15 FAKE_LIBRARIES=no'
gradus example attention
ends_with 7
err_lacks missing
gradus --sanitize example attention
ends_with 1
err_has 'apt-get install -y --no-install-recommends libclang-rt-15-dev'

test_case 'GRADUS_INSTALL=no installs nothing'
stand_in apt-get
shelve meson
uid=0
setting='GRADUS_INSTALL=no'
gradus example attention
ends_with 1
uncalled apt-get
err_has 'apt-get install -y --no-install-recommends meson'

test_case 'Fedora, Arch, Alpine and macOS: their package managers and package names'
shelve cc meson ninja gnuplot pkg-config
stand_in dnf
gradus example attention
err_has 'dnf install -y gcc meson ninja-build gnuplot CUnit-devel pkgconf-pkg-config'
rm "$bin/dnf"
stand_in pacman
gradus example attention
err_has 'pacman -Sy --needed --noconfirm gcc meson ninja gnuplot cunit pkgconf'
rm "$bin/pacman"
stand_in apk
gradus example attention
err_has 'apk add gcc musl-dev meson samurai gnuplot cunit-dev pkgconf'
rm "$bin/apk"
mv "$work/shelf/cc" "$bin"
stand_in brew
gradus example attention
ends_with 7
called 'brew install meson ninja gnuplot cunit pkg-config'

test_case 'on an unknown system the tools are listed'
shelve meson ninja
gradus example attention
ends_with 1
err_has "your system's packages of Meson 1.0 or newer, Ninja"

test_case 'Meson is too old, no root: pip installs Meson and Ninja'
stand_in python3
setting='FAKE_MESON=0.61.2'
gradus example attention
ends_with 7
called "python3 -m venv --clear $tree/build-tools/venv"
called 'pip install meson>=1.0 ninja'

done_testing

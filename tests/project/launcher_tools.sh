#!/bin/sh
# Tests of how the launcher comes by its tools, printed as TAP:  sh tests/project/launcher_tools.sh [PROJECT]
# Nothing is installed: each scene plays on a stage of its own, see launcher_stage.sh.
set -u
project=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/project/launcher_stage.sh
. "$project/tests/project/launcher_stage.sh"

all_packages='gcc libc6-dev meson ninja-build gnuplot-nox libcunit1-dev pkg-config'

scene 'root on a bare machine: everything is installed in one go, and the example runs'
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

scene 'sudo without a password is used, and only so'
stand_in apt-get
stand_in sudo
shelve ninja
gradus example attention
ends_with 7
called 'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update'
called 'apt-get install -y --no-install-recommends ninja-build'

scene 'sudo with a password is asked for at a terminal'
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

scene 'sudo with a password, nobody at the terminal: the exact line, and the end'
stand_in apt-get
stand_in sudo
shelve cc meson ninja gnuplot pkg-config
setting='FAKE_SUDO=asks'
gradus example attention
ends_with 1
err_has 'cannot go on without a C compiler, Meson 1.0 or newer, Ninja'
err_has "sudo apt-get update; sudo apt-get install -y --no-install-recommends $all_packages"
uncalled apt-get

scene 'no compiler, no root, no sudo: the exact line for root, and the end'
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

scene 'a compiler without the headers of the C library counts as missing'
stand_in apt-get
setting='FAKE_CC=1'
gradus example attention
ends_with 1
err_has 'gcc libc6-dev'

scene 'without gnuplot the example runs, and what is lost is said with the exact line'
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

scene 'without CUnit an example runs without a word; test says so and does not end well'
stand_in apt-get
shelve pkg-config
gradus example attention
ends_with 7
err_lacks CUnit
gradus test
ends_with 1
err_has 'no test can run'
err_has 'libcunit1-dev pkg-config'

scene 'CUnit that came after the build folder is found'
shelve pkg-config
program one OK 'ok 1 - a'
gradus example attention
mv "$work/shelf/pkg-config" "$bin"
gradus test
ends_with 0
called "meson setup --reconfigure $tree/build $tree"

scene 'without network it goes on without what is only useful, and does not try again'
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

scene 'without network and without a needed tool it ends, and says why'
stand_in apt-get
shelve ninja
uid=0
setting='FAKE_NET=down'
gradus example attention
ends_with 1
err_has 'Could not resolve the mirror'
err_has 'cannot go on without Ninja'

scene 'clang does not bring the sanitizers along'
stand_in apt-get
stand_in clang-15
setting='CC=clang-15 FAKE_LIBRARIES=no'
gradus example attention
ends_with 7
err_lacks missing
gradus --sanitize example attention
ends_with 1
err_has 'apt-get install -y --no-install-recommends libclang-rt-15-dev'

scene 'GRADUS_INSTALL=no installs nothing'
stand_in apt-get
shelve meson
uid=0
setting='GRADUS_INSTALL=no'
gradus example attention
ends_with 1
uncalled apt-get
err_has 'apt-get install -y --no-install-recommends meson'

scene 'Fedora, Arch and macOS: their managers, with their names of the packages'
shelve cc meson ninja gnuplot pkg-config
stand_in dnf
gradus example attention
err_has 'dnf install -y gcc meson ninja-build gnuplot CUnit-devel pkgconf-pkg-config'
rm "$bin/dnf"
stand_in pacman
gradus example attention
err_has 'pacman -Sy --needed --noconfirm gcc meson ninja gnuplot cunit pkgconf'
rm "$bin/pacman"
mv "$work/shelf/cc" "$bin"
stand_in brew
gradus example attention
ends_with 7
called 'brew install meson ninja gnuplot cunit pkg-config'

scene 'on an unknown system the tools are named'
shelve meson ninja
gradus example attention
ends_with 1
err_has "your system's packages of Meson 1.0 or newer, Ninja"

scene 'Meson too old, no root: Meson and Ninja come through pip'
stand_in python3
setting='FAKE_MESON=0.61.2'
gradus example attention
ends_with 7
called "python3 -m venv --clear $tree/build-tools/venv"
called 'pip install meson>=1.0 ninja'

curtain

"""Two archives: the hand-out with a grader that students run at home, without the solution in any form, and the autograder of
Gradescope."""
import os
import secrets
import stat
import subprocess
import tempfile
import zipfile

from common import names, quit_, read

HOME = """\
#!/bin/sh
# Builds the grader, once, and grades:  ./gradus grade HW FILE.c [--test NAME]
here=$(cd "$(dirname "$0")" && pwd) || exit 2
[ "${1:-}" = grade ] || { echo 'usage: ./gradus grade HW FILE.c [--test NAME]' >&2; exit 2; }
shift
mkdir -p "$here/.grader" || exit 2
[ -x "$here/.grader/grade" ] || ${CC:-cc} -std=gnu11 -O1 -o "$here/.grader/grade" \\
    "$here"/homework/grader/*.c -lm || exit 2
exec "$here/.grader/grade" "$here/homework" "$here/.grader" grade "$@"
"""

SETUP = """\
#!/bin/sh
# Run once, when Gradescope builds the machine: a compiler, and the grader.
set -e
base=${{AUTOGRADER:-/autograder}}
if ! command -v gcc >/dev/null || ! command -v python3 >/dev/null; then
    apt-get update
    apt-get install -y --no-install-recommends gcc libc6-dev python3
fi
cd "$base/source"
gcc -std=gnu11 -O1 -o grade homework/grader/*.c -lm
chmod 700 "$base/source" # the solution is in it
# What every grading needs is built now: each begins with a copy of this machine.
CC=gcc ./grade homework cache handout {hw} solved --solution >/dev/null
CC=gcc ./grade homework cache grade {hw} solved/{hw}.c{options} >/dev/null || [ $? -eq 1 ]
rm -r solved
"""

RUN = """\
#!/bin/sh
# Run for each submission. Without results.json Gradescope shows a failure of the autograder, and no grade.
base=${{AUTOGRADER:-/autograder}}
results=$base/results/results.json
mkdir -p "$base/results"
cd "$base/source" || exit 1
CC=gcc ./grade homework cache grade {hw} --submission "$base/submission" --format gradescope --hidden-seed "$(cat seed)" \\
    --out "$results"{options}
status=$?
[ $status -le 1 ] && [ -s "$results" ] && exit 0
rm -f "$results" # a failure of the machine is no grade
echo "The grader itself failed (status $status). Tell your instructor." >&2
exit 1
"""


class Archive(zipfile.ZipFile):
    def __init__(self, path):
        super().__init__(path, "w", zipfile.ZIP_DEFLATED)

    def text(self, name, words, program=False):
        info = zipfile.ZipInfo(name)
        info.external_attr = (stat.S_IFREG | (0o755 if program else 0o644)) << 16
        self.writestr(info, words)

    def file(self, path, name):
        self.text(name, open(path, "rb").read())

    def folder(self, folder, name):
        """Without the folders in it."""
        for file in names(folder):
            path = os.path.join(folder, file)
            if not file.startswith(".") and os.path.isfile(path):
                self.file(path, f"{name}/{file}")


def write_home(homework, path):
    """The expected arrays of the visible tests, with the homework's two seeds, are files in it. Where a test needs an earlier
    function, the student's own takes the place of the solution's, so it is tried once that one passes. There are no named
    mistakes: those need the solution."""
    hw, root, own = homework.id, homework.command[1], f"homework/{homework.name}"
    if homework.lab:
        quit_(f"{hw} is written with gradus: there is no archive to grade it without; write the hand-out into a folder")
    if os.path.exists(os.path.join(homework.folder, "program.c")):
        quit_(f"{hw}: there is no archive to grade at home, because its tests need the right program; write the hand-out into a "
              "folder")
    with tempfile.TemporaryDirectory() as work, Archive(path) as z:
        homework.handed_out(os.path.join(work, "solved"), "--solution")
        solved = [*homework.command, "grade", homework.called, os.path.join(work, "solved", homework.source)]
        if subprocess.run(solved, stdout=subprocess.DEVNULL).returncode:  # it computes what is expected
            quit_(f"{hw}: the solution does not reach all points")
        stub = homework.handed_out(os.path.join(work, "stub"))
        z.text("gradus", HOME, program=True)
        z.text(homework.source, stub)
        for name in ("README.md", homework.header):
            z.text(name, read(os.path.join(work, "stub", name)))
        z.file(os.path.join(homework.cache, homework.header), f"{own}/{homework.header}")
        for name in ("README.md", "tests.c"):
            z.file(os.path.join(homework.folder, name), f"{own}/{name}")
        for test in homework.tests:
            for seed in (1, int(homework.second_seed)):
                name = f"{test['name']}-{seed}"
                z.file(os.path.join(homework.cache, "expected", name), f"{own}/expected/{name}")
        for part in ("grader", "grader/runner"):
            z.folder(os.path.join(root, part), f"homework/{part}")
    print(f"{path}: students unpack it, write {homework.source} and run ./gradus grade {hw} {homework.source}")


def write_gradescope(homework, path, overlay):
    """run_autograder writes results.json only if the submission was graded: where the grader itself fails, there is no such
    file, and Gradescope reports a failure of the autograder and no grade. The seed is in a folder that setup.sh closes to
    others."""
    root, seed = homework.command[1], homework.seed or hex(secrets.randbits(64) or 1)
    words = {"hw": homework.id, "options": " --overlay overlay" if overlay else ""}
    with Archive(path) as z:
        z.text("setup.sh", SETUP.format(**words), program=True)
        z.text("run_autograder", RUN.format(**words), program=True)
        z.text("seed", seed + "\n")
        for part in ("", "/grader", "/grader/runner", "/instructor", "/" + homework.name):
            z.folder(homework.folder if part[1:] == homework.name else root + part, "homework" + part)
        for part in homework.library:
            z.folder(os.path.join(homework.lab, part), part)
        if overlay:
            z.folder(overlay, "overlay")
    print(f"{path}: upload it as the autograder of {homework.title}; the seed of its hidden inputs is {seed}")

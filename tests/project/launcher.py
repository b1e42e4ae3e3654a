"""Tests of the launcher, printed as TAP:  python3 launcher.py PROJECT

Nothing is built or installed: each case has a small project of its own, in a path with spaces, and a PATH with some of the system's
programs and stand-ins for the compiler, Meson, Ninja, package managers and sudo (launcher_tools.py), which write down how they are called.
CASES has a title, and below it what is done and expected, a run a line:

    with TOOL...   without TOOL...   root   set NAME=VALUE...   do SHELL COMMAND      prepare the case
    logged NAME RESULT TAP                            a test program in the log of the next `meson test`
    > ARGUMENTS = STATUS | check | check ...         runs ./gradus; >tty: at a terminal
        out, err, last TEXT: standard output, error, its last line;  no out, no err: lack TEXT;  silent: no error
        call LINE, no call BEGINNING: of the stand-ins;  file PATH, no file PATH

$T is the project's folder, $B its folder build, $F the current folder."""
import contextlib
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.path.append(str(SOURCE / "tests/python"))
from launcher_tools import CASES, STAND_INS, SYSTEM  # noqa: E402
from tap import Skip, run_tests  # noqa: E402

SETTINGS = {"T": "tree", "B": "tree/build", "F": "."}


def make_template(place):
    tree = place / "tree"
    for folder in ("bin", "tree/tests/harness", "tree/.ci", "tree/examples/attention", "tree/lectures/runner"):
        (place / folder).mkdir(parents=True)
    for name in SYSTEM:
        (place / "bin" / name).symlink_to(shutil.which(name))
    for name in ("id", "cc", "meson", "ninja", "gnuplot", "pkg-config"):
        stand_in(place, name)
    for name in ("gradus", ".ci/run", "tests/harness/tally.awk", "lectures/runner/plot_kinds.h"):
        shutil.copy(SOURCE / name, tree / name)
    shutil.copytree(SOURCE / ".launcher", tree / ".launcher")
    (tree / "meson.build").write_text("project('gradus', 'c',\n    version: '9.8.7',\n")
    (tree / "examples/attention/README.md").write_text("# attention\n\n![a picture](x.png)\n\nWhere it looks.\nMore.\n")
    (tree / "examples/attention/attention.c").write_text("int main(void) { return 0; }\n")


def stand_in(work, name):
    path = work / "bin" / name
    path.write_text(f'#!/bin/sh\necho "{name} $*" >>"$CALLS"\n{STAND_INS[name]}\n')
    path.chmod(0o755)


def everything(terminal):
    """What a terminal was sent, to its end: one read returns what has arrived, and a closed terminal answers EIO (Linux) or nothing."""
    said = b""
    with os.fdopen(terminal, "rb", buffering=0) as stream, contextlib.suppress(OSError):
        while part := stream.read(65536):
            said += part
    return said


class Case:
    def __init__(self, template, work):
        shutil.copytree(template, work, symlinks=True)
        self.work, self.environment = work, {"PATH": str(work / "bin"), "CALLS": str(work / "calls"), "BIN": str(work / "bin"), "FAKE_UID": "1000"}
        self.usual = dict(self.environment)

    def expand(self, text):
        return re.sub(r"\$([TBF])\b", lambda found: os.path.normpath(self.work / SETTINGS[found[1]]), text)

    def prepare(self, word, rest):
        if word == "with":
            for name in rest:
                stand_in(self.work, name)
        elif word == "without":
            (self.work / "shelf").mkdir(exist_ok=True)
            for name in rest:
                (self.work / "bin" / name).rename(self.work / "shelf" / name)
        elif word == "root":
            self.environment["FAKE_UID"] = "0"
        elif word == "set":
            self.environment = {**self.usual, "FAKE_UID": self.environment["FAKE_UID"], **dict(pair.split("=", 1) for pair in rest)}
        else:
            raise ValueError(word)

    def run(self, command, terminal):
        (self.work / "calls").write_text("")
        if not terminal:
            done = subprocess.run(command, cwd=self.work, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            return done.returncode, done.stdout, done.stderr
        ours, theirs = pty.openpty()
        done = subprocess.run(command, cwd=self.work, env=self.environment, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        return done.returncode, everything(ours).decode(), ""

    def step(self, line):
        word, _, rest = line.partition(" ")
        if word == "do":
            return subprocess.run(["sh", "-c", self.expand(rest)], cwd=self.work, check=True)
        if word == "logged":
            name, result, said = rest.split(" ", 2)
            with (self.work / "log").open("a") as log:
                return log.write(f'{{"name": "{name}", "stdout": "{said}", "result": "{result}", "env": {{}}}}\n')
        if word not in (">", ">tty", "!"):
            return self.prepare(word, shlex.split(self.expand(rest)))
        (command, *checks) = self.expand(rest).replace("ESC", "\033").split(" | ")
        arguments, _, status = command.rpartition(" = ")
        program = [] if word == "!" else [str(self.work / "tree/gradus")]
        ended, out, err = self.run([*program, *shlex.split(arguments)], word == ">tty")
        said = f"{line}\nended with {ended}\n{out}{err}\ncalls: {(self.work / 'calls').read_text()}"
        assert ended == int(status), said
        for check in checks:
            self.check(check, out, err, said)

    def check(self, check, out, err, said):
        no, what = check.startswith("no "), check.removeprefix("no ")
        word, _, text = what.partition(" ")
        calls = (self.work / "calls").read_text().splitlines()
        held = {"out": lambda: text in out, "err": lambda: text in err, "silent": lambda: not err, "last": lambda: out.splitlines()[-1:] == [text],
                "call": lambda: any(line.startswith(text) for line in calls) if no else text in calls, "file": lambda: os.path.exists(text)}[word]()
        assert held != no, f"{check}: {said}"


def case_of(template, number, lines):
    def test():
        case = Case(template, template.parent / f"a place {number}")
        for line in lines:
            case.step(line[4:])
    return test


def test_shellcheck_accepts_the_shell_scripts():
    if not os.environ.get("GRADUS_TEST_ALL") or not shutil.which("shellcheck"):
        raise Skip("with --all alone, where shellcheck is installed")
    scripts = [path for pattern in ("gradus", ".launcher/*.sh", ".ci/run", "tests/*/*.sh", "data/*.sh", "lectures/runner/*.sh", "lectures/steps/milestones/*.sh")
               for path in SOURCE.glob(pattern)]
    subprocess.run(["shellcheck", "-x", *scripts], cwd=SOURCE, check=True)


def test_help_names_every_command_and_no_other():
    text = "".join(path.read_text() for path in [SOURCE / "gradus", *SOURCE.glob(".launcher/*.sh")])
    helped = subprocess.run([SOURCE / "gradus", "help"], capture_output=True, text=True, check=True).stdout
    for word in ([], ["-h"], ["--help"]):
        assert subprocess.run([SOURCE / "gradus", *word], capture_output=True, text=True).stdout == helped
    assert sorted(re.findall(r"^do_([a-z]*)\(\)", text, re.M)) == sorted(re.findall(r"^  ([a-z]+) ", helped, re.M)) and "example" in helped


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        template = pathlib.Path(folder, "template")
        make_template(template)
        names = dict(globals())
        for number, text in enumerate(re.split(r"\n(?=\S)", CASES.strip())):
            title, *lines = text.split("\n")
            names[f"test_{title}"] = case_of(template, number, lines)
        sys.exit(run_tests(names))

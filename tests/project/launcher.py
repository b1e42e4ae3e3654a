"""Tests of the launcher, printed as TAP:  python3 launcher.py PROJECT

Nothing is built or installed: each case has a small project of its own, in a path with spaces, and a PATH with some of the system's
programs and stand-ins for the compiler, Meson, Ninja, package managers and sudo (launcher_tools.py), which write down how they are called.
CASES has a title, and below it what is done and expected, a run a line:

    with TOOL...   without TOOL...   root   set NAME=VALUE...   do SHELL COMMAND      prepare the case
    logged NAME RESULT TAP                            a test program in the log of the next `meson test`
    > ARGUMENTS = STATUS | check | check ...          runs ./gradus; >tty: at a terminal; !: another program
        out, err, last TEXT: standard output, error, its last line;  no out, no err: lack TEXT;  silent: no error
        call LINE, no call BEGINNING: of the stand-ins;  file PATH, no file PATH

$T is the project's folder, $B its folder build, $F the current folder."""
import functools
import os
import pathlib
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

AT_TERMINAL = [sys.executable, "-c", "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"]


class Case:
    def __init__(self, work):
        self.work, self.environment = work, {"PATH": str(work / "bin"), "CALLS": str(work / "calls"), "BIN": str(work / "bin"), "FAKE_UID": "1000"}
        for folder in ("bin", "shelf", "tree/examples/attention"):
            (work / folder).mkdir(parents=True)
        for name in SYSTEM:
            (work / "bin" / name).symlink_to(shutil.which(name))
        self.prepare("with", ["id", "cc", "meson", "ninja", "gnuplot", "pkg-config"])
        for name in ("gradus", ".launcher", "tests/harness", "lectures/runner/plot_kinds.h"):
            (work / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (SOURCE / name).is_dir() else shutil.copy)(SOURCE / name, work / "tree" / name)
        (work / "tree/meson.build").write_text("project('gradus', 'c',\n    version: '9.8.7',\n")
        (work / "tree/examples/attention/README.md").write_text("# attention\n\n![a picture](x.png)\n\nWhere it looks.\nMore.\n")
        (work / "tree/examples/attention/attention.c").write_text("int main(void) { return 0; }\n")

    def prepare(self, word, rest):
        for name in rest if word in ("with", "without") else ():
            tool = self.work / "bin" / name
            if word == "without":
                tool.rename(self.work / "shelf" / name)
            else:
                tool.write_text(f'#!/bin/sh\necho "{name} $*" >>"$CALLS"\n{STAND_INS[name]}\n')
                tool.chmod(0o755)
        if word == "root":
            self.environment["FAKE_UID"] = "0"
        elif word == "set":
            kept = ("PATH", "CALLS", "BIN", "FAKE_UID")
            self.environment = {**{name: self.environment[name] for name in kept}, **dict(pair.split("=", 1) for pair in rest)}

    def step(self, line):
        line = re.sub(r"\$([TBF])\b", lambda found: str(self.work / {"T": "tree", "B": "tree/build", "F": "."}[found[1]]), line)
        word, _, rest = line.partition(" ")
        if word == "do":
            subprocess.run(["sh", "-c", rest], cwd=self.work, check=True)
        elif word == "logged":
            name, result, said = rest.split(" ", 2)
            with (self.work / "log").open("a") as log:
                log.write(f'{{"name": "{name}", "stdout": "{said}", "result": "{result}", "env": {{}}}}\n')
        elif word not in (">", ">tty", "!"):
            self.prepare(word, shlex.split(rest))
        else:
            command, *checks = rest.split(" | ")
            arguments, _, status = command.rpartition(" = ")
            command = [*(AT_TERMINAL if word == ">tty" else []), *([] if word == "!" else [self.work / "tree/gradus"]), *shlex.split(arguments)]
            (self.work / "calls").write_text("")
            done = subprocess.run(command, cwd=self.work, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            out, err, calls = done.stdout, done.stderr, (self.work / "calls").read_text().splitlines()
            for check in [f"ended {status}", *checks]:
                no, (word, _, text) = check.startswith("no "), check.removeprefix("no ").partition(" ")
                held = {"ended": str(done.returncode) == text, "out": text in out, "err": text in err, "silent": not err, "last": out.splitlines()[-1:] == [text],
                        "call": any(line.startswith(text) for line in calls) if no else text in calls, "file": os.path.exists(text)}[word]
                assert held != no, f"{check}: {line}\nended with {done.returncode}\n{out}{err}\ncalls: {calls}"


def run_case(folder, lines):
    case = Case(folder)
    for line in lines:
        case.step(line[4:])


def test_shellcheck_accepts_the_shell_scripts():
    if not os.environ.get("GRADUS_TEST_ALL") or not shutil.which("shellcheck"):
        raise Skip("with --all alone, where shellcheck is installed")
    scripts = [path for pattern in ("gradus", ".launcher/*.sh", ".ci/run", "tests/*/*.sh", "data/*.sh", "lectures/runner/*.sh", "lectures/steps/milestones/*.sh")
               for path in SOURCE.glob(pattern)]
    subprocess.run(["shellcheck", "-x", *scripts], cwd=SOURCE, check=True)


def test_help_names_every_command_and_no_other():
    helped = subprocess.run([SOURCE / "gradus", "help"], capture_output=True, text=True, check=True).stdout
    for word in ([], ["-h"], ["--help"]):
        assert subprocess.run([SOURCE / "gradus", *word], capture_output=True, text=True).stdout == helped
    done_here = set(re.findall(r"^do_([a-z]*)\(\)", (SOURCE / "gradus").read_text(), re.M))
    of_lectures = set(re.findall(r'\{"([a-z]+)", \w+\}', (SOURCE / "lectures/runner/lectures.c").read_text()))
    named = re.findall(r"^  ([a-z]+) ", helped, re.M)
    assert done_here <= set(named) <= done_here | of_lectures and len(named) > 20, set(named) ^ done_here


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        names = dict(globals())
        for number, text in enumerate(re.split(r"\n(?=\S)", CASES.strip())):
            title, *lines = text.split("\n")
            names[f"test_{title}"] = functools.partial(run_case, pathlib.Path(folder, f"a place {number}").resolve(), lines)
        sys.exit(run_tests(names))

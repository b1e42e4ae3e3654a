"""Which wrong programs do the tests notice?  python3 tests/project/mutate.py SOURCE BUILD [N] [--seed S] [--only PATH]

Changes one operator, condition, constant or index at random in tensor, autograd, nn or data, builds the fast tests of that
folder, and runs them until one fails: the mutant is caught. A mutant that they all pass survives, and is listed with its
line. A mutant that does not compile, or compiles to the same code, is not counted.

SOURCE stays as it is: the changes are made in a copy in BUILD. The mutants of a seed are those with the least hashes of the
seed, the line and the change, so that a change of the sources elsewhere leaves them as they are. The last line is "N of N
caught"; the exit status is 1 if one survived."""
import argparse
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import typing

FOLDERS = {"tensor": ("tensor", "kernels"), "autograd": ("autograd",), "nn": ("nn",), "data": ("data",)}
LEFT_OUT = {"data/unicode_tables.c", "data/corpora/digits_strokes.c"}  # tables of numbers
SWAPS = {"&&": "||", "||": "&&", "==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "+": "-", "-": "+",
         "*": "/", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
KINDS = {
    "condition": re.compile(r"&&|\|\||(?<= )(?:==|!=|<=|>=|<|>)(?= )"),
    "operator": re.compile(r"(?<=[\w)\]] )(?:[-+*/%]|[-+*/]=)(?= [\w(])"),
    "constant": re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])"),
    "index": re.compile(r"(?<=[\w)\]])\[[^][]+\]"),
}
DECLARATION = re.compile(r"\s*(?:static |const |struct |unsigned )*[A-Za-z_]\w* \**\w+\[")
MEMORY = 8 << 30  # of a test


def blanked(text):
    """The text with spaces in place of comments, strings and lines of the preprocessor."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.S | re.M)


class Mutant(typing.NamedTuple):
    """A change: text[begin:begin + len(old)] of a file becomes `new`."""
    path: str
    line: int
    text: str  # of the line
    begin: int
    old: str
    new: str
    name: str  # the same whatever stands in other lines


def changes(path, source):
    """All mutants of a file."""
    text = (source / path).read_text()
    begin, seen = 0, {}
    for number, (line, code) in enumerate(zip(text.splitlines(True), blanked(text).splitlines(True)), 1):
        for kind, pattern in KINDS.items():
            for found in pattern.finditer(code):
                old = found.group()
                if kind in ("constant", "index") and DECLARATION.match(code):
                    continue
                if kind == "index":
                    new = f"{old[:-1]} + 1]"
                elif kind == "constant":
                    new = str(float(old) + 1 if "." in old else int(old) + 1)
                else:
                    new = SWAPS[old]
                name = f"{path}:{line.strip()}:{found.start()}:{new}"
                seen[name] = seen.get(name, 0) + 1
                yield Mutant(path, number, line.strip(), begin + found.start(), old, new, f"{name}:{seen[name]}")
        begin += len(line)


class Build:
    """The copy of the sources, with a build folder beside it."""

    def __init__(self, source, build):
        self.copy, self.folder = build / "source", build / "build"
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=source, capture_output=True, text=True, check=True)
        for name in names.stdout.splitlines():
            old, new = source / name, self.copy / name
            if old.is_file() and not (new.is_file() and old.read_bytes() == new.read_bytes()):
                new.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(old, new)
        if not (self.folder / "build.ninja").exists():
            self.run(["meson", "setup", str(self.folder), str(self.copy), "-Dexamples=false"])
        self.ninja(["build.ninja"])
        self.objects = {}
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            path = (self.folder / entry["file"]).resolve()
            self.objects.setdefault(path, []).append(self.folder / entry["output"])
        self.read_tests()

    def run(self, command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"mutate: {' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def ninja(self, targets):
        done = subprocess.run(["ninja", "-C", str(self.folder), "-j2", *targets], capture_output=True, text=True, check=False)
        return done.returncode == 0

    def read_tests(self):
        """self.tests: of a folder, (target, test) of its programs that are not in the long run."""
        introspect = json.loads(self.run(["meson", "introspect", str(self.folder), "--tests", "--targets"]))
        of_program = {}
        for target in introspect["targets"]:
            sources = [name for part in target["target_sources"] for name in part.get("sources", [])]
            found = [re.search(r"/tests/(\w+)/test_\w+\.c$", name) for name in sources]
            if target["type"] == "executable" and any(found):
                of_program[target["filename"][0]] = next(f for f in found if f).group(1)
        self.tests = {}
        for folder, parts in FOLDERS.items():
            self.tests[folder] = [(str(pathlib.Path(test["cmd"][0]).relative_to(self.folder)), test) for test in introspect["tests"]
                                  if of_program.get(test["cmd"][0]) in parts and not any("long" in s for s in test["suite"])]

    def passes(self, test, limit):
        """Does the test pass? A crash, and a program that does not end, are failures, too."""
        def bounded():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        process = subprocess.Popen(test["cmd"], cwd=test["workdir"] or self.folder, env=os.environ | test["env"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=bounded, start_new_session=True)
        try:
            output = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return False
        return process.returncode == 0 and b"\nnot ok" not in b"\n" + output

    def prepare(self, folder):
        """Builds the folder's tests without a change and runs them, the quickest first from then on; notes their times."""
        if not self.ninja([target for target, _ in self.tests[folder]]):
            sys.exit(f"mutate: the tests of {folder} do not build without a change; see ninja -C {self.folder}")
        for _, test in self.tests[folder]:
            begin = time.time()
            if not self.passes(test, 600):
                sys.exit(f"mutate: {test['name']} fails without a change")
            test["limit"] = 20 + 10 * (time.time() - begin)
        self.tests[folder].sort(key=lambda pair: pair[1]["limit"])

    def code(self, path):
        return [hashlib.sha1(o.read_bytes()).digest() for o in self.objects[self.copy / path] if o.exists()]

    def judge(self, mutant, folder):
        """The name of the test that fails; "" where none does; None where there is nothing to test."""
        file, before = self.copy / mutant.path, self.code(mutant.path)
        text = file.read_text()
        file.write_text(text[:mutant.begin] + mutant.new + text[mutant.begin + len(mutant.old):])
        try:
            if not self.ninja([target for target, _ in self.tests[folder]]) or self.code(mutant.path) == before:
                return None
            return next((test["name"] for _, test in self.tests[folder] if not self.passes(test, test["limit"])), "")
        finally:
            file.write_text(text)


def main():
    parser = argparse.ArgumentParser(prog="./gradus test --mutate", description="Changes the sources at random; do the tests notice?")
    parser.add_argument("source", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("count", type=int, nargs="?", default=20, metavar="N", help="how many mutants (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (1)")
    parser.add_argument("--only", default="", metavar="PATH", help="a folder, or a file, in which all changes are made")
    wanted = parser.parse_args()
    build = Build(wanted.source.resolve(), wanted.build.resolve())
    places = [change for path in sorted(build.objects) if path.is_relative_to(build.copy)
              for name in [str(path.relative_to(build.copy))]
              if name.split("/")[0] in FOLDERS and name not in LEFT_OUT and name.startswith(wanted.only)
              for change in changes(name, build.copy)]
    places.sort(key=lambda change: hashlib.sha1(f"{wanted.seed}:{change.name}".encode()).digest())
    tally = {}
    for mutant in places:
        folder = mutant.path.split("/")[0]
        if sum(tried for _, tried in tally.values()) == wanted.count:
            break
        if folder not in tally:
            build.prepare(folder)
        caught, tried = tally.setdefault(folder, (0, 0))
        found = build.judge(mutant, folder)
        if found is not None:
            tally[folder] = caught + (found != ""), tried + 1
            print(f"{'caught  ' if found else 'SURVIVED'} {mutant.path}:{mutant.line}: {mutant.old} -> {mutant.new} in `{mutant.text}`"
                  f"{', by ' + found if found else ''}", flush=True)
    for folder, (caught, tried) in sorted(tally.items()):
        print(f"{folder}: {caught} of {tried}")
    caught, tried = (sum(numbers) for numbers in zip(*tally.values())) if tally else (0, 0)
    print(f"{caught} of {tried} caught")
    return caught < tried or not tried


if __name__ == "__main__":
    sys.exit(main())

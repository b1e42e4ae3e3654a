"""What the commands in Python share: the program of the chapters, which knows them and measures; options; texts that fit the
terminal; files."""
import argparse
import difflib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap

LECTURES = pathlib.Path(__file__).resolve().parents[1]


class Program:
    """build/lectures/lectures"""

    def __init__(self, path: str, most: int = 0):
        """most: seconds of processor time that it may take to answer; 0: as many as it needs."""
        self.path, self.most, self.process = path, most, None
        self.poison = self.trace = ""  # of its kernels; of the first step, see answers.c

    @functools.cached_property
    def facts(self) -> dict:
        """See facts.h."""
        return json.loads(subprocess.run([self.path, "facts"], check=True, stdout=subprocess.PIPE).stdout)

    def chapter_of(self, row: int):
        """The chapter with this row; None: there is none."""
        return next((c for c in self.facts["chapters"] if c["first"] <= row <= c["last"]), None)

    def chapter_named(self, word):
        """By number ("4") or by name ("attention", "04-attention"); None for None. Ends the program at an unknown one."""
        chapters = self.facts["chapters"]
        found = [c for c in chapters if word in (str(c["number"]), c["folder"], c["folder"][3:])]
        if word and not found:
            known = ", ".join(f"{c['number']} {c['folder'][3:]}" for c in chapters)
            refuse(f"there is no chapter \"{word}\"; there are: {known}")
        return found[0] if found else None

    def what(self, row: int) -> str:
        return next(r["what"] for r in self.facts["rows"] if r["number"] == row)

    def answer(self, *words, show=lambda line: None) -> list:
        """The last line of what the command `answers` (answers.c) says to these words; those before it are shown. EOFError: the
        program ended."""
        if not self.process:
            asked = [f"--{name}={value}" for name, value in (("poison", self.poison), ("trace", self.trace)) if value]
            self.process = subprocess.Popen([self.path, "answers", *asked], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            encoding="utf-8", preexec_fn=self.limit if self.most else None)
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise EOFError from None
        for line in self.process.stdout:
            if line.startswith(("= ", "! ")):
                return line.split()
            show(line)
        raise EOFError

    def limit(self) -> None:
        import resource  # which Windows does not have
        resource.setrlimit(resource.RLIMIT_CPU, (self.most, self.most + 1))

    def end(self) -> None:
        if self.process:
            self.process.communicate()


# ---- options -----------------------------------------------------------------------------------------------------

def refuse(message: str):
    """Ends the program: a command line, or a line of a file, that cannot be read."""
    print(f"{Options.program}: {message}", file=sys.stderr)
    sys.exit(2)


class Options(argparse.ArgumentParser):
    """As those of the programs in C (examples/common/options.h)."""
    program = "./gradus"

    def __init__(self, command: str, about: str):
        Options.program = f"./gradus {command}"
        super().__init__(prog=self.program, description=about, allow_abbrev=False,
                         formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=24, width=120))

    def error(self, message: str):
        refuse(message.removeprefix("argument "))

    def text(self, name: str, argument: str, about: str, default=None, among=()) -> None:
        def value(word: str) -> str:
            if not word or among and word not in among:
                raise argparse.ArgumentTypeError(f"found '{word}'; expected {', '.join(among) or argument}")
            return word
        self.add_argument(f"--{name}", type=value, metavar=argument, default=default, help=about + (f" ({default})" if default else ""))

    def number(self, name: str, about: str, default, low: int, high: int, argument: str = "N") -> None:
        def value(word: str) -> int:
            if not word.isdecimal() or not low <= int(word) <= high:
                raise argparse.ArgumentTypeError(f"found '{word}'; expected a whole number from {low} to {high}")
            return int(word)
        self.add_argument(f"--{name}", type=value, metavar=argument, default=default, help=f"{about} ({default})")

    def threads(self) -> None:
        self.number("threads", "0: as many as there are", 0, 0, 1024)

    def flag(self, name: str, about: str) -> None:
        self.add_argument(f"--{name}", action="store_true", help=about)

    def read(self, words: list) -> argparse.Namespace:
        found, rest = self.parse_known_args(words)
        if rest:
            name = rest[0].split("=")[0]
            near = difflib.get_close_matches(name, self._option_string_actions, 1)
            refuse(f"unknown option {name}" + (f"; did you mean {near[0]}?" if near else "") + " (--help lists all)"
                   if name.startswith("-") else f"found '{name}'; expected an option that begins with -- (--help lists all)")
        if vars(found).get("threads"):
            os.environ["OMP_NUM_THREADS"] = str(found.threads)
        return found


# ---- texts and files ---------------------------------------------------------------------------------------------

def say(label: str, indent: int, text: str, end: str = "\n") -> None:
    """Prints a label, and from column `indent` on a paragraph in lines that fit the terminal."""
    columns = min(max(shutil.get_terminal_size((96, 24)).columns, 40), 96)
    lines = textwrap.wrap(text, columns - indent, break_long_words=False, break_on_hyphens=False)
    print(label.ljust(indent) + ("\n" + " " * indent).join(lines), end="\n" + end[1:], flush=True)


def need_folder(option: str, path: str) -> None:
    """Refuses the option's value unless files can be written there."""
    try:
        os.makedirs(path, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError as error:
        refuse(f"--{option}: '{path}' cannot be written: {error.strerror}")


def write(path: str, text: str) -> None:
    """Writes a file whole, or leaves the one that is there."""
    part = f"{path}.part-{os.getpid()}"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.unlink(part)

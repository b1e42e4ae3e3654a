"""The commands of the lectures that draw and train nothing:  python3 commands.py PROGRAM COMMAND [words]

PROGRAM is that of the chapters, build/lectures/lectures, which calls this file. `lecture` and `book` are here, the others in the file of
their name."""
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from program import LECTURES, Options, Program, need_folder

sys.path[1:1] = [str(LECTURES / folder) for folder in ("exams", "steps")]


def write_pages(program: Program, kind: str, out: str, chapter, live: bool, seed: int) -> int:
    """Has lectures/pages write a chapter, all (None), or the book; live: with the library in those that use it."""
    facts = program.facts
    if live:
        number = str(chapter["number"]) if chapter else "all"
        done = subprocess.run([program.path, "facts", number, str(seed)], stdout=subprocess.PIPE)
        if done.returncode:
            return done.returncode
        facts = json.loads(done.stdout)
    elif chapter:
        facts = facts | {"chapters": [chapter]}
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "facts.json"
        data.write_text(json.dumps(facts), "utf-8")
        words = [sys.executable, str(LECTURES / "pages/pages.py"), kind, out, str(data)] + [facts["module"]] * live
        return subprocess.run(words).returncode


def lecture(program: Program, words: list) -> int:
    from claims import Ledger

    options = Options("lecture", "A chapter, claim by claim: what is measured, and the numbers.")
    options.add_argument("chapter", nargs="?", help="by its number or its name; without one, a list")
    options.flag("html", "write the chapter, or all, as pages for a browser, with figures to be moved, and end")
    options.flag("live", "as --html, with the library in the pages that use it: they compute")
    options.text("out", "DIR", "the folder of --html and --live", "out/lectures")
    options.number("row", "only this row; 0: all", 0, 0, 99, "ROW")
    options.number("seed", "of all random numbers", 1, 0, 10**9)
    options.threads()
    options.text("trace", "V", "print its first step op by op, in the symbols of V, B, H, Z or J (--trace=V), and end")
    asked = options.read(["--trace=yes" if word == "--trace" else word for word in words])
    chapter = program.chapter_named(asked.chapter)
    if asked.html or asked.live:
        need_folder("out", asked.out)
        return write_pages(program, "chapters", asked.out, chapter, asked.live, asked.seed)
    if not chapter:
        print("chapters (./gradus lecture N shows one)")
        for c in program.facts["chapters"]:
            print(f"  {c['number']}  {c['title']:<14} rows {c['first']} to {c['last']}: lectures/{c['folder']}/README.md")
        return 0
    program.trace = asked.trace or ""
    print(f"chapter {chapter['number']}, {chapter['title']}; the notes: lectures/{chapter['folder']}/README.md\n", flush=True)
    return Ledger(program, chapter, asked.row, asked.seed).explained()


def book(program: Program, words: list) -> int:
    options = Options("book", "All chapters and other texts, as a site.")
    options.text("out", "DIR", "the folder", "out/book")
    options.number("seed", "of all random numbers", 1, 0, 10**9)
    options.flag("live", "with the library in the chapters that use it")
    asked = options.read(words)
    need_folder("out", asked.out)
    return write_pages(program, "book", asked.out, None, asked.live, asked.seed)


def main(path: str, name: str, *words: str) -> int:
    command = {"lecture": lecture, "book": book}.get(name) or importlib.import_module(name).main
    program = Program(path)
    try:
        return command(program, list(words))
    except EOFError:  # the program has ended, and said why
        return program.process.wait()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except (OSError, ValueError) as problem:
        print(f"./gradus {name}: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

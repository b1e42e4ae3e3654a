"""Writes texts of the project as pages; lectures/runner/commands.py calls it.

    python3 pages.py text PATH                           NAME.html beside NAME.md, a file or each of a folder
    python3 pages.py chapters OUT DATA [MODULE]          OUT/04-attention.html of each chapter of DATA
    python3 pages.py book OUT DATA [MODULE]              the chapters and the texts that book.py lists as a site, with a search

DATA is the JSON of lectures/runner/facts.h. What it needs of PyPI it installs once into a virtual environment of its own beside
the build folder. Status 77: that was not possible; the line to type was printed."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = {"text": ("markdown-it-py>=3,<5", "latex2mathml>=3.77,<4"), "book": ("mkdocs-material>=9.6,<10",)}
NO_ENVIRONMENT = 77  # the status with which meson skips a test


def say(words: str) -> None:
    print(f"gradus: {words}", file=sys.stderr, flush=True)


def locked(folder: pathlib.Path):
    """A file that no other process has locked; systems without fcntl have no lock."""
    folder.mkdir(parents=True, exist_ok=True)
    file = open(folder / "lock", "w")
    try:
        import fcntl
        fcntl.flock(file, fcntl.LOCK_EX)
    except ImportError:
        pass
    return file


def megabytes(folder: pathlib.Path) -> int:
    return round(sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6)


def is_installed(folder: pathlib.Path, package: str) -> bool:
    """pip writes RECORD last."""
    record = f"site-packages/{package.replace('-', '_')}-*.dist-info/RECORD"
    return any(found for lib in ("Lib", "lib/python3*") for found in folder.glob(f"{lib}/{record}"))


def install(folder: pathlib.Path, python: pathlib.Path, stage: str) -> bool:
    """Adds a stage's packages to the environment; False where that fails."""
    wanted = PACKAGES[stage]
    if python.exists() and all(is_installed(folder, re.split("[<>]", package)[0]) for package in wanted):
        return True
    make = [os.path.realpath(sys.executable), "-m", "venv", str(folder)]  # python3 may be a link that goes
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15", *wanted]
    lines = "".join(f"\n    {' '.join(repr(w) if '>' in w else w for w in line)}" for line in (make, pip))
    failed = folder / "failed"  # then it is not tried again for ten minutes
    if os.environ.get("GRADUS_INSTALL") == "no" or failed.is_file() and time.time() - failed.stat().st_mtime < 600:
        say(f"pages need {' and '.join(wanted)} of PyPI; to install them into {folder}, type:{lines}")
        return False
    about = {"text": "25 MB, 10 s", "book": "90 MB, 20 s"}[stage]
    say(f"pages are written by {' and '.join(wanted)}: installing them into {folder} (once; about {about})")
    begun = time.monotonic()
    for line in ([] if python.exists() else [make]) + [pip]:
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode:
            last = ((done.stderr or done.stdout).strip().splitlines() or [f"status {done.returncode}"])[-1]
            say(f"that failed: {last}\ngradus: with a network, type:{lines}")
            failed.touch()
            if line is make:
                shutil.rmtree(python.parent, ignore_errors=True)
            return False
    say(f"installed in {time.monotonic() - begun:.0f} s: {folder} has {megabytes(folder)} MB")
    return True


def enter(stages: tuple) -> None:
    """Goes on in the environment with these packages."""
    folder = pathlib.Path(os.environ.get("GRADUS_BUILD", TOP / "build") + "-tools" if "GRADUS_BUILD" in os.environ
                          else TOP / "build-tools").resolve() / "pages"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if pathlib.Path(sys.prefix).resolve() == folder:
        return
    try:
        with locked(folder):
            ready = all(install(folder, python, stage) for stage in stages)
    except OSError as error:
        ready = say(f"pages: {error}; expected a folder to write to")
    if not ready:
        sys.exit(NO_ENVIRONMENT)
    sys.exit(subprocess.run([str(python), *sys.argv]).returncode)


def module_of(path: str = "") -> str:
    """The script of the module, without the line that names its hash."""
    if not path:
        return ""
    begins, script = pathlib.Path(path).read_text("utf-8").split("\n", 1)
    if not begins.startswith("/* gradus module"):
        raise ValueError(f"{path} is no module; expected the file that ./gradus build live.js writes")
    return script


def write_chapters(out: pathlib.Path, chapters: list, module: str) -> None:
    from page import page
    from text import Text

    out.mkdir(parents=True, exist_ok=True)
    for chapter in chapters:
        text = Text(TOP / "lectures" / chapter["folder"] / "README.md", out, chapter)
        path = out / f"{chapter['folder']}.html"
        path.write_text(page(text, module if chapter["live"] else ""), "utf-8")
        print(f"{path}: {text.title}, with {len(chapter['live'])} figures to be moved", flush=True)


def main(command: str, first: str, *rest: str) -> None:
    enter(("text", "book") if command == "book" else ("text",))
    from page import page
    from text import Text

    if command == "text":
        path = pathlib.Path(first)
        for file in sorted(path.glob("*.md")) if path.is_dir() else [path]:
            file.with_suffix(".html").write_text(page(Text(file, file.parent)), "utf-8")
        return
    chapters, module = json.loads(pathlib.Path(rest[0]).read_text("utf-8"))["chapters"], module_of(*rest[1:])
    if command == "chapters":
        write_chapters(pathlib.Path(first), chapters, module)
    else:
        from book import write_book
        write_book(pathlib.Path(first), chapters, module)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as problem:
        sys.exit(f"pages: {problem}")

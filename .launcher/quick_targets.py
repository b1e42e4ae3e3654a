"""Prints the files that tests need, as ninja names them:  quick_targets.py BUILD [TEST...]

Of the tests that are named; without a name, of those of the quick run. Nothing, which is ninja's target "all", if one of them is no test
or is of the suite "long": some of these need more than the programs that they are called with."""
import json
import pathlib
import sys

build, *names = sys.argv[1:]
build = pathlib.Path(build).resolve()
tests = {t["name"]: t for t in json.loads((build / "meson-info/intro-tests.json").read_text())}
targets = {t["id"]: t["filename"] for t in json.loads((build / "meson-info/intro-targets.json").read_text())}
short = [name for name, t in tests.items() if not any(s.split(":")[-1] == "long" for s in t["suite"])]
if set(names) <= set(short):
    needed = {d for name in names or short for d in tests[name]["depends"]}
    print(*sorted({str(pathlib.Path(f).relative_to(build)) for d in needed for f in targets.get(d, [])}) or ["build.ninja"])

"""Prints the files that the tests of the quick run need, as ninja names them:  quick_targets.py BUILD

Ninja's target "all" has what every test needs; the suite "long" needs a library and programs of its own.
"""
import json
import pathlib
import sys

build = pathlib.Path(sys.argv[1]).resolve()
tests = json.loads((build / "meson-info/intro-tests.json").read_text())
targets = {t["id"]: t["filename"] for t in json.loads((build / "meson-info/intro-targets.json").read_text())}
needed = {d for t in tests if not any(s.split(":")[-1] == "long" for s in t["suite"]) for d in t["depends"]}
print(*sorted({str(pathlib.Path(f).relative_to(build)) for d in needed for f in targets.get(d, [])}))

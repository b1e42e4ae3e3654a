"""--html in every example that trains:  python3 tape.py PROGRAM...

Each program trains one step. Its page must have the loss and the gradient's norm of its metrics.tsv, which the optimiser's
side of the program computes from the weights' own gradients, and the lines that called its ops."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(program, folder, *options):
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", PATH="/nowhere")  # no gnuplot: faster
    done = subprocess.run([program, "--quiet", "--threads", "1", "--steps", "1", "--out", folder, *options],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def data_of(page):
    text = pathlib.Path(page).read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def first_row(table):
    """The first step of metrics.tsv, by the names of its columns."""
    rows = [line.split("\t") for line in pathlib.Path(table).read_text().splitlines() if not line.startswith("#")]
    return dict(zip(rows[0], next(row for row in rows[1:] if row[1] == "train")))


def gradient_norm(data):
    """Of all weights: the root of the sum of squares. A weight that is read in parts (query, and key with value) has a
    gradient for each part; of several uses of one part, the last has the sum."""
    last = {}
    for op in sorted((op for op in data["ops"] if op["turn"] >= 0), key=lambda op: op["turn"]):
        for operand in op["operands"]:
            if "leaf" in operand and data["leaves"][operand["leaf"]]["kind"] == "weight" and "sum" in operand:
                last[operand["leaf"], str(operand["shapes"])] = operand["sum"]["norm"]
    return math.sqrt(sum(norm ** 2 for norm in last.values()))


def check_numbers(data, row):
    # The table has 9 digits; sums of squares in float, over up to 10^6 numbers in blocks, agree to some 1e-5.
    loss = data["ops"][-1]["value"]["numbers"][0]
    assert math.isclose(loss, float(row["loss"]), rel_tol=1e-6), f"loss {loss}, in the table {row['loss']}"
    norm = gradient_norm(data)
    assert math.isclose(norm, float(row["grad_norm"]), rel_tol=1e-4), f"norm {norm}, in the table {row['grad_norm']}"


def check_lines(data, name):
    for op in data["ops"]:
        source = data["files"][op["source"]]
        assert source["path"].startswith(("examples/", "nn/")) and source["text"], f"{op['name']}: {source['path']}"
        line = source["text"].splitlines()[op["line"] - 1]
        assert "(" in line, f"{source['path']}:{op['line']}: no call in {line}"
    assert any(data["files"][op["source"]]["path"].startswith(f"examples/{name}/") for op in data["ops"])
    assert all(op["rule"] >= 0 for op in data["ops"]), "an op without its equation"


def check(program):
    name = pathlib.Path(program).name.removeprefix("example-")
    with tempfile.TemporaryDirectory() as folder:
        said = run(program, folder, "--html")
        assert f"{folder}/tape.html" in said, said
        data = data_of(f"{folder}/tape.html")
        check_numbers(data, first_row(f"{folder}/metrics.tsv"))
        check_lines(data, name)
    with tempfile.TemporaryDirectory() as folder:
        run(program, folder)
        assert not list(pathlib.Path(folder).glob("*.html")), "a page without --html"


failures = 0
for number, program in enumerate(sys.argv[1:], 1):
    try:
        check(program)
        print(f"ok {number} - {pathlib.Path(program).name}: its step as a page")
    except AssertionError as failure:
        failures += 1
        print(f"not ok {number} - {pathlib.Path(program).name}: its step as a page")
        print("".join(f"# {line}\n" for line in str(failure).splitlines()), end="")
print(f"1..{len(sys.argv) - 1}")
sys.exit(failures > 0)

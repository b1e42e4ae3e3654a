#!/usr/bin/env python3
"""Right solutions lose no point:  right.py SOURCE GRADER [--times N] [--seeds N] [--compilers N] [HW ...]

Each homework's solution is written in other ways that are right, too: with each double a float, with the functions of
float, with exp2 for exp, with sums backwards, with Kahan's sums in float, in long double. Each is graded with inputs
of several seeds, the tests having --times as many cases, under gcc and clang with the options of OPTIONS. Prints every
grading that is not one of all points, and the counts."""

import argparse
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

OPTIONS = [
    "gcc -O1",
    "clang -O1",
    "gcc -O3 -march=native -ffp-contract=fast",
    "clang -O3 -march=native -ffp-contract=fast",
    "gcc -O0",
    "clang -O0",
    "gcc -O2 -ffp-contract=fast -march=native",
    "clang -O2",
    "gcc -O3 -march=native -ffp-contract=off",
    "clang -O3 -march=native -ffp-contract=off",
]
FUNCTIONS = "exp log sqrt tanh pow sin cos fabs log1p expm1".split()


def with_head(text, head):
    """Behind the last #include, so that no header is changed."""
    at = text.rfind("#include")
    end = text.index("\n", at) + 1
    return text[:end] + head + text[end:]


def all_float(text):
    return re.sub(r"\bdouble\b", "float", text)


def float_functions(text):
    arguments = {"pow": "x, y"}
    head = "".join(f"#define {f}({a}) {f}f({a})\n" for f in FUNCTIONS for a in [arguments.get(f, "x")])
    return with_head("#include <math.h>\n" + all_float(text), head)


def exp2_for_exp(text):
    head = "#define exp(x) exp2f((float)(x) * 1.44269504088896f)\n#define log(x) (log2f((float)(x)) * 0.69314718056f)\n"
    return with_head("#include <math.h>\n" + all_float(text), head)


def backwards(text):
    """Loops of one statement that adds to a plain variable or an element that does not change in the loop."""
    loop = r"for \(int (\w) = 0; \1 < ([\w. >-]+); \1\+\+\)\n(\s+)([^;\n]*) \+= "
    return re.sub(loop, lambda m: m[0] if re.search(rf"\b{m[1]}\b", m[4])
                  else f"for (int {m[1]} = {m[2]} - 1; {m[1]} >= 0; {m[1]}--)\n{m[3]}{m[4]} += ", all_float(text))


def kahan(text):
    """Function by function: plain sums that begin with 0."""
    head = """#define KAHAN(sum, low, x) do { \\
    volatile float one = (float)(x) - low, all = sum + one, gained = all - sum; \\
    low = gained - one; sum = all; } while (0)
"""
    functions = text.split("\n}\n")
    for i, function in enumerate(functions):
        declared = re.findall(r"double ((?:\w+ = 0, )*\w+ = 0);", function)
        for name in {word for line in declared for word in re.findall(r"(\w+) = 0", line)}:
            function = re.sub(rf"\b{name} = 0([,;])", rf"{name} = 0, {name}_low = 0\1", function)
            function = re.sub(rf"(?<=[\n)] ) *{name} \+= ([^;]+);", rf"KAHAN({name}, {name}_low, \1);", function)
        functions[i] = function
    return all_float(with_head("\n}\n".join(functions), head))


def one_pass(text):
    """The variance as E[x^2] - E[x]^2, in double."""
    return re.sub(r"variance \+= \((\w+\[j\]) - mean\) \* \(\1 - mean\)", r"variance += ((double)\1 * \1 - mean * mean)", text)


VARIANTS = {
    "as it is": lambda text: text,
    "float for double": all_float,
    "functions of float": float_functions,
    "exp2 for exp": exp2_for_exp,
    "sums backwards": backwards,
    "Kahan": kahan,
    "long double": lambda text: re.sub(r"\bdouble\b", "long double", text),
    "one pass": one_pass,
}


def more_cases(tests, times):
    """Each row of the table with `times` as many cases."""
    head, table = tests.split("const Test tests[] = {", 1)
    rows = re.split(r"(?<=\}),\n", table)
    for i, row in enumerate(rows):
        if re.search(r"\.cases = \d+", row):
            rows[i] = re.sub(r"\.cases = (\d+)", lambda m: f".cases = {int(m[1]) * times}", row)
        elif row.strip().startswith("{\""):
            rows[i] = row.rstrip()[:-1] + f", .cases = {12 * times}}}"
    return head + "const Test tests[] = {" + ",\n".join(rows)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("source", type=pathlib.Path)
    options.add_argument("grader", type=pathlib.Path)
    options.add_argument("homeworks", nargs="*")
    options.add_argument("--times", type=int, default=25)
    options.add_argument("--seeds", type=int, default=2)
    options.add_argument("--compilers", type=int, default=len(OPTIONS))
    options = options.parse_intermixed_args()
    root = options.source.resolve() / "lectures/homework"
    gradings = lost = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        compilers = [o.split(" ", 1) for o in OPTIONS[: options.compilers] if shutil.which(o.split()[0])]
        for folder in sorted(root.glob("hw*-*")):
            hw = folder.name.split("-")[0]
            if options.homeworks and hw not in options.homeworks:
                continue
            copy = work / folder.name
            shutil.copytree(folder, copy)
            tests = copy / "tests.c"
            tests.write_text(more_cases(tests.read_text(), options.times))
            call = [options.grader.resolve(), root, work / "cache"]
            subprocess.run([*call, "handout", folder, work / "solved", "--solution"], check=True, capture_output=True)
            solution = (work / "solved" / f"{hw}.c").read_text()
            shutil.rmtree(work / "solved")
            texts = {name: change(solution) for name, change in VARIANTS.items()}
            if hw == "hw6": # its loops that add count pieces of a text
                del texts["sums backwards"]
            texts = {name: t for name, t in texts.items() if name == "as it is" or t != solution}
            for compiler, (name, text) in itertools.product(compilers, texts.items()):
                file = work / f"{hw}.c"
                file.write_text(text)
                for seed in range(options.seeds):
                    run = subprocess.run([*call, "grade", copy, file, "--seed", str(2 * seed + 1),
                                          "--hidden-seed", str(2 * seed + 2)], capture_output=True, text=True,
                                         check=False,
                                         env={**os.environ, "CC": compiler[0], "GRADER_FLAGS": compiler[1]})
                    gradings += 1
                    if run.returncode:
                        lost += 1
                        print(f"{hw}, {name}, {' '.join(compiler)}, seeds {2 * seed + 1} and {2 * seed + 2}:")
                        print("    " + (run.stdout + run.stderr)[:1500].replace("\n", "\n    "), flush=True)
            print(f"{hw}: {len(texts)} texts, {len(compilers)} compilers", flush=True)
            shutil.rmtree(work / "cache", ignore_errors=True)
    print(f"{gradings} gradings, each with {options.times} times as many cases: {lost} lost points")
    return lost > 0


if __name__ == "__main__":
    raise SystemExit(main())

#!/usr/bin/env python3
"""Changes one token of a homework's solution at a time and runs the homework's tests on each such mutant:
    python3 tests/homework/mutants.py [HOMEWORK...] [--gradings N] [--every K]
Each mutant loses points in each grading, or stands in mutants.txt with the reason why it computes the same. All mutants of
a solution are in one program (mutants.c), so that one costs some milliseconds. --every K tries each K-th alone."""
import argparse, os, re, subprocess, sys, tempfile
from pathlib import Path

from changes import Function, partial_changes, without_comments, word_changes

top = Path(__file__).resolve().parents[2]
homework, runner = top / "lectures/homework", top / "lectures/homework/grader/runner"


class Solution:
    def __init__(self, folder):
        self.id = folder.name if folder.name.startswith("lab-") else folder.name.split("-")[0]
        self.folder, self.source = folder, folder / f"{self.id}.c"
        self.lines = self.source.read_text().splitlines()
        text, header = without_comments(self.source.read_text()), without_comments((folder / f"{self.id}.h").read_text())
        self.declared = re.findall(r"TASK [\w \*]*?(\w+)\(", header)
        self.constants = re.findall(r"\b[A-Z][A-Z_0-9]*\b", " ".join(re.findall(r"enum\s*{([^}]*)}", header)))
        self.functions, self.rest, at = [], "", 0
        for m in re.finditer(r"^(?:static )?[\w \*]*?\b(\w+)\([^;{}]*\)\n{", text, re.M):
            close = text.index("\n}", m.end()) + 2
            self.functions.append(Function(text, m[1], text[m.start():m.end() - 1], m.end() - 1, close))
            self.rest += text[at:m.start()]
            at = close
        self.rest += text[at:]
        self.mutants = [(None, None, "", "")]
        seen = set()
        for f in self.functions:
            words = [(k, change, f"{f.tokens[k]} -> {' '.join(w for w in change.values() if w)}{f.which(k)}")
                     for k, change in word_changes(f)]
            for k, change, says in words + list(partial_changes(f, self.constants)):
                new = f.text(change)
                balanced = all(new.count(a) == new.count(b) for a, b in ("()", "{}"))
                if (f.name, new) not in seen and new != f.text({}) and balanced:
                    seen.add((f.name, new))
                    self.mutants.append((f, k, new, says))

    def called(self, name):
        """The functions that may call this one."""
        callers, grown = {name}, True
        while grown:
            grown = {f.name for f in self.functions if callers & set(f.tokens)} - callers
            callers |= grown
        return callers

    def generated(self, left_out):
        """One C text: a function of a number for each mutant, a line each, and the pointers by which all are called."""
        own = {f.name for f in self.functions}
        point = lambda text: re.sub(r"(?<![.>\w])(%s)(?= \()" % "|".join(own), r"(*\1_now)", text)
        out = [f"#define {n} (*{n}_now)" for n in own] + [f'#include "{self.id}.h"'] + [f"#undef {n}" for n in own]
        out += self.rest.replace(f'#include "{self.id}.h"', "").splitlines()
        for f in self.functions:
            if f.name not in self.declared:
                out.append(re.sub(r"\b%s\(" % f.name, f"(*{f.name}_now)(", f.head) + ";")
            else:
                out.append(f"extern __typeof__(*{f.name}_now) {f.name}_solution;")
        for f in self.functions:
            out.append(re.sub(r"\b%s\(" % f.name, f"{f.name}__0(", f.head) + point(f.text({})))
        self.line = {}
        for number, (f, _, new, _) in enumerate(self.mutants):
            if number and number not in left_out:
                out.append(re.sub(r"\b%s\(" % f.name, f"{f.name}__{number}(", f.head) + point(new))
                self.line[len(out)] = number
        out.append("void choose(int m) {" + " ".join(f"{n}_now = {n}__0;" for n in own) + " switch (m) {")
        out += [f"case {number}: {f.name}_now = {f.name}__{number}; break;" for number, (f, _, _, _) in enumerate(self.mutants)
                if number and number not in left_out]
        out.append("} }\n#include <string.h>\nvoid use_solution(const char *name) {")
        out += [f'if (strcmp(name, "{n}") == 0) {n}_now = {n}_solution;' for n in self.declared if n in own]
        out.append("}\nint mutants_function(int m, const char *name) { static const char *const callers[] = {")
        callers = {n: '" %s "' % " ".join(sorted(self.called(n))) for n in own}
        out += [callers[f.name] + "," if f else '"",' for f, _, _, _ in self.mutants]
        out.append('}; char word[64] = " "; strcat(strcat(word, name), " "); return strstr(callers[m], word) != 0; }')
        return "\n".join(out) + "\n"


def run(words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)


WORDS = ["-std=gnu11", "-fcommon", "-ffp-contract=off", "-Werror=implicit-function-declaration", "-Werror=int-conversion",
         "-Werror=incompatible-pointer-types", f"-I{top}", f"-I{runner}"]
SANITIZER = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DHOMEWORK_SANITIZED"]
HEAP = [f"-D{f}=__wrap_{f}" for f in ("malloc", "calloc", "realloc", "free")]


def build(s, work, name, flags, sanitized):
    here, own = ["-g1", "-O0", f"-I{s.folder}"] + WORDS + flags, s.declared
    sources = [(work / "mutants_all.c", ["-ftrivial-auto-var-init=" + ("zero" if name == "sane" else "pattern")] + ([] if sanitized else HEAP)),
               (s.source, [f"-D{n}={n}_solution" for n in own]), (s.folder / "tests.c", [f"-D{n}=(*{n}_now)" for n in own])]
    sources += [(top / "tests/homework/mutants.c", []), (runner / "case.c", []), (runner / "heap.c", [])]
    objects = []
    for source, words in sources:
        objects.append(work / f"{name}-{source.stem}.o")
        said = run(["gcc"] + here + words + ["-c", source, "-o", objects[-1]])
        if said.returncode:
            sys.exit(f"{source}: {said.stderr[:2000]}")
    said = run(["gcc", "-o", work / name] + objects + flags + ["-lm"])
    if said.returncode:
        sys.exit(said.stderr[:2000])
    return work / name


def compiled_alike(s, numbers, work):
    """Those of the mutants from which an optimising compiler makes what it makes from the solution."""
    source = work / "alike.c"
    text = s.generated({n for n in range(1, len(s.mutants)) if n not in numbers})
    source.write_text(re.sub(r"^static (?=[^;]*{)", "", text, flags=re.M))
    said = run(["gcc", "-O2", "-S", "-fno-inline", "-fno-ipa-icf", "-fno-asynchronous-unwind-tables", "-ffunction-sections", "-fno-ipa-cp",
                "-fno-ipa-sra", "-fno-ipa-ra", "-fno-ipa-pure-const", f"-I{s.folder}"] + WORDS + [source, "-o", work / "alike.s"])
    if said.returncode:
        sys.exit(said.stderr[:2000])
    made = {}
    for name, number, body in re.findall(r"^(\w+)__(\d+):\n(.*?)^\t\.size\t", (work / "alike.s").read_text(), re.M | re.S):
        labels = {}
        made[name, int(number)] = re.sub(r"\.L\w+", lambda m: labels.setdefault(m.group(), f".L{len(labels)}"),
                                         re.sub(r"__\d+", "", body))
    return {n for n in numbers if made.get((s.mutants[n][0].name, n)) == made[s.mutants[n][0].name, 0]}


def survivors(s, work, every, gradings):
    """{number: in how many gradings it keeps all points}, how many were tried."""
    left_out, source = {n for n in range(1, len(s.mutants)) if n % every}, work / "mutants_all.c"
    for _ in range(8):
        source.write_text(s.generated(left_out))
        said = run(["gcc", "-fsyntax-only", "-fmax-errors=0", f"-I{s.folder}"] + WORDS + [source])
        wrong = {s.line.get(int(n)) for n in re.findall(r"^[^\n]*mutants_all\.c:(\d+):\d+: error", said.stderr, re.M)}
        if None in wrong:
            sys.exit(s.id + ":\n" + "\n".join(e for e in said.stderr.splitlines() if ": error:" in e
                                           and s.line.get(int(re.search(r":(\d+):", e)[1])) is None))
        left_out |= wrong
        if not wrong:
            break
    alive = {n: gradings for n in range(1, len(s.mutants)) if n not in left_out}
    tried, alike = len(alive), set()
    seeds = [str(x) for x in (1, 4711, 2, 99991, 77, 31337, 123456789, 5)][:2 * gradings]
    passes = {n: gradings for n in alive}
    for name, flags, sanitized in (("float", [], False), ("double", ["-DGRADUS_F64"], False),
                                   ("sane", SANITIZER, True),
                                   ("sane64", ["-DGRADUS_F64"] + SANITIZER, True)):
        if not passes:
            break
        if sanitized:  # the survivors alone
            if name == "sane":
                alike = compiled_alike(s, set(passes), work)
                passes = {n: kept for n, kept in passes.items() if n not in alike}
            source.write_text(s.generated({n for n in range(1, len(s.mutants)) if n not in passes}))
        said = run([build(s, work, name, flags, sanitized)] + seeds, input="\n".join(map(str, passes)),
                   env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=77"})
        if said.returncode:
            sys.exit(f"{s.id} {name}: {said.returncode} {said.stderr[:2000]}")
        for n, kept in (map(int, line.split()) for line in said.stdout.splitlines()):
            passes[n] = min(passes[n], kept)
        passes = {n: kept for n, kept in passes.items() if kept}
    return passes, tried, len(alike)


def reasons():
    """The lines of mutants.txt: (homework, pattern of the line, pattern of the change, why it computes the same)."""
    pattern = lambda text: re.compile(".*".join(re.escape(part) for part in text.split("...")) + "$")
    for line in (top / "tests/homework/mutants.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, code, change, why = line.split(" | ")
            yield name, pattern(code), pattern(change), why


# Of these every mutant was looked at. The others are tried by name: some mutants are neither listed nor lose points yet.
WHOLE = ["hw0", "hw2", "hw3b", "hw4b", "hw6", "hw8", "hw9"]


def sample():
    """In the suite: all of these with --all, otherwise a sixth of hw2's."""
    return (WHOLE, 1) if os.environ.get("GRADUS_TEST_ALL") else (["hw2"], 6)


def main():
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("homework", nargs="*")
    ask.add_argument("--gradings", type=int, default=2)
    ask.add_argument("--every", type=int, default=1)
    ask.add_argument("--suite", action="store_true")
    o = ask.parse_args()
    if o.suite:
        o.homework, o.every = sample()
    known, bad, cases = list(reasons()), 0, 0
    for folder in sorted(homework.glob("hw*-*/")):
        s_id = folder.name.split("-")[0]
        if o.homework and s_id not in o.homework:
            continue
        s, open_, cases = Solution(folder), 0, cases + 1
        with tempfile.TemporaryDirectory() as work:
            passes, tried, alike = survivors(s, Path(work), o.every, o.gradings)
        for n, kept in sorted(passes.items()):
            f, k, _, says = s.mutants[n]
            line = s.lines[f.lines[k] - 1].strip()
            if not any(s_id == name and code.match(line) and change.match(says) for name, code, change, _ in known):
                print(f"# {s.id}.c:{f.lines[k]} | {line} | {says} | keeps all points in {kept} of {o.gradings}", flush=True)
                open_ += 1
        print(f"{'not ok' if open_ else 'ok'} {cases} - {s_id}: of {tried} mutants {tried - len(passes) - alike} lose points, "
              f"{len(passes) - open_ + alike} compute the same, {open_} keep all points", flush=True)
        bad += open_
    print(f"1..{cases}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

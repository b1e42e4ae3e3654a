#!/usr/bin/env python3
"""Changes one token of a right answer at a time and judges each such mutant:
    python3 tests/homework/mutants.py [NAME...] [--grader GRADER] [--build BUILD] [--gradings N] [--every K]
NAME: a homework or a lab (hw1, lab-op), or the exercises of a chapter (chapter-4). Each mutant loses points in each grading, or
its exercise's claim fails; or it stands in mutants.txt with the reason why it computes the same, and none that loses points stands
there. A milestone grades the functions that it calls. All mutants of a file are in one program, so that one costs some
milliseconds. --every K tries each K-th alone."""
import argparse, os, re, resource, subprocess, sys, tempfile
from pathlib import Path

from changes import Function, partial_changes, without_comments, word_changes

top = Path(__file__).resolve().parents[2]
homework, runner = top / "lectures/homework", top / "lectures/homework/grader/runner"
# Of a lab the functions whose results follow from what they are given, with what these call; of an empty list all. How
# lab-train trains, what a figure looks like is free: there most mutants are right, too. The slow ones are tried by name alone.
SLOW = ["lab-claim", "lab-train"]
LABS = {"lab-claim": [], "lab-op": [], "lab-module": [], "lab-plot": ["head_score"], "lab-train": ["logits", "release"]}


class Solution:
    """Of a homework or a lab."""
    def __init__(self, folder):
        self.is_lab = folder.name.startswith("lab-")
        self.patience = ["-DMILLISECONDS=4000"] * self.is_lab  # the library's samples are many
        if folder.name == "lab-train":
            self.patience = ["-DMILLISECONDS=60000", "-DTRAINS"]
        id_ = folder.name if self.is_lab else folder.name.split("-")[0]
        header = without_comments((folder / f"{id_}.h").read_text())
        self.declared = re.findall(r"TASK [\w \*]*?(\w+)\(", header)
        self.constants = re.findall(r"\b[A-Z][A-Z_0-9]*\b", " ".join(re.findall(r"enum\s*{([^}]*)}", header)))
        self.read(id_, folder / f"{id_}.c")

    def read(self, id_, source):
        self.id, self.folder, self.source = id_, source.parent, source
        self.lines, text = source.read_text().splitlines(), without_comments(source.read_text())
        self.functions, self.between, at = [], [], 0
        for m in re.finditer(r"^(?:static )?[\w \*]*?\b(\w+)\([^;{}]*\)\n{", text, re.M):
            close = text.index("\n}", m.end()) + 2
            self.functions.append(Function(text, m[1], text[m.start():m.end() - 1], m.end() - 1, close))
            self.between.append(text[at:m.start()])
            at = close
        self.between.append(text[at:])
        words = re.findall(r"(\w+)\s*(\(?)", " ".join(self.between + [f.text({}) for f in self.functions]))
        self.pointed = {name for name, call in words if not call}  # functions in tables, among other words
        self.pointed |= {f.name for f in self.functions if not f.head.startswith("static ")}
        self.mutants = [(None, None, "", "")]
        seen = set()
        for f in self.mutated():
            words = [(k, change, f"{f.tokens[k]} -> {' '.join(w for w in change.values() if w)}{f.which(k)}")
                     for k, change in word_changes(f)]
            for k, change, says in words + list(partial_changes(f, self.constants)):
                new = f.text(change)
                balanced = all(new.count(a) == new.count(b) for a, b in ("()", "{}"))
                if (f.name, new) not in seen and new != f.text({}) and balanced:
                    seen.add((f.name, new))
                    self.mutants.append((f, k, new, says))

    def includes(self):
        return [f'#include "{self.id}.h"']

    def mutated(self):
        """The functions that are judged, and what these call."""
        judged = {f.name for f in self.functions if self.judges(f.name)}
        return [f for f in self.functions if judged & self.callers(f.name)]

    def judges(self, name):
        return not LABS.get(self.id) or name in LABS[self.id]

    def survivors(self, work, o):
        """With what the grader expects, which a grading of the solution computes."""
        seeds = [str(x) for x in (1, 4711, 2, 99991, 77, 31337, 123456789, 5)][:2 * o.gradings]
        run([o.grader, homework, self.cache, "handout", self.id, work / "solved", "--solution"])
        for visible, hidden in zip(seeds[::2], seeds[1::2]):
            said = run([o.grader, homework, self.cache, "grade", self.id, work / "solved" / self.source.name,
                        "--seed", visible, "--hidden-seed", hidden])
            if said.returncode:
                sys.exit(f"{self.id}: {said.stdout[-2000:]}{said.stderr[:2000]}")
        return keeping(self, work, o.every, [next(self.cache.glob(f"{self.folder.name}-*/expected"))] + seeds)

    def callers(self, name):
        """The functions that name this one, or one that names it."""
        callers, grown = {name}, True
        while grown:
            grown = {f.name for f in self.functions if callers & set(f.tokens)} - callers
            callers |= grown
        return callers

    def called(self, name):
        """The functions that may call this one."""
        callers = self.callers(name)
        return {f.name for f in self.functions} if callers & self.pointed - set(self.declared) else callers

    def generated(self, left_out):
        """One C text: a function of a number for each mutant, a line each, and the pointers by which all are called."""
        own = {f.name for f in self.functions}
        point = lambda text: re.sub(r"(?<![.>\w])(%s)(?= \()" % "|".join(own), r"(*\1_now)", text)
        out = [f"#define {n} (*{n}_now)" for n in self.declared] + self.includes() + [f"#undef {n}" for n in self.declared]
        for f, before in zip(self.functions, self.between):
            out += before.replace(f'#include "{self.id}.h"', "").splitlines()
            if f.name not in self.declared:
                out.append(re.sub(r"\b%s\(" % f.name, f"(*{f.name}_now)(", f.head) + ";")
                out += [f.head + ";"] * (f.name in self.pointed)
            else:
                out.append(f"extern __typeof__(*{f.name}_now) {f.name}_solution;")
        out += self.between[-1].splitlines()
        for f in self.functions:
            if f.name in self.pointed - set(self.declared):
                names = re.findall(r"(\w+)(?:\[\w*\])*(?=[,)])", re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", f.head))
                gives = "" if re.match("(static )?void ", f.head) else "return "
                out.append(f"{f.head} {{ {gives}{f.name}_now({', '.join(names)}); }}")
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
    fill = "-ftrivial-auto-var-init=" + ("zero" if name == "sane" else "pattern")
    sources = [(work / "mutants_all.c", [fill] + ([] if sanitized else HEAP)),
               (s.source, [f"-D{n}={n}_solution" for n in own]), (s.folder / "tests.c", [f"-D{n}=(*{n}_now)" for n in own])]
    sources += [(top / "tests/homework/mutants.c", s.patience), (runner / "case.c", []), (runner / "heap.c", [])]
    objects = []
    for source, words in sources:
        objects.append(work / f"{name}-{source.stem}.o")
        said = run(["gcc"] + here + words + ["-c", source, "-o", objects[-1]])
        if said.returncode:
            sys.exit(f"{source}: {said.stderr[:2000]}")
    object_ = {"float": "float.o", "sane": "sanitized.o"}.get(name, "double.o")
    library = [next(s.cache.glob("library-*")) / object_] if s.is_lab else []
    said = run(["gcc", "-o", work / name] + objects + flags + library + ["-lm"])
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


def compiled(s, source, every):
    """The numbers of the mutants that a compiler accepts. Writes all of them into the source."""
    left_out = {n for n in range(1, len(s.mutants)) if n % every}
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
    return {n for n in range(1, len(s.mutants)) if n not in left_out}


def keeping(s, work, every, words):
    """{number: in how many gradings it keeps all points}, those that were tried, those of these that are compiled alike."""
    source = work / "mutants_all.c"
    alive, alike = compiled(s, source, every), set()
    passes = dict.fromkeys(alive)
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
        said = run([build(s, work, name, flags, sanitized)] + words, input="\n".join(map(str, passes)),
                   env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=77"})
        if said.returncode:
            sys.exit(f"{s.id} {name}: {said.returncode} {said.stderr[:2000]}")
        for n, kept in (map(int, line.split()) for line in said.stdout.splitlines()):
            passes[n] = kept if passes[n] is None else min(passes[n], kept)
        passes = {n: kept for n, kept in passes.items() if kept}
    return passes, alive, alike


class Exercises(Solution):
    """Those of a chapter: the functions of a file solutions*.c that are right, and what they call. The chapters' program
    judges them, by its exit status."""
    declared, constants = [], []

    def __init__(self, source):
        self.read("chapter-" + source.parent.name[1], source)

    def judges(self, name):
        return name.endswith("_solved")

    def includes(self):
        return []

    def shell(self, command, folder):
        said = run(["sh", "-c", command], cwd=folder, env=os.environ | {"MUTANT": "0"})
        if said.returncode:
            sys.exit(f"{self.id}: {said.stdout[-2000:]}{said.stderr[:2000]}")

    def survivors(self, work, o):
        source = work / "mutants_all.c"
        alive = compiled(self, source, o.every)
        with open(source, "a") as file:
            file.write("#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { choose(atoi(getenv(\"MUTANT\"))); }\n")
        words, seconds = self.program(work, o), 10
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # of processor time, of each process
        holds = lambda n: run(words, preexec_fn=limit, env=os.environ | {"MUTANT": str(n), "ASAN_OPTIONS": "detect_leaks=0"}).returncode == 0
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        before = used()
        if not holds(0):
            sys.exit(f"{self.id}: the right answers are judged wrong")
        seconds = 1 + int(5 * (used() - before))
        passes = {n: o.gradings for n in alive if holds(n)}
        alike = compiled_alike(self, set(passes), work)
        return {n: kept for n, kept in passes.items() if n not in alike}, alive, alike

    def program(self, work, o):
        """The chapters' program with the mutants; they and the exercises find accesses beyond arrays, as --try does."""
        build = Path(o.build).resolve()
        sources = {self.source: work / "mutants_all.c"} | {file: file for file in self.folder.glob("exercises*.c")}
        *all_, link = run(["ninja", "-C", build, "-t", "commands", "lectures/lectures"]).stdout.splitlines()
        link = link.replace(" -o lectures/lectures ", f" -fsanitize=address -o '{work}/lectures' ")
        for file, instead in sources.items():
            command = next(c for c in all_ if c.endswith(f" -c {os.path.relpath(file, build)}"))
            before, object_ = re.match(r"(.*) -M[DQ] .* -o (\S+) -c", command).groups()
            own = work / object_.replace("/", "-")
            link = link.replace(f" {object_} ", f" '{own}' ")
            self.shell(f"{before} -w -g1 -fsanitize=address -I'{self.folder}' -o '{own}' -c '{instead}'", build)
        self.shell(link, build)
        return [work / "lectures", "claims", self.id[-1], "--try", "all:solved"]


def reasons():
    """The lines of mutants.txt: (homework, pattern of the line, pattern of the change, why it computes the same)."""
    one = lambda text: ".*".join(re.escape(part) for part in text.split("..."))
    pattern = lambda text: re.compile("(" + "|".join(map(one, text.split(" or "))) + ")$")
    for line in (top / "tests/homework/mutants.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, code, change, why = line.split(" | ")
            yield name, pattern(code), pattern(change), why


def is_known(known, s, n):
    """Does mutants.txt have a line for this mutant? A line of the solution may stand with the next one: "first / second"."""
    f, k, _, says = s.mutants[n]
    line, following = (x.strip() for x in (s.lines + [""])[f.lines[k] - 1:f.lines[k] + 1])
    return any(s.id == name and change.match(says) and (code.match(line) or code.match(f"{line} / {following}"))
               for name, code, change, _ in known)


def sample():
    """In the suite: every fourth mutant with --all, otherwise a sixth of hw2's and of one chapter's."""
    return (None, 4) if os.environ.get("GRADUS_TEST_ALL") else (["hw2", "chapter-0"], 6)


def main():
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("homework", nargs="*")
    ask.add_argument("--grader", help="computes what is expected; without it there are no homeworks and labs")
    ask.add_argument("--build", help="a build folder, for the exercises of chapters; without it there are none")
    ask.add_argument("--gradings", type=int, default=2)
    ask.add_argument("--every", type=int, default=1)
    ask.add_argument("--suite", action="store_true")
    o = ask.parse_args()
    if o.suite:
        o.homework, o.every = sample()
    known, bad, cases, cache = list(reasons()), 0, 0, tempfile.TemporaryDirectory()
    solutions = [Solution(f) for f in sorted(homework.glob("hw*-*/")) + [homework / lab for lab in LABS] if o.grader]
    solutions += [Exercises(f) for f in sorted(top.glob("lectures/0*/solutions*.c")) if o.build]
    for s in solutions:
        if s.id not in o.homework if o.homework else s.id in SLOW:
            continue
        cases, open_, wide = cases + 1, 0, 0
        with tempfile.TemporaryDirectory() as work:
            s.cache = Path(cache.name)
            passes, tried, alike = s.survivors(Path(work), o)
        for n in sorted(tried - alike):
            kept, listed = passes.get(n, 0), is_known(known, s, n)
            if listed and kept == o.gradings or not listed and not kept:
                continue
            f, k, _, says = s.mutants[n]
            print(f"# {s.id}, {s.source.name}:{f.lines[k]} | {s.lines[f.lines[k] - 1].strip()} | {says} | keeps all points in {kept} of "
                  f"{o.gradings}{', but stands in mutants.txt' * listed}", flush=True)
            open_, wide = open_ + (not listed), wide + listed
        same = len(passes.keys() | alike) - open_
        print(f"{'not ok' if open_ + wide else 'ok'} {cases} - {s.id}: of {len(tried)} mutants {len(tried) - same - open_} lose points, "
              f"{same} compute the same, {open_} keep all points; mutants.txt excuses {wide} of those that lose points", flush=True)
        bad += open_ + wide
    print(f"1..{cases}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

"""changes.py: the small changes of a C function, for mutants.py: one token, or one token in one iteration or branch alone."""
import re

OPERATORS = {"+": "-*", "-": "+*", "*": "/+", "/": "*", "%": "/"}
SAME = {"=": ["+="], "+=": ["=", "-="], "-=": ["=", "+="], "*=": ["=", "/="], "/=": ["*=", "="], "++": ["--"], "--": ["++"],
        "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
        "&&": ["||"], "||": ["&&"]}
TOKEN = re.compile(r"\s+|(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?:\d+\.?|\.\d)(?:[eE][+-]?\d+|[\w.])*|[A-Za-z_]\w*"
                   r"|->|\+\+|--|[<>=!+*/%&|^-]=|&&|\|\||<<|>>|.)", re.S)
BASES = "int long size_t real float double bool char".split()


def without_comments(text):
    blank = lambda m: m.group() if m.group()[0] == '"' else re.sub(r"[^\n]", " ", m.group())
    return re.sub(r'"(?:\\.|[^"\\])*"|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


class Function:
    """Of a solution: its name, the tokens of its body, the line of each, what stands before it."""
    def __init__(self, text, name, head, open_, close):
        self.name, self.head, self.tokens, self.lines = name, " ".join(head.split()), [], []
        for m in TOKEN.finditer(text, open_, close):
            if m.group(1):
                self.tokens.append(m.group(1))
                self.lines.append(text.count("\n", 0, m.start()) + 1)
        self.match, opened = {}, []
        for k, t in enumerate(self.tokens):
            if t in "([{":
                opened.append(k)
            elif t in ")]}":
                self.match[k] = opened.pop()
                self.match[self.match[k]] = k
        self.types = {}  # of variables, by name; one name has one type in a function
        for one in re.sub(r".*?\((.*)\)", r"\1", self.head).split(","):
            if m := re.match(r" *(?:const )?([\w ]*?) ?(\**) ?(?:const )?(\w+)(\[.*)?$", one):
                self.types[m[3]] = m[1] + m[2] + "*" * bool(m[4])
        for k, t in enumerate(self.tokens):
            if t in BASES and self.tokens[k + 1] not in ") *".split() or (
                    t in BASES and self.tokens[k + 1] == "*" and self.tokens[k + 2] not in (")", "const")):
                self.declare(t, k + 1)

    def declare(self, kind, k):
        while k < len(self.tokens) and self.tokens[k] not in ";)":
            stars = 0
            while self.tokens[k] in ("*", "const"):
                stars, k = stars + (self.tokens[k] == "*"), k + 1
            name, k = self.tokens[k], k + 1
            if not re.match(r"[A-Za-z_]", name) or name in BASES:
                return
            stars += self.tokens[k] == "["
            self.types.setdefault(name, kind + "*" * stars)
            while self.tokens[k] not in ",;)":
                k = self.match[k] + 1 if self.tokens[k] in "([{" else k + 1
            k += self.tokens[k] == ","

    def statement(self, k):
        """The simple statement of token k: its first and last token; None in the brackets of for, if, while."""
        a, b = k, k
        while a > 0 and self.tokens[a - 1] not in (";", "{", "}", "else") and not self.ends_head(a - 1):
            a = self.match[a - 1] if self.tokens[a - 1] in ")]" else a - 1
            if self.tokens[a - 1] == "(" and a - 1 not in (self.match.get(k),):
                return None
        while self.tokens[b] != ";":
            b = self.match[b] if self.tokens[b] in "([{" else b
            b += 1
            if b >= len(self.tokens) or self.tokens[b] in ")}":
                return None
        return (a, b)

    def which(self, k):
        """" (2)" where token k is the second of its kind in its line."""
        same = [j for j, t in enumerate(self.tokens) if t == self.tokens[k] and self.lines[j] == self.lines[k]]
        return f" ({same.index(k) + 1})" if len(same) > 1 else ""

    def ends_head(self, k):
        return self.tokens[k] == ")" and self.tokens[self.match[k] - 1] in ("for", "if", "while")

    def around(self, k):
        """The brackets of the heads of for, if and while around token k: (word, open, close)."""
        found = []
        for j, word in enumerate(self.tokens[:k]):
            if word not in ("for", "if", "while") or self.tokens[j + 1] != "(":
                continue
            close = self.match[j + 1]
            if close < k <= self.last_of(close + 1):
                found.append((word, j + 1, close))
        return found

    def last_of(self, k):
        """The last token of the statement that begins at k."""
        while k < len(self.tokens):
            t = self.tokens[k]
            if t == "{":
                return self.match[k]
            if t == ";":
                return k
            if t in ("for", "if", "while"):
                end = self.last_of(self.match[k + 1] + 1)
                while t == "if" and self.tokens[end + 1:end + 2] == ["else"]:
                    end = self.last_of(end + 2)
                return end
            k = self.match[k] + 1 if t in "([" else k + 1
        return len(self.tokens) - 1

    def text(self, changes):
        return " ".join(changes.get(k, t) for k, t in enumerate(self.tokens) if changes.get(k, t))


def chooses_larger(t, k):
    """a > b ? a : b, where a tie does not matter."""
    return any(t[k - n:k] + [":"] + t[k + 1:k + 1 + m] == t[k + 2 + m:k + 3 + n + 2 * m] and t[k + 1 + m] == "?"
               for n in (1, 4) for m in (1, 4))


def word_changes(f):
    """Each: the token, the change {token: new text}."""
    t = f.tokens
    header = set()
    for k, word in enumerate(t):
        if word in ("for", "while", "if"):
            header.update(range(k + 2, f.match[k + 1]))
    for k, word in enumerate(t):
        before, after = t[k - 1] if k else "", t[k + 1] if k + 1 < len(t) else ""
        binary = re.match(r"[\w.)\]]", before) and before not in ("return", "const", "real", "int", "double", "float", "case")
        if word in SAME:
            for other in SAME[word]:
                if word + other not in (">>=", "<<=") or not chooses_larger(t, k):
                    yield k, {k: other}
        elif word in OPERATORS and binary and before not in BASES:
            for other in OPERATORS[word]:
                yield k, {k: other}
        elif word in ("-", "!") and not binary:
            yield k, {k: ""}
        elif re.match(r"[\d.]", word):
            for step in "+-":
                yield k, {k: f"({word} {step} 1)"}
        elif word in f.types and before not in (".", "->") and after != "(":
            for other, kind in f.types.items():
                if other != word and kind == f.types[word]:
                    yield k, {k: other}
            if k in header and f.types[word].endswith("int") and after not in ("=", "++", "--", "+=", "-="):
                for step in "+-":
                    yield k, {k: f"({word} {step} 1)"}
        elif word in ("if", "while"):
            for value in (f"(!{' '.join(t[k + 1:f.match[k + 1] + 1])})",) + (("(1)", "(0)") if word == "if" else ()):
                yield k, {j: "" for j in range(k + 2, f.match[k + 1] + 1)} | {k + 1: value}
        elif word == ";" and k not in header and (span := f.statement(k - 1)) and span[0] < k and not (
                t[span[0]] == "return" and span[0] < k - 1):
            yield span[0], {j: "" for j in range(span[0], k)}


def told(f, k):
    """What is known at token k: (condition, whether it holds)."""
    t, found = f.tokens, []
    for j, word in enumerate(t[:k]):
        if word != "if" or t[j + 1] != "(":
            continue
        close = f.match[j + 1]
        then, text = f.last_of(close + 1), " ".join(t[j + 2:close])
        if close < k <= f.last_of(j):
            found.append((text, k <= then))
        elif then < k and t[close + 1] in ("continue", "return", "break") and any(
                o <= j and k <= c for o, c in f.match.items() if o < c and t[o] == "{"):
            block = min((c - o, o) for o, c in f.match.items() if o < j < c and t[o] == "{")[1]
            found += [(text, False)] * (k < f.match[block])
    return found


def impossible(where, known):
    """Does what is known exclude `where`, or say it?"""
    side, _, value = where.partition(" == ")
    return any(c == where or (holds and c.startswith(side + " == ") and value and re.match(r"[A-Z]", value)) for c, holds in known)


def partial_changes(f, constants):
    """The same in one iteration of a loop alone, or in one branch: an assignment is made the other way, or not at all."""
    t = f.tokens
    conditions = {" ".join(t[k + 2:f.match[k + 1]]) for k, word in enumerate(t) if word == "if"}
    for c in list(conditions):
        if m := re.match(r"(.*) == ([A-Z]\w*)$", c):
            conditions.update(f"{m[1]} == {other}" for other in constants)
    for k, word in enumerate(t):
        if word not in ("=", "+=", "-=", "*=", "/=") or k not in range(len(t)) or not (span := f.statement(k)):
            continue
        a, b = span
        left, right, wheres, firsts = " ".join(t[a:k]), " ".join(t[k + 1:b]), set(), ()
        declares = re.match(r"(const )?(int|long|size_t|real|float|double|bool|char|unsigned) ", left)
        around = f.around(a)
        for kind, open_, close in around:
            m = re.match(r"(?:int )?(\w+) = (.*?)(?: , .*)? ; \1 (<|<=|>|>=) (.*?) ;", " ".join(t[open_ + 1:close])) if kind == "for" else None
            if m:
                step = {"<": " - 1", ">": " + 1"}.get(m[3], "")
                wheres.update((f"{m[1]} == ({m[2]})", f"{m[1]} == ({m[4]}){step}"))
                firsts = (f"{m[1]} == ({m[2]})",)  # of the innermost loop
        wheres |= conditions - {" ".join(t[o + 2 - 1:c]) for _, o, c in around}
        known = told(f, a)
        for where in sorted(wheres):
            if impossible(where, known):
                continue
            if declares and word == "=" and "," not in t[a:b] and left.split()[-1] not in where.split():
                other = f"({right}) + 1" if declares[2] in ("int", "bool") else f"-({right})"
                yield k, {j: "" for j in range(k + 1, b)} | {k: f"= ({where}) ? {other} : ({right})"}, f"{where}: {left} = {other}"
            if declares:
                continue
            first = word == "+=" and re.search(r"\b%s = 0 [,;]" % re.escape(left), " ".join(t[:a])) and where in firsts
            others = ([f"{left} {o} {right} ;" for o in SAME[word][:not first]] + [f"{left} {word} -({right}) ;"] * (right != "0") if word != "*=" else []) + [";"]
            for other in others:
                yield a, {j: "" for j in range(a, b)} | {b: f"{{ if ({where}) {other} else {' '.join(t[a:b + 1])} }}"}, f"{where}: {other}"

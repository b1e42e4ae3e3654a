#!/usr/bin/env python3
"""amalgamate.py: writes the library as two files, gradus.c and gradus.h.

    amalgamate.py SOURCE VERSION OUT.c OUT.h OUT.d FILE... --if CONDITION FILE... --simd FILE...

SOURCE is the project. gradus.h is gradus.h, autograd/inspect.h, plot/pages.h and tensor/files.h. gradus.c is the FILEs, each internal header before the first file
that includes it. The FILEs after --if stand in an #if of that condition, those after --simd are repeated for each
instruction set. meson.build has the lists. OUT.d lists all files that were read.

One file is one scope. So a static name (function, variable, type, enumerator) that two files define, or that is one
word, as the names of C libraries are, is prefixed with its file's name: append of nn/cache.c becomes cache__append. In
the SIMD kernels every name at file scope gets the set's name as a suffix: load_avx2. A macro of a .c file ends with
the file.
"""
import collections
import glob
import os
import re
import sys

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<system>\#[ \t]*include[ \t]*<[^>]+>)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<space>(?:\\\n|\s)+)|(?P<mark>->|\#\#|.)""",
    re.S | re.X,
)
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"][^\n]*\n')
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?((?:\\\n|[^\n])*)", re.M)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*$")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*", re.M | re.S)

# What a compiler that has one set of flags for the file must be told before a set's kernels.
SETS = {
    "base": ("", []),
    "avx2": ("avx2,fma,bmi,bmi2,lzcnt,popcnt,movbe,f16c", ["__AVX2__"]),
    "avx512": (
        "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,movbe,f16c",
        ["__AVX512F__", "__AVX2__"],
    ),
}


def tokens(text):
    """The tokens of C as pairs (kind, text); joined they are the text again."""
    return [(m.lastgroup, m.group()) for m in TOKEN.finditer(text)]


def significant(text):
    return [t for kind, t in tokens(text) if kind not in ("space", "comment")]


# ---- which names a file defines at file scope ---------------------------------------------------------


def expand(macros, call):
    """The tokens of a macro's body for the call [name, "(", ..., ")"], pasted."""
    parameters, body = macros[call[0]]
    arguments, depth = [[]], 0
    for t in call[2:-1]:
        depth += (t in "([{") - (t in ")]}")
        if t == "," and depth == 0:
            arguments.append([])
        else:
            arguments[-1].append(t)
    given = dict(zip(parameters, arguments))
    out = []
    for t in body:
        out += given.get(t, [t])
    while "##" in out:
        i = out.index("##")
        out[i - 1 : i + 2] = [out[i - 1] + out[i + 1]]
    return out


def declarations(found, macros):
    """The file-scope declarations as lists of tokens; a body in braces is kept, a call of a macro expanded."""
    out, depth, i = [], 0, 0
    while i < len(found):
        t = found[i]
        if depth == 0 and not out and t in macros and found[i + 1 : i + 2] == ["("]:
            end = i + 2
            level = 1
            while level:
                level += (found[end] == "(") - (found[end] == ")")
                end += 1
            found[i:end] = expand(macros, found[i:end])
            continue
        out.append(t)
        depth += (t in "{([") - (t in "})]")
        i += 1
        if depth == 0 and (t == ";" or t == "}" and found[i : i + 1] != [";"] and is_function(out)):
            yield out
            out = []


def without_attributes(found):
    out, i = [], 0
    while i < len(found):
        if found[i] in ("__attribute__", "_Static_assert"):
            depth, i = 0, i + 1
            while depth or found[i] == "(":
                depth += (found[i] == "(") - (found[i] == ")")
                i += 1
        else:
            out.append(found[i])
            i += 1
    return out


def is_function(declaration):
    """Does the declaration that ends with this brace define a function, and not a type or an array's elements?"""
    head = declaration[: declaration.index("{")]
    return ")" in head[-1:] and "=" not in head


def names_of(text, macros):
    """Three sets: the names of file scope that no other file can mean (static, typedef, enumerators), tags, the others."""
    own, tags, shared = set(), set(), set()
    code = DIRECTIVE.sub("", re.sub(r"/\*.*?\*/", " ", text, flags=re.S))
    for d in declarations(significant(code), macros):
        d = without_attributes(d)
        words, depth = [], 0
        for i, t in enumerate(d):
            if t == "{" and "enum" in words:
                own |= {d[k] for k in range(i + 1, len(d)) if d[k - 1] in "{," and IDENTIFIER.match(d[k])}
            if t in ("struct", "union", "enum") and d[i + 2 : i + 3] == ["{"]:
                tags.add(d[i + 1])
            if depth == 0:
                if t in ("=", "[", ";") or t == "(" and words:
                    if d[i + 1 : i + 2] == ["*"]:  # a pointer to a function
                        words += d[i + 2 : i + 4] if d[i + 2] == "const" else d[i + 2 : i + 3]
                    break
                words.append(t)
            depth += (t in "{([") - (t in "})]")
        name = next((w for w in reversed(words) if IDENTIFIER.match(w)), None)
        if name and not (len(words) < 2 and name in ("struct", "union", "enum")):
            (own if "static" in words or "typedef" in words else shared).add(name)
    return own, tags, shared


# ---- renaming -----------------------------------------------------------------------------------------


def rename(text, new, paste=""):
    """The text with the names replaced, but not the members of structs. paste: appended to what a macro pastes."""
    found = tokens(text)
    solid = [i for i, (kind, _) in enumerate(found) if kind not in ("space", "comment")]
    members = []  # for each open brace: is it a struct's?
    for at, i in enumerate(solid):
        kind, t = found[i]
        before = found[solid[at - 1]][1] if at else ""
        after = found[solid[at + 1]][1] if at + 1 < len(solid) else ""
        if t == "{":
            two = [found[k][1] for k in solid[max(0, at - 2) : at]]
            members.append("struct" in two or "union" in two)
        elif t == "}" and members:
            members.pop()
        if kind != "name":
            continue
        if before == "##" and paste and len(t) > 1 and t.startswith("_"):
            found[i] = (kind, t + paste)
        elif t in new and before not in (".", "->"):
            if not (members and members[-1] and (after in (";", ",", "[", ":") or before == "*" and after == ")")):
                found[i] = (kind, new[t])
    return "".join(t for _, t in found)


# ---- files --------------------------------------------------------------------------------------------


class Project:
    def __init__(self, source):
        self.source = source
        self.texts = {}

    def text(self, path):
        if path not in self.texts:
            with open(path, encoding="utf-8") as f:
                self.texts[path] = f.read()
        return self.texts[path]

    def included(self, name, by):
        """The path of a project's header, from the root or beside the file that includes it."""
        for folder in (self.source, os.path.dirname(by)):
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.exists(path):
                return path
        sys.exit(f"amalgamate: {by} includes {name}, which is not there")

    def shown(self, path):
        """The path as comments name it: within the project, or a made file's own name."""
        short = os.path.relpath(path, self.source)
        return os.path.basename(path) if short.startswith("..") or "build" in short.split(os.sep)[0] else short

    def headers(self, path, seen):
        """The project's headers that the file includes, directly or not, in order; those not yet in seen."""
        for quote, name in INCLUDE.findall(self.text(path)):
            if quote == '"':
                header = self.included(name, path)
                if header not in seen:
                    seen.append(header)
                    self.headers(header, seen)
        return seen

    def expanded(self, path, done, edit=lambda path, text: text):
        """The file with its headers in place; one with an include guard only where it is not in done yet."""

        def put(match):
            if match[1] == "<":
                return match[0]
            header = self.included(match[2], path)
            if header in done:
                return ""
            if re.search(r"^#ifndef GRADUS_\w+_H", self.text(header), re.M):
                done.add(header)
            return self.expanded(header, done, edit)

        text = edit(path, self.text(path)).replace("#include <stdatomic.h>\n", "")  # SETTINGS has it
        text = re.sub(r"^#ifndef _GNU_SOURCE\n.*?#endif\n|^#define _GNU_SOURCE[^\n]*\n", "", text, flags=re.M | re.S)
        return f"\n/* ---- {self.shown(path)} ---- */\n" + INCLUDE.sub(put, text)

    def macros(self, paths):
        """Function-like macros that begin with a declaration, as {name: (parameters, tokens)}."""
        found = {}
        for path in paths:
            for name, parameters, body in DEFINE.findall(self.text(path)):
                solid = significant(body)
                if parameters and ("static" in solid or solid[:1] == ["const"]):
                    found[name] = ([p.strip() for p in parameters[1:-1].split(",")], solid)
        return found


def without_macros(text):
    """#undef for each macro that the text defines."""
    names = dict.fromkeys(name for name, _, _ in DEFINE.findall(text))
    return "".join(f"#undef {name}\n" for name in names)


def is_short(name):
    """A word in small letters, as the names of C libraries are: accept, near, index."""
    return name.islower() and "_" not in name


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def clashes(project, files):
    """{file: {name: new name}} for the own names of .c files that another file has at file scope, too."""
    headers = []
    for f in files:
        project.headers(f, headers)
    macros = project.macros(headers + files)
    defined = collections.Counter()
    own = {}
    for f in headers + files:
        own[f], tags, shared = names_of(project.text(f), macros)
        own[f] |= tags - defined.keys()  # the tag that completes a header's type is the header's
        defined.update(own[f])
        if f in headers:
            defined.update(shared - own[f])
    new = {f: {n: f"{stem(f)}__{n}" for n in own[f] if defined[n] > 1 or is_short(n)} for f in files}
    return new, own, headers


HEAD = """/* gradus {version} in one file, with gradus.h: tensors, autodiff, transformers.
 *
 *   cc -O3 -I. first.c gradus.c -lm
 *
 *   -DGRADUS_F64     real is double; for every file that includes gradus.h
 *   -DGRADUS_PLAIN   the reference kernels alone, and no threads: for a compiler without GNU C's vector extensions
 *   -DGRADUS_ZLIB    reads compressed data files; link with -lz
 *
 * Made by ./gradus amalgamate from the sources, whose paths the comments name. Change those, not this file.
 *
{licence} */
"""

SETTINGS = """
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define _FILE_OFFSET_BITS 64
#ifdef __MINGW32__
#define __USE_MINGW_ANSI_STDIO 1
#endif
#define GRADUS_INSIDE
#if !defined __GNUC__ || defined __TINYC__
#undef GRADUS_PLAIN
#define GRADUS_PLAIN
#endif
#if defined __TINYC__ || defined __STDC_NO_ATOMICS__ /* a program of such a compiler has one thread */
#define _Thread_local
#define atomic_int int
#define atomic_uint unsigned
#define atomic_uintptr_t uintptr_t
#define atomic_uint_least64_t uint64_t
#define atomic_bool _Bool
#define atomic_load(x) (*(x))
#define atomic_load_explicit(x, order) (*(x))
#define atomic_store(x, y) (*(x) = (y))
#define atomic_fetch_add(x, y) ((*(x) += (y)) - (y))
#define atomic_compare_exchange_strong(x, was, y) (*(x) == *(was) ? (*(x) = (y), 1) : (*(was) = *(x), 0))
#else
#include <stdatomic.h>
#endif
#ifndef GRADUS_PLAIN
#ifndef __wasm__
#define GRADUS_THREADS
#endif
#ifndef GRADUS_F64
#define GRADUS_FAST
/* GCC takes Windows' stack to be aligned for AVX, which it is not (GCC bug 54412). */
#if defined __x86_64__ && (!defined _WIN32 || defined __clang__)
#define GRADUS_X86_LEVELS
#endif
#endif
#endif

#include "gradus.h"
"""


def set_begin(name, target):
    if name == "base":
        return "\n#ifdef GRADUS_FAST\n"
    return f"""
#ifdef GRADUS_X86_LEVELS
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("{target}"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("{target}")
#endif
"""


def set_end(name):
    if name == "base":
        return "#endif /* GRADUS_FAST */\n"
    return """#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif /* GRADUS_X86_LEVELS */
"""


def kernel_set(project, files, name, done):
    """The SIMD kernels for one instruction set. done: the headers that all sets share."""
    target, macros = SETS[name]
    new, own, headers = clashes(project, files)
    section = [h for h in headers if h not in done]
    suffixed = {n: f"{n}_{name}" for h in section for n in own[h]}

    def edit(path, text):
        names = dict(suffixed)
        for n in own.get(path, ()):
            names[n] = f"{new.get(path, {}).get(n, n)}_{name}"
        for macro in ("__AVX2__", "__AVX512F__"):
            names[macro] = f"GRADUS{macro[1:-2]}"
        return rename(text, names, "_" + name)

    inside = set(done)
    text = "".join(f"#define GRADUS{m[1:-2]}\n" for m in macros) + f"#define ISA {name}\n"
    text += "".join(project.expanded(f, inside, edit) for f in files)
    return set_begin(name, target) + text + without_macros(text) + set_end(name)


# Of these files of tensor/system a build compiles those for its own system; gradus.c has all, after the others.
SYSTEMS = {"posix": "!defined _WIN32", "windows": "defined _WIN32"}


def sort_arguments(source, words):
    """The files; those after --simd; and {file: condition} for those after --if CONDITION and those of tensor/system."""
    plain, simd, conditions, condition = [], [], {}, None
    into = plain
    words = iter(words)
    for word in words:
        if word == "--if":
            condition = next(words)
        elif word == "--simd":
            into = simd
        else:
            into.append(os.path.abspath(word))
            if condition and into is plain:
                conditions[into[-1]] = condition
    for path in sorted(glob.glob(os.path.join(source, "tensor", "system", "*.c"))):
        conditions[path] = SYSTEMS[stem(path).split("_")[0]]
    plain = [f for f in plain if f not in conditions] + list(conditions)  # whose own headers no other file needs
    return plain, simd, conditions


def main(source, version, out_c, out_h, out_d, *files):
    source = os.path.abspath(source)
    project = Project(source)
    plain, simd, conditions = sort_arguments(source, files)
    with open(os.path.join(source, "LICENSE"), encoding="utf-8") as f:
        licence = "".join(f" * {line}".rstrip() + "\n" for line in f)
    head = HEAD.format(version=version, licence=licence)

    done = set()
    public = "".join(project.expanded(os.path.join(source, h), done) for h in ("gradus.h", "autograd/inspect.h", "plot/pages.h", "tensor/files.h"))
    new, _, _ = clashes(project, plain)
    text = head + SETTINGS

    def add(f):
        part = project.expanded(f, done, lambda path, text: rename(text, new[path]) if path in new else text)
        if f in conditions:
            part = f"\n#if {conditions[f]}{part}#endif\n"
        return part + without_macros(project.text(f).replace("#define _GNU_SOURCE", ""))

    text += "".join(add(f) for f in plain if f not in conditions)
    text += "".join(kernel_set(project, simd, name, done) for name in SETS)
    text += "".join(add(f) for f in conditions)  # last: a system's headers define short names
    with open(out_h, "w", encoding="utf-8") as f:
        f.write(head + public)
    with open(out_c, "w", encoding="utf-8") as f:
        f.write(text)
    with open(out_d, "w", encoding="utf-8") as f:  # what they are made of, for ninja
        f.write(f"{out_c}: " + " ".join(p.replace(" ", "\\ ") for p in project.texts) + "\n")


main(*sys.argv[1:])

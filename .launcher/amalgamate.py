#!/usr/bin/env python3
"""amalgamate.py: writes the library as two files, gradus.c and gradus.h.

    amalgamate.py SOURCE VERSION OUT.c OUT.h OUT.d FILE... --simd FILE...

SOURCE is the project. gradus.h is gradus.h, autograd/inspect.h, plot/pages.h and tensor/files.h. gradus.c is the FILEs, each internal header
before the first file that includes it. Those after --simd are repeated for each instruction set. meson.build has the lists. OUT.d lists all
files that were read.

One file is one scope. So a static name (function, variable, type, enumerator) that two files define, or that is one word, as the names of
C libraries are, is prefixed with its file's name: append of nn/cache.c becomes cache__append. In the SIMD kernels every name at file scope
gets the set's name as a suffix: load_avx2. A macro of a .c file ends with the file.

What stands at file scope begins a line, as clang-format sees to: no more of C than that is read here.
"""
import collections
import glob
import os
import re
import sys

TOKEN = re.compile(
    r"""(?P<space>/\*.*?\*/|//[^\n]*|(?:\\\n|\s)+)|(?P<text>\#[ \t]*include[ \t]*<[^>]+>|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<mark>->|\#\#|.)""",
    re.S,
)
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"][^\n]*\n')
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?((?:\\\n|[^\n])*)", re.M)
ATTRIBUTE = re.compile(r"[ \t]*__attribute__\(\((?:[^()]|\([^()]*\))*\)\) ?")
NOT_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*', re.M | re.S)

# What a compiler that has one set of flags for the file must be told before a set's kernels.
SETS = {
    "base": ("", []),
    "avx2": ("avx2,fma,bmi,bmi2,lzcnt,popcnt,movbe,f16c", ["__AVX2__"]),
    "avx512": (
        "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,movbe,f16c",
        ["__AVX512F__", "__AVX2__"],
    ),
}


# ---- which names a file defines at file scope ---------------------------------------------------------

OWN = (  # names that no other file can mean
    r"^static (?:[^;={(]|\([^()]*\)(?= ))*?(\w+)(?:\[[^]]*\])*(?: = |;|\()",
    r"^static [^;={(]*\(\*(?:const )?(\w+)",
    r"^\} +\**(\w+)",  # after the members of a type, or of a variable without a named type
    r"^typedef [^{;(]*?(\w+)(?:\[\w*\])*\s*[;(]",
    r"^typedef [^{;(]*\(\*?(\w+)\)\(",
    r"^typedef (?:struct|union|enum)[^{;]*\{[^}]*\} (\w+);",
)
TAG = r"^(?:typedef |static |const )*(?:struct|union|enum) (\w+)\s*\{"
SHARED = r"^(?!static|typedef)[A-Za-z_][\w \*]*?(\w+)\("


def names_of(text, macros):
    """Three sets: the names of file scope that no other file can mean (static, typedef, enumerators), tags, functions of other files."""
    code = ATTRIBUTE.sub(" ", NOT_CODE.sub(" ", text))
    own = {name for pattern in OWN for name in re.findall(pattern, code, re.M)}
    for members in re.findall(r"^(?:typedef |static )*enum \w* ?\{([^}]*)\}", code, re.M):
        own.update(re.findall(r"(?:^|,)\s*(\w+)", members))
    for macro, name in re.findall(r"^([A-Z_]+)\((\w+)", code, re.M):
        own.update(name + end for end in macros.get(macro, ()))
    return own, set(re.findall(TAG, code, re.M)), set(re.findall(SHARED, code, re.M))


# ---- renaming -----------------------------------------------------------------------------------------


def rename(text, new, paste=""):
    """The text with the names replaced, but not the members of structs. paste: appended to what a macro pastes."""
    found = [(m.lastgroup, m.group()) for m in TOKEN.finditer(text)]
    solid = [i for i, (kind, _) in enumerate(found) if kind != "space"]
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
        """The macros that define functions: {name: what they append to their first argument for a function's name}."""
        found = {}
        for path in paths:
            for name, parameters, body in DEFINE.findall(self.text(path)):
                first = re.match(r"\(\w*|", parameters).group()[1:]
                found[name] = re.findall(rf"static [^(]*?\b{first}(?:##)?(\w*)\(", ATTRIBUTE.sub(" ", body)) if first else []
        return found


def without_macros(text):
    """#undef for each macro that the text defines."""
    return "".join(f"#undef {name}\n" for name in dict.fromkeys(name for name, _, _ in DEFINE.findall(text)))


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


X86_SET = """
#ifdef GRADUS_X86_LEVELS
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("%s"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("%s")
#endif
%s#ifdef __clang__
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
    text += without_macros(text)
    return X86_SET % (target, target, text) if target else f"\n#ifdef GRADUS_FAST\n{text}#endif /* GRADUS_FAST */\n"


# In an #if of its condition, and after the others: a file whose path has this in it. A build compiles the files of tensor/system for its own
# system; gradus.c has all.
CONDITIONS = {"threads/pool": "defined GRADUS_THREADS", "system/posix": "!defined _WIN32", "system/windows": "defined _WIN32"}


def main(source, version, out_c, out_h, out_d, *files):
    source = os.path.abspath(source)
    project, done = Project(source), set()
    paths = [os.path.abspath(f) for f in files]
    at = files.index("--simd")
    simd = paths[at + 1 :]
    systems = sorted(glob.glob(os.path.join(source, "tensor", "system", "*.c")))
    conditions = {f: CONDITIONS[part] for f in [*paths[:at], *systems] for part in CONDITIONS if part in f}
    plain = [f for f in paths[:at] if f not in conditions] + list(conditions)  # whose own headers no other file needs
    with open(os.path.join(source, "LICENSE"), encoding="utf-8") as f:
        licence = "".join(f" * {line}".rstrip() + "\n" for line in f)
    head = HEAD.format(version=version, licence=licence)
    public = "".join(project.expanded(os.path.join(source, h), done) for h in ("gradus.h", "autograd/inspect.h", "plot/pages.h", "tensor/files.h"))
    new, _, _ = clashes(project, plain)

    def add(f):
        part = project.expanded(f, done, lambda path, text: rename(text, new[path]) if path in new else text)
        if f in conditions:
            part = f"\n#if {conditions[f]}{part}#endif\n"
        return part + without_macros(project.text(f).replace("#define _GNU_SOURCE", ""))

    text = head + SETTINGS + "".join(add(f) for f in plain if f not in conditions)
    text += "".join(kernel_set(project, simd, name, done) for name in SETS)
    text += "".join(add(f) for f in conditions)  # last: a system's headers define short names
    with open(out_h, "w", encoding="utf-8") as f:
        f.write(head + public)
    with open(out_c, "w", encoding="utf-8") as f:
        f.write(text)
    with open(out_d, "w", encoding="utf-8") as f:  # what they are made of, for ninja
        f.write(f"{out_c}: " + " ".join(p.replace(" ", "\\ ") for p in project.texts) + "\n")


main(*sys.argv[1:])

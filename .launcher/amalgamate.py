#!/usr/bin/env python3
"""amalgamate.py: writes the library as two files, gradus.c and gradus.h.

    amalgamate.py SOURCE VERSION OUT.c OUT.h OUT.d FILE... --simd FILE...

SOURCE is the project. gradus.h is the headers of PUBLIC. gradus.c is the FILEs, each internal header before the first file that includes it.
Those after --simd are repeated for each instruction set. meson.build has the lists. OUT.d lists all files that were read.

One file is one scope. So each static name of a .c file (function, variable, type, enumerator) gets the file's path as a suffix: append of
nn/cache.c becomes append__nn_cache; in a set's kernels, headers included, the set's name as well. A macro of a .c file ends with the file.

What stands at file scope begins a line, as clang-format sees to: no more of C than that is read here.
"""
import os
import re
import sys

PUBLIC = ("gradus.h", "autograd/inspect.h", "plot/pages.h", "tensor/files.h")
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*"([^"]+)"[^\n]*\n')
ATTRIBUTE = re.compile(r"[ \t]*__attribute__\(\((?:[^()]|\([^()]*\))*\)\) ?")
NOT_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*', re.M | re.S)
STATIC = (
    r"^static (?:[^;={(]|\([^()]*\)(?= ))*?(\w+)(?:\[[^]]*\])*(?: = |;|\()",
    r"^static [^;={(]*\(\*(?:const )?(\w+)",
    r"^\} +\**(\w+)",  # after the members of a type, or of a variable without a named type
    r"^typedef [^{;(]*?(\w+)(?:\[\w*\])*\s*[;(]",
    r"^typedef [^{;(]*\(\*?(\w+)\)\(",
    r"^typedef (?:struct|union|enum)[^{;]*\{[^}]*\} (\w+);",
)
MEMBERS = re.compile(r"\b(?:struct|union)\b[ \w]*\{(?:[^{}]|\{[^{}]*\})*\}")
# Comments, texts, what follows a dot or an arrow, and words: the last alone are renamed.
WORD = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[ \t]*include[^\n]*|(?:\.|->)\s*\w+|[A-Za-z_]\w*""", re.S)


def static_names(text):
    """The names of file scope that no other file can mean."""
    code = ATTRIBUTE.sub(" ", NOT_CODE.sub(" ", text))
    names = {name for pattern in STATIC for name in re.findall(pattern, code, re.M)}
    for members in re.findall(r"^(?:typedef |static )*enum \w* ?\{([^}]*)\}", code, re.M):
        names.update(re.findall(r"(?:^|,)\s*(\w+)", members))
    return names


def made_by_macros(text, suffix):
    """{name: new name} for the functions that macros define, as MACRO(name, ...). One that has ISA_NAME names them after the set itself."""
    of_set = re.findall(r"^#define (\w+)\((?:\\\n|[^\n])*\bISA_NAME\(", text, re.M)
    calls = re.findall(r"^([A-Z_]+)\((\w+)", NOT_CODE.sub(" ", text), re.M)
    return {name: name + suffix for macro, name in calls if macro not in of_set}


def rename(text, new):
    """The text with the names replaced, but not the members of structs."""
    structs = [found.span() for found in MEMBERS.finditer(text)]

    def put(found):
        word = found.group()
        is_member = word in new and re.match(r"\s*(?:[;,[:]|\)\()", text[found.end() : found.end() + 9])
        return word if is_member and any(a < found.start() < b for a, b in structs) else new.get(word, word)

    return WORD.sub(put, text)


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

# Before and after a set's kernels: a compiler has one set of flags for the file.
X86_SET = """
#ifdef GRADUS_X86_LEVELS
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("{0}"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("{0}")
#endif
{1}#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif /* GRADUS_X86_LEVELS */
"""
FIRST_SET = """
#ifdef GRADUS_FAST
{1}#endif /* GRADUS_FAST */
"""
AVX2 = "avx2,fma,bmi,bmi2,lzcnt,popcnt,movbe,f16c"
SETS = {  # {name: (what stands around it, the processor's extensions, the compiler's macros of them)}
    "base": (FIRST_SET, "", ()),
    "avx2": (X86_SET, AVX2, ("AVX2",)),
    "avx512": (X86_SET, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl," + AVX2, ("AVX2", "AVX512F")),
}
# In an #if of its condition, and last, since a system's headers define short names. A build compiles the files of its own system; gradus.c has all.
CONDITIONS = {
    "tensor/threads/pool.c": "defined GRADUS_THREADS",
    "tensor/system/posix.c": "!defined _WIN32",
    "plot/system_posix.c": "!defined _WIN32",
    "tensor/system/windows.c": "defined _WIN32",
    "plot/system_windows.c": "defined _WIN32",
}


class Amalgamation:
    def __init__(self, source):
        self.source = source
        self.read = []  # all files
        self.done = set()  # headers that stand in the text
        self.set_names = {}  # the new names of a set's headers

    def expanded(self, path, kernels=""):
        """The file with its headers in place; one with an include guard only once. kernels: the name of a set, if it is a file of one."""
        path = os.path.normpath(path)
        if path in self.done:
            return ""
        self.read.append(path)
        with open(path, encoding="utf-8") as f:
            text = f.read().replace("#include <stdatomic.h>\n", "")  # SETTINGS has it
        if re.search(r"^#ifndef GRADUS_\w+_H", text, re.M):
            self.done.add(path)
        short = os.path.relpath(path, self.source)
        short = os.path.basename(path) if short.startswith("..") else short  # a file that the build makes
        new, in_set = {}, bool(kernels) and "/simd/" in path
        if in_set or path.endswith(".c"):
            suffix = "__" + re.sub(r"\W", "_", os.path.splitext(short)[0]) + ("_" + kernels if in_set else "")
            new = {name: name + suffix for name in static_names(text)}
        if in_set:
            new |= made_by_macros(text, suffix) | {"__AVX2__": "GRADUS_AVX2", "__AVX512F__": "GRADUS_AVX512F"}
        if in_set and path.endswith(".h"):
            self.set_names |= new
        out, pieces = f"\n/* ---- {short} ---- */\n", INCLUDE.split(text)
        for piece, header in zip(pieces[::2], [*pieces[1::2], ""]):
            out += rename(piece, self.set_names | new)
            if header:
                beside = os.path.join(os.path.dirname(path), header)
                out += self.expanded(beside if os.path.exists(beside) else os.path.join(self.source, header), kernels)
        return out if kernels or path.endswith(".h") else out + without_macros(text)

    def kernel_set(self, kernels, files):
        """The SIMD kernels for one instruction set."""
        frame, target, macros = SETS[kernels]
        text = "".join(f"#define GRADUS_{macro}\n" for macro in macros) + f"#define ISA {kernels}\n"
        text += "".join(self.expanded(f, kernels) for f in files)
        self.done = {header for header in self.done if "/simd/" not in header}
        self.set_names = {}
        return frame.format(target, text + without_macros(text))


def without_macros(text):
    """#undef for each macro that the text defines, but not for a system's, as _GNU_SOURCE."""
    return "".join(f"#undef {name}\n" for name in dict.fromkeys(re.findall(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z]\w*)", text, re.M)))


def main(source, version, out_c, out_h, out_d, *files):
    source, at = os.path.abspath(source), files.index("--simd")
    one = Amalgamation(source)
    last = [os.path.join(source, name) for name in CONDITIONS]
    plain, simd = ([os.path.abspath(f) for f in part] for part in (files[:at], files[at + 1 :]))
    with open(os.path.join(source, "LICENSE"), encoding="utf-8") as f:
        head = HEAD.format(version=version, licence="".join(f" * {line}".rstrip() + "\n" for line in f))
    public = head + "".join(one.expanded(os.path.join(source, header)) for header in PUBLIC)
    parts = [head + SETTINGS]
    for f in [*plain, *SETS, *last]:
        text = one.kernel_set(f, simd) if f in SETS else one.expanded(f)
        parts.append(f"\n#if {CONDITIONS[os.path.relpath(f, source)]}{text}#endif\n" if f in last else text)
    made_of = f"{out_c}: " + " ".join(path.replace(" ", "\\ ") for path in dict.fromkeys(one.read)) + "\n"
    for path, text in ((out_h, public), (out_c, "".join(parts)), (out_d, made_of)):  # the last for ninja
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


main(*sys.argv[1:])

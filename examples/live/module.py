#!/usr/bin/env python3
"""module.py: the library as WebAssembly, as a script for a page.

    module.py SOURCE OUT.js GRADUS.c FILE.c...

Compiles GRADUS.c, the library in one file, and the FILEs with clang for wasm32-wasi, and links the functions that
live.h exports, with what they call, to a module without a main function. OUT.js is one line on the SHA-256 of what
follows it, which a page's content security policy names, then MODULE, the compressed module in base64, and module.js,
which starts it."""
import base64
import concurrent.futures
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = [
    "--target=wasm32-wasi", "--sysroot=/usr", "-isystem", "/usr/include/wasm32-wasi", "-msimd128", "-O3",
    "-ffunction-sections", "-fdata-sections", "-D_WASI_EMULATED_MMAN", "-D_WASI_EMULATED_SIGNAL", "-DGRADUS_INSIDE",
    "-w",
]
LINK = ["-mexec-model=reactor", "-Wl,--strip-all", "-Wl,-z,stack-size=1048576",
        "-lwasi-emulated-mman", "-lwasi-emulated-signal", "-lm"]
NEEDED = "clang, lld, wasi-libc and libclang-rt-14-dev-wasm32 of Debian"


def compile_module(source, files, folder):
    """The module's bytes."""
    clang = shutil.which("clang")
    if not clang or not shutil.which("wasm-ld") or not os.path.exists("/usr/include/wasm32-wasi/stdio.h"):
        sys.exit(f"module.py: no compiler for WebAssembly; expected {NEEDED}")
    with open(files[0], encoding="utf-8") as file:  # clang ignores gcc's way to say that a loop is to be unrolled
        library = re.sub("#pragma GCC unroll.*", "#pragma clang loop unroll(full)", file.read())
    unrolled = os.path.join(folder, "gradus.c")
    with open(unrolled, "w", encoding="utf-8") as file:
        file.write(library)
    shutil.copy(os.path.join(os.path.dirname(files[0]), "gradus.h"), folder)  # that of the one file, not the project's
    include = os.path.dirname(os.path.abspath(files[0]))

    def compile_one(number, path):
        # Ops of the model are shown with the lines that call them: outside of the library calls are stamped with them.
        flags = [flag for flag in FLAGS if flag != "-DGRADUS_INSIDE" or "/examples/attention/" not in path]
        made = os.path.join(folder, f"{number}.o")
        subprocess.run([clang, *flags, f"-ffile-prefix-map={source}/=", "-I", source, "-I", include, "-c", path, "-o", made], check=True)
        return made

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # the library takes longest and begins first
        objects = list(pool.map(compile_one, range(len(files)), [unrolled, *map(os.path.abspath, files[1:])]))
    module = os.path.join(folder, "module.wasm")
    subprocess.run([clang, *FLAGS[:4], *objects, *LINK, "-o", module], check=True)
    with open(module, "rb") as file:
        return file.read()


def main(source, out, *files):
    with tempfile.TemporaryDirectory() as folder:
        module = compile_module(source, files, folder)
    packed = base64.b64encode(gzip.compress(module, 9, mtime=0)).decode()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "module.js"), encoding="utf-8") as file:
        script = f'"use strict";\nconst MODULE = "{packed}";\n{file.read()}'
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        file.write(f"/* gradus module sha256-{digest} */\n{script}")
    print(f"{out}: module {len(module)} bytes, {len(script)} as a script", file=sys.stderr)


main(*sys.argv[1:])

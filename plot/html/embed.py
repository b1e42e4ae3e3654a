#!/usr/bin/env python3
"""embed.py: writes scripts and styles as arrays of C, with their SHA-256.

    embed.py OUT.c FRAME.css FRAME.js... [KIND.css MORE.css... MORE.js...]...

A style after a script begins a kind, which has the styles and scripts that follow. A kind's page
has the frame's style with its own after it in one element, and so for the scripts; the hash, in
base64, is that of both together, as a content security policy names it."""
import base64
import hashlib
import pathlib
import sys


def read_text(path):
    text = pathlib.Path(path).read_bytes()
    for refused in (b"\0", b"</script", b"</style", b"<!--"):
        if refused in text:
            sys.exit(f"embed.py: {path} contains {refused.decode()!r}, which HTML would read")
    return text


def array(name, text):
    lines = (",".join(map(str, text[at : at + 24])) for at in range(0, len(text), 24))
    return f"const unsigned char {name}[] = {{" + "".join(f"\n{line}," for line in lines) + "0};\n"


def main(out, frame_css, *paths):
    first = next(i for i, path in enumerate(paths) if path.endswith(".css"))
    frame = {".css": read_text(frame_css), ".js": b"".join(map(read_text, paths[:first]))}
    paths = paths[first:]
    parts, kinds, script = [], [], True
    for path in map(pathlib.Path, paths):
        if path.suffix == ".css" and script:
            kinds.append((path.stem, {".css": b"", ".js": b""}))
        script = path.suffix == ".js"
        kinds[-1][1][path.suffix] += read_text(path)
    rows = []
    for kind, own in kinds:
        style, script = own.values()
        parts += ["static ", array(f"{kind}_style", style), "static ", array(f"{kind}_script", script)]
        hashes = [
            base64.b64encode(hashlib.sha256(frame[suffix] + own[suffix]).digest()).decode()
            for suffix in (".css", ".js")
        ]
        rows.append(
            f'{{"{kind}", {kind}_style, {kind}_script, {len(style)}, {len(script)}, '
            f'"{hashes[0]}", "{hashes[1]}"}},\n'
        )
    pathlib.Path(out).write_text(
        '/* Made by plot/html/embed.py. */\n#include "plot/html/page.h"\n'
        + array("page_frame_style", frame[".css"])
        + array("page_frame_script", frame[".js"])
        + f"const size_t page_frame_style_size = {len(frame['.css'])}, "
        + f"page_frame_script_size = {len(frame['.js'])};\n"
        + "".join(parts)
        + "const PageKind page_kinds[] = {\n"
        + "".join(rows)
        + "{0}};\n",
        encoding="ascii",
    )


main(*sys.argv[1:])

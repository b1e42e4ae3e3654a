"""A text as one self-contained file: style, scripts, data, pictures and, with figures that compute, the library as WebAssembly
stand inside; a content security policy names their hashes and forbids everything else."""
import base64
import hashlib
import html
import json

from text import TOP, Text

SCRIPTS = ("frame.js", "live.js", "live_computed.js", "chapter.js")


def read(*names: str) -> str:
    return "".join((TOP / "plot/html" / name).read_text("utf-8") for name in names)


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def scripts(text: Text, module: str) -> list:
    """The page's scripts; the first is its data."""
    data = {"kind": "chapter", "title": text.title, "chapter": bool(text.chapter), "colours": {"sequential": [], "diverging": []}, "figures": []}
    if module:
        data |= {"figures": text.chapter["live"], "live": {"model": "computed", "weights": []}}
    return [json.dumps(data).replace("<", "\\u003c"), *([module] if module else []), read(*SCRIPTS)]


def tags(data: str, *more: str) -> str:
    return f'<script type="application/json" id="data">{data}</script>\n' + "".join(f"<script>{s}</script>\n" for s in more)


def page(text: Text, module: str = "") -> str:
    """module: the script that ./gradus build live.js makes, or nothing."""
    style, (data, *more) = read("frame.css", "chapter.css"), scripts(text, module)
    allowed = " ".join(digest(script) for script in more) + (" 'wasm-unsafe-eval'; worker-src blob:" if module else "")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src {allowed}; style-src {digest(style)}; \
img-src data: blob:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{html.escape(text.title)}</title>
<style>{style}</style>
</head>
<body>
<div id="text">
{text.html}</div>
{tags(data, *more)}</body>
</html>
"""

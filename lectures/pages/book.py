"""`./gradus book`: the chapters and other texts as a site of Material for MkDocs that a browser opens from a disk.

MkDocs gets each page's HTML, which text.py wrote, and adds navigation, search, themes, previous and next. It calls the two hooks
at the end of this file. The project's files that pages link to are copied into files/."""
import contextlib
import html
import json
import pathlib
import re
import shutil
import tempfile

from text import TOP, Text

HERE = pathlib.Path(__file__).resolve().parent
GROUPS = {  # the pages, by where their texts are
    "Chapters": ["lectures/0*/README.md"], "Guides": ["lectures/0*/[a-z]*.md"], "Homework": ["lectures/homework/*/README.md"],
    "Examples": ["examples/*/README.md"],
    "More": ["READING.md", "lectures/README.md", "lectures/glossary.md", "lectures/verdicts.md", "lectures/homework/GUIDE.md",
             "lectures/homework/begin.md", "lectures/homework/debug.md", "lectures/exams/README.md", "lectures/mystery/README.md"],
}


def name_of(path: pathlib.Path) -> str:
    """hw3-attention of hw3-attention/README.md, example-gpt of examples/gpt/README.md, glossary of glossary.md."""
    example = "example-" if "examples" in path.parts else ""
    return example + path.parent.name if path.name == "README.md" else path.stem


def natural(path: pathlib.Path) -> list:
    """hw9 stands before hw10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", str(path))]


class BookText(Text):
    """Links stay in the book's folder, and pictures are files."""

    pages: dict = {}  # of a path: the page's name

    def place(self, found: pathlib.Path) -> str:
        for path in (found, found / "README.md"):
            if path in self.pages:
                return f"{self.pages[path]}.html"
        for path in (found, found / "README.md"):
            if path.is_file() and TOP in path.parents:
                return self.source(path)
        return "index.html"

    def source(self, path: pathlib.Path) -> str:
        to = self.out / "files" / path.relative_to(TOP)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)
        return to.relative_to(self.out).as_posix()


def live_tags(text: Text, module: str) -> str:
    """The figures that compute: the page's data, and scripts that the pages share."""
    from page import scripts
    if not (module and text.chapter and text.chapter["live"]):
        return ""
    names = "".join(f'<script src="assets/{name}.js"></script>\n' for name in ("library", "figures"))
    return f'<script type="application/json" id="data">{scripts(text, module)[0]}</script>\n{names}'


def write_page(docs: pathlib.Path, name: str, title: str, body: str) -> None:
    (docs / f"{name}.md").write_text(f"---\ntitle: {json.dumps(title)}\n---\n{body}", "utf-8")


def write_index(docs: pathlib.Path, shelf: dict) -> None:
    items = {group: "".join(f'<li><a href="{name}.html">{html.escape(title)}</a></li>\n' for name, title in shelf[group])
             for group in GROUPS}
    lists = "".join(f'<h2 id="{group.lower()}">{group}</h2>\n<ul>\n{items[group]}</ul>\n' for group in GROUPS)
    write_page(docs, "index", "gradus", f'<h1 id="gradus">gradus: transformers, measured</h1>\n{lists}')


def settings(folder: pathlib.Path, shelf: dict) -> dict:
    media = lambda at, icon, to, **scheme: {"media": f"(prefers-color-scheme{at})", "toggle": {"icon": f"material/{icon}", "name": to}, **scheme}
    return {
        "site_name": "gradus", "docs_dir": str(folder / "docs"), "site_dir": str(folder / "site"), "use_directory_urls": False,
        "theme": {
            "name": "material", "font": False,
            "features": ["navigation.footer", "navigation.top", "toc.follow", "search.suggest", "search.highlight"],
            "palette": [media("", "brightness-auto", "Theme: system"),
                        media(": light", "weather-sunny", "Theme: light", scheme="default", primary="indigo"),
                        media(": dark", "weather-night", "Theme: dark", scheme="slate", primary="indigo")],
        },
        "plugins": ["search", "offline"], "hooks": [str(HERE / "book.py")], "extra_css": ["assets/book.css"],
        "extra": {"generator": False, "polyfills": ["assets/iframe-worker.js"]},
        "nav": [{"gradus": "index.md"}, *({group: [{title: f"{name}.md"} for name, title in shelf[group]]} for group in GROUPS)],
    }


def write_book(out: pathlib.Path, chapters: list, module: str) -> None:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from page import SCRIPTS, read

    data = {TOP / "lectures" / c["folder"] / "README.md": c for c in chapters}
    paths = {g: sorted((p for pattern in patterns for p in TOP.glob(pattern)), key=natural) for g, patterns in GROUPS.items()}
    BookText.pages = {path: name_of(path) for group in paths.values() for path in group}
    out.mkdir(parents=True, exist_ok=True)
    shelf: dict = {group: [] for group in GROUPS}  # (name, title)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "docs/assets").mkdir(parents=True)
        for group, path in ((group, path) for group, list_ in paths.items() for path in list_):
            text = BookText(path, out, data.get(path))
            write_page(folder / "docs", name_of(path), text.title, f'<div class="text">\n{text.html}</div>\n{live_tags(text, module)}')
            shelf[group].append((name_of(path), text.title))
        write_index(folder / "docs", shelf)
        assets = {"library.js": module, "figures.js": read(*SCRIPTS), "iframe-worker.js": (HERE / "iframe-worker.js").read_text("utf-8"),
                  "book.css": read("chapter.css") + (HERE / "book.css").read_text("utf-8")}
        for name, content in assets.items():
            if content:
                (folder / "docs/assets" / name).write_text(content, "utf-8")
        (folder / "mkdocs.yml").write_text(json.dumps(settings(folder, shelf)), "utf-8")
        with contextlib.redirect_stdout(None):
            build(load_config(str(folder / "mkdocs.yml")))
        shutil.copytree(folder / "site", out, dirs_exist_ok=True)
    print(f"{out}/index.html: {len(BookText.pages)} pages; a browser opens it from the disk")


# ---- hooks of MkDocs: the page's text is HTML already ---------------------------------------------------------

def on_page_markdown(markdown, page, **_):
    page.body = markdown
    return ""


def on_post_page(output, **_):
    """Material's search has no name for a screen reader."""
    return output.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')


def on_page_content(_html, page, **_):
    from mkdocs.structure.toc import get_toc

    tokens: list = []
    for level, name, words in re.findall(r'<h([1-3]) id="(.*?)">(.*?)</h', page.body, re.S):
        into = tokens
        while into and into[-1]["level"] < int(level):
            into = into[-1]["children"]
        plain = html.unescape(re.sub(r"<[^>]*>", "", words))
        into.append({"level": int(level), "id": name, "name": plain, "children": []})
    page.toc = get_toc(tokens)
    return page.body

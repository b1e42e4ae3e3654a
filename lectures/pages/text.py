"""A text in Markdown as HTML, by markdown-it-py, with what the chapters have besides: formulas, code with its place, figures
inside, answers below the questions. The class Text says where links lead."""
import base64
import html
import os
import pathlib
import re
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

from formulas import mathml

TOP = pathlib.Path(__file__).resolve().parents[2]
TAGS = re.compile(r"</?(details|summary|br|sub|sup|kbd)>")


def anchor(heading: str) -> str:
    """GitHub's: small letters, digits and hyphens for spaces."""
    return "".join("-" if c == " " else c for c in heading.lower() if c.isalnum() or c in " -_")


def formula(state, silent: bool) -> bool:
    """$`...`$ within a line."""
    end = state.src.find("`$", state.pos + 2)
    if not state.src.startswith("$`", state.pos) or end < 0:
        return False
    if not silent:
        state.push("formula", "math", 0).content = state.src[state.pos + 2:end]
    state.pos = end + 2
    return True


def underscore(state, silent: bool) -> bool:
    """Only * emphasises: p'_i and p_j are numbers."""
    if state.src[state.pos] != "_":
        return False
    state.pending += "" if silent else "_"
    state.pos += 1
    return True


class Html(RendererHTML):
    """Methods have the names of markdown-it's tokens; env["text"] is the Text."""

    def formula(self, tokens, i, options, env):
        return mathml(tokens[i].content, "inline")

    def html_inline(self, tokens, i, options, env):
        return re.sub(r"<[^>]*>?", lambda tag: tag[0] if TAGS.fullmatch(tag[0]) else html.escape(tag[0]), tokens[i].content)

    def html_block(self, tokens, i, options, env):
        """A comment tells where the code below is from, or whose questions follow; others are left out."""
        code, row = (re.search(rf"<!-- {what} (.*?) ?-->", tokens[i].content) for what in ("code:", "questions:"))
        env["code"], env["row"] = code and code[1], row and row[1]
        return self.html_inline(tokens, i, options, env) if not tokens[i].content.startswith("<!--") else ""

    def blockquote_close(self, tokens, i, options, env):
        row = env.pop("row", None)
        return "</blockquote>\n" + (env["text"].answers(row) if row else "")

    def heading_open(self, tokens, i, options, env):
        name = anchor(tokens[i + 1].content)
        again = env.setdefault("anchors", {})
        again[name] = again.get(name, -1) + 1
        name += f"-{again[name]}" if again[name] else ""
        words = re.sub(r"<[^>]*>", "", self.render(tokens[i + 1:i + 2], options, {**env}))
        env.setdefault("headings", []).append((int(tokens[i].tag[1]), name, html.unescape(words)))
        return f'<{tokens[i].tag} id="{name}">'

    def fence(self, tokens, i, options, env):
        if tokens[i].info.strip() == "math":
            return '<div class="formula" tabindex="0" role="group" aria-label="formula">' \
                f'{mathml(tokens[i].content, "block")}</div>\n'
        place, caption = env.pop("code", None), ""
        if place:
            file, *rest = place.split()
            caption = f'<figcaption><a href="{env["text"].link(file)}">{html.escape(file)}</a>{html.escape(" " + " ".join(rest))}</figcaption>'
        return f'<figure class="code">{caption}{self.code_block(tokens, i, options, env)}</figure>\n'

    def code_block(self, tokens, i, options, env):
        return f'<pre tabindex="0"><code>{html.escape(tokens[i].content)}</code></pre>\n'

    def link_open(self, tokens, i, options, env):
        return f'<a href="{env["text"].link(tokens[i].attrs["href"])}">'

    def image(self, tokens, i, options, env):
        return env["text"].picture(tokens[i].attrs["src"], tokens[i].content)

    def paragraph_open(self, tokens, i, options, env):
        return "" if self.alone(tokens[i + 1]) else super().renderToken(tokens, i, options, env)

    def paragraph_close(self, tokens, i, options, env):
        return "\n" if self.alone(tokens[i - 1]) else super().renderToken(tokens, i, options, env)

    @staticmethod
    def alone(inline) -> bool:
        """A figure is no part of a paragraph."""
        return all(part.type == "image" or part.type == "softbreak" for part in inline.children)

    def table_open(self, tokens, i, options, env):
        """A head without text, as above two pictures side by side, is left out."""
        end = next(k for k in range(i, len(tokens)) if tokens[k].type == "thead_close")
        env["empty"] = not any(token.content for token in tokens[i:end])
        kind = ' class="pictures"' if env["empty"] else ""
        return f'<div class="table" tabindex="0" role="group" aria-label="table"><table{kind}>\n'

    def table_close(self, tokens, i, options, env):
        return "</table></div>\n"

    def th_open(self, tokens, i, options, env):
        if env["empty"]:
            return ""
        right = "right" in str(tokens[i].attrs.get("style"))
        return f'<{tokens[i].tag} class="right">' if right else f"<{tokens[i].tag}>"

    def td_open(self, tokens, i, options, env):
        env["empty"] = False
        return self.th_open(tokens, i, options, env)

    def th_close(self, tokens, i, options, env):
        return "" if env["empty"] else "</th>"


class Text:
    """A file in Markdown for a page of the folder `out`; chapter: what the program tells of it (page_data.c), or None."""

    def __init__(self, path, out, chapter=None):
        self.path, self.out, self.chapter = pathlib.Path(path).resolve(), pathlib.Path(out).resolve(), chapter
        parser = MarkdownIt("commonmark", {"html": True}, renderer_cls=Html).enable("table")
        parser.inline.ruler.before("backticks", "formula", formula)
        parser.inline.ruler.before("emphasis", "underscore", underscore)
        self.env = {"text": self}
        self.html = parser.render(self.path.read_text("utf-8"), self.env)
        self.headings = self.env.get("headings", [])  # (level, anchor, words)
        self.title = self.headings[0][2] if self.headings else self.path.stem

    def find(self, address: str) -> pathlib.Path:
        """The file or folder of the project; a path that begins with / begins in its folder."""
        return (TOP / address[1:] if address.startswith("/") else self.path.parent / unquote(address)).resolve()

    def link(self, address: str) -> str:
        """A chapter's folder leads to its page, which stands beside this one; other files of the project, to themselves."""
        path, mark, name = address.partition("#")
        if "://" in address or address.startswith("mailto:") or not path:
            return html.escape(address)
        return html.escape(self.place(self.find(path))) + mark + name

    def place(self, found: pathlib.Path) -> str:
        if found.parent == TOP / "lectures" and re.match(r"\d\d-", found.name) and self.chapter:
            return f"{found.name}.html"
        return os.path.relpath(found, self.out)

    def source(self, path: pathlib.Path) -> str:
        """What stands in the src of a picture: its bytes."""
        kind = "svg+xml" if path.suffix == ".svg" else path.suffix[1:]
        return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"

    def picture(self, address: str, words: str) -> str:
        """The words are the caption, and what the chapter's figure shows, if it says more, is read aloud."""
        path = self.find(address)
        figure = next((f for f in (self.chapter or {}).get("figures", []) if f["name"] == path.stem), None)
        what = figure["what"] if figure and figure["what"] != words else ""
        more = ""
        if figure and figure["computed"] and not self.chapter["live"]:
            more = f'<br>With controls: <code>./gradus lecture {self.chapter["number"]} --live</code> (needs clang, lld and wasi-libc).'
        return f'<figure id="figure-{path.stem}"><img alt="{html.escape(what)}" src="{self.source(path)}">' \
            f"<figcaption>{html.escape(words)}{more}</figcaption></figure>\n"

    def answers(self, row: str) -> str:
        """The answers to a row's questions, folded, each with what is wrong about the other choices."""
        out = "<details><summary>Answers</summary>\n"
        for q in (self.chapter or {}).get("questions", []):
            if q["row"] == int(row):
                wrong = [f"Usual mistake: {q['misconception']}"] if q["misconception"] else []
                choices = [("Right: " if c["right"] else "") + f"{c['text']}: {c['reason']}" for c in q["choices"]]
                items = "".join(f"<li>{html.escape(item)}</li>" for item in wrong + choices)
                out += f"<p>{html.escape(q['question'])} <strong>{html.escape(q['answer'])}</strong></p>\n<ul>{items}</ul>\n"
        return out + "</details>\n" if self.chapter else ""

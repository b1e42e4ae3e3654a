"""A formula of the texts, in LaTeX, as MathML: what latex2mathml makes of it, and what browsers need besides."""
import re
import xml.etree.ElementTree as ET

from latex2mathml.converter import convert_to_element

SPACES = {"negativethinmathspace": "-0.167em"}
ARROWS = "\u27f9\u27fa"  # latex2mathml takes these for letters
CLOSING = ")]}|!\u2016\u27e9"
WORD = re.compile(r"[A-Za-z]{2,}")


def is_function(node: ET.Element) -> bool:
    """Is it log, or max with what stands below it, so that an argument follows?"""
    return bool(WORD.fullmatch(node.text or "")) if node.tag in ("mi", "mo") else \
        node.tag in ("munder", "msub") and is_function(node[0])


def mend(row: ET.Element) -> None:
    """A thin space stands before a function's name and after it, and a minus without a left operand is a sign."""
    before, spaced = None, False  # the last part that is no space; does a space follow it?
    for child in list(row):
        mend(child)
        if child.tag == "mo" and (WORD.fullmatch(child.text or "") or child.text == "\u221e"):
            child.tag = "mi"
        if child.tag == "mi" and (child.text or " ") in ARROWS:
            child.tag = "mo"
        if child.tag == "mspace":
            child.set("width", SPACES.get(child.get("width", ""), child.get("width", "0")))
            spaced = True
            continue
        if row.tag in ("mrow", "math", "mtd", "mstyle", "msqrt") and before is not None:
            operand = before.tag != "mo" or (before.text or "") in CLOSING
            if child.tag == "mo" and child.text == "\u2212" and not operand:
                child.set("form", "prefix")
            if not spaced and (is_function(before) and child.tag != "mo" or is_function(child) and operand):
                row.insert(list(row).index(child), ET.Element("mspace", width="0.167em"))
        before, spaced = child, False


def mathml(latex: str, display: str) -> str:
    """display: "block" or "inline". ValueError: it has a command that latex2mathml does not know."""
    known = re.sub(r"\\mathrm(?=\{\w\w+\})", r"\\operatorname", latex.strip())  # one word, not as many letters
    known = re.sub(r"\\arg\\(max|min)", r"\\operatorname{arg\1}", known).replace("{aligned}", "{align*}")
    root = convert_to_element(known, display=display)
    for node in root.iter():
        node.text = node.text and re.sub(r"&#x(\w+);", lambda code: chr(int(code[1], 16)), node.text.replace(r"\%", "%"))
        if re.search(r"\\|^&$", node.text or ""):
            raise ValueError(f"formula: found {node.text} in {latex.strip()}; expected commands that latex2mathml knows")
    mend(root)
    root.set("alttext", " ".join(latex.split()))
    return ET.tostring(root, encoding="unicode")

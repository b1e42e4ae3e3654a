"""Measures gradus beside BertViz in a notebook, and prints a table:

    python3 tests/python/beside_bertviz.py [--tokens 64,512] [--library build/python/libgradus-notebook.so]

Needs PyTorch, bertviz, nbclient and ipykernel (pip install). Both show the same weights, 12 layers of 12 heads, random and normalised. A
notebook of one cell is executed and saved by nbclient. Measured in its kernel: the processor time of the cell that shows (gnuplot's
included), and by how much the kernel's peak memory grew over that with the weights; and the size of the saved notebook. Then a file with
the cell's HTML alone is opened in Chromium, --runs times: the least time on the clock and the least processor time of its processes
from opening until the first view is drawn, and the memory of JavaScript. BertViz' libraries come from --libraries, a folder with require.js, d3.js and
jquery.js, since its page would load them from a network."""
import argparse
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
MAKE = """import resource, time, torch
torch.manual_seed(1)
weights = tuple(torch.softmax(torch.randn(1, 12, {T}, {T}), -1) for _ in range(12))
words = [f"w{{i}}" for i in range({T})]
{use}
def spent():
    return sum(r.ru_utime + r.ru_stime for r in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))
peak, before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, spent()"""
USES = {"gradus": ("import gradus", "gradus.attention(weights, words)"),
        "BertViz head_view": ("from bertviz import head_view", "head_view(weights, words)"),
        "BertViz model_view": ("from bertviz import model_view", "model_view(weights, words)")}
TOLD = "(spent() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak)"


def in_kernel(tool, T, folder):
    """Bytes of the saved notebook, seconds of processor time, MB of memory, and the HTML that the cell shows."""
    import nbclient
    import nbformat
    use, show = USES[tool]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (MAKE.format(T=T, use=use), show, TOLD)])
    nbclient.NotebookClient(book, timeout=1800, kernel_name="python3").execute()
    seconds, kilobytes = eval(book.cells[2].outputs[0]["data"]["text/plain"])
    outputs = [o["data"] for o in book.cells[1].outputs if o["output_type"] in ("display_data", "execute_result")]
    book.cells = book.cells[1:2]
    path = folder / "saved.ipynb"
    nbformat.write(book, path)
    page = "".join(d.get("text/html", "") + (f"<script>{d['application/javascript']}</script>" if "application/javascript" in d else "")
                   for d in outputs)
    return path.stat().st_size, seconds, kilobytes / 1024, page


def in_chromium(tool, page, folder, libraries):
    """Seconds on the clock and of processor time until the first view is drawn, and MB of JavaScript's heap; None where it did not draw
    within two minutes."""
    sys.path.insert(0, str(HERE.parents[1] / "browser"))
    from browser import Browser
    from measure import processes
    if tool != "gradus":
        if not libraries:
            return None
        for address, name in (("require.js/2.3.6/require.min.js", "require.js"), ("d3/5.7.0/d3.min", "d3"),
                              ("jquery/2.0.0/jquery.min", "jquery")):
            page = page.replace(f"https://cdnjs.cloudflare.com/ajax/libs/{address}", f"file://{libraries}/{name}")
    path, browser = folder / "cell.html", Browser()
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{page}", "utf-8")
    try:
        spent = lambda: processes(browser.driver.service.process.pid)[0]
        before, begun = spent(), time.monotonic()
        browser.open(path)  # until the load event, which waits for the scripts of a frame
        if tool != "gradus":
            browser.wait("document.querySelector('svg')")
        else:
            browser.frame("iframe")
            browser.wait("document.querySelector('svg')")
        clock, took = time.monotonic() - begun, spent() - before
        return clock, took, browser.script("return performance.memory.usedJSHeapSize") / 1e6
    except Exception:  # of selenium, or of the time that was given
        return None
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", default="64,512")
    parser.add_argument("--library", default="build/python/libgradus-notebook.so")
    parser.add_argument("--libraries")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tools", default=",".join(USES))
    wish = parser.parse_args()
    os.environ["GRADUS_LIBRARY"] = str(pathlib.Path(wish.library).resolve())
    os.environ["PYTHONPATH"] = str(HERE.parents[2] / "python")
    print("| 12 layers of 12 heads | saved notebook | the cell, processor time | the kernel, memory | time to show | Chromium, processor time | JavaScript, memory |")
    print("|---|---|---|---|---|---|---|")
    for T in map(int, wish.tokens.split(",")):
        for tool in wish.tools.split(","):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    size, seconds, memory, page = in_kernel(tool, T, pathlib.Path(folder))
                    shown = in_chromium(tool, page, pathlib.Path(folder), wish.libraries)
                    more = [in_chromium(tool, page, pathlib.Path(folder), wish.libraries) for _ in range(wish.runs - 1) if shown]
                    shown = shown and tuple(map(min, zip(shown, *filter(None, more))))
                except Exception as error:  # a kernel that the system ended is a result
                    print(f"| {tool}, {T} tokens | failed: {str(error).splitlines()[0][:60]} | | | | | |", flush=True)
                    continue
            drawn = "{:.2f} s | {:.2f} s | {:.0f} MB".format(*shown) if shown else "not within 120 s | | "
            print(f"| {tool}, {T} tokens | {size / 1e6:.1f} MB | {seconds:.2f} s | {memory:.0f} MB | {drawn} |", flush=True)


if __name__ == "__main__":
    main()

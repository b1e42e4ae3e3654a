"""Measures pages on attention:  python3 measure.py PAGE.html... [--loads 5] [--model FOLDER...]

Of attention.html and train.html with the library (./gradus example attention
--live): the size, how long after the beginning of the navigation a sentence can be typed, how long another sentence takes, and a step
of training. Of model.html: for each FOLDER how long it opens, how long a text of 16 tokens takes (20 runs, or what 20 s have room for),
how many tokens a second it writes (20 after the first), each by the clock and by the processor time of all processes of the browser,
and the memory of these (Linux).

For each page without the library: its size; the time until it is usable, from the beginning of the navigation to the end of its script, after which it
is drawn (median of the loads); the time of the view of all heads, until the last is painted; and how long a hover takes, from the mouse
event to the frame that shows its answer (median and largest of 20), on arcs and on a heatmap. Times are of the wall clock: other
programs prolong them."""
import argparse
import os
import pathlib
import statistics
import time

from browser import MISSING, Browser

# Appends to `times` the milliseconds from an event to the frame after it.
LISTEN = """window.times = [];
addEventListener('mousemove', event => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => times.push(performance.now() - event.timeStamp);
    channel.port2.postMessage(0);
}), true);"""


def load(browser, page):
    browser.open(page)
    browser.wait("document.querySelector('svg')")
    return browser.script("return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")


def all_heads(browser):
    browser.script("""window.began = performance.now();
        chooseView(1);
        const look = () => document.querySelector('svg.heads').dataset.complete ?
            requestAnimationFrame(() => { window.took = performance.now() - began; }) : setTimeout(look, 0);
        look();""")
    browser.wait("window.took")
    return browser.script("return window.took")


def hovers(browser, points):
    browser.script("times.length = 0")
    for x, y in points:
        browser.move(x, y)
        time.sleep(0.1)
    return browser.script("return times")


def token_points(browser, selector, count):
    return browser.script("""return [...document.querySelectorAll(arguments[0])].map(node => node.getBoundingClientRect())
        .filter(box => box.top > 0 && box.bottom < innerHeight).slice(0, arguments[1])
        .map(box => [box.x + box.width / 2, box.y + box.height / 2]);""", selector, count)


def report(name, times):
    print(f"  {name}: {statistics.median(times):.1f} ms, the largest of {len(times)}: {max(times):.1f} ms", flush=True)


# Milliseconds of 20 sentences, one after the other, each until the page says the answer; of 10 times 20 steps, for one step.
SENTENCES = """const times = [], said = document.getElementById('said');
for (let i = 0; i < 20; i++) {
    document.getElementById('sentence').value = 'The cat crossed the road because it was' + ' too'.repeat(i % 4) + ' wide.';
    said.textContent = '';
    const began = performance.now();
    document.querySelector('#ask button').click();
    while (!said.textContent)
        await new Promise(done => setTimeout(done));
    times.push(performance.now() - began);
}
return times"""
STEPS = """const times = [];
for (let i = 0; i < 10; i++) {
    const began = performance.now();
    await trainSteps(20);
    times.push((performance.now() - began) / 20);
}
return times"""


def ready(browser, page):
    """How long after the beginning of the navigation the library answers, up to the 20 ms between two questions."""
    browser.open(page)
    browser.wait("document.documentElement.dataset.live === 'ready'")
    return browser.script("return performance.now()")


def processes(root):
    """Seconds of processor time and bytes of memory of a process and its descendants; what several share is divided among them."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            memory = next(line for line in (folder / "smaps_rollup").read_text().splitlines() if line.startswith("Pss:"))
            found[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK"), 1024 * int(memory.split()[1])
        except (OSError, ValueError, StopIteration):  # it has ended, or is the system's
            continue
    below = {root}
    while more := {pid for pid, (parent, *_) in found.items() if parent in below} - below:
        below |= more
    return [sum(found[pid][i] for pid in below if pid in found) for i in (1, 2)]


TEXT = "MODEL.opened.numbers ? '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16' : 'The big animal did not cross the street because it was too tired.'"
RUNS = """const times = [], text = TEXT;
for (const end = performance.now() + 20000; times.length < 20 && (times.length < 3 || performance.now() < end);) {
    const began = performance.now();
    await ACT;
    times.push(performance.now() - began);
}
return times""".replace("TEXT", TEXT)


def measure_model(browser, folder):
    def spent(script):
        before = processes(browser.driver.service.process.pid)[0]
        return browser.script(f"return (async () => {{ {script} }})()"), processes(browser.driver.service.process.pid)[0] - before

    def write(tokens):
        return spent(f"MODEL.nodes.field.value = {TEXT}; MODEL.nodes.tokens.value = {tokens}; await write(); return MODEL.nodes.written.textContent")

    browser.give("#pick-files", *sorted(folder.glob("*.*")))
    browser.wait("MODEL.opened")
    print(f"  {folder.name}: {browser.text('#summary').splitlines()[-1]}", flush=True)
    for what, act in (("answered", "MODEL.ask('live_run', text)"), ("answered and shown", "run(text)")):
        times, seconds = spent(RUNS.replace("ACT", act))
        report(f"a text of 16 tokens {what}", times)
        print(f"  of processor time: {1000 * seconds / len(times):.1f} ms")
    if browser.script("return MODEL.opened.writes"):
        (_, first), (text, all) = write(1), write(21)
        print(f"  {text.split(', ')[-1]}; of processor time: {20 / (all - first):.1f}")
    print(f"  memory: {processes(browser.driver.service.process.pid)[1] / 1e6:.0f} MB", flush=True)


def measure_live(browser, page, loads, models):
    report("a sentence can be typed after", [ready(browser, page) for _ in range(loads)])
    if browser.script("return typeof trainSteps === 'function'"):
        report("a step of training", browser.script(f"return (async () => {{ {STEPS} }})()"))
    elif browser.script("return typeof MODEL === 'object'"):
        for folder in models:
            browser.open(page)
            measure_model(browser, folder)
    else:
        report("another sentence", browser.script(f"return (async () => {{ {SENTENCES} }})()"))


def measure(browser, page, loads, models):
    print(f"{os.path.basename(page)}: {os.path.getsize(page) / 1e6:.2f} MB", flush=True)
    browser.open(page)
    if browser.script("return Boolean(document.documentElement.dataset.live) || typeof MODULE === 'string'"):
        return measure_live(browser, page, loads, models)
    report("usable after", [load(browser, page) for _ in range(loads)])
    print(f"  all heads: {all_heads(browser):.0f} ms", flush=True)
    browser.script(LISTEN)
    browser.keys("1")
    time.sleep(1)
    report("hover on a token", hovers(browser, token_points(browser, '.token[data-axis="rows"] text', 20)))
    browser.keys("3")
    time.sleep(1)
    report("hover on the heatmap", hovers(browser, [(200 + 7 * i, 250 + 5 * i) for i in range(20)]))
    assert browser.console() == []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("page", nargs="+")
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--model", type=pathlib.Path, nargs="*", default=[])
    wish = parser.parse_args()
    if MISSING:
        parser.error(MISSING)
    browser = Browser()
    for page in wish.page:
        measure(browser, page, wish.loads, wish.model)
    browser.close()


if __name__ == "__main__":
    main()

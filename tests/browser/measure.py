"""Measures pages on attention:  python3 measure.py PAGE.html... [--loads 5]

GRADUS_BROWSER chooses the browsers, as for the tests. Of attention.html and train.html with the library (./gradus example attention
--live): the size, how long after the beginning of the navigation a sentence can be typed, how long another sentence takes, and a step
of training.

For each page without the library: its size; the time until it is usable, from the beginning of the navigation to the end of its script, after which it
is drawn (median of the loads); the time of the view of all heads, until the last is painted; and how long a hover takes, from the mouse
event to the frame that shows its answer (median and largest of 20), on arcs and on a heatmap. Times are of the wall clock: other
programs prolong them."""
import argparse
import os
import statistics
import time

from browser import chosen_browsers

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


def measure_live(browser, page, loads):
    report("a sentence can be typed after", [ready(browser, page) for _ in range(loads)])
    if browser.script("return typeof trainSteps === 'function'"):
        report("a step of training", browser.script(f"return (async () => {{ {STEPS} }})()"))
    else:
        report("another sentence", browser.script(f"return (async () => {{ {SENTENCES} }})()"))


def measure(browser, page, loads):
    print(f"{os.path.basename(page)}: {os.path.getsize(page) / 1e6:.2f} MB in {browser.name}", flush=True)
    browser.open(page)
    if browser.script("return Boolean(document.documentElement.dataset.live) || typeof MODULE === 'string'"):
        return measure_live(browser, page, loads)
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
    wish = parser.parse_args()
    for make in chosen_browsers().values():
        browser = make()
        try:
            for page in wish.page:
                measure(browser, page, wish.loads)
        finally:
            browser.close()


if __name__ == "__main__":
    main()

"""Takes a picture of a page:  python3 screenshot.py PAGE.html PICTURE.png [--size=1280x720] [--theme=dark] [STEP...]

A step is what a person does before: keys=3,s, hover=SELECTOR, choose=ID:NUMBER (an option of a list, counted from 0), slide=ID:NUMBER."""
import sys
import time

from browser import MISSING, Browser

if MISSING or len(sys.argv) < 3:
    sys.exit(f"screenshot.py: {MISSING or 'expected a page and a picture'}")
wish = {"--size": "1280x720", "--theme": "light", **dict(word.split("=") for word in sys.argv[3:] if word.startswith("--"))}
browser = Browser()
browser.open(sys.argv[1], tuple(map(int, wish["--size"].split("x"))), wish["--theme"])
for step in sys.argv[3:]:
    kind, _, what = step.partition("=")
    if kind in ("choose", "slide"):
        name, number = what.split(":")
        getattr(browser, kind)(f"#{name}", int(number) if kind == "choose" else float(number))
    elif kind in ("keys", "hover"):
        getattr(browser, kind)(*(what.split(",") if kind == "keys" else [what]))
    elif not kind.startswith("--"):
        sys.exit(f"screenshot.py: found {step}; expected keys=..., hover=..., choose=...:... or slide=...:...")
time.sleep(0.5)  # until it is drawn
browser.driver.save_screenshot(sys.argv[2])
browser.close()

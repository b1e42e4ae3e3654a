"""Takes a picture of a page:  python3 screenshot.py PAGE.html PICTURE.png [--size 1280x720] [--theme dark] [STEP...]

A step is what a person does before: keys=3 presses keys, hover=SELECTOR moves the mouse onto an element,
choose=ID:NUMBER takes an option of a list, counted from 0, slide=ID:NUMBER moves a slider, and show=SELECTOR scrolls to an
element."""
import argparse
import sys
import time

from browser import Browser, find_programs


def act(browser, step):
    kind, _, what = step.partition("=")
    if kind == "keys":
        browser.keys(*what.split(","))
    elif kind == "hover":
        browser.hover(what)
    elif kind == "choose":
        name, number = what.split(":")
        browser.choose(f"#{name}", int(number))
    elif kind == "slide":
        name, number = what.split(":")
        browser.slide(f"#{name}", float(number))
    elif kind == "show":
        browser.script("document.querySelector(arguments[0]).scrollIntoView()", what)
    else:
        sys.exit(f"screenshot.py: found {step}; expected keys=..., hover=..., choose=...:..., slide=...:... or show=...")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("page")
    parser.add_argument("picture")
    parser.add_argument("step", nargs="*")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--theme", default="light", choices=["light", "dark"])
    wish = parser.parse_intermixed_args()
    if not find_programs():
        sys.exit("screenshot.py: found no Chromium with chromedriver; ./gradus test --browser installs them")
    browser = Browser()
    try:
        browser.open(wish.page, tuple(int(side) for side in wish.size.split("x")), wish.theme)
        for step in wish.step:
            act(browser, step)
        time.sleep(0.5)  # until it is drawn
        browser.screenshot(wish.picture)
    finally:
        browser.close()


if __name__ == "__main__":
    main()

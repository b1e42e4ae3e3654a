"""Tests pages on attention as a person uses them:  python3 attention.py SOURCE LIBRARY

The package for notebooks writes pages of the numbers below. The page shows three or four significant digits of
numbers that it stores in 16 bits: a weight w is shown within 0.0006 (three decimals from 0.1 on, four below), another number
x within 0.0006 |x| + the rounding error that the page states, which is below 0.0001 here."""
import array
import math
import random
import re
import struct
import xml.etree.ElementTree
import zlib

from browser import main, package
from package_data import as_shape

# Ten colours of viridis (Smith and van der Walt, Matplotlib), between which plot's pictures interpolate.
VIRIDIS = [bytes.fromhex(colour) for colour in ("440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779",
                                                "6ece58", "b5de2b", "fde725")]
# Tokens that would end a script, an attribute or a line, in several writing directions.
HOSTILE = ["</script><script>window.attacked = 1</script>", "<img src=x onerror='window.attacked = 1'>", "\" onclick=\"window.attacked = 1",
           "שלום", "猫", "straße", " \n\u2028", "\udcff\x01"]
TIRED = "The animal didn't cross the street because it was too tired".split()
SHOWN = {"Arcs": "1", "All heads": "2", "Heatmap": "3", "Queries and keys": "4", "Picture": "5"}


def weights_of(heads, rows, columns, seed):
    """Rows of a softmax of random scores."""
    draw, flat = random.Random(seed), array.array("f")
    for _ in range(heads * rows):
        row = [math.exp(4 * draw.random()) for _ in range(columns)]
        flat.extend(x / sum(row) for x in row)
    return as_shape(flat, (heads, rows, columns))


def normal(seed, *shape):
    draw = random.Random(seed)
    return as_shape(array.array("f", (draw.gauss(0, 1) for _ in range(math.prod(shape)))), shape)


SMALL = [weights_of(2, 8, 8, seed) for seed in (1, 2)]  # a map (H, T, S) a layer
PAIR, PAIR_BACK = [weights_of(2, 11, 11, seed) for seed in (3, 4)], [normal(seed, 2, 11, 11) for seed in (5, 6)]
Q, K = ([normal(seed, 2, 11, 4) for seed in seeds] for seeds in ((7, 8), (9, 10)))
PATCHES = weights_of(2, 5, 5, 21)


def number(text):
    return float(text.replace("\u2212", "-"))


def flat(map):
    return map.cast("B").cast("f").tolist()


def close(shown, exact, bound=6e-4):
    return abs(number(shown) - exact) <= bound * max(1, abs(exact)) + 1e-4


def tip(browser):
    """The tip's lines "name = number"."""
    return dict(part.split(" = ") for part in re.split(r"\n|, ", browser.text("#tip")) if " = " in part)


def hover_cell(browser, i, j, panel=0):
    """The pointer on a cell of the heatmap: its canvas has the map's size."""
    box = browser.script("""const canvases = document.querySelectorAll('.panel')[arguments[0]].querySelectorAll('canvas');
        return canvases[canvases.length - 1].getBoundingClientRect().toJSON()""", panel)
    rows, columns = browser.script("return [PANELS[arguments[0]].attention.rows, PANELS[arguments[0]].attention.columns]", panel)
    browser.move(box["x"] + (j + 0.5) * box["width"] / columns, box["y"] + (i + 0.5) * box["height"] / rows)


# ---- texts and the policy ----------------------------------------------------------------------------------


def test_hostile_tokens_stay_text(browser, folder):
    browser.open(f"{folder}/small.html")
    assert browser.text("h1") == "<i>Attention</i> & more" and browser.text("h2") == "<b>a title</b>"
    browser.hover('[data-axis="rows"][data-index="0"]')
    browser.keys(SHOWN["Heatmap"])
    hover_cell(browser, 1, 0)
    assert "</script><script>window.attacked = 1</script>" in browser.text("#tip")
    assert "<img src=x" in browser.text("#tip")
    browser.keys(SHOWN["All heads"], "?")
    assert browser.script("return window.attacked") is None
    assert browser.script("return document.scripts.length + document.images.length") == 2


def test_the_policy_refuses_other_scripts_and_requests(browser, folder):
    browser.open(f"{folder}/small.html")
    browser.script("""const script = document.createElement('script');
        script.textContent = 'window.attacked = 1';
        document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<img src=https://example.org/x.png onerror="window.attacked=1">');
        fetch('https://example.org/').catch(() => { window.refused = true; });""")
    browser.wait("window.refused")
    policy = browser.script("return document.querySelector('meta[http-equiv]').content")
    assert re.fullmatch("default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; img-src data: blob:; "
                        "base-uri 'none'; form-action 'none'", policy), policy
    assert browser.script("return window.attacked") is None
    messages = browser.console()
    assert any("Content Security Policy" in message for message in messages)
    assert "https://example.org/x.png" in browser.requests()  # an attempt is noticed, though it is refused


# ---- numbers ----------------------------------------------------------------------------------------------------


def test_arcs_are_the_numbers_of_the_file_in_both_directions(browser, folder):
    browser.open(f"{folder}/small.html")
    browser.choose("#layer", 1)
    browser.choose("#head", 1)
    weight = lambda i, j: SMALL[1][1, i, j]
    for axis, other, index in (("rows", "columns", 2), ("columns", "rows", 5)):
        browser.hover(f'[data-axis="{axis}"][data-index="{index}"]')
        shown = browser.script("""return [...document.querySelectorAll(`[data-axis=${arguments[0]}] .number`)]
            .map(node => node.textContent)""", other)
        exact = [weight(index, k) if axis == "rows" else weight(k, index) for k in range(8)]
        most = max(x for layer in SMALL for x in flat(layer))  # all heads share one scale
        for text, x in zip(shown, exact):
            assert close(text, x) if x >= 0.011 * most else text == "" or close(text, x), (axis, text, x)
        # the wider line has the larger weight
        widths = browser.script("""return [...document.querySelectorAll('.lines path')].map(line =>
            [+line.dataset.row, +line.dataset.column, +line.getAttribute('stroke-width')])""")
        drawn = sorted((width, weight(i, j)) for i, j, width in widths)
        assert len(drawn) > 3 and [w for _, w in drawn] == sorted(w for _, w in drawn), drawn


def test_a_pinned_token_stays_and_a_second_click_unpins_it(browser, folder):
    browser.open(f"{folder}/small.html")
    lines = "return document.querySelectorAll('.lines path').length"
    everything = browser.script(lines)
    token = '[data-axis="columns"][data-index="5"]'
    browser.hover(token, click=True)
    browser.move(5, 5)
    one = browser.script(lines)
    assert 0 < one <= 8 < everything, (one, everything)
    browser.hover(token, click=True)
    browser.move(5, 5)
    assert browser.script(lines) == everything


def test_a_heatmap_shows_weight_gradient_and_product_of_a_cell(browser, folder):
    weights, gradients = PAIR[1], PAIR_BACK[1]
    browser.open(f"{folder}/pair.html")
    browser.choose("#layer", 1)
    browser.choose("#head", 1)
    browser.keys(SHOWN["Heatmap"])
    for i, j in ((0, 0), (7, 1), (10, 10), (3, 8)):
        hover_cell(browser, i, j)
        at, lines = (1, i, j), tip(browser)
        assert close(lines["A"], weights[at]), (lines, weights[at])
        assert close(lines["dL/dA"], gradients[at], 2e-3), (lines, gradients[at])
        assert close(lines["A · dL/dA"], weights[at] * gradients[at], 3e-3), (lines, weights[at] * gradients[at])
    browser.choose("#head", 2)  # the mean over heads
    hover_cell(browser, 7, 1)
    assert close(tip(browser)["A"], sum(weights[h, 7, 1] for h in range(2)) / 2)


def test_colours_are_those_of_the_scale(browser, folder):
    numbers = flat(SMALL[0])
    browser.open(f"{folder}/small.html")
    browser.keys(SHOWN["Heatmap"])
    browser.choose("#scale", 1)  # this head's own: its largest weight is the last colour, #fde725
    best = max(range(64), key=lambda at: numbers[at])
    pixels = browser.script("""const all = document.querySelectorAll('canvas');
        return [...all[all.length - 1].getContext('2d').getImageData(0, 0, 8, 8).data]""")
    assert pixels[4 * best:4 * best + 3] == [0xfd, 0xe7, 0x25], pixels[4 * best:4 * best + 4]
    for at in range(64):
        place = numbers[at] / numbers[best] * (len(VIRIDIS) - 1)
        below = min(int(place), len(VIRIDIS) - 2)
        for c in range(3):
            low, high = VIRIDIS[below][c], VIRIDIS[below + 1][c]
            # the page rounds to one of 256 places: half a place is 1/57 of the way between two of these colours
            bound = abs(high - low) / 57 + 1
            assert abs(pixels[4 * at + c] - (low + (place - below) * (high - low))) <= bound + 1, (at, c)


def test_channels_add_up_to_the_score(browser, folder):
    browser.open(f"{folder}/pair.html")
    browser.choose("#layer", 1)
    browser.choose("#head", 1)
    browser.choose("#query", 8)  # "it", number 7
    browser.keys(SHOWN["Queries and keys"])
    products = [[Q[1][1, 7, c] * K[1][1, j, c] / 2 for c in range(4)] for j in range(11)]
    shown = browser.script("return [...document.querySelectorAll('.score')].map(node => node.textContent)")
    for text, row in zip(shown, products, strict=True):
        assert close(text, sum(row), 2e-3), (text, sum(row))
    browser.hover("canvas", 2.5 / 4, 4.5 / 11)
    assert close(tip(browser)["q k / √4"], products[4][2], 2e-3), (tip(browser), products[4][2])


def test_all_heads_open_the_one_that_is_clicked(browser, folder):
    browser.open(f"{folder}/pair.html")
    browser.keys(SHOWN["All heads"])
    browser.wait("document.querySelector('svg.heads').dataset.complete")
    box = browser.script("""const view = PANELS[0].view, box = view.figure.svg.getBoundingClientRect(), [x, y] = view.corner(1, 1);
        return [box.x + x + view.w / 2, box.y + y + view.h / 2];""")
    browser.move(*box)
    largest = max(flat(PAIR[1])[121:])
    assert "layer 2, head 2" in browser.text("#tip")
    assert close(re.search(r"largest A: ([\d.]+)", browser.text("#tip"))[1], largest)
    browser.move(*box, click=True)
    assert browser.text("#about").startswith("layer 2, head 2 of self-attention")
    hover_cell(browser, 0, 0)
    assert close(tip(browser)["A"], PAIR[1][1, 0, 0])


def test_two_inputs_stand_side_by_side(browser, folder):
    browser.open(f"{folder}/pair.html")
    browser.choose("#beside", 2)
    assert browser.script("return [...document.querySelectorAll('h2')].map(node => node.textContent)") == ["… tired", "… wide"]
    browser.hover('[data-axis="rows"][data-index="7"]')
    chosen = browser.script("return [...document.querySelectorAll('.chosen')].map(node => node.getAttribute('aria-label'))")
    assert chosen == ["query it (8)", "query it (8)"], chosen


def test_patches_on_the_image(browser, folder):
    browser.open(f"{folder}/image.html")
    browser.choose("#head", 0)
    box = browser.script("""const view = PANELS[0].view, box = view.figure.svg.getBoundingClientRect();
        return {x: box.x, y: box.y + view.top, w: view.w, h: view.h, at: view.x};""")
    point = lambda copy, x, y: (box["x"] + box["at"][copy] + x * box["w"], box["y"] + y * box["h"])
    browser.move(*point(1, 0.75, 0.25))  # patch 1,2 of the weights, from the class token
    assert close(tip(browser)["A"], PATCHES[0, 0, 2]), (tip(browser), PATCHES[0, 0, 2])
    browser.move(*point(0, 0.25, 0.75), click=True)  # patch 2,1 of the image is the query now
    browser.move(*point(1, 0.75, 0.75))
    assert close(tip(browser)["A"], PATCHES[0, 3, 4]), (tip(browser), PATCHES[0, 3, 4])
    corner = browser.script("return [...PANELS[0].view.copies[0].getContext('2d').getImageData(7, 7, 1, 1).data]")
    assert corner == [255, 255, 255, 255], corner  # the ramp ends in white


# ---- keys, names, files, paper ---------------------------------------------------------------------------------------


def test_each_key_moves_its_list_by_one_and_back(browser, folder):
    browser.open(f"{folder}/pair.html")
    for key, name in {"l": "layer", "h": "head", "n": "quantity", "q": "query", "i": "input", "b": "beside", "c": "scale"}.items():
        place = lambda: browser.script("const {selectedIndex, length} = LISTS[arguments[0]]; return [selectedIndex, length]", name)
        first, count = place()
        assert count > 1, key
        browser.keys(key)
        assert place() == [(first + 1) % count, count], key
        browser.keys(key.upper())
        assert place() == [first, count], key


MARKS = {"Arcs": 60, "Heatmap": 121, "All heads": 484, "Queries and keys": 88}  # at least so many rectangles and lines


def check_files(view, svg, png):
    """A well-formed drawing that stands without the page's style, and twice as many pixels, many of them different."""
    root = xml.etree.ElementTree.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    assert root.tag == name + "svg" and "class=" not in svg and "var(" not in svg, view
    assert len(root.findall(f".//{name}rect")) + len(root.findall(f".//{name}path")) >= MARKS[view], view
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">I", png[16:20])[0] == 2 * round(float(root.get("width"))), view
    at, packed = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        packed += png[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    assert len(set(zlib.decompress(packed))) > 30, view


def test_each_button_does_what_its_key_does(browser, folder):
    browser.open(f"{folder}/pair.html")
    for view in list(SHOWN)[3::-1]:
        browser.click(f"//button[.='{view}']")
        assert browser.script("return VIEWS.filter(({button}) => isPressed(button)).map(({name}) => name)") == [view]
        assert browser.script("return Frame.live.textContent").startswith(f"{view}: layer 1, head 1"), view
        if view == "All heads":
            browser.wait("document.querySelector('svg.heads').dataset.complete")
        saved = {}
        for kind, *acts in (("svg", browser.keys, "s"), ("svg", browser.click, "//button[.='SVG']"),
                            ("png", browser.keys, "p"), ("png", browser.click, "//button[.='PNG']")):
            acts[0](acts[1])
            data = browser.downloaded(f"attention-layer1-head1.{kind}")
            assert saved.setdefault(kind, data) == data, (view, kind)
        check_files(view, saved["svg"].decode(), saved["png"])
    browser.click("#keys")
    assert browser.script("return document.querySelector('#help').open")
    browser.click("#help button")
    assert not browser.script("return document.querySelector('#help').open")
    for theme in ("light", "dark", "system"):
        browser.click("#theme")
        assert browser.text("#theme") == f"Theme: {theme}"
    browser.keys("+", "-", "-")
    assert browser.script("return getComputedStyle(document.documentElement).fontSize") == "14px"


def test_a_page_is_drawn_anew_when_it_becomes_wider(browser, folder):
    """As in a notebook's frame, which may get its width after the page has run, and without a resize event."""
    browser.open(f"{folder}/small.html")
    browser.script("document.body.style.width = '100px'")
    browser.wait("PANELS[0].view.width < 100")
    browser.script("document.body.style.width = ''")
    browser.wait("PANELS[0].view.width === document.querySelector('main').clientWidth && PANELS[0].view.width > 1000")


def test_everything_by_keyboard_with_names_for_screen_readers(browser, folder):
    browser.open(f"{folder}/pair.html")
    assert browser.accessible("#layer")[0] == "Layer"
    browser.script("document.querySelector('[data-axis=rows][tabindex=\"0\"]').focus()")
    browser.keys("ArrowDown", "ArrowDown")
    assert browser.script("return document.activeElement.getAttribute('aria-label')") == "query didn't (3)"
    assert browser.text("#live").startswith("didn't (3): ") and browser.script("return SHOWN.hover.index") == 2
    browser.keys("Enter")
    assert browser.script("return SHOWN.pinned") == {"axis": "rows", "index": 2}
    browser.keys("Escape", SHOWN["Heatmap"], "h")
    assert browser.text("#about").startswith("layer 1, head 2")
    browser.script("document.querySelector('svg.map').focus()")
    browser.keys("ArrowDown", "ArrowRight")
    said = browser.script("return document.querySelector('#live').textContent")
    assert said.startswith("query animal (2), key animal (2): A ") and close(said.split()[-1], PAIR[0][1, 1, 1]), said
    name, role = browser.accessible("svg.map")
    assert name.startswith("heatmap: layer 1, head 2 of self-attention") and role == "application", (name, role)


def test_paper_is_white_and_has_no_controls(browser, folder):
    browser.open(f"{folder}/small.html", theme="dark")
    browser.keys("t", "t")  # dark by hand, too
    browser.media("dark", "print")
    shown = browser.script("""return [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('#controls')).display]""")
    browser.media()
    assert shown == ["rgb(255, 255, 255)", "none"], shown


def make(folder, source, library):
    gradus = package(source, library)
    small = gradus.attention(SMALL, HOSTILE, title="<b>a title</b>")
    small._title = "<i>Attention</i> & more"
    pair = [gradus.attention(PAIR, [*TIRED[:-1], word], gradients=PAIR_BACK, q=Q, k=K, title=f"… {word}") for word in ("tired", "wide")]
    ramp = as_shape(array.array("f", (i / 63 for i in range(64))), (1, 8, 8))
    for name, page in {"small": small, "pair": pair[0].beside(pair[1]), "image": gradus.attention([PATCHES], image=ramp, patch=4)}.items():
        page.save(folder / f"{name}.html")


if __name__ == "__main__":
    main(globals(), make)

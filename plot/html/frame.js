// frame.js: what all kinds of pages share. A page's script is this file with presenting.js and KIND.js after it.
//
//   DATA        the page's data, which page.c wrote
//   Packed      an array of numbers in 8 or 16 bits (pack.c)
//   element, drawing        make elements of HTML and of SVG; texts are always textContent
//   colourAt    the colours of plot/colours.c
//   Frame       heading, controls, notes; keys and their help; theme and sizes; the live region
//   saveSvg, savePng        what is shown as files
'use strict';

const DATA = JSON.parse(document.getElementById('data').textContent);

// ---- numbers ------------------------------------------------------------------------------------

function bytesOf(base64) {
    if (Uint8Array.fromBase64)
        return Uint8Array.fromBase64(base64);
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    return bytes;
}

// Maps (..., T, S), seen as (maps, rows, columns). They are decoded when they are first read.
class Packed {
    constructor(packed) {
        const rank = packed.shape.length;
        this.shape = packed.shape;
        this.columns = rank > 0 ? packed.shape[rank - 1] : 1;
        this.rows = rank > 1 ? packed.shape[rank - 2] : 1;
        this.maps = packed.shape.slice(0, -2).reduce((product, n) => product * n, 1);
        this.bits = packed.bits;
        this.low = packed.low;
        this.high = packed.high;
        this.error = packed.error;
        this.last = 2 ** packed.bits - 4;
        this.base64 = packed.base64;
        this.bytes = null;
        // Of each row: how many columns are stored, and where they begin in the map.
        this.kept = new Int32Array(this.rows);
        this.begin = new Int32Array(this.rows);
        for (let i = 0, at = 0; i < this.rows; i++) {
            this.begin[i] = at;
            this.kept[i] = packed.causal ? Math.max(0, i + 1 + this.columns - this.rows) : this.columns;
            at += this.kept[i];
            this.size = at; // of one map
        }
    }
    code(map, row, column) {
        this.bytes ??= bytesOf(this.base64);
        const at = map * this.size + this.begin[row] + column;
        return this.bits === 8 ? this.bytes[at] : this.bytes[2 * at] + 256 * this.bytes[2 * at + 1];
    }
    value(code) {
        if (code > this.last)
            return [-Infinity, Infinity, NaN][code - this.last - 1];
        return this.low + (this.high - this.low) * (code / this.last);
    }
    at(map, row, column) {
        return column < this.kept[row] ? this.value(this.code(map, row, column)) : 0;
    }
    // A whole map in a new array, row after row.
    map(map) {
        const out = new Float64Array(this.rows * this.columns);
        for (let i = 0; i < this.rows; i++)
            for (let j = 0; j < this.kept[i]; j++)
                out[i * this.columns + j] = this.value(this.code(map, i, j));
        return out;
    }
}

// A number for reading: three significant digits, or three decimals where it is close to 1.
function readable(x) {
    if (!Number.isFinite(x))
        return Number.isNaN(x) ? 'not a number' : x < 0 ? '−∞' : '∞';
    const size = Math.abs(x);
    const text = size === 0 ? '0' : size >= 0.001 && size < 1 ? x.toFixed(size < 0.1 ? 4 : 3) :
        size >= 1 && size < 100000 ? String(Number(x.toPrecision(4))) : x.toExponential(2);
    return text.replace('-', '−').replace('e−', 'e-');
}

// ---- elements -----------------------------------------------------------------------------------

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {}))
        if (name.startsWith('on'))
            node.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            node.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : value);
    node.append(...children.filter(child => child !== null));
    return node;
}

// Children are nodes or texts.
function element(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

function drawing(tag, attributes, ...children) {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

// A token as it is shown: white space at its edges and control characters are visible.
function visible(token) {
    const text = token.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
    return text.replace(/^ +| +$/g, spaces => '␣'.repeat(spaces.length));
}

// A token in its own writing direction.
function tokenNode(token) {
    return element('bdi', {}, visible(token));
}

// ---- colours ------------------------------------------------------------------------------------

const SCALES = {};
for (const name of ['sequential', 'diverging'])
    SCALES[name] = DATA.colours[name].map(text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16)));

// Red, green and blue from 0 to 255; place is from 0, the low end of the scale, to 1.
function colourAt(scale, place) {
    const colours = SCALES[scale], at = Math.min(1, Math.max(0, place)) * (colours.length - 1);
    const i = Math.min(Math.floor(at), colours.length - 2), share = at - i;
    return colours[i].map((low, k) => Math.round(low + share * (colours[i + 1][k] - low)));
}

function cssColour([red, green, blue]) {
    return `rgb(${red}, ${green}, ${blue})`;
}

// A colour of the theme, such as '--ink'.
function themeColour(name) {
    Frame.live.style.color = `var(${name})`;
    const found = getComputedStyle(Frame.live).color;
    Frame.live.style.color = '';
    return found;
}

// ---- the frame -----------------------------------------------------------------------------------

const Frame = {
    keys: [],        // {key, what, act}
    redraw: [],      // called after a change of theme or size
    drawn: '',       // the size that they were last called for
    fontSize: 16,
    theme: 'system', // or 'light', 'dark'
    controls: null,  // where a page puts its controls
    main: null,      // where it draws
    live: null,
    tip: null,
};

function redrawAll() {
    for (const draw of Frame.redraw)
        draw();
    keepLink();
}

// No resize event tells that main has become wider in a frame whose page ran before the frame had its width (Chromium, a
// notebook's cell), or narrower because a scrollbar appeared: both are seen by its width.
function redrawResized() {
    const size = [Frame.main.clientWidth, innerWidth, innerHeight].join();
    if (size !== Frame.drawn) {
        Frame.drawn = size;
        redrawAll();
    }
}

function nextTheme() {
    Frame.theme = document.documentElement.dataset.theme = {system: 'light', light: 'dark', dark: 'system'}[Frame.theme];
    document.getElementById('theme').textContent = `Theme: ${Frame.theme}`;
    redrawAll();
    say(`Theme: ${Frame.theme}`);
}

function setFontSize(size) {
    Frame.fontSize = Math.min(40, Math.max(10, size));
    document.documentElement.style.fontSize = `${Frame.fontSize}px`;
    redrawAll();
    say(`Font size ${Frame.fontSize}`);
}

// Tells a screen reader.
function say(text) {
    Frame.live.textContent = text;
}

// key: as KeyboardEvent.key has it; what: for the help.
function addKey(key, what, act) {
    Frame.keys.push({key, what, act});
}

// A key is the focused control's own where it acts there: in a field for text, all keys; on a list, a slider or a box to tick,
// space and the keys with names, such as ArrowUp; on a button or a link, space and Enter.
function ownKey({tagName, type}, key) {
    if (tagName === 'TEXTAREA' || (tagName === 'INPUT' && !['range', 'checkbox', 'radio', 'file'].includes(type)))
        return true;
    if (['INPUT', 'SELECT'].includes(tagName))
        return key === ' ' || key.length > 1;
    return ['BUTTON', 'A', 'SUMMARY'].includes(tagName) && [' ', 'Enter'].includes(key);
}

function pressed(event) {
    if (ownKey(event.target, event.key) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
    const entry = Frame.keys.find(({key}) => key === event.key);
    if (!entry || (document.querySelector('dialog[open]') && event.key !== '?'))
        return;
    event.preventDefault();
    entry.act();
}

function showHelp() {
    const dialog = document.getElementById('help');
    if (dialog.open) {
        dialog.close();
        return;
    }
    const names = {ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'space'};
    const rows = Frame.keys.map(({key, what}) => element('tr', {}, element('th', {scope: 'row'}, element('kbd', {}, names[key] ?? key)), element('td', {}, what)));
    dialog.replaceChildren(element('h2', {}, 'Keys'), element('table', {}, ...rows),
        element('button', {type: 'button', onclick: () => dialog.close()}, 'Close'));
    dialog.showModal();
    dialog.scrollTop = 0; // the focus is on the button at its end
}

// A box with lines of text (or nodes) beside a point of the window.
function showTip(x, y, ...lines) {
    const tip = Frame.tip;
    tip.replaceChildren(...lines.map(line => element('div', {}, line)));
    tip.hidden = false;
    const box = tip.getBoundingClientRect(), gap = 14;
    tip.style.left = `${Math.max(0, x + gap + box.width > innerWidth ? x - gap - box.width : x + gap)}px`;
    tip.style.top = `${Math.max(0, y + gap + box.height > innerHeight ? y - gap - box.height : y + gap)}px`;
}

function hideTip() {
    Frame.tip.hidden = true;
}

// A list to choose from: options are texts; act gets the number of the one that was chosen.
function addChoice(label, options, chosen, act) {
    const list = element('select', {onchange: () => act(list.selectedIndex)},
        ...options.map(text => element('option', {}, text)));
    list.selectedIndex = chosen;
    Frame.controls.append(element('label', {}, element('span', {}, label), list));
    return list;
}

// A slider; act gets its number, and show makes the text beside it.
function addSlider(label, {low, high, step, value, show = readable}, act) {
    const output = element('output', {}, show(value));
    const slider = element('input', {type: 'range', min: low, max: high, step, oninput: () => {
        output.textContent = show(slider.valueAsNumber);
        act(slider.valueAsNumber);
    }});
    slider.value = value;
    Frame.controls.append(element('label', {}, element('span', {}, label), slider, output));
    return slider;
}

function addButton(label, act, where = Frame.controls) {
    const made = element('button', {type: 'button', onclick: act}, label);
    where.append(made);
    return made;
}

// A button that plays: `next` is called every so many milliseconds, until `ended` is true or the reader pauses; at the end,
// `rewind` comes first.
function addPlayer(milliseconds, {next, ended, rewind}) {
    let timer = null;
    const set = playing => {
        clearTimeout(timer);
        timer = playing ? setTimeout(go, milliseconds()) : null;
        button.textContent = playing ? 'Pause' : 'Play';
        button.setAttribute('aria-pressed', playing);
    };
    const go = () => {
        next();
        set(!ended());
    };
    const button = addButton('Play', () => {
        if (timer === null && ended())
            rewind();
        set(timer === null);
    });
    set(false);
    return button;
}

function isPressed(button) {
    return button.getAttribute('aria-pressed') === 'true';
}

// Fills a drawing of this size, whose letters are `font` high; label: what a screen reader says of it.
function fillScene(svg, width, height, font, label, parts) {
    svg.replaceChildren();
    fill(svg, {viewBox: `0 0 ${width} ${height}`, width, height, 'font-size': font, 'aria-label': label}, parts);
}

// Builds heading, controls, main and the notes below; about: a sentence that says what the page shows.
function openFrame(about) {
    Frame.controls = element('div', {id: 'controls', role: 'region', 'aria-label': 'What is shown'});
    Frame.main = element('main', {id: 'main'});
    Frame.live = element('div', {id: 'live', role: 'status', 'aria-live': 'polite'});
    Frame.tip = element('div', {id: 'tip', role: 'tooltip', hidden: true});
    const tools = element('div', {id: 'tools'});
    document.body.append(
        element('header', {}, element('h1', {dir: 'auto'}, DATA.title), tools),
        element('aside', {id: 'about', 'aria-label': 'About'}, about), Frame.controls, Frame.main,
        element('footer', {id: 'notes'}), Frame.live, Frame.tip,
        element('dialog', {id: 'help', 'aria-label': 'Keys'}));
    addButton('Theme: system', nextTheme, tools).id = 'theme';
    addButton('Keys (?)', showHelp, tools).id = 'keys';
    addPresenting(tools);
    Frame.fontSize = Math.min(40, Math.max(16, Math.round(innerWidth / 80))); // a large window is a projector's
    document.documentElement.style.fontSize = `${Frame.fontSize}px`;
    addKey('?', 'this help', showHelp);
    addKey('t', 'theme: as the system has it, light, dark', nextTheme);
    addKey('+', 'larger text, as for a projector', () => setFontSize(Frame.fontSize + 2));
    addKey('-', 'smaller text', () => setFontSize(Frame.fontSize - 2));
    addEventListener('keydown', pressed);
    redrawResized(); // nothing yet: what draws now draws in this size
    addEventListener('resize', redrawResized);
    new ResizeObserver(() => requestAnimationFrame(redrawResized)).observe(Frame.main);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
}

// A paragraph below the figures, such as how numbers are rounded.
function addNote(text) {
    document.getElementById('notes').append(element('p', {}, text));
}

// The sentence on how an array's numbers are rounded.
function roundingNote(name, {bits, error}) {
    return `${name}: stored in ${bits} bits; the largest rounding error is ${readable(error)}.`;
}

// ---- files of what is shown ------------------------------------------------------------------------

const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'opacity',
    'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline', 'image-rendering'];

// A canvas below an SVG (svg.under: {canvas, x, y, width, height}) as rectangles, where it has few pixels, or as an image.
function asDrawing({canvas, x, y, width, height}) {
    const {width: columns, height: rows} = canvas;
    if (columns * rows > 4096)
        return drawing('image', {x, y, width, height, href: canvas.toDataURL(), preserveAspectRatio: 'none', 'image-rendering': 'pixelated'});
    const pixels = canvas.getContext('2d', {willReadFrequently: true}).getImageData(0, 0, columns, rows).data, group = drawing('g', {'shape-rendering': 'crispEdges'});
    for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++)
            group.append(drawing('rect', {x: x + j * width / columns, y: y + i * height / rows, width: width / columns, height: height / rows,
                fill: cssColour(pixels.subarray(4 * (i * columns + j)))}));
    return group;
}

// A copy of an SVG that does not need this page: computed styles as attributes, canvases below it, and a background.
function standalone(svg) {
    const copy = svg.cloneNode(true), from = svg.querySelectorAll('*'), to = copy.querySelectorAll('*');
    from.forEach((node, i) => {
        const style = getComputedStyle(node);
        for (const name of STYLES)
            if (style.getPropertyValue(name))
                to[i].setAttribute(name, style.getPropertyValue(name));
        to[i].removeAttribute('class');
    });
    const box = svg.viewBox.baseVal, shown = svg.getBoundingClientRect();
    const width = box && box.width ? box.width : shown.width, height = box && box.height ? box.height : shown.height;
    copy.removeAttribute('class');
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', width);
    copy.setAttribute('height', height);
    copy.prepend(...(svg.under ?? []).map(asDrawing));
    copy.prepend(drawing('rect', {x: box ? box.x : 0, y: box ? box.y : 0, width, height, fill: themeColour('--paper')}));
    return {text: new XMLSerializer().serializeToString(copy), width, height};
}

function saveFile(name, blob) {
    const link = element('a', {href: URL.createObjectURL(blob), download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`Saved ${name}`);
}

// svg must be in the document, since its styles are computed.
function saveSvg(svg, name) {
    saveFile(name, new Blob([standalone(svg).text], {type: 'image/svg+xml'}));
}

// The same as pixels, two for each unit of the drawing.
function savePng(svg, name) {
    const {text, width, height} = standalone(svg), image = new Image();
    const address = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
    image.onload = () => {
        const canvas = element('canvas', {width: Math.ceil(2 * width), height: Math.ceil(2 * height)});
        canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(address);
        canvas.toBlob(blob => saveFile(name, blob), 'image/png');
    };
    image.src = address;
}

// live_computed.js: figures of the chapters that the library computes in the page (lectures/runner/computed.h). The first answer,
// which is in the page, is the program's.
'use strict';

let computing = null; // the library, started for the first control that moves

const COLOURS = ['first', 'second', 'third'], DRAWING = {left: 70, top: 30, right: 620, bottom: 230};

// The ranges of a drawing: bars begin at 0, and numbers below 1e-10 of a logarithmic axis lie on it.
function rangesOf({log, marks}) {
    const floor = 1e-10, ys = marks.flatMap(({y}) => y).filter(y => y !== null && (!log || y > floor));
    const xs = marks.flatMap(({x}) => x), half = marks.some(({as}) => as === 'bars') ? 0.5 : 0;
    const low = Math.min(log ? 1 : 0, ...ys), high = Math.max(...log ? [1] : [], ...ys);
    return {
        x: {low: Math.min(...xs) - half, high: Math.max(...xs) + half},
        y: log ? {log, low: 10 ** Math.floor(Math.log10(low)), high: 10 ** Math.ceil(Math.log10(high))} :
            {low, high: high > low ? high : low + 1}
    };
}

// Lines, points, bars and labels with the names of the colours below.
function drawMarks(svg, of) {
    const ranges = rangesOf(of), {marks} = of, bars = marks.filter(({as}) => as === 'bars'), wide = 0.8 / bars.length;
    const {px, py, parts} = axes({...ranges.x, name: bars.length ? '' : of.x}, {...ranges.y, name: of.y}, DRAWING);
    const names = [...new Set(marks.filter(({as}) => as !== 'label').map(({name}) => name))];
    const drawn = {
        line: ({x, y}, colour) => [drawing('path', {class: `line ${colour}`, d: pathOf(x, y.map(value => value && Math.max(ranges.y.low, value)), px, py)})],
        points: ({x, y}, colour) => x.map((at, i) => drawing('circle', {class: colour, cx: px(at), cy: py(y[i]), r: x.length > 1 ? 2 : 7})),
        bars: ({x, y}, colour, mark) => x.map((at, i) => drawing('rect', {
            class: colour, x: px(at - 0.4 + wide * bars.indexOf(mark)), width: px(wide) - px(0), y: py(y[i]), height: py(0) - py(y[i])})),
        label: ({x, y, name}) => [drawing('text', {x: px(x[0]), y: py(y[0]) + 5, 'text-anchor': 'middle'}, name)],
    };
    svg.replaceChildren(
        ...parts, ...marks.flatMap(mark => drawn[mark.as](mark, COLOURS[names.indexOf(mark.name)], mark)),
        ...(bars[0]?.labels ?? []).map((label, i) => drawing('text', {class: 'pale', x: px(i + 1), y: 250, 'text-anchor': 'middle'}, label)),
        ...names.map((name, i) => drawing('text', {class: COLOURS[i], x: 70 + 190 * i, y: 300}, `— ${name}`)));
    svg.setAttribute('aria-label', `${of.y ?? ''}: ${marks.filter(({as}) => as !== 'label').map(({name, y}) => `${name} ${y.at(-1)} at the end`).join('; ')}`);
    return ranges;
}

// Its largest number is black, in the dark theme white.
function drawMap(canvas, {name, rows, columns, numbers}) {
    const cell = Math.min(24, 620 / columns, 400 / rows), image = new ImageData(columns, rows);
    const low = Math.min(...numbers), high = Math.max(...numbers);
    Object.assign(canvas, {width: columns, height: rows, title: name});
    canvas.style.width = `${cell * columns}px`;
    numbers.forEach((value, i) => image.data.set([0, 1, 2].map(() => 255 * (high - value) / (high - low || 1)).concat(255), 4 * i));
    canvas.getContext('2d').putImageData(image, 0, 0);
}

// The library, with the numbers of all figures.
async function startComputing() {
    const library = await startLibrary();
    for (const [name, numbers] of DATA.figures.flatMap(({numbers}) => Object.entries(numbers))) {
        library.write(name);
        library.numbers('live_given', numbers);
    }
    return library;
}

// As if the reader had moved the slider, which rounds to its steps.
function setSlider(slider, value) {
    const before = slider.value;
    slider.value = value;
    if (slider.value !== before)
        slider.dispatchEvent(new Event('input'));
}

function onPointer(node, act) {
    node.style.touchAction = 'none'; // a finger moves what the figure shows, not the page
    node.addEventListener('pointerdown', act);
    node.addEventListener('pointermove', act);
}

// A pressed pointer in a drawing of these ranges moves two sliders.
function point(svg, ranges, sliders) {
    const {left, right, top, bottom} = DRAWING;
    onPointer(svg, event => {
        if (!event.buttons) return;
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        const shares = [(at.x - left) / (right - left), (bottom - at.y) / (bottom - top)];
        [ranges().x, ranges().y].forEach(({low, high}, i) => setSlider(sliders[i], low + (high - low) * shares[i]));
    });
}

// A pointer on a row of a map moves a slider to the row's number, from 1.
function pointRow(canvas, slider) {
    onPointer(canvas, ({offsetY}) => setSlider(slider, 1 + Math.floor(offsetY / canvas.clientHeight * canvas.height)));
}

LIVE.computed = figure => {
    const [first, {title, about, controls, text, pointed, row, plays}] = figure.labels.map(text => JSON.parse(text));
    const live = new Live(figure, title, about), values = controls.map(({value}) => value);
    const pieces = element('p', {class: 'pieces', id: `${live.name}-pieces`});
    const field = text ? element('textarea', {id: `${live.name}-text`, maxlength: 2000, 'aria-label': 'Your text', oninput: () => run()}) : null;
    const drawings = first.drawings.map((_, i) => live.svg(`drawing-${i}`, 640, 310)), maps = first.maps.map(({name}) => {
        const canvas = element('canvas', {role: 'img', 'aria-label': name});
        live.body.append(element('figure', {}, canvas, element('figcaption', {}, name)));
        return canvas;
    });
    let ranges, asked = 0;
    const draw = answer => {
        [ranges] = answer.drawings.map((marks, i) => drawMarks(drawings[i], marks));
        answer.maps.forEach((map, i) => drawMap(maps[i], map));
        pieces.replaceChildren(...answer.tokens.map(token => element('code', {}, visible(token))));
        live.facts.textContent = answer.fact;
        live.answer = answer;
    };
    const run = async () => {
        const mine = ++asked;
        try {
            const library = await (computing ??= startComputing());
            if (mine === asked) // two sliders moved at once: one answer
                draw(library.call('live_computed', `${live.name} ${values.join(' ')}\n${field?.value ?? ''}`));
        } catch (error) {
            live.facts.textContent = `The library: ${error.message}`;
        }
    };
    const inputs = controls.map(({label, ...settings}, i) => {
        const {low, high, step, value} = settings, act = value => {
            values[i] = Number(value);
            run();
        };
        return low === 0 && high === 1 && step === 1 ? live.check(`control-${i}`, label, value === 1, act) :
            live.control(() => addSlider(label, settings, act), `control-${i}`);
    });
    if (field) {
        field.value = text;
        live.row.after(field, pieces);
    }
    if (pointed)
        point(drawings[0], () => ranges, inputs);
    if (row)
        pointRow(maps[0], inputs[row - 1]);
    const [slider] = inputs;
    if (plays)
        live.control(() => addPlayer(() => 300, {next: () => setSlider(slider, slider.valueAsNumber + 1),
            ended: () => slider.value === slider.max, rewind: () => setSlider(slider, slider.min)}), 'play');
    draw(first);
    live.box.live = live;
    return live;
};

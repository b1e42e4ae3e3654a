// live_computed.js: figures of chapters 1, 2, 5 and 7 that the library computes in the page (lectures/runner/computed.h). A page
// without the library shows what the program has computed.
'use strict';

let computing = null; // the library, started for the first figure that needs it

// Lines with their names; numbers below 1e-10 of a logarithmic axis lie on it.
function drawLines(svg, lines, {x, y, log}) {
    const floor = 1e-10, all = lines.flatMap(({y}) => y).filter(value => value !== null && (!log || value > floor));
    const low = log ? 10 ** Math.floor(Math.log10(Math.min(1, ...all))) : Math.min(0, ...all);
    const high = log ? 10 ** Math.ceil(Math.log10(Math.max(1, ...all))) : Math.max(...all) || 1;
    const xs = lines.flatMap(({x}) => x), box = {left: 70, top: 30, right: 620, bottom: 230};
    const {px, py, parts} = axes({low: Math.min(...xs), high: Math.max(...xs), name: x}, {low, high, log, name: y}, box);
    const classes = ['first', 'second', 'third'];
    svg.replaceChildren(...parts, ...lines.flatMap(({name, x, y}, i) => [
        drawing('path', {class: `line ${classes[i]}`, d: pathOf(x, y.map(value => Math.max(low, value ?? low)), px, py)}),
        drawing('text', {class: classes[i], x: 70 + 190 * i, y: 300}, `— ${name}`)]));
    svg.setAttribute('aria-label', lines.map(({name, y}) => `${name}: ${y.slice(-1)} at the end`).join('; '));
}

function drawMap(canvas, {name, rows, columns, numbers}) {
    Object.assign(canvas, {width: columns, height: rows, title: name});
    canvas.style.width = `${Math.min(620, 8 * columns)}px`;
    canvas.style.height = `${Math.min(300, 8 * rows)}px`;
    const image = new ImageData(columns, rows), low = Math.min(...numbers), high = Math.max(...numbers);
    numbers.forEach((value, i) => image.data.set([0, 1, 2].map(() => 255 * (high - value) / (high - low || 1)).concat(255), 4 * i));
    canvas.getContext('2d').putImageData(image, 0, 0);
}

LIVE.computed = figure => {
    const [first, settings] = figure.labels.map(text => JSON.parse(text)), {title, about, controls, text} = settings;
    const live = new Live(figure, title, about), values = controls.map(({value}) => value);
    const svg = settings.y ? live.svg('drawing', 640, 310) : null, pieces = element('p', {class: 'pieces', id: `${live.name}-pieces`});
    const field = text ? element('textarea', {id: `${live.name}-text`, maxlength: 2000, 'aria-label': 'Your text', oninput: () => run()}) : null;
    const draw = answer => {
        if (svg)
            drawLines(svg, answer.lines, settings);
        live.body.querySelectorAll('canvas').forEach(canvas => canvas.remove());
        answer.maps.forEach(map => {
            const canvas = element('canvas', {role: 'img', 'aria-label': map.name});
            drawMap(canvas, map);
            live.body.append(canvas);
        });
        pieces.replaceChildren(...answer.tokens.map(token => element('code', {}, visible(token))));
        live.facts.textContent = answer.fact;
        live.answer = answer;
    };
    const run = async () => {
        try {
            computing ??= startLibrary();
            draw((await computing).call('live_computed', `${live.name} ${values.join(' ')}\n${field?.value ?? ''}`));
        } catch (error) {
            live.facts.textContent = `The library: ${error.message}`;
        }
    };
    const inputs = controls.map(({label, ...settings}, i) => live.slider(`control-${i}`, label, settings, value => {
        values[i] = value;
        run();
    }));
    if (field) {
        field.value = text;
        live.row.after(field, pieces);
    }
    draw(first);
    if (!DATA.live) {
        [...inputs, ...field ? [field] : []].forEach(input => { input.disabled = true; });
        live.row.append(element('span', {}, '“./gradus lecture --live” puts the library into this page, and its controls move.'));
    }
    live.box.live = live;
    return live;
};

// live.js: what live figures share. A kind of figure is LIVE[kind](figure), where figure is one of the page's data.
'use strict';

const LIVE = {};

// The box of one figure. Its id is that of the picture that it follows: live-masks after figure-masks; those of its controls
// begin with the same name.
class Live {
    constructor(figure, title, about) {
        this.name = figure.after.replace(/^figure-/, '');
        this.row = element('div', {class: 'row'});
        this.body = element('div', {class: 'side'});
        this.facts = element('p', {class: 'facts', role: 'status'});
        this.box = element('section', {class: 'live', id: `live-${this.name}`, 'aria-label': `Live figure: ${title}`},
            element('h3', {}, title), element('p', {}, about), this.row, this.body, this.facts);
    }
    // Controls of frame.js go into this figure's row.
    control(make, name) {
        const before = Frame.controls;
        Frame.controls = this.row;
        const made = make();
        Frame.controls = before;
        made.id = `${this.name}-${name}`;
        return made;
    }
    check(name, label, checked, act) {
        const input = element('input', {type: 'checkbox', id: `${this.name}-${name}`, onchange: () => act(input.checked)});
        input.checked = checked;
        this.row.append(element('label', {}, input, label));
        return input;
    }
    // A drawing of this size, with what a screen reader says of it.
    svg(name, width, height) {
        const svg = drawing('svg', {id: `${this.name}-${name}`, role: 'img', viewBox: `0 0 ${width} ${height}`, 'font-size': 15});
        const resize = () => svg.setAttribute('width', svg.viewBox.baseVal.width * Frame.fontSize / 16);
        Frame.redraw.push(resize);
        resize();
        this.body.append(svg);
        return svg;
    }
}

// Ticks 1, 2 or 5 times a power of ten.
function ticks(low, high, count) {
    const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(k => k * power).find(k => k >= rough * 0.999), found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
    return found;
}

// Axes in a drawing. x and y are {low, high, name, log}; returns the functions that place numbers, and the parts to be drawn.
function axes(x, y, box) {
    const {left, top, right, bottom} = box;
    const place = ({low, high, log}, from, to) => value => log ?
        from + (to - from) * Math.log(value / low) / Math.log(high / low) :
        from + (to - from) * (value - low) / (high - low);
    const px = place(x, left, right), py = place(y, bottom, top);
    const marks = ({low, high, log, name}, count) => !name ? [] : log ?
        Array.from({length: 20}, (_, i) => 10 ** (i - 10)).filter(v => v >= low * 0.999 && v <= high * 1.001) :
        ticks(low, high, count);
    const tick = (d, x, y, anchor, mark) => [drawing('path', {class: 'axis', d}),
        drawing('text', {class: 'pale', x, y, 'text-anchor': anchor}, mark >= 1e6 ? mark.toExponential().replace('+', '') : String(Number(mark.toPrecision(6))))];
    const parts = [drawing('path', {class: 'axis', d: `M${left},${top} V${bottom} H${right}`}),
        ...marks(x, 6).flatMap(mark => tick(`M${px(mark)},${bottom} v5`, px(mark), bottom + 20, 'middle', mark)),
        ...marks(y, 5).flatMap(mark => tick(`M${left},${py(mark)} h-5`, left - 8, py(mark) + 5, 'end', mark)),
        drawing('text', {x: (left + right) / 2, y: bottom + 40, 'text-anchor': 'middle'}, x.name ?? ''),
        drawing('text', {x: left, y: top - 8, 'text-anchor': 'start'}, y.name ?? '')];
    return {px, py, parts};
}

// A line through points as the d of a path; it ends where y is null.
function pathOf(xs, ys, px, py) {
    const x = [...xs], at = (i, letter) => ys[i] === null ? '' : `${letter}${px(x[i]).toFixed(2)},${py(ys[i]).toFixed(2)}`;
    return Array.from(ys, (_, i) => at(i, i && ys[i - 1] !== null ? 'L' : 'M')).join(' ');
}

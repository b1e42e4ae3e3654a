// attention_cut.js: what the answer depends on: a click on a head, or on an arc of the asked token, shows the answer
// that the program computed without it; a second click puts it back.

class CutView {
    constructor(panel) {
        this.panel = panel;
        const {cuts, right} = INPUTS[panel.input];
        [this.whole, ...this.cuts] = cuts.map(([layer, head, row, column, answer, p, change]) => ({layer, head, row, column, answer, p, change}));
        this.right = right;
        this.known = new Map(this.cuts.map(cut => [CutView.key(cut), cut]));
        const most = Math.max(1e-9, ...this.cuts.map(cut => Math.abs(cut.change)));
        this.range = rangeTo(most, true);
    }
    static key({layer, head, column}) {
        return `${layer}.${head}.${column}`;
    }
    static text(x, digits) {
        return Number(x.toFixed(digits)) === 0 ? '0' : x.toFixed(digits).replace('-', '−');
    }
    get chosen() {
        return SHOWN.cut === null ? undefined : this.known.get(SHOWN.cut);
    }
    // "head 4 of layer 2", "its arc from it (8) to animal (1)"
    name({layer, head, row, column}) {
        const {attention} = this.panel, whole = `head ${head + 1} of layer ${layer + 1}`;
        return column < 0 ? whole : `the arc from ${row < 0 ? 'all queries' : tokenName(attention, 'rows', row)} to ` +
            `${tokenName(attention, 'columns', column)} in ${whole}`;
    }
    sentence(cut) {
        return `without ${this.name(cut)}: ${cut.answer}, p ${readable(cut.p)}; log p of ${this.right} changes by ${readable(cut.change)}`;
    }
    draw(width) {
        const {attention} = this.panel, size = this.size = Frame.fontSize, left = Math.floor(width * 0.4), top = 5.4 * size;
        const arcs = this.cuts.filter(cut => cut.column >= 0 && cut.layer === SHOWN.layer && cut.head === SHOWN.head);
        this.cell = Math.max(1.5 * size, Math.min(5 * size, (left - 6 * size) / attention.heads));
        const full = top + 2 * size + Math.max(this.cell * 0.7 * attention.layers, 1.6 * size * arcs.length);
        this.svg = drawing('svg', {class: 'cuts', viewBox: `0 0 ${width} ${full}`, width, height: full, role: 'group', 'aria-label': 'heads and arcs to cut'});
        this.write(`as it is: ${this.whole.answer}, p ${readable(this.whole.p)}`, 0, size * 1.1, {class: 'number', 'font-weight': 'bold'});
        this.write(this.chosen ? this.sentence(this.chosen) : 'Click a head or an arc to cut it alone.', 0, size * 2.8, {class: this.chosen ? 'number' : 'axis'});
        this.addHeads(top + 1.5 * size);
        this.addArcs(arcs, left, width, top + 1.5 * size);
        this.panel.figure.replaceChildren(this.svg);
        if (this.chosen && !document.activeElement?.closest('#controls'))
            this.svg.querySelector(`[data-cut="${SHOWN.cut}"]`)?.focus({preventScroll: true});
    }
    write(text, x, y, attributes) {
        this.svg.append(drawing('text', {x, y, 'font-size': this.size, 'dominant-baseline': 'central', ...attributes}, text));
    }
    addHeads(top) {
        const {attention} = this.panel, {size, cell} = this, x = 5 * size;
        this.write('heads', 0, top - size * 2, {class: 'axis'});
        for (let h = 0; h < attention.heads; h++)
            this.write(String(h + 1), x + (h + 0.5) * cell, top - size * 0.7, {'text-anchor': 'middle'});
        for (let l = 0; l < attention.layers; l++) {
            this.write(`layer ${l + 1}`, x - 0.5 * size, top + (l + 0.5) * cell * 0.7, {'text-anchor': 'end'});
            for (let h = 0; h < attention.heads; h++) {
                const cut = this.known.get(CutView.key({layer: l, head: h, column: -1}));
                const box = drawing('rect', {x: x + h * cell, y: top + l * cell * 0.7, width: cell - 2, height: cell * 0.7 - 2,
                    fill: cut ? colourIn(this.range, cut.change) : 'none', stroke: 'currentColor', 'stroke-opacity': 0.3});
                const text = drawing('text', {x: x + (h + 0.5) * cell - 1, y: top + (l + 0.5) * cell * 0.7 - 1, 'text-anchor': 'middle',
                    'dominant-baseline': 'central', 'font-size': size * 0.8, class: cut && isBright(this.range, cut.change) ? 'on-bright' : 'on-dark'},
                cut && cell > 3.2 * size ? CutView.text(cut.change, 2) : '');
                if (cut)
                    this.addButton(cut, box, text);
            }
        }
    }
    // The arcs of the chosen head from the asked token: as wide as their weight, in the colour of the change.
    addArcs(arcs, left, width, top) {
        const {attention} = this.panel, {size} = this, step = 1.6 * size, x = left + 8 * size, right = width - 13 * size;
        const middle = top + step * arcs.length / 2;
        const title = arcs.length ? `arcs of head ${SHOWN.head + 1} of layer ${SHOWN.layer + 1}: A, and the change of log p` : 'no arcs of this head were computed';
        this.write(title, left + size, top - size * 2, {class: 'axis'});
        if (arcs.length)
            this.write(fitting(arcs[0].row < 0 ? 'all queries' : visible(attention.token('rows', arcs[0].row)), 7 * size, size), x - 6, middle, {'text-anchor': 'end'});
        arcs.forEach((cut, i) => {
            const y = top + (i + 0.5) * step, bend = (x + right) / 2, d = `M${x} ${middle}C${bend} ${middle} ${bend} ${y} ${right} ${y}`;
            const weight = cut.row < 0 ? null : attention.number('weight', cut.layer, cut.head, cut.row, cut.column);
            this.addButton(cut,
                drawing('path', {d, class: 'hit', fill: 'none', 'stroke-width': step * 0.5}),
                drawing('path', {d, class: cut.change < 0 ? 'negative' : 'positive', fill: 'none', 'stroke-width': 0.7 + (weight ?? 0.2) * size * 0.6,
                    'stroke-opacity': 0.25 + 0.75 * Math.abs(cut.change) / this.range.high}),
                drawing('rect', {x: right, y: y - step * 0.46, width: width - right - 2, height: step * 0.92, class: 'hit', fill: 'none'}),
                drawing('text', {x: right + 6, y, 'font-size': size, 'dominant-baseline': 'central'}, fitting(visible(attention.token('columns', cut.column)), 5 * size, size)),
                drawing('text', {x: right + 8.5 * size, y, 'font-size': size * 0.85, 'text-anchor': 'end', 'dominant-baseline': 'central', class: 'axis'}, weight === null ? '' : weight.toFixed(3)),
                drawing('text', {x: width - 6, y, 'font-size': size * 0.85, 'text-anchor': 'end', 'dominant-baseline': 'central'}, CutView.text(cut.change, 3)));
        });
    }
    addButton(cut, ...parts) {
        const key = CutView.key(cut), pressed = SHOWN.cut === key;
        const act = () => {
            SHOWN.cut = pressed ? null : key;
            chooseHead(cut.layer, cut.head);
            redrawAll();
            say(pressed ? `as it is: ${this.whole.answer}` : this.sentence(cut));
        };
        this.svg.append(drawing('g', {class: pressed ? 'cut chosen' : 'cut', role: 'button', tabindex: 0, 'aria-pressed': pressed, 'data-cut': key,
            'aria-label': `cut ${this.name(cut)}`, onclick: act, onkeydown: event => {
                if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    event.stopPropagation();
                    act();
                }
            }}, ...parts));
    }
    highlight() {}
}

// The page opens with the head whose cut, or an arc's of it, changes most.
function chooseLargestCut([, ...cuts]) {
    [SHOWN.layer, SHOWN.head] = cuts.reduce((most, cut) => Math.abs(cut[6]) > Math.abs(most[6]) ? cut : most);
}

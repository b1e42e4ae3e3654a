// attention_arcs.js: the tokens in two columns, queries left and keys right, with a line for each weight of a head.
//
// The token under the pointer, or the one that has the focus, shows its weights alone: a query those to all keys, a key
// those from all queries. A click, or Enter, pins it.

// At most so many lines are drawn of all tokens, and of one; weights below `least` of the scale have none.
const ARCS = {overview: 1200, one: 100, least: 0.01, lead: 14};

class ArcsView {
    constructor(panel) {
        this.panel = panel;
        this.nodes = {rows: [], columns: []};
        this.touched = [];
    }
    get attention() {
        return this.panel.attention;
    }
    draw(width, height) {
        const {attention} = this, size = Frame.fontSize * (SHOWN.beside ? 0.95 : 1.05);
        this.size = size;
        this.step = Math.max(size * 1.45, Math.min(size * 2.6, (height - 2.4 * size) / Math.max(attention.rows, attention.columns)));
        this.top = 2 * size;
        const numbers = 4.2 * size, most = Math.min(width * 0.3, width * 0.4 - numbers - ARCS.lead); // lines have a fifth
        this.left = numbers + widestToken(attention, 'rows', size, most) + ARCS.lead;
        this.right = width - numbers - widestToken(attention, 'columns', size, most) - ARCS.lead;
        this.width = width;
        this.numbers = numbers;
        this.most = most;
        const full = this.top + this.step * Math.max(attention.rows, attention.columns) + size / 2;
        this.svg = drawing('svg', {class: 'arcs', viewBox: `0 0 ${width} ${full}`, width, height: full, role: 'group',
            'aria-label': `arcs: ${this.panel.describe()}`});
        this.lines = drawing('g', {class: 'lines', 'aria-hidden': true});
        this.note = drawing('text', {x: width / 2, y: size * 1.1, 'text-anchor': 'middle', 'font-size': size, class: 'cut-note'}, '');
        this.svg.append(this.lines, this.note);
        this.addColumn('rows', 'query', this.left);
        this.addColumn('columns', 'key', this.right);
        this.svg.addEventListener('mouseleave', () => setHover(null));
        this.panel.figure.replaceChildren(this.svg);
        this.highlight(SHOWN.hover ?? SHOWN.pinned);
    }
    y(i) {
        return this.top + (i + 0.5) * this.step;
    }
    addColumn(axis, name, x) {
        const {attention, size} = this, left = axis === 'rows', side = left ? -1 : 1;
        const column = drawing('g', {role: 'listbox', 'aria-label': left ? 'queries' : 'keys'});
        column.append(drawing('text', {x: x + side * ARCS.lead, y: size * 1.1, 'text-anchor': left ? 'end' : 'start',
            class: 'axis', 'font-size': size * 0.9}, left ? `${name} →` : `→ ${name}`));
        this.nodes[axis] = Array.from({length: attention.count(axis)}, (_, i) => {
            const text = fitting(visible(attention.token(axis, i)), this.most, size);
            const back = drawing('rect', {class: 'back', x: left ? this.numbers - 4 : x + 4, y: this.y(i) - this.step * 0.46,
                width: left ? x - this.numbers : this.width - x - this.numbers, height: this.step * 0.92, rx: 3, 'fill-opacity': 0});
            const number = drawing('text', {class: 'number', x: left ? 4 : this.width - 4, y: this.y(i), 'font-size': size * 0.85,
                'text-anchor': left ? 'start' : 'end', 'dominant-baseline': 'central'}, '');
            const token = drawing('g', {class: 'token', role: 'option', tabindex: i === 0 ? 0 : -1, 'data-axis': axis,
                'data-index': i, 'aria-label': `${left ? 'query' : 'key'} ${tokenName(attention, axis, i)}`},
            back, drawing('text', {x: x + side * ARCS.lead, y: this.y(i), 'font-size': size, 'dominant-baseline': 'central',
                'text-anchor': left ? 'end' : 'start'}, text), number);
            token.addEventListener('mouseenter', () => setHover({axis, index: i}));
            token.addEventListener('focus', () => this.focused(axis, i));
            token.addEventListener('click', () => pin({axis, index: i}));
            token.addEventListener('keydown', event => this.key(event, axis, i));
            column.append(token);
            return {token, back, number};
        });
        this.svg.append(column);
    }
    focused(axis, i) {
        setHover({axis, index: i});
        say(this.sentence(axis, i));
    }
    key(event, axis, i) {
        const count = this.attention.count(axis);
        const to = {ArrowUp: [axis, i - 1], ArrowDown: [axis, i + 1], Home: [axis, 0], End: [axis, count - 1],
            ArrowLeft: ['rows', i], ArrowRight: ['columns', i]}[event.key];
        if (event.key === 'Enter' || event.key === ' ')
            pin({axis, index: i});
        else if (to)
            this.nodes[to[0]][Math.max(0, Math.min(this.attention.count(to[0]) - 1, to[1]))].token.focus();
        else
            return;
        event.preventDefault();
        event.stopPropagation();
    }
    // What a screen reader says of a token: the three largest numbers.
    sentence(axis, i) {
        const other = axis === 'rows' ? 'columns' : 'rows';
        return `${tokenName(this.attention, axis, i)}: ` + this.strongest(axis, i, 3).map(([x, k]) =>
            `${tokenName(this.attention, other, k)} ${readable(x)}`).join(', ');
    }
    // The numbers of a query to all keys, or to a key from all queries.
    values(axis, index) {
        const {rows, columns} = this.attention, matrix = this.panel.matrix();
        return axis === 'rows' ? Array.from({length: columns}, (_, j) => matrix[index * columns + j]) :
            Array.from({length: rows}, (_, i) => matrix[i * columns + index]);
    }
    // The largest of these, each with its token.
    strongest(axis, index, count) {
        return this.values(axis, index).map((x, k) => [x, k]).sort((a, b) => Math.abs(b[0]) - Math.abs(a[0])).slice(0, count);
    }
    line(i, j, x, share) {
        const from = this.y(i), to = this.y(j), middle = (this.left + this.right) / 2;
        return drawing('path', {d: `M${this.left} ${from}C${middle} ${from} ${middle} ${to} ${this.right} ${to}`,
            class: this.panel.isCut(i, j) ? 'gone' : x < 0 ? 'negative' : 'positive', fill: 'none', 'stroke-width': 0.7 + share * this.size * 0.42,
            'stroke-opacity': 0.2 + 0.8 * share, 'data-row': i, 'data-column': j});
    }
    // The strongest pairs, from weak to strong, so that the strong ones are on top.
    overview(range) {
        const matrix = this.panel.matrix(), {columns} = this.attention, pairs = [];
        for (let at = 0; at < matrix.length; at++) {
            const share = Math.abs(matrix[at]) / range.high;
            if (share >= 0.04)
                pairs.push([share, at]);
        }
        pairs.sort((a, b) => a[0] - b[0]);
        return pairs.slice(-ARCS.overview).map(([share, at]) =>
            this.line(Math.floor(at / columns), at % columns, matrix[at], share * 0.8));
    }
    // chosen: {axis, index}, or null: no token.
    highlight(chosen) {
        const range = this.panel.range();
        this.clear();
        this.note.textContent = this.panel.isCut() ? 'this head is cut' : '';
        if (!chosen || chosen.index >= this.attention.count(chosen.axis)) {
            this.lines.replaceChildren(...this.overview(range));
            return;
        }
        const {axis, index} = chosen, other = this.nodes[axis === 'rows' ? 'columns' : 'rows'], lines = [];
        this.touch(this.nodes[axis][index]).token.classList.add('chosen');
        for (const [x, k] of this.strongest(axis, index, ARCS.one)) {
            const share = Math.min(1, Math.abs(x) / range.high);
            const cut = axis === 'rows' ? this.panel.isCut(index, k) : this.panel.isCut(k, index);
            if (share < ARCS.least && (!cut || this.panel.isCut()))
                continue;
            const {back, number} = this.touch(other[k]);
            back.setAttribute('fill-opacity', Number.isFinite(x) ? 0.6 * share : 0);
            back.setAttribute('class', x < 0 ? 'back negative' : 'back');
            number.firstChild.data = readable(x);
            lines.push(axis === 'rows' ? this.line(index, k, x, share) : this.line(k, index, x, share));
        }
        this.lines.replaceChildren(...lines);
    }
    // Remembers that a token shows a number, so that only these are cleared.
    touch(node) {
        this.touched.push(node);
        return node;
    }
    clear() {
        for (const {token, back, number} of this.touched) {
            back.setAttribute('fill-opacity', 0);
            number.firstChild.data = '';
            token.classList.remove('chosen');
        }
        this.touched = [];
    }
}

// attention_map.js: one head as a heatmap, with the numbers under the pointer; and what heatmaps share.

// A drawing with canvases below it: canvases have one pixel for each number, the SVG has the texts and marks.
class Figure {
    constructor(width, height, attributes) {
        this.svg = drawing('svg', {viewBox: `0 0 ${width} ${height}`, width, height, ...attributes});
        this.svg.under = []; // for saveSvg: the canvases and where they are
        this.node = element('div', {class: 'layers'}, this.svg);
        this.node.style.width = `${width}px`;
        this.node.style.height = `${height}px`;
    }
    addCanvas(x, y, width, height) {
        const canvas = element('canvas', {'aria-hidden': true});
        Object.assign(canvas.style, {left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px`});
        this.node.prepend(canvas);
        this.svg.under.push({canvas, x, y, width, height});
        return canvas;
    }
    text(text, x, y, size, attributes) {
        const node = drawing('text', {x, y, 'font-size': size, 'dominant-baseline': 'central', ...attributes}, text);
        this.svg.append(node);
        return node;
    }
    // The colours of a range, with the numbers at their ends, in a bar of this size.
    addBar(range, name, x, y, width, height, size) {
        const canvas = this.addCanvas(x, y, width, height);
        paint(canvas, Float64Array.from({length: 100}, (_, i) => range.low + (range.high - range.low) * (1 - i / 99)), 100, 1, range);
        this.text(readable(range.high), x + width + 6, y + size / 2, size);
        this.text(readable(range.low), x + width + 6, y + height - size / 2, size);
        this.text(name, x + width + 6, y + height / 2, size);
    }
    // Labels of rows, right-aligned at x; only every so many-th where they would overlap.
    addRowLabels(attention, axis, x, y, step, size, width) {
        const every = Math.max(1, Math.ceil(size * 1.1 / step));
        for (let i = 0; i < attention.count(axis); i += every)
            this.text(fitting(visible(attention.token(axis, i)), width, size), x, y + (i + 0.5) * step, size, {'text-anchor': 'end'});
    }
    // Labels of columns below y, upright from bottom to top.
    addColumnLabels(attention, axis, x, y, step, size, width) {
        const every = Math.max(1, Math.ceil(size * 1.1 / step)), flat = widestToken(attention, axis, size, 1e4) < step * 0.95;
        for (let j = 0; j < attention.count(axis); j += every) {
            const at = x + (j + 0.5) * step, text = fitting(visible(attention.token(axis, j)), flat ? step : width, size);
            this.text(text, at, flat ? y + size * 0.7 : y, size,
                flat ? {'text-anchor': 'middle'} : {'text-anchor': 'end', transform: `rotate(-90 ${at} ${y})`});
        }
    }
}

// A view of cells that the pointer and the arrow keys find, in grids {x, y, w, h, rows, columns} of its figure. A view says
// what follows: point(cell, x, y), leave(), choose(cell), moved(cell, x, y), where a cell is {row, column, grid}.
class CellsView {
    constructor(panel) {
        this.panel = panel;
        this.cell = {row: 0, column: 0};
    }
    cellAt(event) {
        const box = this.figure.svg.getBoundingClientRect();
        return this.grids.map(grid => ({
            grid,
            row: Math.floor((event.clientY - box.y - grid.y) / grid.h * grid.rows),
            column: Math.floor((event.clientX - box.x - grid.x) / grid.w * grid.columns),
        })).find(({grid, row, column}) => row >= 0 && row < grid.rows && column >= 0 && column < grid.columns);
    }
    listen() {
        const {svg} = this.figure;
        svg.addEventListener('mousemove', event => {
            const cell = this.cellAt(event);
            if (cell)
                this.point(cell, event.clientX, event.clientY);
            else
                this.leave();
        });
        svg.addEventListener('mouseleave', () => this.leave());
        svg.addEventListener('click', event => {
            const cell = this.cellAt(event);
            if (cell)
                this.choose(cell);
        });
        svg.addEventListener('keydown', event => this.key(event));
    }
    key(event) {
        const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
        if (move)
            this.step(...move);
        else if (event.key === 'Enter' || event.key === ' ')
            this.choose(this.cell);
        else
            return;
        event.preventDefault();
        event.stopPropagation();
    }
    // To the next cell; x and y are its corner in the window.
    step(down, right) {
        const grid = this.grids.at(-1), box = this.figure.svg.getBoundingClientRect();
        const row = Math.max(0, Math.min(grid.rows - 1, this.cell.row + down));
        const column = Math.max(0, Math.min(grid.columns - 1, this.cell.column + right));
        this.cell = {row, column, grid};
        this.moved(this.cell, box.x + grid.x + (column + 1) * grid.w / grid.columns,
            box.y + grid.y + (row + 1) * grid.h / grid.rows);
    }
    leave() {
        hideTip();
    }
    choose() {}
    highlight() {}
}

class MapView extends CellsView {
    draw(width, height) {
        const {attention} = this.panel, size = Frame.fontSize * 0.95, most = Math.min(width * 0.25, 11 * size);
        const {rows, columns} = attention, bar = 7.5 * size;
        const left = widestToken(attention, 'rows', size, most) + 2.2 * size;
        const widest = widestToken(attention, 'columns', size, Math.min(most, height * 0.25));
        // Cells are as high as the window allows, and up to twice as wide.
        const high = below => Math.min((width - left - bar) / columns, (height - below - 4) / rows, 5.6 * size);
        const wide = side => Math.min((width - left - bar) / columns, 2.2 * side);
        const below = widest < wide(high(3.4 * size)) * 0.95 ? 3.4 * size : widest + 2.4 * size; // labels in a line, or upright
        this.side = Math.max(4, high(below));
        this.wide = wide(this.side);
        this.x = left;
        this.y = 4;
        const w = this.wide * columns, h = this.side * rows;
        this.grids = [{x: this.x, y: this.y, w, h, rows, columns}];
        this.figure = new Figure(width, this.y + h + below, {class: 'map', tabindex: 0, role: 'application',
            'aria-roledescription': 'heatmap', 'aria-label': `heatmap: ${this.panel.describe()}; arrow keys read the numbers`});
        const range = this.panel.range(), matrix = this.panel.matrix();
        paint(this.figure.addCanvas(this.x, this.y, w, h), matrix, rows, columns, range);
        this.figure.addRowLabels(attention, 'rows', this.x - 6, this.y, this.side, Math.min(size, Math.max(9, this.side)), left - 2.2 * size);
        this.figure.addColumnLabels(attention, 'columns', this.x, this.y + h + 6, this.wide, Math.min(size, Math.max(9, this.side)), below - 2.4 * size);
        this.figure.text('query', size * 0.7, this.y + h / 2, size, {class: 'axis', 'text-anchor': 'middle', transform: `rotate(-90 ${size * 0.7} ${this.y + h / 2})`});
        this.figure.text('key', this.x + w / 2, this.y + h + below - size * 0.8, size, {class: 'axis', 'text-anchor': 'middle'});
        this.figure.addBar(range, QUANTITIES[this.panel.quantity].name, this.x + w + 10, this.y, size, Math.min(h, 14 * size), size);
        this.addNumbers(matrix, range, size);
        this.mark = drawing('rect', {class: 'mark', fill: 'none', width: this.wide, height: this.side, visibility: 'hidden'});
        this.pinMark = drawing('rect', {class: 'pin', fill: 'none'});
        this.figure.svg.append(this.pinMark, this.mark);
        this.listen();
        this.panel.figure.replaceChildren(this.figure.node);
        this.highlight(SHOWN.hover ?? SHOWN.pinned);
    }
    // Numbers are written into large cells, of gradients with the decimals that show two digits of the largest.
    addNumbers(matrix, range, size) {
        const {rows, columns} = this.panel.attention;
        const decimals = range.signed ? Math.max(0, 2 - Math.ceil(Math.log10(range.high))) : 2;
        if (Math.min(this.side * 1.6, this.wide) < 2.6 * size || decimals > 8)
            return;
        const written = x => range.signed && Math.abs(x) < 0.5 * 10 ** -decimals ? '0' : x.toFixed(decimals).replace('-', '\u2212');
        const widest = Math.max(...[...matrix].map(x => textWidth(written(x), size))) / size;
        const small = Math.min(size * 0.85, this.side * 0.55, 0.94 * this.wide / widest);
        for (let i = 0; i < rows; i++)
            for (let j = 0; j < columns; j++) {
                const x = matrix[i * columns + j];
                this.figure.text(written(x), this.x + (j + 0.5) * this.wide, this.y + (i + 0.5) * this.side,
                    small, {'text-anchor': 'middle', class: isBright(range, x) ? 'inside on-bright' : 'inside on-dark'});
            }
    }
    leave() {
        hideTip();
        this.mark.setAttribute('visibility', 'hidden');
    }
    choose({row, column}) {
        pin({axis: 'rows', index: row, column});
    }
    point(cell, x, y) {
        this.cell = cell;
        this.mark.setAttribute('x', this.x + cell.column * this.wide);
        this.mark.setAttribute('y', this.y + cell.row * this.side);
        this.mark.removeAttribute('visibility');
        showTip(x, y, ...cellLines(this.panel, cell.row, cell.column));
    }
    moved(cell, x, y) {
        const {attention, quantity} = this.panel, {row, column} = cell;
        this.point(cell, x, y);
        say(`query ${tokenName(attention, 'rows', row)}, key ${tokenName(attention, 'columns', column)}: ` +
            `${QUANTITIES[quantity].name} ${readable(this.panel.at(row, column))}`);
    }
    // The row or column that is pinned.
    highlight(chosen) {
        const {rows, columns} = this.panel.attention, byRow = chosen?.axis === 'rows';
        if (!chosen || chosen.index >= this.panel.attention.count(chosen.axis)) {
            this.pinMark.setAttribute('visibility', 'hidden');
            return;
        }
        const box = {x: this.x + (byRow ? 0 : chosen.index * this.wide), y: this.y + (byRow ? chosen.index * this.side : 0),
            width: (byRow ? columns : 1) * this.wide, height: (byRow ? 1 : rows) * this.side};
        for (const [name, value] of Object.entries(box))
            this.pinMark.setAttribute(name, value);
        this.pinMark.removeAttribute('visibility');
    }
}

// What is known of one weight: for the tip.
function cellLines(panel, row, column) {
    const {attention} = panel, lines = [element('span', {class: 'pair'}, tokenNode(attention.token('rows', row)), ' → ',
        tokenNode(attention.token('columns', column)))];
    lines.push(`query ${row + 1}, key ${column + 1}`);
    for (const quantity of ['weight', 'gradient', 'product', 'rollout'])
        if (quantity === 'rollout' ? panel.quantity === 'rollout' : attention.has(quantity))
            lines.push(`${QUANTITIES[quantity].name} = ${readable(attention.number(quantity, SHOWN.layer, SHOWN.head, row, column))}`);
    return lines;
}

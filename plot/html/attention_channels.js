// attention_channels.js: which channels make a score. For one query i, a row for each key j:
//
//   k_jc     q_ic k_jc / sqrt(d)     their sum, the score s_ij     A_ij

// The row of a cell is a key, the column a channel.
class ChannelsView extends CellsView {
    draw(width, height) {
        const {attention} = this.panel, size = Frame.fontSize * 0.95;
        if (!attention.q || SHOWN.head >= attention.heads) {
            this.panel.figure.replaceChildren(element('p', {}, attention.q ? 'Choose one head: the mean over heads has no query and no key.' :
                'This page was written without queries and keys.'));
            return;
        }
        this.q = attention.q[SHOWN.layer];
        this.k = attention.k[SHOWN.layer];
        this.query = Math.min(SHOWN.pinned?.axis === 'rows' ? SHOWN.pinned.index : this.panel.strongestQuery(), attention.rows - 1);
        this.measure(width, height, size);
        this.compute();
        this.figure = new Figure(width, this.top + attention.columns * this.side + 2 * size, {class: 'channels', tabindex: 0, role: 'application',
            'aria-roledescription': 'heatmap', 'aria-label': `products of query ${tokenName(attention, 'rows', this.query)} and each key, ` +
            'channel by channel; up and down change the key, left and right the channel'});
        this.paintAll(size);
        this.listen();
        this.panel.figure.replaceChildren(this.figure.node);
    }
    measure(width, height, size) {
        const {attention} = this.panel, most = Math.min(width * 0.18, 10 * size);
        this.left = widestToken(attention, 'columns', size, most) + size;
        this.label = this.left - size;
        this.right = 11.5 * size; // scores and weights
        this.top = 5.4 * size;
        this.side = Math.max(3, Math.min(2 * size, (height - this.top - 2 * size) / attention.columns));
        this.w = (width - this.left - this.right - 2 * size) / 2;
        this.second = this.left + this.w + size;
        this.third = this.second + this.w + size;
        this.grids = [this.left, this.second].map(x => ({x, y: this.top, w: this.w, h: attention.columns * this.side,
            rows: attention.columns, columns: this.q.columns}));
    }
    compute() {
        const {columns} = this.panel.attention, d = this.q.columns, head = SHOWN.head;
        this.products = new Float64Array(columns * d);
        this.keys = this.k.map(this.panel.attention.keyHead(SHOWN.layer, head));
        this.scores = [];
        for (let j = 0; j < columns; j++) {
            const products = this.panel.attention.channels(SHOWN.layer, head, this.query, j);
            this.products.set(products, j * d);
            this.scores.push(products.reduce((sum, x) => sum + x, 0));
        }
        this.queryRow = Float64Array.from({length: d}, (_, c) => this.q.at(head, this.query, c));
    }
    paintAll(size) {
        const {attention} = this.panel, {columns} = attention, d = this.q.columns, figure = this.figure, strip = 1.3 * size;
        const even = matrix => rangeTo(largestOf(matrix) || 1, true);
        const values = even([largestOf(this.queryRow), largestOf(this.keys)]), products = even(this.products);
        const name = fitting(visible(attention.token('rows', this.query)), 10 * size, size);
        figure.text(`q of “${name}” (${this.query + 1}), channels 1 to ${d}`, this.left, size * 0.8, size, {class: 'axis'});
        figure.text(`k of each key; q and k up to ±${readable(values.high)}`, this.left, this.top - size * 0.8, size * 0.85, {class: 'axis'});
        paint(figure.addCanvas(this.left, size * 1.7, this.w, strip), this.queryRow, 1, d, values);
        paint(figure.addCanvas(this.second, size * 1.7, this.w, strip), this.queryRow, 1, d, values);
        figure.text(`q k / √${d}, channel by channel; up to ±${readable(products.high)}`, this.second, this.top - size * 0.8, size * 0.85, {class: 'axis'});
        paint(figure.addCanvas(this.left, this.top, this.w, columns * this.side), this.keys, columns, d, values);
        paint(figure.addCanvas(this.second, this.top, this.w, columns * this.side), this.products, columns, d, products);
        figure.text('score', this.third + 4.2 * size, this.top - size * 0.8, size, {'text-anchor': 'end', class: 'axis'});
        figure.text('A', this.third + 10.6 * size, this.top - size * 0.8, size, {'text-anchor': 'end', class: 'axis'});
        figure.addRowLabels(attention, 'columns', this.left - 6, this.top, this.side, Math.min(size, Math.max(9, this.side)), this.label);
        const every = Math.max(1, Math.ceil(size * 1.1 / this.side)), small = Math.min(size, Math.max(9, this.side));
        for (let j = 0; j < columns; j++) {
            const y = this.top + (j + 0.5) * this.side, a = attention.number('weight', SHOWN.layer, SHOWN.head, this.query, j);
            figure.svg.append(drawing('rect', {class: 'back', x: this.third + 4.6 * size, y: y - this.side * 0.42,
                width: 3.4 * size * Math.min(1, a), height: this.side * 0.84, 'fill-opacity': 0.6}));
            if (j % every)
                continue;
            figure.text(readable(this.scores[j]), this.third + 4.2 * size, y, small, {'text-anchor': 'end', class: 'score', 'data-key': j});
            figure.text(readable(a), this.third + 10.6 * size, y, small, {'text-anchor': 'end'});
        }
        this.mark = drawing('rect', {class: 'mark', fill: 'none', height: this.side, visibility: 'hidden'});
        figure.svg.append(this.mark);
    }
    lines({row, column}) {
        const {attention} = this.panel, d = this.q.columns;
        return [element('span', {class: 'pair'}, tokenNode(attention.token('rows', this.query)), ' → ', tokenNode(attention.token('columns', row))),
            `channel ${column + 1} of ${d}`,
            `q = ${readable(this.queryRow[column])}, k = ${readable(this.keys[row * d + column])}`,
            `q k / √${d} = ${readable(this.products[row * d + column])}`,
            `score, the sum over channels = ${readable(this.scores[row])}`,
            `A = ${readable(attention.number('weight', SHOWN.layer, SHOWN.head, this.query, row))}`];
    }
    point(cell, x, y) {
        const [, {w, columns}] = this.grids;
        this.cell = cell;
        this.mark.setAttribute('x', this.second + cell.column * w / columns);
        this.mark.setAttribute('y', this.top + cell.row * this.side);
        this.mark.setAttribute('width', w / columns);
        this.mark.removeAttribute('visibility');
        showTip(x, y, ...this.lines(cell));
    }
    moved(cell, x, y) {
        this.point(cell, x, y);
        say(this.lines(cell).slice(1).join('; '));
    }
}

// attention_heads.js: all layers and heads at a glance; a click opens one of them.

class HeadsView extends CellsView {
    draw(width, height) {
        const {attention} = this.panel, size = Frame.fontSize * 0.9, {layers, heads, rows, columns} = attention;
        this.left = 5 * size;
        this.top = 1.8 * size;
        this.gap = Math.max(3, Math.min(10, width / heads / 12));
        const bar = 7 * size;
        // As high as all layers fit into the window, and up to twice as wide.
        const wide = ((width - this.left - bar) / heads - this.gap) / columns, unit = Math.min(wide, ((height - this.top) / layers - this.gap) / rows, 24);
        this.w = Math.max(8, Math.min(wide, 2.2 * unit) * columns);
        this.h = Math.max(8, unit * rows);
        const right = this.left + heads * (this.w + this.gap), full = this.top + layers * (this.h + this.gap);
        this.grids = [{x: this.left, y: this.top, w: right - this.left, h: full - this.top, rows: layers, columns: heads}];
        this.cell = {row: SHOWN.layer, column: Math.min(SHOWN.head, heads - 1)};
        this.figure = new Figure(width, Math.max(full, 12 * size), {class: 'heads', tabindex: 0, role: 'application',
            'aria-roledescription': 'grid of heads',
            'aria-label': `${layers} layers of ${heads} heads; arrow keys choose a head, Enter opens it`});
        for (let h = 0; h < heads; h++)
            if (this.w + this.gap > 2.4 * size || h % Math.ceil(2.4 * size / (this.w + this.gap)) === 0)
                this.figure.text(this.w > 4.5 * size ? `head ${h + 1}` : String(h + 1), this.left + h * (this.w + this.gap) + this.w / 2, size * 0.8, size,
                    {'text-anchor': 'middle'});
        for (let l = 0; l < layers; l++)
            this.figure.text(`layer ${l + 1}`, this.left - 8, this.top + l * (this.h + this.gap) + this.h / 2, size, {'text-anchor': 'end'});
        this.quantity = this.panel.quantity === 'rollout' ? 'weight' : this.panel.quantity;
        if (!SHOWN.own)
            this.figure.addBar(attention.range(this.quantity, 0, 0, false), QUANTITIES[this.quantity].name, right + 10, this.top, size, 12 * size, size);
        this.mark = drawing('rect', {class: 'mark', fill: 'none', width: this.w + 4, height: this.h + 4, rx: 2});
        this.figure.svg.append(this.mark);
        this.listen();
        this.panel.figure.replaceChildren(this.figure.node);
        this.moveMark();
        this.paintLayer(0, ++this.panel.drawn);
    }
    // A layer at a time, so that the page answers between them.
    paintLayer(l, drawn) {
        if (drawn !== this.panel.drawn)
            return; // something else is drawn by now
        const {attention} = this.panel, {rows, columns} = attention;
        const down = Math.min(rows, Math.max(1, Math.round(this.h * devicePixelRatio)));
        const across = Math.min(columns, Math.max(1, Math.round(this.w * devicePixelRatio)));
        for (let h = 0; h < attention.heads; h++) {
            const matrix = attention.headMatrix(this.quantity, l, h);
            const range = SHOWN.own ? rangeTo(largestOf(matrix) || 1, QUANTITIES[this.quantity].signed) : attention.range(this.quantity, l, h, false);
            const small = down < rows || across < columns ? pooled(matrix, rows, columns, down, across) : matrix;
            paint(this.figure.addCanvas(...this.corner(l, h), this.w, this.h), small, down, across, range);
        }
        if (l + 1 < attention.layers) {
            if (rows * columns * attention.heads < 100000)
                this.paintLayer(l + 1, drawn);
            else
                setTimeout(() => this.paintLayer(l + 1, drawn), 0);
        } else
            this.figure.svg.dataset.complete = 'yes';
    }
    corner(l, h) {
        return [this.left + h * (this.w + this.gap), this.top + l * (this.h + this.gap)];
    }
    moveMark() {
        const [x, y] = this.corner(this.cell.row, this.cell.column);
        this.mark.setAttribute('x', x - 2);
        this.mark.setAttribute('y', y - 2);
    }
    point({row, column}, x, y) {
        showTip(x, y, `layer ${row + 1}, head ${column + 1}`, this.summary(row, column), 'click: open it');
    }
    choose({row, column}) {
        openHead(row, column);
    }
    moved({row, column}) {
        chooseHead(row, column);
        this.moveMark();
        say(`layer ${row + 1}, head ${column + 1}; ${this.summary(row, column)}`);
    }
    // The largest number of a head, and between which tokens.
    summary(l, h) {
        const {attention} = this.panel, matrix = attention.matrix(this.quantity, l, h);
        let best = 0;
        for (let i = 1; i < matrix.length; i++)
            if (Math.abs(matrix[i]) > Math.abs(matrix[best]))
                best = i;
        const row = Math.floor(best / attention.columns), column = best % attention.columns;
        return `largest ${QUANTITIES[this.quantity].name}: ${readable(matrix[best])}, ` +
            `${tokenName(attention, 'rows', row)} → ${tokenName(attention, 'columns', column)}`;
    }
}

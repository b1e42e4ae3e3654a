// attention_heads.js: all layers and heads at a glance; a click opens one of them.

class HeadsView {
    constructor(panel) {
        this.panel = panel;
    }
    draw(width, height) {
        const {attention} = this.panel, size = Frame.fontSize * 0.9, {layers, heads, rows, columns} = attention;
        this.left = 5 * size;
        this.top = 1.8 * size;
        this.gap = Math.max(3, Math.min(10, width / heads / 12));
        const bar = 7 * size;
        const unit = Math.min(((width - this.left - bar) / heads - this.gap) / columns, ((height - this.top) / layers - this.gap) / rows, 24);
        this.w = Math.max(8, unit * columns);
        this.h = Math.max(8, unit * rows);
        const right = this.left + heads * (this.w + this.gap), full = this.top + layers * (this.h + this.gap);
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
            const range = SHOWN.own ? ownRange(matrix, this.quantity) : attention.range(this.quantity, l, h, false);
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
        const [x, y] = this.corner(SHOWN.layer, Math.min(SHOWN.head, this.panel.attention.heads - 1));
        this.mark.setAttribute('x', x - 2);
        this.mark.setAttribute('y', y - 2);
    }
    headAt(event) {
        const box = this.figure.svg.getBoundingClientRect(), {layers, heads} = this.panel.attention;
        const h = Math.floor((event.clientX - box.x - this.left) / (this.w + this.gap));
        const l = Math.floor((event.clientY - box.y - this.top) / (this.h + this.gap));
        return h >= 0 && h < heads && l >= 0 && l < layers ? {l, h} : null;
    }
    listen() {
        const {svg} = this.figure;
        svg.addEventListener('mousemove', event => {
            const at = this.headAt(event);
            if (at)
                showTip(event.clientX, event.clientY, `layer ${at.l + 1}, head ${at.h + 1}`, this.summary(at), 'click: open it');
            else
                hideTip();
        });
        svg.addEventListener('mouseleave', hideTip);
        svg.addEventListener('click', event => {
            const at = this.headAt(event);
            if (at)
                openHead(at.l, at.h);
        });
        svg.addEventListener('keydown', event => this.key(event));
    }
    // The largest number of a head, and between which tokens.
    summary({l, h}) {
        const {attention} = this.panel, matrix = attention.matrix(this.quantity, l, h);
        let best = 0;
        for (let i = 1; i < matrix.length; i++)
            if (Math.abs(matrix[i]) > Math.abs(matrix[best]))
                best = i;
        const row = Math.floor(best / attention.columns), column = best % attention.columns;
        return `largest ${QUANTITIES[this.quantity].name}: ${readable(matrix[best])}, ` +
            `${tokenName(attention, 'rows', row)} → ${tokenName(attention, 'columns', column)}`;
    }
    key(event) {
        const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
        const {layers, heads} = this.panel.attention;
        if (event.key === 'Enter' || event.key === ' ')
            openHead(SHOWN.layer, SHOWN.head);
        else if (move) {
            chooseHead(Math.max(0, Math.min(layers - 1, SHOWN.layer + move[0])), Math.max(0, Math.min(heads - 1, SHOWN.head + move[1])));
            this.moveMark();
            say(`layer ${SHOWN.layer + 1}, head ${SHOWN.head + 1}; ${this.summary({l: SHOWN.layer, h: SHOWN.head})}`);
        } else
            return;
        event.preventDefault();
        event.stopPropagation();
    }
    highlight() {}
}

function ownRange(matrix, quantity) {
    const most = largestOf(matrix) || 1, {signed} = QUANTITIES[quantity];
    return {low: signed ? -most : 0, high: most, signed};
}

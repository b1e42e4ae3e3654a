// attention_picture.js: the weights of an image's patches, on the image.
//
// Three copies of the image: as it is, with the chosen token's patch in a frame; the weights as colours; and the image
// lit by the weights. The patch under the pointer is the query of the left copy, and the key of the middle one.

class PictureView extends CellsView {
    draw(width, height) {
        const {attention} = this.panel, {image, patch, first} = attention.picture, size = Frame.fontSize * 0.95;
        this.first = first;
        this.across = image.columns / patch;
        this.down = image.rows / patch;
        const gap = 1.5 * size, bar = 7 * size;
        this.top = 3.4 * size;
        this.side = Math.min((width - 2 * gap - bar) / 3 / image.columns, (height - this.top - size) / image.rows);
        this.w = this.side * image.columns;
        this.h = this.side * image.rows;
        this.x = [0, this.w + gap, 2 * (this.w + gap)];
        this.size = size;
        this.bar = this.x[2] + this.w + 10;
        this.width = width;
        this.figure = new Figure(width, this.top + this.h + size, {class: 'picture', tabindex: 0, role: 'application',
            'aria-roledescription': 'image in patches', 'aria-label': `${this.panel.describe()}; arrow keys choose the query's patch`});
        this.grids = this.x.map((x, copy) => ({x, y: this.top, w: this.w, h: this.h, rows: this.down, columns: this.across, copy}));
        this.copies = this.x.map(x => this.figure.addCanvas(x, this.top, this.w, this.h));
        this.barCanvas = this.figure.addCanvas(this.bar, this.top, size, Math.min(this.h, 12 * size));
        this.caption = this.figure.text('', 0, size * 0.8, size);
        const {name} = QUANTITIES[this.panel.quantity];
        this.titles = ['image', name, QUANTITIES[this.panel.quantity].signed ? `image, lit by |${name}|` : `image, lit by ${name}`].map((text, i) =>
            this.figure.text(text, this.x[i], this.top - size * 0.8, size * 0.9, {class: 'axis'}));
        this.high = this.figure.text('', this.bar + size + 6, this.top + size / 2, size);
        this.low = this.figure.text('', this.bar + size + 6, this.top + Math.min(this.h, 12 * size) - size / 2, size);
        this.mark = drawing('rect', {class: 'pin', fill: 'none', width: this.w / this.across, height: this.h / this.down});
        this.figure.svg.append(this.mark);
        this.paintImage();
        this.listen();
        this.panel.figure.replaceChildren(this.figure.node);
        this.highlight(SHOWN.hover ?? SHOWN.pinned);
    }
    // Red, green and blue of a pixel, 0 to 255.
    pixel(y, x) {
        const {image} = this.panel.attention.picture, one = image.maps === 1;
        return [0, 1, 2].map(c => 255 * Math.min(1, Math.max(0, image.at(one ? 0 : c, y, x))));
    }
    paintImage() {
        const {image} = this.panel.attention.picture;
        this.pixels = new ImageData(image.columns, image.rows);
        for (let y = 0; y < image.rows; y++)
            for (let x = 0; x < image.columns; x++)
                this.pixels.data.set([...this.pixel(y, x), 255], 4 * (y * image.columns + x));
        this.copies[0].width = image.columns;
        this.copies[0].height = image.rows;
        this.copies[0].getContext('2d', {willReadFrequently: true}).putImageData(this.pixels, 0, 0);
    }
    // The image, darker where a patch has less weight.
    paintLit(weights, range) {
        const {image, patch} = this.panel.attention.picture, lit = new ImageData(image.columns, image.rows), canvas = this.copies[2];
        for (let y = 0; y < image.rows; y++)
            for (let x = 0; x < image.columns; x++) {
                const share = Math.abs(weights[Math.floor(y / patch) * this.across + Math.floor(x / patch)]) / range.high;
                const at = 4 * (y * image.columns + x), light = 0.12 + 0.88 * Math.min(1, share);
                for (let c = 0; c < 3; c++)
                    lit.data[at + c] = (this.pixels.data[at + c] * 0.75 + 64) * light;
                lit.data[at + 3] = 255;
            }
        canvas.width = image.columns;
        canvas.height = image.rows;
        canvas.getContext('2d', {willReadFrequently: true}).putImageData(lit, 0, 0);
    }
    // Without a chosen token: the first, which is the class token where there is one; else the mean of all queries.
    weightsOf(chosen) {
        const {panel, first} = this, patches = this.down * this.across, {rows} = panel.attention;
        const cell = (i, j) => chosen.axis === 'rows' ? panel.at(chosen.index, j) : panel.at(i, chosen.index);
        if (chosen)
            return Float64Array.from({length: patches}, (_, p) => cell(first + p, first + p));
        return Float64Array.from({length: patches}, (_, p) => {
            let sum = 0;
            for (let i = 0; i < rows; i++)
                sum += panel.at(i, first + p);
            return sum / rows;
        });
    }
    highlight(given) {
        const {attention} = this.panel, chosen = given ?? (this.first > 0 ? {axis: 'rows', index: 0} : null);
        const weights = this.weightsOf(chosen), own = largestOf(weights) || 1;
        const range = rangeTo(own, this.panel.range().signed);
        paint(this.copies[1], weights, this.down, this.across, range);
        paint(this.barCanvas, Float64Array.from({length: 100}, (_, i) => range.low + (range.high - range.low) * (1 - i / 99)), 100, 1, range);
        this.high.textContent = readable(range.high);
        this.low.textContent = readable(range.low);
        this.paintLit(weights, range);
        this.shown = weights;
        this.caption.textContent = !chosen ? 'mean over all queries' : chosen.axis === 'rows' ?
            `from query “${visible(attention.token('rows', chosen.index))}” to each patch` :
            `from each patch's query to key “${visible(attention.token('columns', chosen.index))}”`;
        const at = chosen ? chosen.index - this.first : -1;
        if (at >= 0)
            this.cell = {row: Math.floor(at / this.across), column: at % this.across};
        this.mark.setAttribute('visibility', at >= 0 ? 'visible' : 'hidden');
        this.mark.setAttribute('x', this.x[0] + Math.max(0, at) % this.across * this.w / this.across);
        this.mark.setAttribute('y', this.top + Math.floor(Math.max(0, at) / this.across) * this.h / this.down);
    }
    tokenOf({row, column}) {
        return this.first + row * this.across + column;
    }
    point(cell, x, y) {
        const index = this.tokenOf(cell), {panel} = this;
        if (cell.grid.copy === 0) {
            hideTip();
            setHover({axis: 'rows', index});
            return;
        }
        if (SHOWN.hover)
            setHover(null);
        showTip(x, y, visible(panel.attention.token('columns', index)),
            `${QUANTITIES[panel.quantity].name} = ${readable(this.shown[index - this.first])}`);
    }
    leave() {
        hideTip();
        setHover(null);
    }
    choose(cell) {
        pin({axis: cell.grid?.copy ? 'columns' : 'rows', index: this.tokenOf(cell)});
    }
    moved(cell) {
        setPinned({axis: 'rows', index: this.tokenOf(cell)});
        say(this.caption.textContent);
    }
}

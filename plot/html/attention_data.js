// attention_data.js: the numbers of a page on attention, and what follows from them: means over heads, products with
// the gradient, ranges of colours.

const QUANTITIES = {
    weight: {name: 'A', long: 'attention weight A', signed: false},
    gradient: {name: 'dL/dA', long: 'gradient dL/dA', signed: true},
    product: {name: 'A · dL/dA', long: 'weight times gradient, A · dL/dA', signed: true},
    rollout: {name: 'rollout', long: 'attention rollout', signed: false},
};

// One attention of one input. A head of number `heads` is the mean over all heads.
class Attention {
    constructor(raw) {
        const unpack = list => list ? list.map(packed => new Packed(packed)) : null;
        this.name = raw.name;
        this.weights = unpack(raw.weights);
        this.gradients = unpack(raw.gradients);
        this.q = unpack(raw.q);
        this.k = unpack(raw.k);
        this.tokens = {rows: raw.rows, columns: raw.columns};
        this.picture = raw.picture ? {...raw.picture, image: new Packed(raw.picture.image)} : null;
        this.layers = this.weights.length;
        this.heads = this.weights[0].maps;
        this.rows = this.weights[0].rows;
        this.columns = this.weights[0].columns;
        this.known = new Map(); // matrices that were computed last
        this.rollout = unpack(raw.rollout);
        this.most = {};
    }
    // axis: 'rows' (queries) or 'columns' (keys)
    count(axis) {
        return axis === 'rows' ? this.rows : this.columns;
    }
    token(axis, i) {
        return this.tokens[axis] ? this.tokens[axis][i] ?? '' : String(i + 1);
    }
    // Rollout multiplies maps of the same tokens; a cross-attention has others.
    has(quantity) {
        return quantity === 'weight' || (quantity === 'rollout' ? this.rollout : this.gradients) !== null;
    }
    // One number: of a head, or the mean.
    number(quantity, layer, head, i, j) {
        if (quantity === 'rollout')
            return this.rollout[layer].at(0, i, j);
        const of = h => (quantity === 'gradient' ? 1 : this.weights[layer].at(h, i, j)) *
            (quantity === 'weight' ? 1 : this.gradients[layer].at(h, i, j));
        if (head < this.heads)
            return of(head);
        let sum = 0;
        for (let h = 0; h < this.heads; h++)
            sum += of(h);
        return sum / this.heads;
    }
    headMatrix(quantity, layer, head) {
        if (quantity === 'gradient' || quantity === 'rollout')
            return (quantity === 'gradient' ? this.gradients : this.rollout)[layer].map(head);
        const out = this.weights[layer].map(head);
        if (quantity === 'product') {
            const gradient = this.gradients[layer].map(head);
            for (let i = 0; i < out.length; i++)
                out[i] *= gradient[i];
        }
        return out;
    }
    // All numbers of a map, row after row. The last few are kept.
    matrix(quantity, layer, head) {
        if (quantity === 'rollout') // it is one of all heads
            head = 0;
        const key = `${quantity} ${layer} ${head}`;
        let out = this.known.get(key);
        if (!out) {
            out = this.headMatrix(quantity, layer, head < this.heads ? head : 0);
            for (let h = 1; head === this.heads && h < this.heads; h++)
                this.headMatrix(quantity, layer, h).forEach((x, i) => { out[i] += x; });
            if (head === this.heads)
                out.forEach((x, i) => { out[i] = x / this.heads; });
            this.known.set(key, out);
            if (this.known.size > 8)
                this.known.delete(this.known.keys().next().value);
        }
        return out;
    }
    // The largest |number| of all heads of all layers.
    largest(quantity) {
        if (this.most[quantity] === undefined) {
            const list = quantity === 'gradient' ? this.gradients : this.weights;
            let most = Math.max(...list.map(packed => Math.max(Math.abs(packed.low), Math.abs(packed.high))));
            if (quantity === 'product') {
                most = 0;
                for (let l = 0; l < this.layers; l++)
                    for (let h = 0; h < this.heads; h++)
                        most = Math.max(most, largestOf(this.headMatrix('product', l, h)));
            }
            this.most[quantity] = most;
        }
        return this.most[quantity];
    }
    // The ends of the colour scale. own: those of this map alone, else those of all heads.
    range(quantity, layer, head, own) {
        const all = !own && quantity !== 'rollout';
        const most = (all ? this.largest(quantity) : largestOf(this.matrix(quantity, layer, head))) || 1;
        return rangeTo(most, QUANTITIES[quantity].signed);
    }
    // The head of keys that a head of queries reads; several may share one.
    keyHead(layer, head) {
        return Math.floor(head * this.k[layer].maps / this.heads);
    }
    // q_c k_c / sqrt(d) for each channel c.
    channels(layer, head, i, j) {
        const q = this.q[layer], k = this.k[layer], d = q.columns, out = new Float64Array(d);
        for (let c = 0; c < d; c++)
            out[c] = q.at(head, i, c) * k.at(this.keyHead(layer, head), j, c) / Math.sqrt(d);
        return out;
    }
}

function rangeTo(most, signed) {
    return {low: signed ? -most : 0, high: most, signed};
}

// The largest finite |x|.
function largestOf(matrix) {
    let most = 0;
    for (const x of matrix) {
        const size = Math.abs(x);
        if (size > most && size !== Infinity)
            most = size;
    }
    return most;
}

// ---- colours of maps ---------------------------------------------------------------------------------

const TABLES = {};
for (const scale of ['sequential', 'diverging'])
    TABLES[scale] = Uint32Array.from({length: 256}, (_, i) => {
        const [red, green, blue] = colourAt(scale, i / 255);
        return (255 << 24 | blue << 16 | green << 8 | red) >>> 0; // the bytes of ImageData on little-endian machines
    });

// Where in its range a number is: 0 to 1.
function placeIn(range, x) {
    return Math.min(1, Math.max(0, (x - range.low) / (range.high - range.low)));
}

function colourIn(range, x) {
    return Number.isNaN(x) ? themeColour('--none') : cssColour(colourAt(range.signed ? 'diverging' : 'sequential', placeIn(range, x)));
}

// Is black text read better on this colour than white?
function isBright(range, x) {
    const [red, green, blue] = colourAt(range.signed ? 'diverging' : 'sequential', placeIn(range, x));
    return 0.3 * red + 0.59 * green + 0.11 * blue > 140;
}

// A canvas with one pixel for each number.
function paint(canvas, matrix, rows, columns, range) {
    canvas.width = columns;
    canvas.height = rows;
    const image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
    const table = TABLES[range.signed ? 'diverging' : 'sequential'], factor = 255 / (range.high - range.low);
    for (let i = 0; i < matrix.length; i++) {
        const x = (matrix[i] - range.low) * factor;
        pixels[i] = x >= 0 ? table[x > 255 ? 255 : Math.round(x)] : x < 0 ? table[0] : 0xffaaaaaa; // NaN is grey
    }
    canvas.getContext('2d', {willReadFrequently: true}).putImageData(image, 0, 0);
}

// A smaller matrix in which each number is the one with the largest size of a block.
function pooled(matrix, rows, columns, newRows, newColumns) {
    const out = new Float64Array(newRows * newColumns);
    for (let i = 0; i < rows; i++) {
        const begin = Math.floor(i * newRows / rows) * newColumns;
        for (let j = 0; j < columns; j++) {
            const at = begin + Math.floor(j * newColumns / columns), x = matrix[i * columns + j];
            if (Math.abs(x) > Math.abs(out[at]))
                out[at] = x;
        }
    }
    return out;
}

// ---- texts of a drawing ------------------------------------------------------------------------------

const MEASURE = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

function textWidth(text, size) {
    MEASURE.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    return MEASURE.measureText(text).width;
}

// As much of a text as fits, with an ellipsis where it was cut.
function fitting(text, width, size) {
    if (textWidth(text, size) <= width)
        return text;
    let letters = [...text];
    while (letters.length > 1 && textWidth(`${letters.join('')}…`, size) > width)
        letters = letters.slice(0, Math.max(1, Math.min(letters.length - 1, Math.floor(letters.length * 0.9))));
    return `${letters.join('')}…`;
}

function widestToken(attention, axis, size, most) {
    let widest = 0;
    for (let i = 0; i < attention.count(axis) && widest < most; i++)
        widest = Math.max(widest, textWidth(visible(attention.token(axis, i)), size));
    return Math.min(widest, most);
}

// "it (12)": a token and its position, counted from 1.
function tokenName(attention, axis, i) {
    return `${visible(attention.token(axis, i))} (${i + 1})`;
}

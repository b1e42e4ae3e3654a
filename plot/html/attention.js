// attention.js: a page on attention; attention.c says what its data are.

const INPUTS = DATA.inputs.map(input => ({title: input.title, attentions: input.attentions.map(attention => ({
    ...attention,
    weights: attention.weights.map(packed => new Packed(packed)),
    gradients: attention.gradients?.map(packed => new Packed(packed)),
}))}));
const SHOWN = {input: 0, attention: 0, layer: 0, head: 0};

function tokenOf(attention, axis, i) {
    return attention[axis]?.[i] ?? String(i);
}

function shownMap() {
    const attention = INPUTS[SHOWN.input].attentions[SHOWN.attention];
    return {attention, weights: attention.weights[SHOWN.layer]};
}

// One map: a pixel of the image for each weight, which the canvas enlarges.
function drawHeatmap(canvas) {
    const {weights} = shownMap(), {rows, columns} = weights;
    const image = new ImageData(columns, rows);
    for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++)
            image.data.set([...colourAt('sequential', weights.at(SHOWN.head, i, j)), 255], 4 * (i * columns + j));
    canvas.width = columns;
    canvas.height = rows;
    canvas.getContext('2d').putImageData(image, 0, 0);
}

function showCell(canvas, event) {
    const {attention, weights} = shownMap(), box = canvas.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.y) / box.height * weights.rows);
    const j = Math.floor((event.clientX - box.x) / box.width * weights.columns);
    if (i < 0 || j < 0 || i >= weights.rows || j >= weights.columns)
        return;
    const query = tokenNode(tokenOf(attention, 'rows', i)), key = tokenNode(tokenOf(attention, 'columns', j));
    showTip(event.clientX, event.clientY, element('span', {}, query, ' → ', key),
        `A = ${readable(weights.at(SHOWN.head, i, j))}`);
}

function openPage() {
    openFrame('Each row of the map belongs to a query, each column to a key; the colour is the attention weight A.');
    const canvas = element('canvas', {id: 'heatmap', tabindex: 0, role: 'img', 'aria-label': 'attention weights'});
    canvas.addEventListener('mousemove', event => showCell(canvas, event));
    canvas.addEventListener('mouseleave', hideTip);
    Frame.main.append(canvas);
    const draw = () => drawHeatmap(canvas), {attention, weights} = shownMap();
    addChoice('Layer', attention.weights.map((_, i) => String(i + 1)), 0, i => { SHOWN.layer = i; draw(); }).id = 'layer';
    addChoice('Head', Array.from({length: weights.maps}, (_, i) => String(i + 1)), 0, i => { SHOWN.head = i; draw(); }).id = 'head';
    addNote(roundingNote('A', weights));
    Frame.redraw.push(draw);
    draw();
}

openPage();

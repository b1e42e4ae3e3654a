// layered.js: positions for the drawing of a directed graph in layers, from top to bottom (Sugiyama, Tagawa, Toda 1981).
//
//   layers      each node stands below all its predecessors
//   slots       what stands in a layer: a node, or a point of an edge that passes the layer
//   order       each layer is sorted by the mean position of its neighbours, in sweeps down and up
//   positions   as close to the neighbours as the widths allow: an isotonic regression

const SWEEPS = 12, ROUNDS = 10;
const CENTRE = 0.97; // pulls every layer towards x = 0, so that a long graph does not lean

// The layer of each node; late nodes (weights, inputs) stand directly above the first node that reads them.
function assignLayers(nodes, edges) {
    const into = nodes.map(() => []), out = nodes.map(() => []);
    for (const edge of edges) {
        into[edge.to].push(edge.from);
        out[edge.from].push(edge.to);
    }
    nodes.forEach((node, i) => {
        node.layer = into[i].reduce((layer, from) => Math.max(layer, nodes[from].layer + 1), 0);
    });
    nodes.forEach((node, i) => {
        if (node.late && out[i].length)
            node.layer = Math.min(...out[i].map(to => nodes[to].layer)) - 1;
    });
}

function newSlot(layers, at, node, width) {
    const slot = {node, width, layer: at, up: [], down: [], x: 0, place: 0};
    (layers[at] ??= []).push(slot);
    return slot;
}

function connect(upper, lower) {
    upper.down.push(lower);
    lower.up.push(upper);
}

// The layers with their slots. edge.slots: those of its two nodes, and between them one for each layer that it passes.
function makeSlots(nodes, edges) {
    const layers = [];
    const own = nodes.map(node => newSlot(layers, node.layer, node, node.width));
    for (const edge of edges) {
        edge.slots = [own[edge.from]];
        for (let at = nodes[edge.from].layer + 1; at < nodes[edge.to].layer; at++)
            edge.slots.push(newSlot(layers, at, null, 8));
        edge.slots.push(own[edge.to]);
        for (let i = 1; i < edge.slots.length; i++)
            connect(edge.slots[i - 1], edge.slots[i]);
    }
    return layers;
}

function mean(numbers) {
    return numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
}

function sortLayer(layer, side) {
    for (const slot of layer)
        slot.wish = slot[side].length ? mean(slot[side].map(other => other.place)) : slot.place;
    layer.sort((a, b) => a.wish - b.wish);
    layer.forEach((slot, i) => { slot.place = i - (layer.length - 1) / 2; });
}

function orderLayers(layers) {
    for (const layer of layers)
        layer.forEach((slot, i) => { slot.place = i - (layer.length - 1) / 2; });
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        const down = sweep % 2 === 0;
        for (const layer of down ? layers.slice(1) : layers.slice(0, -1).reverse())
            sortLayer(layer, down ? 'up' : 'down');
    }
}

// A weight or an input follows its reader, not the other way round, so that the ops stand below each other.
function isLate(slot) {
    return slot.node !== null && slot.node.late;
}

function wishOf(slot, sides) {
    const near = sides.flatMap(side => slot[side]), main = near.filter(other => !isLate(other));
    return near.length === 0 ? slot.x : CENTRE * mean((main.length ? main : near).map(other => other.x));
}

// x of each slot, in order and without overlap, with the least sum of weight * (x - wish)^2: neighbours whose wishes
// collide form a block, which stands where the mean of its members' wishes is.
function placeLayer(layer, gap) {
    const blocks = [];
    let shift = 0;
    layer.forEach((slot, i) => {
        shift += i ? (layer[i - 1].width + slot.width) / 2 + gap : 0;
        slot.shift = shift;
        const weight = isLate(slot) ? 0.1 : 1;
        let block = {sum: weight * (slot.wish - shift), weight, slots: [slot]};
        while (blocks.length && blocks.at(-1).sum / blocks.at(-1).weight > block.sum / block.weight) {
            const before = blocks.pop();
            block = {sum: before.sum + block.sum, weight: before.weight + block.weight,
                slots: [...before.slots, ...block.slots]};
        }
        blocks.push(block);
    });
    for (const block of blocks)
        for (const slot of block.slots)
            slot.x = block.sum / block.weight + slot.shift;
}

function placeLayers(layers, gap) {
    for (const layer of layers) {
        for (const slot of layer)
            slot.wish = 0;
        placeLayer(layer, gap);
    }
    for (let round = 0; round < ROUNDS; round++) {
        const down = round % 2 === 0, last = round >= ROUNDS - 2;
        for (const layer of down ? layers : [...layers].reverse()) {
            for (const slot of layer)
                slot.wish = wishOf(slot, last ? ['up', 'down'] : isLate(slot) ? ['down'] : [down ? 'up' : 'down']);
            placeLayer(layer, gap);
        }
    }
}

// Where an edge ends at a node: the edges of a side are spread over its width, in the order of their other ends.
function spread(slot, side, other) {
    const near = slot[side], i = [...near].sort((a, b) => a.x - b.x).indexOf(other);
    return slot.x + (i - (near.length - 1) / 2) * Math.min(22, slot.width / (near.length + 1));
}

// A line from the lower edge of a node to the upper edge of another, vertical where it passes a layer.
function edgeLine(edge, tops, heights) {
    const slots = edge.slots, last = slots.length - 1;
    let x = spread(slots[0], 'down', slots[1]);
    let y = tops[slots[0].layer] + (heights[slots[0].layer] + slots[0].node.height) / 2;
    let line = `M${x},${y}`;
    for (let i = 1; i <= last; i++) {
        const slot = slots[i], height = heights[slot.layer];
        const toX = i < last ? slot.x : spread(slot, 'up', slots[i - 1]);
        const toY = tops[slot.layer] + (i < last ? 0 : (height - slot.node.height) / 2);
        const middle = (y + toY) / 2;
        line += `C${x},${middle} ${toX},${middle} ${toX},${toY}`;
        [x, y] = [toX, toY];
        if (i < last)
            line += `V${y += height}`;
    }
    return line;
}

// nodes: {width, height, late}, in an order in which each comes after those that it reads; edges: {from, to}, indices of
// nodes, each pair once. Sets x and y of each node (its centre) and line of each edge; returns the drawing's size.
function layOut(nodes, edges, gapX, gapY) {
    assignLayers(nodes, edges);
    const layers = makeSlots(nodes, edges);
    for (let i = 0; i < layers.length; i++)
        layers[i] ??= [];
    orderLayers(layers);
    placeLayers(layers, gapX);
    const slots = layers.flat();
    const left = slots.reduce((least, slot) => Math.min(least, slot.x - slot.width / 2), Infinity);
    const right = slots.reduce((most, slot) => Math.max(most, slot.x + slot.width / 2), -Infinity);
    const heights = layers.map(layer => layer.reduce((most, {node}) => Math.max(most, node ? node.height : 0), 0));
    const tops = [];
    let y = 0;
    for (const height of heights) {
        tops.push(y);
        y += height + gapY;
    }
    for (const slot of slots) {
        slot.x -= left;
        if (slot.node) {
            slot.node.x = slot.x;
            slot.node.y = tops[slot.layer] + heights[slot.layer] / 2;
        }
    }
    for (const edge of edges)
        edge.line = edgeLine(edge, tops, heights);
    return {width: right - left, height: y - gapY};
}

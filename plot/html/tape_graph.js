// tape_graph.js: boxes, lines and brackets, drawn anew when a module is folded or the notation changes. layered.js finds
// the positions.

// The width of a character at 13 units; over how many ops a weight is drawn again; how small a graph is drawn.
const CHARACTER = 7.3, FAR = 7, SMALLEST = 0.6;

function short(text, most) {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function sizeOf(lines, least) {
    return Math.max(least, ...lines.map(line => line.length * CHARACTER + 24));
}

function itemOfPart(part) {
    if (part.parts) {
        const lines = [part.path, counted(part.last - part.first, 'op')].map(line => short(line, 32));
        return {module: part, lines, height: 50, width: sizeOf(lines, 120)};
    }
    const op = OPS[part.first], equation = inNotation(op.equations), symbol = symbolOf(op);
    const lines = [symbol, symbol === equation ? op.name : `= ${equation}`, inNotation(op.shapes)].map(line => short(line, 32));
    return {op: part.first, lines, height: 66, width: sizeOf(lines, 110)};
}

function itemOfLeaf(leaf) {
    const lines = [symbolOf(LEAVES[leaf]), inNotation(LEAVES[leaf].shapes)].map(line => short(line, 24));
    return {leaf, late: true, lines, height: 44, width: sizeOf(lines, 50) + 18};
}

// Which leaves are boxes? Those that an op reads which is drawn, and all inputs.
function isLeafShown(leaf, reader) {
    return !reader.module || !['weight', 'constant'].includes(LEAVES[leaf].kind);
}

// Items and edges. A leaf that is read again far below is drawn again there, so that no line runs along the graph.
function makeItems() {
    const ops = shownParts().map(itemOfPart), order = [], pairs = new Map(), depth = new Map();
    Graph.ofOp = [];
    Graph.ofLeaf = new Map();
    for (const item of ops)
        for (let at = item.module ? item.module.first : item.op, end = item.module ? item.module.last : at + 1; at < end; at++)
            Graph.ofOp[at] = item;
    const add = (from, to) => pairs.set(from, (pairs.get(from) ?? new Set()).add(to));
    OPS.forEach((op, at) => {
        const item = Graph.ofOp[at];
        for (const operand of op.operands)
            if (operand.op >= 0 && Graph.ofOp[operand.op] !== item) {
                add(Graph.ofOp[operand.op], item);
                depth.set(item, Math.max(depth.get(item) ?? 0, (depth.get(Graph.ofOp[operand.op]) ?? 0) + 1));
            }
        for (const operand of op.operands)
            if (operand.leaf >= 0 && isLeafShown(operand.leaf, item)) {
                const drawn = Graph.ofLeaf.get(operand.leaf) ?? [];
                let leaf = drawn.at(-1);
                if (!leaf || (depth.get(item) ?? 0) - leaf.depth > FAR) {
                    leaf = {...itemOfLeaf(operand.leaf), depth: depth.get(item) ?? 0, again: drawn.length > 0};
                    drawn.push(leaf);
                    Graph.ofLeaf.set(operand.leaf, drawn);
                    order.push(leaf);
                }
                add(leaf, item);
            }
        if (at === (item.module ? item.module.last - 1 : item.op))
            order.push(item);
    });
    Graph.items = order;
    order.forEach((item, i) => { item.index = i; });
    Graph.edges = [...pairs].flatMap(([from, tos]) => [...tos].map(to => ({from: from.index, to: to.index})));
}

function badgeOf(item) {
    if (item.module)
        return '';
    const uses = item.leaf >= 0 ? Uses.leaf[item.leaf] : Uses.op[item.op], got = received(uses).length;
    if (uses.length === 0)
        return item.op >= 0 && isBackwardDone(item.op) ? '∇' : '';
    return got === 0 ? '' : got === uses.length ? '∇' : `∇ ${got}/${uses.length}`;
}

function nameOf(item) {
    if (item.module)
        return `folded module ${item.module.path}, ${item.lines[1]}`;
    if (item.leaf >= 0)
        return `${LEAVES[item.leaf].kind} ${symbolOf(LEAVES[item.leaf])} ${inNotation(LEAVES[item.leaf].shapes)}`;
    return `op ${item.op}: ${assignment(OPS[item.op])}, ${inNotation(OPS[item.op].shapes)}`;
}

function drawItem(item) {
    const {width, height, lines} = item, kind = kindOf(item);
    item.badge = drawing('text', {class: 'badge', x: width / 2 - (item.leaf >= 0 ? 9 : 5),
        y: item.leaf >= 0 ? 5 : -height / 2 + 15});
    item.node = drawing('g', {role: 'button', tabindex: -1,
        transform: `translate(${item.x},${item.y})`, onclick: () => choose(item), ondblclick: () => runTo(item)},
        drawing('rect', {x: -width / 2, y: -height / 2, width, height, rx: kind === 'op' ? 6 : kind === 'leaf' ? 22 : 2}),
        ...lines.map((line, i) => drawing('text', {class: `line${i}`, y: (i - (lines.length - 1) / 2) * 17 + 5}, line)),
        item.badge, drawing('title', {}, nameOf(item)));
    return item.node;
}

// The line twice: as forward draws it, and reversed for the gradient.
function drawEdge(edge) {
    edge.node = drawing('path', {class: 'edge', d: edge.line, fill: 'none'});
    return edge.node;
}

function drawMarker(id) {
    return drawing('marker', {id, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 11, markerHeight: 11, markerUnits: 'userSpaceOnUse',
        orient: 'auto-start-reverse'}, drawing('path', {class: id, d: 'M0,0L10,5L0,10Z'}));
}

const LANE = 24; // the width of a column of brackets

// A bracket beside the ops of each unfolded module: {module, top, bottom, lane}.
function makeBrackets() {
    const brackets = [];
    for (const module of [...MODULES].sort((a, b) => depthOf(b) - depthOf(a))) {
        const inside = new Set();
        for (let at = module.first; at < module.last; at++)
            inside.add(Graph.ofOp[at]);
        if (!modulesAround(module.first).every(outer => outer.open || outer.last < module.last))
            continue;
        const tops = [...inside].map(item => item.y - item.height / 2), ends = [...inside].map(item => item.y + item.height / 2);
        const bracket = {module, top: Math.min(...tops), bottom: Math.max(...ends), lane: 0};
        while (brackets.some(other => other.lane === bracket.lane && other.top < bracket.bottom && bracket.top < other.bottom))
            bracket.lane++;
        brackets.push(bracket);
    }
    return brackets;
}

function drawBracket({module, top, bottom, lane}) {
    const x = -LANE * (lane + 1), name = short(module.path, Math.max(3, Math.floor((bottom - top) / CHARACTER)));
    const node = drawing('g', {class: 'bracket', role: 'button', tabindex: -1, 'aria-label': `fold module ${module.path}`,
        onclick: () => fold(module, false)},
        drawing('rect', {class: 'hit', x: x - 16, y: top, width: LANE - 2, height: bottom - top}),
        drawing('path', {d: `M${x + 6},${top}h-6V${bottom}h6`, fill: 'none'}),
        drawing('text', {transform: `translate(${x - 5},${(top + bottom) / 2}) rotate(-90)`}, name),
        drawing('title', {}, `${module.path}: click to fold`));
    return node;
}

function drawGraph() {
    makeItems();
    const size = layOut(Graph.items, Graph.edges, 18, 34), brackets = makeBrackets();
    const margin = 14, left = margin + LANE * (1 + brackets.reduce((most, {lane}) => Math.max(most, lane + 1), 0));
    const width = size.width + left + margin, height = size.height + 2 * margin;
    Graph.svg = drawing('svg', {id: 'graph', role: 'group', viewBox: `${-left} ${-margin} ${width} ${height}`,
        'aria-label': `The tape as a graph of ${counted(N, 'op')}`},
        drawing('defs', {}, drawMarker('arrow'), drawMarker('gradient'), drawMarker('grey')),
        ...brackets.map(drawBracket), ...Graph.edges.map(drawEdge), ...Graph.items.map(drawItem));
    Graph.width = width;
    Graph.height = height;
    Graph.scroll.replaceChildren(Graph.svg);
    sizeGraph();
}

// A graph that is little wider than its window is drawn smaller, so that it fits.
function sizeGraph() {
    Frame.main.style.height = `${Math.max(350, innerHeight - Frame.main.offsetTop - 12)}px`;
    const wide = Graph.width * Frame.fontSize / 16, scale = Math.min(1, Math.max(SMALLEST, (Graph.scroll.clientWidth - 4) / wide));
    Graph.svg.style.width = `${scale * wide}px`;
    Graph.svg.style.height = `${scale * Graph.height * Frame.fontSize / 16}px`;
}

function kindOf(item) {
    return item.module ? 'module' : item.leaf >= 0 ? 'leaf' : 'op';
}

function opsOf(item) {
    return item.module ? [item.module.first, item.module.last - 1] : [item.op];
}

function itemIsComputed(item) {
    return item.leaf >= 0 || opsOf(item).every(isComputed);
}

function itemIsBack(item) {
    return item.leaf >= 0 ? Uses.leaf[item.leaf].length > 0 && badgeOf(item) === '∇' :
        item.module ? itemTurns(item).length > 0 && itemTurns(item).every(isBackwardDone) : isBackwardDone(item.op);
}

function itemTurns(item) {
    const ops = [];
    for (let at = item.module.first; at < item.module.last; at++)
        if (OPS[at].turn >= 0)
            ops.push(at);
    return ops;
}

// Does backward carry a gradient along this edge?
function carries(edge) {
    edge.carries ??= OPS.some((op, at) => op.turn >= 0 && Graph.ofOp[at] === Graph.items[edge.to] &&
        op.operands.some(x => x.added && (x.op >= 0 ? Graph.ofOp[x.op] === Graph.items[edge.from] :
            Graph.items[edge.from].leaf === x.leaf)));
    return edge.carries;
}

function markEdge(edge, now) {
    const to = Graph.items[edge.to], back = State.step > N, isNow = to === now && State.step > 0;
    const passed = back && itemIsBack(to) && carries(edge);
    const kind = passed ? 'gradient' : itemIsComputed(to) ? 'arrow' : 'grey';
    edge.node.setAttribute('class', `edge ${kind}${isNow && (passed || !back) ? ' now' : ''}`);
    edge.node.setAttribute('marker-start', passed ? 'url(#gradient)' : 'none');
    edge.node.setAttribute('marker-end', passed ? 'none' : `url(#${kind})`);
}

function markItem(item, now) {
    const {node} = item, states = {again: item.again, computed: itemIsComputed(item), back: itemIsBack(item), now: item === now,
        chosen: item === State.chosen};
    node.setAttribute('class', ['item', kindOf(item), ...Object.keys(states).filter(state => states[state])].join(' '));
    node.setAttribute('tabindex', item === State.chosen ? 0 : -1);
    item.badge.textContent = badgeOf(item);
    node.setAttribute('aria-label', `${nameOf(item)}${item === now ? ', the current op' : ''}${itemIsComputed(item) ? '' : ', not computed yet'}`);
}

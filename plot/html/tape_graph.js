// tape_graph.js: boxes, lines and brackets, drawn anew when a module is folded or the notation changes. layered.js finds
// the positions.

const CHARACTER = 7.7;        // the width of a character at 14 units
const FAR = 7, LONG = 16;     // over more boxes than these a leaf, or the result of an op, is drawn again
const SMALLEST = 0.6;         // how small a graph is drawn that is wider than its window

function short(text, most) {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function sizeOf(lines, least) {
    return Math.max(least, ...lines.map(line => line.length * CHARACTER + 24));
}

function itemOfPart(part) {
    if (part.parts) {
        const lines = [part.path, counted(part.last - part.first, 'op')].map(line => short(line, 32));
        return {module: part, depth: 0, lines, height: 50, width: sizeOf(lines, 120)};
    }
    const op = OPS[part.first], equation = inNotation(op.equations), symbol = symbolOf(op);
    const lines = [symbol, symbol === equation ? op.name : `= ${equation}`, inNotation(op.shapes)].map(line => short(line, 32));
    return {op: part.first, depth: 0, lines, height: 66, width: sizeOf(lines, 110)};
}

// A round box: a leaf, or the result of an op that is read far below its own box.
function roundItem(tensor, what, uses) {
    const lines = [symbolOf(tensor), inNotation(tensor.shapes)].map(line => short(line, 24));
    return {...what, late: true, lines, height: 44, width: sizeOf(lines, 50) + (uses.length > 1 ? 60 : 18)}; // with its badge
}

// Weights are not drawn beside a folded module, to which they belong; inputs are.
function isLeafShown(leaf, reader) {
    return !reader.module || !['weight', 'constant'].includes(LEAVES[leaf].kind);
}

// The boxes of ops and folded modules, each with the length of the longest path of boxes above it.
function makeParts() {
    Graph.ofOp = [];
    for (const part of shownParts()) {
        const item = itemOfPart(part);
        for (let at = part.first; at < part.last; at++)
            Graph.ofOp[at] = item;
    }
    OPS.forEach((op, at) => {
        for (const operand of op.operands)
            if (operand.op >= 0 && Graph.ofOp[operand.op] !== Graph.ofOp[at])
                Graph.ofOp[at].depth = Math.max(Graph.ofOp[at].depth, Graph.ofOp[operand.op].depth + 1);
    });
}

// The last round box under this key, or a new one where that is too far above the reader.
function nearest(key, reader, make) {
    const drawn = Graph.drawn.get(key) ?? [], last = drawn.at(-1);
    if (last && reader.depth - last.depth <= FAR)
        return last;
    const item = {...make(), depth: reader.depth};
    item.again ||= drawn.length > 0;
    drawn.push(item);
    Graph.drawn.set(key, drawn);
    Graph.items.push(item);
    return item;
}

// The box from which a line leads to the reader; null where none does.
function boxOf(operand, reader) {
    if (operand.leaf >= 0)
        return isLeafShown(operand.leaf, reader) ?
            nearest(`leaf ${operand.leaf}`, reader, () => roundItem(LEAVES[operand.leaf], {leaf: operand.leaf}, Uses.leaf[operand.leaf])) : null;
    const own = Graph.ofOp[operand.op];
    return own === reader ? null : reader.depth - own.depth <= LONG ? own :
        nearest(`op ${operand.op}`, reader, () => roundItem(OPS[operand.op], {result: operand.op, again: true}, Uses.op[operand.op]));
}

// Boxes in an order in which each follows those that it reads, and the lines between them: {from, to, carries}, where
// carries says whether backward brings a gradient along the line.
function makeItems() {
    const lines = new Map();
    makeParts();
    Graph.items = [];
    Graph.drawn = new Map();
    OPS.forEach((op, at) => {
        const reader = Graph.ofOp[at];
        for (const operand of op.operands) {
            const from = boxOf(operand, reader);
            if (!from)
                continue;
            const to = lines.get(from) ?? new Map();
            to.set(reader, to.get(reader) || Boolean(operand.added));
            lines.set(from, to);
        }
        if (Graph.ofOp[at + 1] !== reader)
            Graph.items.push(reader);
    });
    Graph.items.forEach((item, i) => { item.index = i; });
    Graph.edges = [...lines].flatMap(([from, tos]) => [...tos].map(([to, carries]) => ({from: from.index, to: to.index, carries})));
}

function badgeOf(item) {
    if (item.module)
        return '';
    const at = item.op ?? item.result, uses = item.leaf >= 0 ? Uses.leaf[item.leaf] : Uses.op[at], got = received(uses).length;
    if (uses.length === 0)
        return at >= 0 && isBackwardDone(at) ? '∇' : '';
    return got === 0 ? '' : got === uses.length ? '∇' : `∇ ${got}/${uses.length}`;
}

function nameOf(item) {
    if (item.module)
        return `folded module ${item.module.path}, ${item.lines[1]}`;
    if (item.leaf >= 0)
        return `${LEAVES[item.leaf].kind} ${symbolOf(LEAVES[item.leaf])} ${inNotation(LEAVES[item.leaf].shapes)}`;
    if (item.result >= 0)
        return `result of op ${item.result}, drawn again: ${symbolOf(OPS[item.result])}`;
    return `op ${item.op}: ${assignment(OPS[item.op])}, ${inNotation(OPS[item.op].shapes)}`;
}

function drawItem(item) {
    const {width, height, lines} = item, kind = kindOf(item);
    item.badge = drawing('text', {class: 'badge', x: width / 2 - (kind === 'leaf' ? 9 : 5),
        y: kind === 'leaf' ? 5 : -height / 2 + 15});
    item.node = drawing('g', {role: 'button', tabindex: -1,
        transform: `translate(${item.x},${item.y})`, onclick: () => choose(item), ondblclick: () => runTo(item)},
        drawing('rect', {x: -width / 2, y: -height / 2, width, height, rx: kind === 'op' ? 6 : kind === 'leaf' ? 22 : 2}),
        ...lines.map((line, i) => drawing('text', {class: `line${i}`, y: (i - (lines.length - 1) / 2) * 17 + 5}, line)),
        item.badge, drawing('title', {}, nameOf(item)));
    return item.node;
}

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
    return item.module ? 'module' : item.op >= 0 ? 'op' : 'leaf';
}

function itemIsComputed(item) {
    return item.leaf >= 0 || isComputed(item.module ? item.module.last - 1 : item.op ?? item.result);
}

// Is all of backward done that concerns this box?
function itemIsBack(item) {
    if (item.module)
        return turnsOf(item).length > 0 && turnsOf(item).every(isBackwardDone);
    return item.op >= 0 ? isBackwardDone(item.op) : badgeOf(item) === '∇';
}

// The ops of a module to which backward comes.
function turnsOf({module}) {
    return BACK.filter(at => module.first <= at && at < module.last);
}

function markEdge(edge, now) {
    const to = Graph.items[edge.to], back = State.step > N, isNow = to === now && State.step > 0;
    const passed = back && itemIsBack(to) && edge.carries;
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

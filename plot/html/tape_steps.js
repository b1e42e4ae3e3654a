// tape_steps.js: the tape of a step: its gradients, its modules, and the steps through it.
//
//   modules    the tree of modules, whose nodes are drawn folded (one box) or unfolded (their ops)
//   steps      0: nothing is computed; 1 .. N: so many ops are; N + 1 .. : so many ops of backward are done

let OPS, LEAVES, FILES, N, BACK, LAST, Uses, ROOT, MODULES;
const OPEN_AT_FIRST = 60, OPEN_AT_MOST = 1500; // ops and folded modules; a larger tape begins folded, or stays so
const MINUS = '−';

const State = {step: 0, notation: DATA.notation, chosen: null, perSecond: 1, begun: false};
const Graph = {svg: null, scroll: null, items: [], edges: [], ofOp: [], drawn: new Map()};

// ---- texts ------------------------------------------------------------------------------------------

// Characters that would reverse the text after them are shown as U+FFFD.
function inNotation(texts) {
    return (Array.isArray(texts) ? texts[State.notation] : texts).replace(/[\u0000-\u001f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

function symbolOf(tensor) {
    return inNotation(tensor.symbols);
}

function assignment(op) {
    const symbol = symbolOf(op), equation = inNotation(op.equations);
    return symbol === equation ? symbol : `${symbol} = ${equation}`;
}

function counted(n, noun) {
    return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

// ---- what a tensor's gradient consists of --------------------------------------------------------------

// Of each op and leaf: {op, operand}, for each use through which backward adds to its gradient, in that order.
function findUses() {
    Uses = {op: OPS.map(() => []), leaf: LEAVES.map(() => [])};
    for (const at of BACK)
        for (const operand of OPS[at].operands)
            if (operand.added)
                (operand.op >= 0 ? Uses.op[operand.op] : Uses.leaf[operand.leaf]).push({at, operand});
}

function isComputed(at) {
    return at < State.step;
}

function isBackwardDone(at) {
    return OPS[at].turn >= 0 && OPS[at].turn < State.step - N;
}

function received(uses) {
    return uses.filter(({at}) => isBackwardDone(at));
}

// ---- modules --------------------------------------------------------------------------------------------

// The ops first .. last - 1, of which all are in the module with these `depth` names: ops and modules, in order.
function partsOf(first, last, depth) {
    const parts = [];
    for (let at = first; at < last;) {
        const names = OPS[at].module ? OPS[at].module.split('.') : [];
        let end = at + 1;
        if (names.length > depth) {
            const path = names.slice(0, depth + 1).join('.');
            while (end < last && `${OPS[end].module}.`.startsWith(`${path}.`))
                end++;
            if (end > at + 1)
                parts.push(moduleOf(path, at, end, depth + 1));
        }
        if (end === at + 1)
            parts.push({first: at, last: end});
        at = end;
    }
    return parts;
}

// A module that consists of one module only is shown as that.
function moduleOf(path, first, last, depth) {
    const parts = partsOf(first, last, depth);
    return parts.length === 1 && parts[0].parts ? parts[0] : {path, first, last, parts, open: true};
}

function modulesIn(part) {
    return part.parts ? [...(part === ROOT ? [] : [part]), ...part.parts.flatMap(modulesIn)] : [];
}

function readTape({ops, leaves, files}) {
    [OPS, LEAVES, FILES, N] = [ops, leaves, files, ops.length];
    BACK = OPS.map((_, i) => i).filter(i => OPS[i].turn >= 0).sort((a, b) => OPS[a].turn - OPS[b].turn);
    LAST = N + BACK.length;
    findUses();
    ROOT = {path: '', first: 0, last: N, parts: partsOf(0, N, 0), open: true};
    MODULES = modulesIn(ROOT);
}
readTape(DATA);

// What is drawn: ops, and modules that are folded.
function shownParts(part = ROOT) {
    return part.parts && part.open ? part.parts.flatMap(shownParts) : [part];
}

function depthOf(module) {
    return module.path.split('.').length;
}

// Unfolds level after level while at most so many ops and modules are drawn.
function unfoldUpTo(most) {
    for (const module of MODULES)
        module.open = false;
    const depths = [...new Set(MODULES.map(depthOf))].sort((a, b) => a - b);
    for (const depth of depths) {
        const level = MODULES.filter(module => depthOf(module) <= depth);
        for (const module of level)
            module.open = true;
        if (shownParts().length <= most)
            continue;
        for (const module of level.filter(module => depthOf(module) === depth))
            module.open = false;
        return;
    }
}

// The unfolded modules around an op, from the outermost on.
function modulesAround(at) {
    return MODULES.filter(module => module.first <= at && at < module.last);
}

// ---- steps ----------------------------------------------------------------------------------------------

// The op that the step before this one computed or went back through; -1 before the first.
function opOfStep(step) {
    return step === 0 ? -1 : step <= N ? step - 1 : BACK[step - N - 1];
}

// Is this op drawn as a part of the same box? A folded module is one step.
function sameBox(a, b) {
    return a >= 0 && b >= 0 && Graph.ofOp[a] === Graph.ofOp[b];
}

function stepAfter(step) {
    let to = Math.min(LAST, step + 1);
    while (to < LAST && to !== N && sameBox(opOfStep(to), opOfStep(to + 1)))
        to++;
    return to;
}

function stepBefore(step) {
    let to = step - 1;
    while (to > 0 && to !== N && sameBox(opOfStep(to), opOfStep(to + 1)))
        to--;
    return Math.max(0, to);
}

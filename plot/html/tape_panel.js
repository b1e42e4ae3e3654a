// tape_panel.js: the op, the leaf or the module that is chosen, as it is after this step.

function exact(x) {
    return x === null ? 'not a number' : String(x).replace('-', MINUS);
}

// A number on a tint of plot's diverging colours: blue below 0, red above; the largest of the tensor is the darkest.
function numberCell(x, largest) {
    const cell = element('td', {title: exact(x)}, readable(x === null ? NaN : x));
    if (Number.isFinite(x) && x !== null && largest > 0) {
        const colour = cssColour(colourAt('diverging', x < 0 ? 0.1 : 0.9)), share = Math.round(45 * Math.abs(x) / largest);
        cell.style.backgroundColor = `color-mix(in srgb, ${colour} ${share}%, var(--paper))`;
    }
    return cell;
}

// The matrix of the numbers that are stored, and a line on all of them.
function numbersNode(numbers, shapes, label) {
    if (!numbers)
        return element('p', {class: 'none'}, 'no numbers');
    const rows = numbers.numbers.length / numbers.columns, body = [];
    const {low, high, mean: average, norm, not_finite: wrong} = numbers, largest = Math.max(Math.abs(low), Math.abs(high));
    for (let i = 0; i < rows; i++) {
        const cells = numbers.numbers.slice(i * numbers.columns, (i + 1) * numbers.columns);
        body.push(element('tr', {}, element('th', {scope: 'row'}, `row ${numbers.row + i + 1}`),
            ...cells.map(x => numberCell(x, largest))));
    }
    return element('div', {class: 'numbers'},
        element('table', {'aria-label': `${label}, rows from ${numbers.row + 1}`}, element('tbody', {}, ...body)),
        element('p', {class: 'range'}, `of ${inNotation(shapes)}: ${readable(low)} to ${readable(high)}, mean ${readable(average)}, norm ${readable(norm)}` +
            (wrong ? `; not finite: ${wrong}` : '')));
}

function section(heading, ...children) {
    return element('section', {}, element('h3', {}, heading), ...children);
}

function linkTo(item, text) {
    return element('button', {type: 'button', class: 'link', onclick: () => { choose(item); reveal(item); }}, text);
}

// The box in which an operand is drawn, or null.
function itemOfOperand(operand, reader) {
    if (operand.op >= 0)
        return Graph.ofOp[operand.op];
    const drawn = Graph.drawn.get(`leaf ${operand.leaf}`) ?? [];
    return drawn.find(leaf => Graph.edges.some(edge => edge.from === leaf.index && edge.to === reader.index)) ?? drawn[0] ?? null;
}

function operandNode(operand, reader) {
    const item = itemOfOperand(operand, reader), symbol = symbolOf(operand);
    const from = operand.op >= 0 ? `result of op ${operand.op}` : `${LEAVES[operand.leaf].kind} ${LEAVES[operand.leaf].name ?? ''}`;
    return element('li', {}, item ? linkTo(item, symbol) : element('b', {}, symbol),
        ` ${inNotation(operand.shapes)}, ${operand.view ? 'a view of the ' : ''}${from.trim()}`);
}

function ordinal(n) {
    return `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th'}`;
}

// What backward of an op adds to one operand's gradient, and what that is afterwards.
function addedNode(at, operand) {
    const uses = operand.op >= 0 ? Uses.op[operand.op] : Uses.leaf[operand.leaf];
    const i = uses.findIndex(use => use.at === at && use.operand === operand), symbol = symbolOf(operand);
    const owner = operand.op >= 0 ? OPS[operand.op] : LEAVES[operand.leaf], whole = symbolOf(owner);
    const seen = operand.view && whole === symbol ? `, seen as ${inNotation(operand.shapes)}` : '';
    const summed = String(operand.sum.numbers) !== String(operand.added.numbers);
    return element('div', {class: 'added'},
        element('h4', {}, `adds to dL/d ${symbol}${seen}`, operand.view && whole !== symbol ? `, a part of dL/d ${whole}` : '',
            uses.length > 1 ? ` (${ordinal(i + 1)} of ${uses.length} contributions)` : ''),
        numbersNode(operand.added, operand.shapes, `added to dL/d ${symbol}`),
        summed ? element('h4', {}, `dL/d ${symbol} is now`) : null,
        summed ? numbersNode(operand.sum, operand.shapes, `dL/d ${symbol} now`) : null);
}

function backwardNodes(at) {
    const op = OPS[at], symbol = symbolOf(op);
    if (op.turn < 0)
        return [section('Backward', element('p', {}, 'No gradient reaches this op: the loss does not depend on it, or nothing before it needs a gradient.'))];
    if (!isBackwardDone(at)) {
        const uses = Uses.op[at], got = received(uses);
        return [section('Backward', element('p', {}, got.length === 0 ? 'No gradient has arrived yet.' :
            `${got.length} of ${counted(uses.length, 'contribution')} to dL/d ${symbol} have arrived.`))];
    }
    return [section(`Gradient that arrives: dL/d ${symbol}`, numbersNode(op.gradient, op.shapes, `dL/d ${symbol}`)),
        section('Backward of this op', ...op.operands.filter(operand => operand.added).map(operand => addedNode(at, operand)),
            op.unshown ? element('p', {}, `${counted(op.unshown, 'operand')} more are not shown.`) : null)];
}

const AROUND = 7; // lines before and after the one that called the op

function sourceNode(op) {
    if (op.source < 0)
        return section('C source', element('p', {}, 'The line that called this op is not known: the call stands in a library, without its file and line.'));
    const {path, text} = FILES[op.source], where = `${path}:${op.line}`;
    if (text === null)
        return section(`C source: ${where}`, element('p', {}, `The file ${path} was not found when this page was written, so that its lines are not shown.`));
    const lines = text.split('\n'), call = lines.slice(Math.max(0, op.line - 4), op.line).join(' '), name = op.function ?? op.name;
    const from = Math.max(0, op.line - 1 - AROUND), to = Math.min(lines.length, op.line + AROUND);
    return section(`C source: ${where}`,
        call.includes(name) ? null : element('p', {class: 'what'}, `This line calls a function of the library, which calls ${name}.`),
        element('pre', {class: 'source', tabindex: 0, 'aria-label': `lines ${from + 1} to ${to} of ${path}`},
            ...lines.slice(from, to).map((line, i) => element('span', {class: from + i + 1 === op.line ? 'called' : null},
                `${String(from + i + 1).padStart(4)}  ${line}`))));
}

function ruleNode(op) {
    const {path, text} = FILES[op.rule] ?? {};
    if (!text)
        return null;
    return section(`Equation and gradient: ${path}`, element('pre', {class: 'rule', tabindex: 0, 'aria-label': `from ${path}`}, text));
}

function foldButtons(at) {
    const around = modulesAround(at).filter(module => module.open);
    return around.length === 0 ? null : element('p', {class: 'folds'}, 'Module: ',
        ...around.map(module => element('button', {type: 'button', onclick: () => fold(module, false)}, `fold ${module.path}`)));
}

function opPanel(item) {
    const op = OPS[item.op], computed = isComputed(item.op);
    return [element('h2', {dir: 'auto'}, assignment(op)),
        element('p', {class: 'what'}, `op ${item.op}, ${op.function ?? op.name}${op.module ? `, in ${op.module}` : ''}`),
        foldButtons(item.op),
        ...(isBackwardDone(item.op) ? backwardNodes(item.op) : []),
        section(`Result: ${symbolOf(op)} ${inNotation(op.shapes)}`,
            computed ? numbersNode(op.value, op.shapes, symbolOf(op)) : element('p', {}, 'Not computed yet.')),
        section('Operands', element('ul', {}, ...op.operands.map(operand => operandNode(operand, item))),
            op.unshown ? element('p', {}, `${counted(op.unshown, 'operand')} more are not shown.`) : null),
        ...(computed && !isBackwardDone(item.op) ? backwardNodes(item.op) : []), sourceNode(op), ruleNode(op)];
}

function leafPanel(item) {
    const leaf = LEAVES[item.leaf], uses = Uses.leaf[item.leaf], got = received(uses), symbol = symbolOf(leaf);
    const latest = got.at(-1);
    return [element('h2', {dir: 'auto'}, symbol),
        element('p', {class: 'what'}, `${leaf.kind}${leaf.name ? ` ${leaf.name}` : ''}`),
        section(`Value: ${symbol} ${inNotation(leaf.shapes)}`, numbersNode(leaf.value, leaf.shapes, symbol)),
        section('Gradient', uses.length === 0 ? element('p', {}, 'Nothing is added to its gradient in this step.') :
            element('p', {}, `${got.length} of ${counted(uses.length, 'contribution')} have arrived.`),
            latest ? numbersNode(latest.operand.sum, latest.operand.shapes, `dL/d ${symbol}`) : null)];
}

const LISTED = 100; // ops of a folded module

function modulePanel(item) {
    const {module} = item, last = module.last - 1, ops = OPS.slice(module.first, Math.min(module.last, module.first + LISTED));
    const more = module.last - module.first - ops.length;
    return [element('h2', {dir: 'auto'}, module.path),
        element('p', {class: 'what'}, `${counted(module.last - module.first, 'op')}, drawn as one box: one step goes through all of them`),
        element('p', {class: 'folds'}, element('button', {type: 'button', onclick: () => fold(module, true)}, `unfold ${module.path}`)),
        section(`Result: ${symbolOf(OPS[last])} ${inNotation(OPS[last].shapes)}`, itemIsComputed(item) ?
            numbersNode(OPS[last].value, OPS[last].shapes, symbolOf(OPS[last])) : element('p', {}, 'Not computed yet.')),
        ...(itemIsBack(item) && OPS[last].gradient ?
            [section(`Gradient that arrives: dL/d ${symbolOf(OPS[last])}`, numbersNode(OPS[last].gradient, OPS[last].shapes, 'gradient'))] : []),
        section('Ops', element('ul', {}, ...ops.map((op, i) => element('li', {}, `op ${module.first + i}: ${assignment(op)}`))),
            more ? element('p', {}, `${counted(more, 'op')} more.`) : null)];
}

function startPanel() {
    return [element('h2', {}, 'Before the step'), element('p', {}, `${counted(N, 'op')} will be computed, and then backward ` +
        `goes through ${BACK.length} of them, from last to first.`),
        element('p', {}, 'Keys: → the next step, ← a step back, p play, b to where backward begins, ? all keys.')];
}

function drawPanel() {
    const item = State.chosen;
    Graph.panel.replaceChildren(...(!item ? startPanel() : item.module ? modulePanel(item) : item.leaf >= 0 ? leafPanel(item) : opPanel(item))
        .filter(node => node));
    Graph.panel.scrollTop = 0;
}

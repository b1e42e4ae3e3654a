// tape.js: the first training step as a graph, through which its reader goes op by op as in a debugger. After
// layered.js, tape_steps.js, tape_graph.js and tape_panel.js in the same script.
//
// Everything that is shown follows from State: a step back shows what the step before showed.

const Controls = {};

function goTo(step) {
    State.step = Math.min(LAST, Math.max(0, step));
    const at = opOfStep(State.step);
    State.chosen = at < 0 ? null : Graph.ofOp[at];
    show();
    say(described());
    reveal(State.chosen);
}

// One sentence on the step.
function described() {
    const at = opOfStep(State.step);
    if (at < 0)
        return 'Nothing is computed yet.';
    const way = State.step <= N ? 'Forward' : 'Backward';
    const item = Graph.ofOp[at], what = item.module ? `module ${item.module.path}` : assignment(OPS[at]);
    return `${way}, op ${at}: ${what}`;
}

function show() {
    const at = opOfStep(State.step), now = at < 0 ? null : Graph.ofOp[at];
    for (const item of Graph.items)
        markItem(item, now);
    for (const edge of Graph.edges)
        markEdge(edge, now);
    drawPanel();
    Controls.slider.value = State.step;
    Controls.slider.nextElementSibling.textContent = stepText(State.step);
    Controls.slider.setAttribute('aria-valuetext', described());
    document.documentElement.dataset.step = State.step;
    keepLink();
}

function stepText(step) {
    return step <= N ? `forward ${step} of ${N}` : `backward ${step - N} of ${BACK.length}`;
}

function choose(drawn) {
    const item = drawn.result >= 0 ? Graph.ofOp[drawn.result] : drawn;
    State.chosen = item;
    show();
    if (item !== drawn)
        reveal(item);
    item.node.focus({preventScroll: true});
}

// As a debugger's "run to here": forward, or backward where the op is computed already.
function runTo(item) {
    if (kindOf(item) === 'leaf')
        return;
    const at = item.module ? item.module.last - 1 : item.op;
    const turn = item.module ? Math.max(...turnsOf(item).map(op => OPS[op].turn), -1) : OPS[at].turn;
    goTo(State.step <= at || turn < 0 ? at + 1 : N + 1 + turn);
}

function reveal(item) {
    if (!item) {
        Graph.scroll.scrollTop = 0;
        return;
    }
    const box = item.node.getBoundingClientRect(), view = Graph.scroll.getBoundingClientRect();
    const far = Math.abs(box.top - view.top) > 2 * view.height;
    const still = far || !State.begun || matchMedia('(prefers-reduced-motion: reduce)').matches || isPressed(Controls.play);
    Graph.scroll.scrollBy({left: Math.min(0, box.left - view.left - 20) + Math.max(0, box.right - view.right + 20),
        top: (box.top + box.bottom - view.top - view.bottom) / 2, behavior: still ? 'instant' : 'smooth'});
}

// The box that shows an op, or a leaf, after the graph was drawn anew.
function sameItem(old) {
    if (!old)
        return null;
    if (old.leaf >= 0)
        return (Graph.drawn.get(`leaf ${old.leaf}`) ?? [null])[0];
    return Graph.ofOp[old.module ? old.module.first : old.op];
}

function redraw() {
    const old = State.chosen;
    drawGraph();
    State.chosen = sameItem(old);
    show();
    if (State.chosen)
        reveal(State.chosen);
}

function fold(module, open) {
    module.open = open;
    redraw();
    say(`Module ${module.path} ${open ? 'unfolded' : 'folded'}`);
}

// Unfolds the chosen module, or folds the innermost module of the chosen op.
function toggleFold() {
    const item = State.chosen;
    if (!item || item.leaf >= 0)
        return;
    const module = item.module ?? modulesAround(item.op).filter(around => around.open).at(-1);
    if (module)
        fold(module, !module.open);
}

function foldAll(open) {
    unfoldUpTo(open ? OPEN_AT_MOST : 0);
    redraw();
    const folded = shownParts().filter(part => part.parts).length;
    say(!open ? 'All modules are folded' : folded ? `${counted(folded, 'module')} stay folded: at most ${OPEN_AT_MOST} boxes are unfolded at once` :
        'All modules are unfolded');
}

function chooseNext(by) {
    const items = Graph.items.filter(item => !(item.result >= 0));
    const at = State.chosen ? items.indexOf(State.chosen) + by : by > 0 ? 0 : items.length - 1;
    const item = items[Math.min(items.length - 1, Math.max(0, at))];
    choose(item);
    reveal(item);
    say(item.node.getAttribute('aria-label'));
}

function addControls() {
    addButton('Start', () => goTo(0));
    addButton('← Step back', () => goTo(stepBefore(State.step))).id = 'step-back';
    Controls.play = addPlayer(() => 1000 / State.perSecond,
        {next: () => goTo(stepAfter(State.step)), ended: () => State.step === LAST, rewind: () => goTo(0)});
    Controls.play.id = 'play';
    addButton('Step →', () => goTo(stepAfter(State.step))).id = 'step';
    addButton('To backward', () => goTo(N)).id = 'to-backward';
    addButton('End', () => goTo(LAST));
    Controls.slider = addSlider('Step', {low: 0, high: LAST, step: 1, value: 0, show: stepText}, goTo);
    Controls.slider.id = 'slider';
    const speeds = [0.5, 1, 2, 5, 20];
    addChoice('Speed', speeds.map(speed => `${speed} a second`), 1, i => { State.perSecond = speeds[i]; }).id = 'speed';
    if (DATA.notations.length > 1)
        addChoice('Symbols', DATA.notations.map(name => name === '' ? 'gradus' : `lecture ${name}`), State.notation,
            i => { State.notation = i; redraw(); }).id = 'notation';
    if (MODULES.length > 0) {
        addButton('Fold all', () => foldAll(false)).id = 'fold-all';
        addButton('Unfold all', () => foldAll(true)).id = 'unfold-all';
    }
    addButton('SVG', () => saveSvg(Graph.svg, 'tape.svg'));
    addButton('PNG', () => savePng(Graph.svg, 'tape.png'));
}

function addKeys() {
    addKey('ArrowRight', 'the next step', () => goTo(stepAfter(State.step)));
    addKey('ArrowLeft', 'a step back', () => goTo(stepBefore(State.step)));
    addKey('p', 'play, pause', () => Controls.play.click());
    addKey('Home', 'before the first op', () => goTo(0));
    addKey('b', 'to where backward begins', () => goTo(N));
    addKey('End', 'after the last step', () => goTo(LAST));
    addKey('ArrowDown', 'choose the next box of the graph', () => chooseNext(1));
    addKey('ArrowUp', 'choose the box before', () => chooseNext(-1));
    addKey('Enter', 'run to the chosen op', () => State.chosen && runTo(State.chosen));
    addKey('m', 'unfold the chosen module, or fold that of the chosen op', toggleFold);
}

// The address may end in the number of a step alone, as tape.html#12.
function stepOfLink({step}, given) {
    const alone = Number.parseInt([...given.keys()][0], 10);
    return Number(given.has('step') ? step : alone) || 0;
}

function begin() {
    openFrame(`${DATA.live ? 'One sentence' : 'A training step'}, op by op. Forward computes the values from the first op to the last; backward goes ` +
        'from the last to the first: each op reads the gradient of its result and adds to the gradients of its operands.');
    addControls();
    addKeys();
    Graph.scroll = element('div', {id: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'The graph'});
    Graph.panel = element('aside', {id: 'panel', 'aria-label': 'The chosen op'});
    Frame.main.append(Graph.scroll, Graph.panel);
    unfoldUpTo(OPEN_AT_FIRST);
    drawGraph();
    addNote('Of each tensor up to 4 rows and 6 columns are shown, from the first row on that is not 0 throughout; rows count over ' +
        'all axes but the last. Numbers have 4 digits here, and 9 in the text that appears under the pointer. Range, mean and ' +
        'norm are those of all numbers.');
    addNote('∇ on a box: its gradient is complete; ∇ 1/3: one of three ops that read it has added to its gradient. A dashed ' +
        'round box is a weight, an input or a result that is drawn further above, too.');
    if (MODULES.length > 0)
        addNote('A folded module is one box and one step. The bracket beside an unfolded module folds it.');
    Frame.redraw.push(() => { sizeGraph(); reveal(State.chosen); });
    goTo(0);
    if (DATA.live)
        openSteps();
    linkState(() => ({step: State.step, symbols: State.notation + 1}), (found, given) => {
        State.notation = Math.min(DATA.notations.length, Math.max(1, Number(found.symbols) || 1)) - 1;
        const list = document.getElementById('notation');
        if (list)
            list.selectedIndex = State.notation;
        redraw();
        goTo(stepOfLink(found, given));
    });
    openLink();
    State.begun = true;
}

begin();

// attention.js: what a page on attention shows, its controls and its keys; attention.c says what its data are.

const readInput = input => ({title: input.title, loss: input.loss, right: input.right, cuts: input.cuts, focus: input.focus, attentions: input.attentions.map(raw => new Attention(raw))});
const INPUTS = (DATA.inputs ?? []).map(readInput);

const VIEWS = [
    {key: '1', name: 'Arcs', make: panel => new ArcsView(panel), fits: () => true},
    {key: '2', name: 'All heads', make: panel => new HeadsView(panel), fits: () => true},
    {key: '3', name: 'Heatmap', make: panel => new MapView(panel), fits: () => true},
    {key: '4', name: 'Queries and keys', make: panel => new ChannelsView(panel), fits: attention => attention.q !== null},
    {key: '5', name: 'Picture', make: panel => new PictureView(panel), fits: attention => attention.picture !== null},
    {key: '6', name: 'Cut', make: panel => new CutView(panel), fits: () => INPUTS[SHOWN.input].cuts !== undefined},
];

// What is shown. head: 0, 1, ... or, for the mean, the number of heads; beside: a second input, or null.
const SHOWN = {view: 0, input: 0, beside: null, attention: 0, layer: 0, head: 0, quantity: 'weight', own: false, pinned: null, hover: null, cut: null};
let PANELS = [];
let LISTS = {};

// One input's drawing; two of them stand side by side.
class Panel {
    constructor(input) {
        this.input = input;
        this.figure = element('div', {class: 'figure'});
        this.heading = element('h2', {dir: 'auto'}, INPUTS[input].title ?? '');
        this.node = element('section', {class: 'panel'}, this.heading, this.figure);
        this.drawn = 0;
    }
    get attention() {
        const {attentions} = INPUTS[this.input];
        return attentions[Math.min(SHOWN.attention, attentions.length - 1)];
    }
    get quantity() {
        return this.attention.has(SHOWN.quantity) ? SHOWN.quantity : 'weight';
    }
    matrix() {
        return this.attention.matrix(this.quantity, SHOWN.layer, SHOWN.head);
    }
    // Was it cut before the library ran?
    isCut(row = null, column = null) {
        const {cut} = INPUTS[this.input], head = `${SHOWN.layer}.${SHOWN.head}`;
        return Boolean(cut?.has(head) || row !== null && cut?.has(`${head}.${row}.${column}`));
    }
    at(row, column) {
        return this.matrix()[row * this.attention.columns + column];
    }
    range() {
        return this.attention.range(this.quantity, SHOWN.layer, SHOWN.head, SHOWN.own);
    }
    // "layer 1, head 2 of self-attention: gradient dL/dA; 9 queries, 9 keys; L is the mean cross-entropy of the next tokens"
    describe() {
        const {attention} = this, head = SHOWN.head < attention.heads ? `head ${SHOWN.head + 1}` : 'mean over heads';
        const where = this.quantity === 'rollout' ? `layers 1 to ${SHOWN.layer + 1}` : `layer ${SHOWN.layer + 1}, ${head}`;
        const {long, signed} = QUANTITIES[this.quantity], {loss} = INPUTS[this.input];
        const ofLoss = signed && loss ? `; L is ${loss}` : '';
        return `${where}${this.isCut() ? ' (cut)' : ''} of ${attention.name}: ${long}; ${attention.rows} queries, ${attention.columns} keys${ofLoss}`;
    }
    // The query with the largest weight on another token, to begin with.
    strongestQuery() {
        const {attention} = this, matrix = attention.matrix('weight', SHOWN.layer, SHOWN.head);
        let best = 0, most = -1;
        for (let at = 0; at < matrix.length; at++)
            if (matrix[at] > most && Math.floor(at / attention.columns) !== at % attention.columns) {
                most = matrix[at];
                best = Math.floor(at / attention.columns);
            }
        return best;
    }
    draw(width, height) {
        this.drawn++; // what paints in steps sees that it is out of date
        this.view = VIEWS[SHOWN.view].make(this);
        this.view.draw(width, height);
    }
}

// ---- what is chosen ---------------------------------------------------------------------------------

function current() {
    return PANELS[0].attention;
}

function setHover(chosen) {
    SHOWN.hover = chosen;
    for (const panel of PANELS)
        panel.view.highlight(chosen ?? SHOWN.pinned);
}

function setPinned(chosen) {
    SHOWN.pinned = chosen;
    SHOWN.hover = null;
    showPinned();
    keepLink();
    if (VIEWS[SHOWN.view].name === 'Queries and keys')
        redrawAll();
    else
        setHover(null);
}

// The list names the query that is pinned.
function showPinned() {
    Frame.pinned?.();
    LISTS.query.selectedIndex = SHOWN.pinned?.axis === 'rows' ? SHOWN.pinned.index + 1 : 0;
}

// A second click on the same token unpins it.
function pin(chosen) {
    const same = SHOWN.pinned?.axis === chosen.axis && SHOWN.pinned.index === chosen.index;
    setPinned(same ? null : chosen);
    say(same ? 'unpinned' : `pinned ${chosen.axis === 'rows' ? 'query' : 'key'} ${tokenName(current(), chosen.axis, chosen.index)}`);
}

function chooseHead(layer, head) {
    SHOWN.layer = layer;
    SHOWN.head = head;
    LISTS.layer.selectedIndex = layer;
    LISTS.head.selectedIndex = head;
}

function openHead(layer, head) {
    chooseHead(layer, head);
    hideTip();
    chooseView(VIEWS.findIndex(view => view.name === 'Heatmap'));
}

function chooseView(number) {
    if (!VIEWS[number].fits(current()))
        return;
    SHOWN.view = number;
    VIEWS.forEach((view, i) => view.button.setAttribute('aria-pressed', i === number));
    hideTip();
    redrawAll();
    say(`${VIEWS[number].name}: ${PANELS[0].describe()}`);
}

// Moves a list by one, and back to its beginning after its end.
function step(list, by) {
    if (!list || list.options.length < 2)
        return;
    list.selectedIndex = (list.selectedIndex + by + list.options.length) % list.options.length;
    list.dispatchEvent(new Event('change'));
    say(`${list.previousSibling.textContent}: ${list.value}`);
}

// ---- drawing ------------------------------------------------------------------------------------------

function drawPanels() {
    Frame.main.className = PANELS.length > 1 ? 'two' : 'one';
    const top = Frame.main.getBoundingClientRect().y + scrollY, gap = PANELS.length > 1 ? 24 : 0;
    const width = Math.floor((Frame.main.clientWidth - gap) / PANELS.length);
    const heading = PANELS.some(panel => panel.heading.textContent) ? 1.8 * Frame.fontSize : 0;
    const height = Math.max(300, innerHeight - top - heading - 0.8 * Frame.fontSize);
    for (const panel of PANELS)
        panel.draw(width, height);
    document.getElementById('about').textContent = PANELS[0].describe();
}

function makePanels() {
    PANELS = [new Panel(SHOWN.input)];
    if (SHOWN.beside !== null && SHOWN.beside < INPUTS.length)
        PANELS.push(new Panel(SHOWN.beside));
    Frame.main.replaceChildren(...PANELS.map(panel => panel.node));
}

// After another input or attention: lists of its layers and heads, and what it has.
function refresh() {
    makePanels();
    const attention = current();
    SHOWN.layer = Math.min(SHOWN.layer, attention.layers - 1);
    SHOWN.head = Math.min(SHOWN.head, attention.heads);
    const fillList = (list, texts) => list.replaceChildren(...texts.map(text => element('option', {}, text)));
    fillList(LISTS.layer, Array.from({length: attention.layers}, (_, l) => String(l + 1)));
    fillList(LISTS.head, [...Array.from({length: attention.heads}, (_, h) => String(h + 1)), 'mean']);
    LISTS.quantities = Object.keys(QUANTITIES).filter(quantity => attention.has(quantity));
    fillList(LISTS.quantity, LISTS.quantities.map(quantity => QUANTITIES[quantity].name));
    if (!attention.has(SHOWN.quantity))
        SHOWN.quantity = 'weight';
    LISTS.quantity.selectedIndex = LISTS.quantities.indexOf(SHOWN.quantity);
    fillList(LISTS.query, ['none', ...Array.from({length: attention.rows}, (_, i) => tokenName(attention, 'rows', i))]);
    showPinned();
    fillHabits();
    chooseHead(SHOWN.layer, SHOWN.head);
    VIEWS.forEach(view => { view.button.hidden = !view.fits(attention); });
    if (!VIEWS[SHOWN.view].fits(attention))
        chooseView(0);
    else
        redrawAll();
}

function saveShown(save, suffix) {
    PANELS.forEach((panel, i) => {
        const svg = panel.figure.querySelector('svg'), side = PANELS.length > 1 ? `-${i + 1}` : '';
        if (svg)
            save(svg, `attention-layer${SHOWN.layer + 1}-head${SHOWN.head + 1}${side}.${suffix}`);
    });
}

// ---- controls ---------------------------------------------------------------------------------------------

function addViewButtons() {
    const group = element('span', {role: 'group', 'aria-label': 'View', class: 'views'});
    Frame.controls.append(group);
    VIEWS.forEach((view, i) => {
        view.button = addButton(view.name, () => chooseView(i), group);
        view.button.setAttribute('aria-pressed', i === SHOWN.view);
        addKey(view.key, `view: ${view.name}`, () => chooseView(i));
    });
}

function addList(id, label, options, act) {
    const list = addChoice(label, options, 0, act);
    list.id = id;
    LISTS[id] = list;
    return list;
}

function addLists() {
    const titles = INPUTS.map((input, i) => input.title ?? `input ${i + 1}`);
    if (INPUTS.length > 1 || (DATA.live && DATA.kind === 'attention')) {
        addList('input', 'Input', titles, i => { SHOWN.input = i; refresh(); Frame.inputChosen?.(); });
        addList('beside', 'Beside', ['nothing', ...titles], i => { SHOWN.beside = i > 0 ? i - 1 : null; refresh(); });
    }
    if (INPUTS.some(input => input.attentions.length > 1))
        addList('attention', 'Attention', INPUTS[0].attentions.map(attention => attention.name), i => { SHOWN.attention = i; refresh(); });
    addList('habit', 'Show me', [], i => {
        if (i > 0)
            showHabit(LISTS.found[i - 1]);
    });
    addList('layer', 'Layer', [], i => { SHOWN.layer = i; redrawAll(); });
    addList('head', 'Head', [], i => { SHOWN.head = i; redrawAll(); });
    addList('quantity', 'Number', [], i => { SHOWN.quantity = LISTS.quantities[i]; redrawAll(); });
    addList('query', 'Query', [], i => setPinned(i > 0 ? {axis: 'rows', index: i - 1} : null));
    addList('scale', 'Colours', ['shared', 'per head'], i => { SHOWN.own = i === 1; redrawAll(); });
    LISTS.scale.selectedIndex = SHOWN.own ? 1 : 0;
}

function addKeys() {
    const lists = [['l', 'L', 'layer', 'layer'], ['h', 'H', 'head', 'head'], ['n', 'N', 'quantity', 'number: A, dL/dA, their product, rollout'],
        ['q', 'Q', 'query', 'query'], ['i', 'I', 'input', 'input'], ['b', 'B', 'beside', 'input beside it'], ['a', 'A', 'attention', 'attention'], ['c', 'C', 'scale', 'colours']];
    for (const [next, back, id, what] of lists)
        if (LISTS[id]) {
            addKey(next, `next ${what}`, () => step(LISTS[id], 1));
            addKey(back, `previous ${what}`, () => step(LISTS[id], -1));
        }
    addKey('ArrowRight', 'next query, of the drawing alone', () => step(LISTS.query, 1));
    addKey('ArrowLeft', 'previous query', () => step(LISTS.query, -1));
    addKey('Escape', 'unpin the token', () => { hideTip(); setPinned(null); });
    addKey('s', 'save what is shown as SVG', () => saveShown(saveSvg, 'svg'));
    addKey('p', 'save what is shown as PNG', () => saveShown(savePng, 'png'));
}

// What L is, for each input; one note where it is the same for all.
function addLosses() {
    const texts = INPUTS.map(({loss, attentions}) => attentions.every(attention => !attention.has('gradient'))
        ? 'no dL/dA, because no loss was computed.' : loss ? `L is ${loss}.` : 'the program that wrote the page did not say what L is.');
    if (texts.every(text => text === texts[0]))
        addNote(texts[0].replace('no dL', 'No dL'));
    else
        texts.forEach((text, i) => { addNote(`${INPUTS[i].title ?? `Input ${i + 1}`}: ${text}`); });
}

function addNotes() {
    addNote('A query distributes a weight of 1 over the keys, the tokens that it reads. Arcs: the tokens left are queries, those right keys; point at a token, or go to it with Tab and the arrow keys, and click ' +
        `(Enter) to pin it; a token's ${ARCS.one} largest numbers are drawn. ` + 'dL/dA is the derivative of the loss by a weight, with all other weights fixed; A · dL/dA is to first order what ' +
        'the loss would lose without the weight. Rollout: the product of (A + I)/2 over the layers up to the chosen one, A the mean over heads ' +
        '(Abnar and Zuidema, 2020).');
    addLosses();
    const {attentions} = INPUTS[0], worst = list => list.reduce((most, packed) => packed.error > most.error ? packed : most);
    for (const attention of attentions)
        for (const [name, list] of [['A', attention.weights], ['rollout', attention.rollout], ['dL/dA', attention.gradients], ['q', attention.q], ['k', attention.k]])
            if (list)
                addNote(roundingNote(`${name} of ${attention.name}`, worst(list)));
}

function openPage() {
    if (!Frame.main)
        openFrame('');
    const first = INPUTS[0].attentions[0];
    SHOWN.own = first.columns > 40;
    SHOWN.view = INPUTS[0].cuts ? 5 : first.picture ? 4 : first.columns > 40 ? 2 : 0;
    if (first.picture)
        chooseDefaults(first);
    if (INPUTS[0].cuts)
        chooseLargestCut(INPUTS[0].cuts);
    addViewButtons();
    addLists();
    addButton('SVG', () => saveShown(saveSvg, 'svg')).title = 'save what is shown as SVG (s)';
    addButton('PNG', () => saveShown(savePng, 'png')).title = 'save what is shown as PNG (p)';
    addKeys();
    addNotes();
    Frame.redraw.push(drawPanels);
    refresh();
    if (!INPUTS[0].cuts && !first.picture && INPUTS[0].focus && LISTS.found.length)
        showHabit(LISTS.found[0]);
    if (DATA.kind === 'attention' && DATA.live)
        openSentence();
    linkState(tellShown, showTold);
    if (DATA.kind !== 'train') // whose training comes first
        openLink();
}

// What stands in the page's link: all is counted from 1.
function tellShown() {
    const {heads} = current(), {pinned} = SHOWN;
    return {view: VIEWS[SHOWN.view].name, input: SHOWN.input + 1, beside: SHOWN.beside === null ? 'none' : SHOWN.beside + 1, attention: SHOWN.attention + 1,
        layer: SHOWN.layer + 1, head: SHOWN.head < heads ? SHOWN.head + 1 : 'mean', number: SHOWN.quantity, colours: SHOWN.own ? 'own' : 'shared',
        query: pinned?.axis === 'rows' ? pinned.index + 1 : 'none', key: pinned?.axis === 'columns' ? pinned.index + 1 : 'none'};
}

function showTold(found) {
    const number = (text, most) => Math.min(most, Math.max(1, Math.floor(Number(text)) || 1)) - 1, count = INPUTS.length;
    SHOWN.input = number(found.input, count);
    SHOWN.beside = found.beside === 'none' ? null : number(found.beside, count);
    SHOWN.attention = number(found.attention, INPUTS[SHOWN.input].attentions.length);
    const attention = INPUTS[SHOWN.input].attentions[SHOWN.attention], axis = found.query === 'none' ? 'key' : 'query';
    SHOWN.view = Math.max(0, VIEWS.findIndex(({name}) => name === found.view));
    SHOWN.layer = number(found.layer, attention.layers);
    SHOWN.head = found.head === 'mean' ? attention.heads : number(found.head, attention.heads);
    SHOWN.quantity = attention.has(found.number) && QUANTITIES[found.number] ? found.number : 'weight';
    SHOWN.own = found.colours === 'own';
    const rows = axis === 'query' ? 'rows' : 'columns';
    SHOWN.pinned = found[axis] === 'none' ? null : {axis: rows, index: number(found[axis], attention.count(rows))};
    for (const [id, index] of [['input', SHOWN.input], ['beside', SHOWN.beside === null ? 0 : SHOWN.beside + 1], ['attention', SHOWN.attention], ['scale', SHOWN.own ? 1 : 0]])
        if (LISTS[id])
            LISTS[id].selectedIndex = index;
    refresh();
    chooseView(SHOWN.view);
}

// A picture's last layer says most; all its heads together come first.
function chooseDefaults(attention) {
    SHOWN.layer = attention.layers - 1;
    SHOWN.head = attention.heads;
}

if (DATA.kind === 'attention') // a page that trains opens with what the library computes
    openPage();

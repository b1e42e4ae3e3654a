// generation.js: a page on text that a model generated: the distribution at each step as temperature, top-k and top-p
// leave it, draws from it, and the tree of a beam search.
//
//   TEXT           the tokens; one of them is the step that is looked at
//   DISTRIBUTION   bars of the most likely tokens: the model's own, and the truncated one
//   DRAWS          tokens drawn from it with the random numbers of a seed, and how often
//   BEAM           what the beam kept, step by step: generation_beam.js
'use strict';

const BARS = 20;
const HINT = 'The logits of each step are those of the program. Temperature divides them; top-k keeps the k most likely ' +
    'tokens; then top-p keeps the smallest set with cumulative probability p or more. What is kept is divided by its sum.';

const State = {
    step: 0,
    temperature: DATA.temperature,
    topK: DATA.topK,
    topP: DATA.topP,
    list: null,   // the distribution of the step as it is truncated
    model: null,  // and as the model has it, T = 1
    rng: null,    // of the draws
    counts: null, // of each token, how often it was drawn
    draws: 0,
    last: null, // {u, place} of the last draw
    shown: 0,   // steps of the beam that are shown
    alpha: DATA.beam ? DATA.beam.alpha : 0,
};

const VOCABULARY = DATA.vocabulary;
let STEPS, packed;
let stored; // of each step that was looked at: its logits and their order

function readText() {
    STEPS = DATA.tokens.length;
    packed = Array.isArray(DATA.logits[0]) ? null : DATA.logits.map(step => new Packed(step));
    stored = [];
}
readText();

function logitsOf(step) {
    if (!stored[step]) {
        const logits = packed ? packed[step].map(0) : Float64Array.from(DATA.logits[step], Math.fround);
        stored[step] = {logits, order: orderOf(logits)};
    }
    return stored[step];
}

// The distribution of a step under the page's settings.
function truncated(step) {
    const {logits, order} = logitsOf(step);
    return distribution(logits, State.temperature, State.topK, State.topP, order);
}

function word(token) {
    return visible(VOCABULARY[token] ?? `token ${token}`);
}

function percent(p) {
    return p === 0 ? '0' : p >= 0.0001 ? p.toPrecision(4) : p.toExponential(2).replace('e-', 'e−');
}

// ---- the text ------------------------------------------------------------------------------------

const textBox = element('div', {id: 'text', role: 'group', 'aria-label': 'The prompt and the generated tokens'});
const verdict = element('p', {class: 'facts', id: 'verdict'});

// The token that the program's random number of each step draws under the page's settings. They are comparable up to the
// first that differs: after it, the model would have read another text. Many logits are looked at in portions, so that the
// page answers in between; the last call wins.
let search = 0;
function findOther(then, rng = new Rng(BigInt(DATA.seed), BigInt(DATA.stream), DATA.position), from = 0, mine = ++search) {
    const portion = Math.max(1, Math.floor(300000 / VOCABULARY.length));
    for (let step = from; step < STEPS; step++) {
        if (step === from + portion) {
            setTimeout(() => mine === search && findOther(then, rng, step, mine));
            return;
        }
        const list = truncated(step), token = list.token[drawn(list, rng.uniform())];
        if (token !== DATA.tokens[step]) {
            then({step, token});
            return;
        }
    }
    then(null);
}

function drawText() {
    const buttons = DATA.tokens.map((token, step) => {
        const shown = VOCABULARY[token] ?? '', text = shown.trim() === '' || shown.includes('\n') ? visible(shown) : shown;
        return element('button', {type: 'button', 'data-step': step, 'aria-label': `step ${step + 1}: ${word(token)}`,
            onclick: () => choose(step)}, element('bdi', {}, text));
    });
    textBox.replaceChildren(element('span', {class: 'prompt'}, element('bdi', {}, DATA.prompt)), ...buttons);
}

function markOthers(other) {
    textBox.querySelectorAll('button').forEach((button, step) => {
        button.classList.toggle('other', other !== null && step === other.step);
        button.classList.toggle('unknown', other !== null && step > other.step);
    });
    const given = `temperature ${readable(DATA.temperature)}, top-k ${shownK(DATA.topK)}, top-p ${readable(DATA.topP)}`;
    verdict.textContent = other === null ?
        `With the program's random numbers (seed ${DATA.seed}) these settings draw the program's tokens, all ${STEPS}.` :
        `The program drew with ${given}. With its random numbers, these settings draw another token first at step ${other.step + 1}: ` +
            `${word(other.token)} in place of ${word(DATA.tokens[other.step])}. What follows would have other logits.`;
}

function markText() {
    textBox.querySelectorAll('button').forEach((button, step) => {
        if (step === State.step)
            button.setAttribute('aria-current', 'step');
        else
            button.removeAttribute('aria-current');
    });
    if (DATA.drawn)
        findOther(markOthers);
    else
        verdict.textContent = 'The program took the most likely token at each step.';
}

// ---- the distribution ------------------------------------------------------------------------------

const facts = element('p', {class: 'facts', id: 'facts'});
const bars = drawing('svg', {id: 'bars', role: 'img'});

// All bars have one scale, which the largest probability or share of the draws fills.
function drawBars() {
    const font = Frame.fontSize, row = 1.55 * font, wide = Math.max(22 * font, Math.min(bars.parentElement.clientWidth, 62 * font));
    const ems = wide < 38 * font ? {label: 4, here: 6, drawn: 10.5, all: 13.5} : {label: 8.5, here: 7, drawn: 12.5, all: 17};
    const {list, model} = State, kept = new Map(Array.from(list.token, (token, i) => [token, list.p[i]]));
    const fitting = Math.floor((innerHeight - bars.parentElement.getBoundingClientRect().y - font) / row - 1.3);
    const shown = Array.from(model.token.subarray(0, Present.on ? Math.max(8, Math.min(BARS, fitting)) : BARS));
    const drawnMost = State.draws ? Math.max(...shown.map(token => State.counts[token])) / State.draws : 0;
    const largest = Math.max(model.p[0], list.p[0], drawnMost);
    const left = (ems.label + 0.5) * font, right = wide - ems.all * font, scale = (right - left) / largest;
    const parts = [
        drawing('text', {x: right + font, y: font, class: 'pale'}, 'model'),
        drawing('text', {x: right + ems.here * font, y: font, class: 'pale'}, 'here'),
        drawing('text', {x: right + ems.drawn * font, y: font, class: 'pale'}, State.draws ? 'drawn' : '')
    ];
    shown.forEach((token, i) => {
        const y = (i + 1) * row, p = model.p[i], here = kept.get(token), count = State.counts?.[token] ?? 0;
        const text = (x, name, what) => drawing('text', {x, y: y + 0.75 * row, class: name}, what);
        const label = text(left - 0.5 * font, token === DATA.tokens[State.step] ? 'label bold' : 'label', fitted(word(token), ems.label));
        label.setAttribute('text-anchor', 'end');
        const bar = drawing('g', {'data-token': token, class: here === undefined ? 'out' : ''}, label,
            drawing('rect', {class: here === undefined ? 'cut' : 'kept', x: left, y: y + 0.2 * row, height: 0.6 * row, width: (here ?? p) * scale}),
            drawing('rect', {class: 'model', x: left, y: y + 0.1 * row, height: 0.8 * row, width: p * scale}),
            text(right + font, 'pale p-model', percent(p)),
            text(right + ems.here * font, 'p-here', here === undefined ? 'cut' : percent(here)));
        if (State.draws) {
            const x = left + count / State.draws * scale;
            bar.append(
                drawing('line', {class: 'seen', x1: x, x2: x, y1: y + 0.1 * row, y2: y + 0.9 * row}),
                text(right + ems.drawn * font, 'count', String(count)));
        }
        parts.push(bar);
    });
    const high = (shown.length + 1.3) * row;
    const top = shown.slice(0, 5).map(token => `${word(token)} ${kept.has(token) ? percent(kept.get(token)) : 'cut'}`);
    fillScene(bars, wide, high, font, `The ${shown.length} most likely tokens of step ${State.step + 1}: ${top.join(', ')}`, parts);
}

// A label no wider than so many font heights.
function fitted(text, ems) {
    const most = Math.floor(ems * 1.7);
    return [...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text;
}

function drawFacts() {
    const {list, model} = State, kept = new Set(list.token);
    const mass = model.p.reduce((sum, p, i) => kept.has(model.token[i]) ? sum + p : sum, 0);
    facts.textContent = `Step ${State.step + 1} of ${STEPS}: ${list.count} of ${VOCABULARY.length} tokens are kept, to which ` +
        `the model gives ${percent(mass)}. Entropy ${readable(entropy(list))} nats, as of ${readable(Math.exp(entropy(list)))} ` +
        `equally likely tokens (the model's own: ${readable(entropy(model))}).`;
}

// ---- draws -----------------------------------------------------------------------------------------

const interval = drawing('svg', {id: 'interval', role: 'img'});
const lastDraw = element('p', {class: 'facts', id: 'draw'});
const seedField = element('input', {type: 'text', inputmode: 'numeric', id: 'seed', onchange: () => again()});

// From the first random number of the seed.
function again() {
    const seed = /^[0-9]{1,20}$/.test(seedField.value) ? BigInt.asUintN(64, BigInt(seedField.value)) : 1n;
    seedField.value = seed;
    State.rng = new Rng(seed);
    State.counts = new Uint32Array(VOCABULARY.length);
    State.draws = 0;
    State.last = null;
    drawBars();
    drawInterval();
}

function draw(times) {
    for (let i = 0; i < times; i++) {
        const u = State.rng.uniform(), place = drawn(State.list, u);
        State.counts[State.list.token[place]]++;
        State.draws++;
        State.last = {u, place};
    }
    drawBars();
    drawInterval();
    say(lastDraw.textContent);
}

// [0, 1) cut into one piece for each token, as long as its probability; the hand points to u.
function drawInterval() {
    const font = Frame.fontSize, wide = Math.max(320, Math.min(interval.parentElement.clientWidth, 62 * font)),
          high = 4.2 * font;
    const parts = [];
    let from = 0;
    State.list.token.some((token, i) => {
        const p = State.list.p[i], x = from * wide, width = p * wide;
        parts.push(drawing('rect', {class: 'interval', x, y: 1.2 * font, width, height: 1.6 * font,
            fill: cssColour(colourAt('sequential', (i * 0.381966) % 1))}));
        if (width > 1.4 * font)
            parts.push(drawing('text', {x: x + width / 2, y: 3.9 * font, 'text-anchor': 'middle', class: 'label'},
                fitted(word(token), width / font)));
        from += p;
        return i >= 400 || width < 0.3; // the rest is thinner than a pixel
    });
    if (State.last) {
        const x = State.last.u * wide;
        parts.push(drawing('path', {class: 'hand',
            d: `M${x},${1.2 * font} l${-0.5 * font},${-font} l${font},0 z M${x},${1.2 * font} l0,${1.6 * font}`}));
    }
    fillScene(interval, wide, high, font,
        'The interval from 0 to 1, cut into pieces as long as the probabilities of the kept tokens', parts);
    const {u, place} = State.last ?? {};
    lastDraw.textContent = State.last ?
        `Draw ${State.draws}: u = ${u.toFixed(6)} lies in the piece of ${word(State.list.token[place])}.` :
        'No draw yet. A draw takes u, uniform in [0, 1), and chooses the token whose piece contains it.';
}

// ---- the page ---------------------------------------------------------------------------------------

function shownK(k) {
    return k >= VOCABULARY.length ? 'all' : String(k);
}

// Settings or step have changed: the distribution is another one, and draws begin again.
function update() {
    const {logits, order} = logitsOf(State.step);
    State.model = distribution(logits, 1, Infinity, 1, order);
    State.list = truncated(State.step);
    markText();
    drawFacts();
    again();
    keepLink();
}

function choose(step) {
    State.step = Math.min(STEPS - 1, Math.max(0, step));
    stepSlider.value = State.step + 1;
    stepSlider.nextSibling.textContent = State.step + 1;
    update();
    textBox.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});
    say(facts.textContent);
}

// A slider's positions are k itself, or, for many tokens, powers.
function kOf(position) {
    const V = VOCABULARY.length;
    return V <= 200 ? position : position === 200 ? V : Math.round(V ** (position / 200));
}
function positionOf(k) {
    const V = VOCABULARY.length;
    return V <= 200 ? Math.min(k, V) : k >= V ? 200 : Math.round(200 * Math.log(k) / Math.log(V));
}

openFrame(`A model continued the prompt by ${STEPS} tokens from a vocabulary of ${VOCABULARY.length}. ${HINT}`);
const stepSlider = addSlider('step', {low: 1, high: STEPS, step: 1, value: 1, show: String}, step => choose(step - 1));
stepSlider.id = 'step';

// A slider that changes one of the settings.
function settingSlider(id, settings, change) {
    const slider = addSlider(id, settings, value => {
        change(value);
        update();
    });
    slider.id = id;
    return slider;
}
settingSlider('temperature', {low: 0, high: Math.max(3, DATA.temperature), step: 0.01, value: DATA.temperature},
    value => { State.temperature = value; });
settingSlider('top-k', {low: 1, high: positionOf(VOCABULARY.length), step: 1, value: positionOf(DATA.topK),
    show: position => shownK(kOf(position))}, position => { State.topK = kOf(position); });
settingSlider('top-p', {low: 0.01, high: 1, step: 0.01, value: DATA.topP}, value => { State.topP = value; });

const drawRow = element('div', {class: 'row'}, element('label', {}, 'seed ', seedField));
const section = (label, heading, ...inside) => element('section', {'aria-label': label}, element('h2', {}, heading), ...inside);
Frame.main.append(section('Text', 'The text', textBox, verdict),
    section('Distribution', 'The distribution over the next token', facts, element('div', {}, bars)),
    section('Draws', 'Draws', drawRow, lastDraw, element('div', {}, interval)));
addButton('Draw', () => draw(1), drawRow).id = 'draw-1';
addButton('Draw 100', () => draw(100), drawRow).id = 'draw-100';
addButton('Again from the first number', again, drawRow).id = 'again';
addButton('Save bars as SVG', () => saveSvg(bars, 'distribution.svg'), drawRow);
addButton('as PNG', () => savePng(bars, 'distribution.png'), drawRow);
seedField.value = 1;

let beamSlider;
if (DATA.beam) {
    const row = element('div', {class: 'row'}), before = Frame.controls;
    Frame.main.append(section('Beam search', `Beam search: ${DATA.beam.width} hypotheses`, row, beamFacts,
        element('div', {class: 'tree', tabindex: 0, role: 'group', 'aria-label': 'The tree'}, tree)));
    Frame.controls = row;
    beamSlider = addSlider('steps done', {low: 0, high: beamLongest(), step: 1, value: 0, show: String}, growTo);
    beamSlider.id = 'beam-step';
    const player = addPlayer(() => 900, {next: () => growTo(State.shown + 1), ended: () => State.shown === beamLongest(),
        rewind: () => growTo(0)});
    player.id = 'play';
    if (DATA.beam.end >= 0)
        addSlider('alpha', {low: 0, high: 2, step: 0.05, value: State.alpha}, value => { State.alpha = value; drawTree(); }).id = 'alpha';
    addButton('Save tree as SVG', () => saveSvg(tree, 'beam.svg'), row);
    addButton('as PNG', () => savePng(tree, 'beam.png'), row);
    Frame.controls = before;
    addKey('b', 'beam: one step further', () => growTo(State.shown + 1));
    addKey('B', 'beam: one step back', () => growTo(State.shown - 1));
    addKey('p', 'beam: play, pause', () => player.click());
}
addKey('ArrowRight', 'next token of the text', () => choose(State.step + 1));
addKey('ArrowLeft', 'token before', () => choose(State.step - 1));
addKey('d', 'draw a token', () => draw(1));
addKey('D', 'draw 100 tokens', () => draw(100));
addKey('r', 'draw again from the first random number', again);
const worst = packed?.reduce((a, b) => b.error > a.error ? b : a);
addNote(packed ? `${roundingNote('Logits', worst)} A draw next to the end of a piece may therefore choose its neighbour.` :
    'The logits are those of the program, as floats.');
addNote(
    'Outlined bars: the model’s own probabilities (T = 1). Filled bars: under these settings; grey: cut. An orange line: the share of the draws.');
addNote(
    'Random numbers: Philox4x32-10 with the seed as its key (Salmon, Moraes, Dror, Shaw 2011), as in the program; u has 53 bits.');
drawText();
// Alone: the text and its distribution, or the beam where that is nearer to the middle of the window.
Present.begin = () => {
    const parts = [...Frame.main.children], far = ({top, bottom}) => Math.abs(top + bottom - innerHeight);
    const beam = DATA.beam && far(parts.at(-1).getBoundingClientRect()) < far(parts[1].getBoundingClientRect());
    parts.forEach((part, i) => part.classList.toggle('alone', beam ? part === parts.at(-1) : i < 2));
};
const roomFor = Present.fits;
Present.fits = () => roomFor() && tree.getBoundingClientRect().width <= Frame.main.clientWidth;
// Two columns where the window has 100 letters of width, whatever their size.
function arrange() {
    Frame.main.classList.toggle('wide', innerWidth >= 100 * Frame.fontSize);
}

arrange();
Frame.redraw.push(() => {
    arrange();
    drawBars();
    drawInterval();
    if (DATA.beam) drawTree();
});
choose(0);
if (DATA.beam) growTo(beamLongest());
if (DATA.live) openWriting();
linkState(() => ({step: State.step + 1, temperature: State.temperature, 'top-k': State.topK, 'top-p': State.topP, seed: seedField.value}), found => {
    const limit = (text, low, high) => Math.min(high, Math.max(low, Number(text) || 0));
    Object.assign(State, {temperature: limit(found.temperature, 0, 100), topK: limit(found['top-k'], 1, VOCABULARY.length), topP: limit(found['top-p'], 0.01, 1)});
    for (const [id, value, shown] of [['temperature', State.temperature], ['top-k', positionOf(State.topK), shownK(State.topK)], ['top-p', State.topP]]) {
        const slider = document.getElementById(id);
        slider.value = value;
        slider.nextSibling.textContent = shown ?? readable(value);
    }
    seedField.value = found.seed;
    choose(limit(found.step, 1, STEPS) - 1);
});
openLink();

// live_attention.js: the live figures of chapter 4: scale and saturation, masks and windows, heads that are cut.
'use strict';

// ---- scale: softmax of q.k and of q.k / sqrt(d) ---------------------------------------------------

function softmax(scores) {
    const most = Math.max(...scores), e = scores.map(s => Math.exp(s - most)), sum = e.reduce((a, b) => a + b, 0);
    return e.map(x => x / sum);
}

// One query and 16 keys of width d with entries from N(0, 1): the scores q.k. First the query is drawn, then key by key.
function drawnScores(d, seed, keys = 16) {
    const rng = new Rng(seed), normal = () => rng.normal(), q = Array.from({length: d}, normal);
    return Array.from({length: keys}, () => q.reduce((sum, x) => sum + x * rng.normal(), 0));
}

LIVE.scale = (figure, numbers) => {
    const live = new Live(
        figure, 'Why divide by √d: one query and 16 keys',
        'Entries of q and k are drawn from N(0, 1) in this page. Move d: without the division one key takes all the weight, and the ' +
            'slope Σ a(1 − a), by which a score still moves the weights, vanishes. Dots on the right are the program’s means over 2,000 queries.');
    const state = {power: 6, seed: 1}, widths = numbers.widths.at, width = 900, high = 300;
    const svg = live.svg('drawing', width, high);
    const slope = a => a.reduce((sum, p) => sum + p * (1 - p), 0);
    const draw = () => {
        const d = 2 ** state.power, scores = drawnScores(d, state.seed), parts = [];
        const weights = {first: softmax(scores.map(s => s / Math.sqrt(d))), second: softmax(scores)};
        const left = axes(
            {low: 0.5, high: 16.5, name: 'key'}, {low: 0, high: 1, name: 'weight a'},
            {left: 50, top: 30, right: 520, bottom: 250});
        parts.push(...left.parts);
        for (const [which, shift] of [['first', -0.36], ['second', 0.02]])
            weights[which].forEach((a, j) => parts.push(drawing('rect', {
                class: which,
                'data-key': j,
                x: left.px(j + 1 + shift),
                width: left.px(1.34) - left.px(1),
                y: left.py(a),
                height: left.py(0) - left.py(a)
            })));
        const right = axes(
            {low: 1, high: 1024, log: true, name: 'width d'}, {low: 0, high: 1, name: 'slope Σ a(1 − a)'},
            {left: 600, top: 30, right: 880, bottom: 250});
        parts.push(...right.parts);
        for (const [which, means] of [['first', numbers.scaled.at], ['second', numbers.plain.at]]) {
            parts.push(drawing('path', {class: `line ${which}`, d: pathOf(widths, means, right.px, right.py)}));
            means.forEach(
                (y, i) => parts.push(drawing('circle', {class: which, cx: right.px(widths[i]), cy: right.py(y), r: 4})));
            parts.push(
                drawing('circle', {class: `cursor ${which}`, cx: right.px(d), cy: right.py(slope(weights[which])), r: 8}));
        }
        parts.push(
            drawing('text', {x: 170, y: 18, class: 'first'}, 'blue: softmax(q·k / √d)'),
            drawing('text', {x: 370, y: 18, class: 'second'}, 'orange: softmax(q·k)'));
        svg.replaceChildren(...parts);
        const deviation = Math.sqrt(scores.reduce((sum, s) => sum + s * s, 0) / scores.length);
        live.facts.textContent = `d = ${d}: the 16 scores have root mean square ${readable(deviation)}, √d = ${readable(Math.sqrt(d))}. Largest weight ` +
            `${readable(Math.max(...weights.second))} without the division, ${readable(Math.max(...weights.first))} with it; slope ` +
            `${readable(slope(weights.second))} and ${readable(slope(weights.first))}.`;
        svg.setAttribute('aria-label', live.facts.textContent);
    };
    live.slider('d', 'd', {low: 0, high: 10, step: 1, value: state.power, show: p => String(2 ** p)}, p => {
        state.power = p;
        draw();
    });
    live.button('again', 'Other numbers', () => {
        state.seed++;
        draw();
    });
    draw();
    return live;
};

// ---- masks and windows ------------------------------------------------------------------------------

// As autograd.h has it: a pair must pass every mask that is set; global tokens are an exception to the window alone.
function keptPair(m, i, j) {
    const gap = Math.abs(i - j), everywhere = m.window === 0 || i < m.global || j < m.global;
    return (!m.causal || j <= i) && j < m.length && (everywhere || (gap <= m.window * m.dilation && gap % m.dilation === 0));
}

LIVE.masks = figure => {
    const windows = figure.after === 'figure-windows';
    const live = new Live(
        figure, 'Masks that you set',
        'A row is a query, a column a key; a full square is a pair that is computed. Masks are combined: ' +
            'a key must pass each of them. Global tokens are an exception to the window. Point at a square, or move the query by its slider.');
    const state = {n: 16, causal: !windows, length: 16, window: windows ? 4 : 0, dilation: 1, global: 0, row: 5};
    const side = 352, svg = live.svg('grid', side + 70, side + 50);
    const draw = () => {
        const {n, row} = state, cell = side / n, parts = [];
        let pairs = 0, mine = 0;
        for (let i = 0; i < n; i++)
            for (let j = 0; j < n; j++) {
                const kept = keptPair(state, i, j);
                pairs += kept;
                mine += kept && i === row;
                parts.push(drawing('rect', {
                    class: kept ? 'first' : 'none',
                    'data-pair': `${i},${j}`,
                    x: 50 + j * cell + 0.5,
                    y: 30 + i * cell + 0.5,
                    width: cell - 1,
                    height: cell - 1,
                    'fill-opacity': kept ? (i === row ? 1 : 0.75) : 0.35
                }));
            }
        parts.push(
            drawing('rect', {class: 'cursor', x: 50, y: 30 + row * cell, width: side, height: cell}),
            drawing('text', {x: 50, y: 20}, 'key →'), drawing('text', {x: 0, y: 50}, 'query'),
            drawing('text', {x: 0, y: 68}, '↓'));
        svg.replaceChildren(...parts);
        const {window: w, dilation: s} = state,
                                    plain = !state.causal && state.length === n && state.global === 0 && w > 0 && n > w * s;
        live.facts.textContent = `${pairs} of ${n * n} pairs are computed. Query ${row + 1} sees ${mine} keys` +
            (mine > 0 ? `; with equal scores each has weight ${readable(1 / mine)}.` : ': its result is 0.') +
            (plain ? ` n (2 w + 1) − s w (w + 1) = ${n * (2 * w + 1) - s * w * (w + 1)}.` : '');
        svg.setAttribute('aria-label', live.facts.textContent);
    };
    const set = (key, low, high, label) =>
        live.slider(key, label, {low, high, step: 1, value: state[key], show: String}, value => {
            state[key] = value;
            draw();
        });
    const count = live.slider('n', 'tokens n', {low: 4, high: 32, step: 1, value: state.n, show: String}, value => {
        const whole = state.length === state.n;
        state.n = value;
        state.row = Math.min(state.row, value - 1);
        rowSlider.max = lengthSlider.max = value;
        state.length = whole ? value : Math.min(state.length, value);
        lengthSlider.value = lengthSlider.nextSibling.textContent = state.length;
        rowSlider.value = rowSlider.nextSibling.textContent = state.row + 1;
        draw();
    });
    live.check('causal', 'causal', state.causal, on => {
        state.causal = on;
        draw();
    });
    const lengthSlider = set('length', 0, state.n, 'tokens before the padding');
    set('window', 0, 8, 'window w (0: none)');
    set('dilation', 1, 4, 'dilation s');
    set('global', 0, 4, 'global tokens');
    const rowSlider =
        live.slider('row', 'query', {low: 1, high: state.n, step: 1, value: state.row + 1, show: String}, value => {
            state.row = value - 1;
            draw();
        });
    svg.addEventListener('pointermove', event => {
        const pair = event.target.dataset?.pair?.split(',');
        if (pair && Number(pair[0]) !== state.row) {
            state.row = Number(pair[0]);
            rowSlider.value = rowSlider.nextSibling.textContent = state.row + 1;
            draw();
        }
    });
    count.dispatchEvent(new Event('input'));
    return live;
};

// ---- heads that are cut -----------------------------------------------------------------------------

LIVE.heads = (figure, numbers) => {
    const live = new Live(
        figure, 'Cut the heads',
        'The trained model of this chapter has two layers of four heads. Cut any of them (W_o of that head becomes 0) ' +
            'and see how many of 400 held-out questions of each kind it still answers: the program has tried all 256 sets.');
    const heads = Math.log2(numbers.right.shape[0]), kinds = figure.labels, state = {cut: 0};
    const svg = live.svg('bars', 700, 40 + 46 * kinds.length);
    const draw = () => {
        const parts = [], share = kind => numbers.right.at[state.cut * kinds.length + kind];
        kinds.forEach((name, kind) => {
            const y = 20 + 46 * kind;
            parts.push(
                drawing('text', {x: 165, y: y + 20, 'text-anchor': 'end'}, name),
                drawing('rect', {class: 'none', x: 175, y, width: 420, height: 28}),
                drawing('rect', {class: 'first', 'data-kind': kind, x: 175, y, width: 420 * share(kind), height: 28}),
                drawing('text', {x: 605, y: y + 20}, share(kind).toFixed(3)));
        });
        svg.replaceChildren(...parts);
        const cut = Array.from({length: heads}, (_, h) => h).filter(h => state.cut >> h & 1);
        live.facts.textContent =
            (cut.length === 0 ? 'No head is cut. ' :
                                `${cut.length} of ${heads} heads are cut: ${cut.map(h => `L${Math.floor(h / 4) + 1} H${h % 4 + 1}`).join(', ')}. `) +
            `Right answers: ${kinds.map((name, kind) => `${name} ${share(kind).toFixed(3)}`).join('; ')}.`;
        svg.setAttribute('aria-label', live.facts.textContent);
    };
    const boxes = Array.from(
        {length: heads}, (_, h) => live.check(`cut-${h}`, `cut L${Math.floor(h / 4) + 1} H${h % 4 + 1}`, false, on => {
            state.cut = on ? state.cut | 1 << h : state.cut & ~(1 << h);
            draw();
        }));
    live.button('whole', 'Cut none', () => {
        boxes.forEach(box => {
            box.checked = false;
        });
        state.cut = 0;
        draw();
    });
    draw();
    return live;
};

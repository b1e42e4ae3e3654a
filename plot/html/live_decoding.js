// live_decoding.js: the live figures of chapter 6: truncated distributions, and a beam.
'use strict';

LIVE.decoding = (figure, numbers) => {
    const live = new Live(
        figure, 'Temperature, top-k, top-p',
        'The next word after “it was too …”. Outlined: the model’s own distribution, T = 1. Filled: divided by the ' +
            'temperature, then cut to k words, then to the smallest set with probability p. The four settings of the picture are buttons; orange lines are the program’s 100,000 draws.');
    const logits = numbers.logits.at, V = logits.length, words = figure.labels,
          state = {temperature: 1, k: V, p: 1, shares: null, counts: null};
    const svg = live.svg('bars', 760, 45 + 34 * V), names = ['softmax', 'T = 0.5', 'top-k 3', 'top-p 0.8'];
    const rng = new Rng(1);
    const draw = () => {
        const model = distribution(logits, 1, V, 1), list = distribution(logits, state.temperature, state.k, state.p),
              parts = [];
        const here = new Map(Array.from(list.token, (token, i) => [token, list.p[i]])),
              largest = Math.max(model.p[0], list.p[0]), scale = 420 / largest;
        ['T = 1', 'here', 'drawn']
            .slice(0, state.shares || state.counts ? 3 : 2)
            .forEach((name, i) => parts.push(drawing('text', {x: [535, 610, 690][i], y: 18, class: 'pale'}, name)));
        model.token.forEach((token, i) => {
            const y = 30 + 34 * i, p = here.get(token),
                  seen = state.counts ? state.counts[token] / state.draws : state.shares?.[token];
            parts.push(
                drawing('text', {x: 90, y: y + 20, 'text-anchor': 'end', class: p === undefined ? 'pale' : ''}, words[token]),
                drawing('rect', {
                    class: p === undefined ? 'none' : 'first',
                    'data-token': token,
                    x: 100,
                    y: y + 4,
                    width: (p ?? model.p[i]) * scale,
                    height: 20
                }),
                drawing('rect', {class: 'outline', x: 100, y, width: model.p[i] * scale, height: 28}),
                drawing('text', {x: 535, y: y + 20, class: 'pale'}, model.p[i].toFixed(4)),
                drawing('text', {x: 610, y: y + 20, 'data-here': token}, p === undefined ? 'cut' : p.toFixed(4)));
            if (seen !== undefined)
                parts.push(
                    drawing('line', {
                        class: 'second',
                        'stroke-width': 4,
                        x1: 100 + seen * scale,
                        x2: 100 + seen * scale,
                        y1: y,
                        y2: y + 28
                    }),
                    drawing('text', {x: 690, y: y + 20}, seen.toFixed(4)));
        });
        svg.replaceChildren(...parts);
        live.facts.textContent = `${list.count} of ${V} words are kept. Entropy ${readable(entropy(list))} nats, as of ${readable(Math.exp(entropy(list)))} equally likely words.` +
            (state.counts ? ` ${state.draws} draws in this page.` :
                 state.shares ? ' Orange: 100,000 draws of the program.' :
                                '');
        svg.setAttribute('aria-label', live.facts.textContent);
    };
    const change = (key, value) => {
        Object.assign(state, {[key]: value, shares: null, counts: null});
        draw();
    };
    const sliders = {
        temperature: live.slider(
            'temperature', 'temperature', {low: 0, high: 4, step: 0.05, value: 1}, value => change('temperature', value)),
        k: live.slider('k', 'top-k', {low: 1, high: V, step: 1, value: V, show: String}, value => change('k', value)),
        p: live.slider('p', 'top-p', {low: 0.01, high: 1, step: 0.01, value: 1}, value => change('p', value)),
    };
    names.forEach((name, i) => live.button(`setting-${i}`, name, () => {
        const row = numbers.shares.at.subarray(i * (3 + V), (i + 1) * (3 + V));
        Object.assign(
            state, {temperature: row[0], k: row[1], p: Number(row[2].toFixed(6)), shares: row.subarray(3), counts: null});
        for (const [key, slider] of Object.entries(sliders)) {
            slider.value = state[key];
            slider.nextSibling.textContent = readable(state[key]);
        }
        draw();
    }));
    live.button('draw', 'Draw 100', () => {
        const list = distribution(logits, state.temperature, state.k, state.p);
        if (!state.counts) Object.assign(state, {counts: new Uint32Array(V), draws: 0});
        for (let i = 0; i < 100; i++, state.draws++) state.counts[list.token[drawn(list, rng.uniform())]]++;
        draw();
    });
    draw();
    return live;
};

// ---- a beam over a model whose next word depends on the last one alone ----------------------------

// logits (K + 1, K), the last row for the beginning. A step extends each of the B hypotheses by every word and keeps the B
// most probable; among equals the first found. Nodes {parent, token, length, logP}, as nn_beam has them.
function beamSearch(logits, K, B, steps) {
    const rows = Array.from({length: K + 1}, (_, row) => logits.subarray(row * K, (row + 1) * K));
    const sums = rows.map(row => Math.log(row.reduce((total, x) => total + Math.exp(x), 0)));
    const nodes = [];
    let alive = [-1];
    for (let step = 1; step <= steps; step++) {
        const found = alive.flatMap(parent => {
            const last = parent < 0 ? K : nodes[parent].token;
            return Array.from(
                rows[last],
                (logit, token) =>
                    ({parent, token, length: step, logP: (parent < 0 ? 0 : nodes[parent].logP) + logit - sums[last]}));
        });
        found.sort((a, b) => b.logP - a.logP); // equal ones keep their order
        alive = found.slice(0, B).map(node => nodes.push(node) - 1);
    }
    return nodes;
}

LIVE.beam = (figure, numbers) => {
    const live = new Live(
        figure, 'A beam, step by step',
        'Three words; after “the” all words are equally likely, after “a” one is nearly sure. Change the number of hypotheses B and ' +
            'the step: with B = 1, greedy search, the likelier first word wins and the sentence loses.');
    const K = numbers.logits.shape[1], words = figure.labels, state = {B: 2, step: 3}, steps = 3,
          svg = live.svg('tree', 760, 330);
    const draw = () => {
        const nodes = beamSearch(numbers.logits.at, K, state.B, steps), shown = nodes.filter(node => node.length <= state.step);
        const rank = nodes.map((node, i) => nodes.slice(0, i).filter(other => other.length === node.length).length);
        const x = i => i < 0 ? 30 : nodes[i].length * 190, y = i => i < 0 ? 40 : 40 + rank[i] * 52, path = new Set(),
              alive = new Set();
        nodes.forEach((node, i) => {
            if (node.length === state.step)
                for (let at = i; at >= 0; at = nodes[at].parent) alive.add(at);
        });
        const best = nodes.findIndex(node => node.length === state.step);
        for (let at = best; at >= 0; at = nodes[at].parent) path.add(at);
        const parts = [drawing('text', {x: 10, y: 45}, 'start')];
        shown.forEach(
            (node, i) => parts.push(
                drawing('line', {
                    class: path.has(i) ? 'second' :
                        alive.has(i)   ? 'first' :
                                         'axis',
                    'stroke-width': path.has(i) ? 5 : 2,
                    x1: x(node.parent) + (node.parent < 0 ? 25 : 115),
                    y1: y(node.parent),
                    x2: x(i) - 6,
                    y2: y(i)
                }),
                drawing(
                    'text', {
                        'data-node': i,
                        x: x(i),
                        y: y(i) + 5,
                        class: alive.has(i) ? '' : 'pale',
                        'font-weight': path.has(i) ? 'bold' : null
                    },
                    `${words[node.token]}  ${Math.exp(node.logP).toFixed(4)}`)));
        svg.setAttribute('viewBox', `0 0 760 ${30 + 52 * Math.min(K ** steps, state.B)}`);
        svg.replaceChildren(...parts);
        const text = [...path].reverse().map(i => words[nodes[i].token]).join(' ');
        live.facts.textContent = state.step === 0 ?
            'No step yet.' :
            `After step ${state.step} with B = ${state.B}: “${text}” leads with probability ${Math.exp(nodes[best].logP).toFixed(4)}.`;
        svg.setAttribute('aria-label', live.facts.textContent);
    };
    live.slider('B', 'hypotheses B', {low: 1, high: 6, step: 1, value: 2, show: String}, value => {
        state.B = value;
        draw();
    });
    live.slider('step', 'step', {low: 0, high: steps, step: 1, value: steps, show: String}, value => {
        state.step = value;
        draw();
    });
    draw();
    return live;
};

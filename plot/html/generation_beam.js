// generation_beam.js: the tree of a beam search on a page on generated text. generation.js has the State.
'use strict';

const tree = drawing('svg', {id: 'tree', role: 'img'});
const beamFacts = element('p', {class: 'facts', id: 'beam'});

// The score by which complete hypotheses are compared.
function score(node) {
    return DATA.beam.log_p[node] / DATA.beam.length[node] ** State.alpha;
}

function beamLongest() {
    return Math.max(...DATA.beam.length);
}

function complete(node) {
    return DATA.beam.token[node] === DATA.beam.end || DATA.beam.length[node] === beamLongest();
}

// The first of the complete hypotheses with the largest score.
function best() {
    return DATA.beam.token.reduce(
        (found, _, node) => complete(node) && (found < 0 || score(node) > score(found)) ? node : found, -1);
}

function pathTo(node) {
    const path = new Set();
    for (; node >= 0; node = DATA.beam.parent[node]) path.add(node);
    return path;
}

// Which nodes still had a descendant, or ended, when so many steps were done.
function alive() {
    const live = new Set();
    DATA.beam.token.forEach((token, node) => {
        if (DATA.beam.length[node] === State.shown || (token === DATA.beam.end && DATA.beam.length[node] < State.shown))
            pathTo(node).forEach(at => live.add(at));
    });
    return live;
}

function drawTree() {
    const {parent, token, length, log_p} = DATA.beam, font = Frame.fontSize, row = 2.1 * font;
    // A column has a label, a number and an edge.
    const label = Math.min(9, Math.max(...token.map(id => 0.62 * [...word(id)].length + 0.8))), number = label + 3,
          column = (number + 2.2) * font;
    const rank = token.map((_, node) => length.slice(0, node).filter(n => n === length[node]).length);
    const done = State.shown === beamLongest(), live = alive(), marked = done ? pathTo(best()) : new Set();
    const x = node => node < 0 ? 0.5 * font : length[node] * column, rows = Math.max(...rank) + 1;
    const y = node => (node < 0 ? rows / 2 : rank[node] + 0.5) * row + font;
    // The end of the prompt, up to where its edges begin.
    const prompt = [...visible(DATA.prompt)], room = Math.floor((column / font - 2.8) * 1.7);
    const edges = [], nodes = [drawing('text', {x: 0.5 * font, y: y(-1) + 0.35 * font, class: 'label bold'},
        prompt.length > room ? `…${prompt.slice(1 - room).join('')}` : prompt.join(''))];
    token.forEach((_, node) => {
        if (length[node] > State.shown) return;
        const state = marked.has(node) ? 'best' : live.has(node) ? 'live' : '';
        const end = `L${x(node) - 0.2 * font},${y(node)}`, above = parent[node];
        edges.push(drawing('path', {class: `edge ${state}`, d: above < 0 ? `M${column - 2 * font},${y(-1)} ${end}` :
            `M${x(above) + (number + 0.2) * font},${y(above)} ${end}`}));
        nodes.push(drawing('g', {'data-node': node, class: state || 'dead'},
            drawing('text', {x: x(node), y: y(node) + 0.35 * font, class: `label${marked.has(node) ? ' bold' : ''}`},
                fitted(word(token[node]), label)),
            drawing('text', {x: x(node) + number * font, y: y(node) + 0.35 * font, 'text-anchor': 'end', class: 'pale log-p'},
                log_p[node].toFixed(2))));
    });
    const wide = (beamLongest() + 1) * column, high = rows * row + 2 * font;
    const text = node => [...pathTo(node)].reverse().map(at => visible(VOCABULARY[token[at]] ?? '')).join('');
    const leaders = token.map((_, node) => node)
        .filter(node => length[node] === State.shown || (length[node] < State.shown && token[node] === DATA.beam.end));
    const held = leaders.map(node => `${text(node)}, log p ${log_p[node].toFixed(2)}`).join('; ');
    fillScene(tree, wide, high, font, `After ${State.shown} steps the beam holds ${held}`, [...edges, ...nodes]);
    beamFacts.textContent = State.shown === 0 ? 'Nothing is kept yet.' :
        done ? `The best of ${leaders.length} hypotheses by log p / length^${readable(State.alpha)}: “${text(best())}”, log p ${log_p[best()].toFixed(3)}, score ${score(best()).toFixed(4)}.` :
               `After step ${State.shown}: ${leaders.length} hypotheses. A pale branch has no descendant among them.`;
}

function growTo(step) {
    State.shown = Math.min(beamLongest(), Math.max(0, step));
    beamSlider.value = State.shown;
    beamSlider.nextSibling.textContent = State.shown;
    drawTree();
    say(beamFacts.textContent);
}

// attention_habits.js: which head does what: those with the most weight from the query to the key that the program names, and
// of each habit of heads that is known (Clark et al. 2019) the one that has most of it.

const HABITS = [
    ['the previous token', (i, j) => i - j === 1],
    ['the next token', (i, j) => j - i === 1],
    ['the token itself', (i, j) => i === j],
    ['the first token', (i, j) => j === 0 && i > 0],
];
const HABITUAL = 0.3, SOUGHT = 2e6; // the least share that is a habit; the most numbers that are looked at

// The mean weight that each query gives to such keys.
function shareOf(matrix, rows, columns, fits) {
    let sum = 0, queries = 0;
    for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++)
            if (fits(i, j)) {
                sum += matrix[i * columns + j];
                queries++;
            }
    return queries ? sum / queries : 0;
}

function everyHead(attention, score) {
    return Array.from({length: attention.layers * attention.heads}, (_, at) => {
        const layer = Math.floor(at / attention.heads), head = at % attention.heads;
        return {layer, head, share: score(attention.weights[layer].map(head), layer, head)};
    }).sort((a, b) => b.share - a.share);
}

// [{what, layer, head, share, query, key}], the program's own first.
function habitsOf({focus, attentions: [attention]}) {
    const {rows, columns} = attention, found = [];
    if (attention.layers * attention.heads * rows * columns > SOUGHT)
        return focus?.[0] ? [named(attention, focus)] : found;
    if (focus) {
        const [layer, head, query, key] = focus;
        // Over all inputs that have such a weight: a head that always looks at the first noun is not chosen.
        const least = (l, h) => Math.min(...INPUTS.filter(one => one.focus && !one.cut).map(one => one.attentions[0].number('weight', l, h, one.focus[2] - 1, one.focus[3] - 1)));
        const best = everyHead(attention, (_, l, h) => least(l, h)).slice(0, 3).map(one => ({...one, share: attention.number('weight', one.layer, one.head, query - 1, key - 1)}));
        if (layer)
            found.push(named(attention, focus));
        found.push(...best.filter(one => !layer || one.layer !== layer - 1 || one.head !== head - 1)
            .map(one => ({...one, query: query - 1, key: key - 1, what: arrowOf(attention, query - 1, key - 1)})));
    }
    if (rows === columns)
        for (const [what, fits] of HABITS) {
            const [best] = everyHead(attention, matrix => shareOf(matrix, rows, columns, fits));
            if (best.share >= HABITUAL && rows > 2)
                found.push({...best, what});
        }
    return found;
}

function arrowOf(attention, query, key) {
    return `${visible(attention.token('rows', query))} → ${visible(attention.token('columns', key))}`;
}

function named(attention, [layer, head, query, key]) {
    return {what: arrowOf(attention, query - 1, key - 1), layer: layer - 1, head: head - 1, query: query - 1, key: key - 1,
        share: attention.number('weight', layer - 1, head - 1, query - 1, key - 1)};
}

// The list of the input that is shown.
function fillHabits() {
    LISTS.found = habitsOf(INPUTS[SHOWN.input]);
    const {selectedIndex: chosen} = LISTS.habit;
    LISTS.habit.replaceChildren(element('option', {}, 'a head ...'), ...LISTS.found.map(({what, layer, head, share}) =>
        element('option', {}, `${what}: layer ${layer + 1}, head ${head + 1} (${share.toFixed(2)})`)));
    LISTS.habit.selectedIndex = chosen < LISTS.habit.options.length ? Math.max(0, chosen) : 0;
    LISTS.habit.disabled = LISTS.found.length === 0;
}

function showHabit({layer, head, query}) {
    chooseHead(layer, head);
    SHOWN.attention = 0;
    SHOWN.pinned = query === undefined ? null : {axis: 'rows', index: query};
    showPinned();
    redrawAll();
}

// live_sentence.js: a sentence that the reader types: the library (examples/live) runs the page's model in the page.

// Shows an answer as the input of that number, and chooses it.
function showInput(number, answer) {
    INPUTS[number] = readInput(answer.inputs[0]);
    const titles = INPUTS.map((input, i) => input.title ?? `input ${i + 1}`), {pinned} = SHOWN;
    if (LISTS.input) {
        LISTS.input.replaceChildren(...titles.map(text => element('option', {}, text)));
        LISTS.beside.replaceChildren(...['nothing', ...titles].map(text => element('option', {}, text)));
        LISTS.beside.selectedIndex = SHOWN.beside === null ? 0 : SHOWN.beside + 1;
        LISTS.input.selectedIndex = number;
    }
    SHOWN.input = number;
    SHOWN.hover = null;
    SHOWN.pinned = pinned && pinned.index < INPUTS[number].attentions[0].count(pinned.axis) ? pinned : null;
    refresh();
}

// The line for the reader's sentence; act gets it, and returns an answer or throws.
function addSentence(act) {
    return addAsk('Your sentence', 'Run', 'The cat didn\'t cross the road because it was too tired.', describeAnswer, act);
}

// Heads and arcs of the reader's sentence that are cut, as the library reads them: "0.3", "1.0.7.2". The head is the one that
// is shown; an arc goes from the pinned query to a key.
function addCuts(rerun) {
    const cuts = new Set(), list = element('span', {id: 'cuts'}), before = Frame.controls;
    const row = element('div', {id: 'cutting', class: 'row', role: 'region', 'aria-label': 'Cuts'});
    const change = cut => {
        if (!cuts.delete(cut))
            cuts.add(cut);
        const names = [...cuts].map(text => {
            const [layer, head, query, key] = text.split('.').map(Number);
            return `layer ${layer + 1} head ${head + 1}${query === undefined ? '' : `, word ${query} → ${key}`}`;
        });
        list.textContent = names.length ? `Cut: ${names.join('; ')}.` : 'Nothing is cut.';
        rerun();
    };
    Frame.controls = row;
    addButton('Cut this head', () => {
        if (SHOWN.head < current().heads)
            change(`${SHOWN.layer}.${SHOWN.head}`);
        else
            list.textContent = 'Choose one head: this is their mean.';
    }).id = 'cut-head';
    const keys = addChoice('Cut the arc from the pinned query to', [], 0, i => {
        if (i > 0 && SHOWN.pinned?.axis === 'rows' && SHOWN.head < current().heads)
            change(`${SHOWN.layer}.${SHOWN.head}.${SHOWN.pinned.index}.${i - 1}`);
        keys.selectedIndex = 0;
    });
    keys.id = 'cut-arc';
    addButton('Cut nothing', () => {
        cuts.clear();
        list.textContent = 'Nothing is cut.';
        rerun();
    }).id = 'cut-none';
    Frame.controls = before;
    row.append(list);
    list.textContent = 'Nothing is cut.';
    document.getElementById('ask').after(row);
    Frame.pinned = () => {
        keys.disabled = SHOWN.pinned?.axis !== 'rows';
        keys.replaceChildren(...['no key', ...Array.from({length: current().columns}, (_, j) => tokenName(current(), 'columns', j))]
            .map(text => element('option', {}, text)));
    };
    Frame.pinned();
    return cuts;
}

function openSentence() {
    let cuts = new Set();
    const mine = INPUTS.length;
    const {run} = addSentence(async text => {
        const answer = (await library).call('live_sentence', `${text}\n${[...cuts].join(' ')}`);
        if (answer.inputs)
            showInput(mine, answer);
        return answer;
    });
    cuts = addCuts(() => run());
    const library = openLibrary('You may type a sentence. A head that is cut adds nothing to the residual stream; an arc that is cut has the weight 0, and the others stay as they are.');
}

// live_sentence.js: a sentence that the reader types: the library (examples/live) runs the page's model in the page.

// The weights of the page, as floats.
function floatsOf(packed) {
    const all = new Packed(packed), out = new Float32Array(packed.shape.reduce((product, n) => product * n, 1));
    for (let map = 0; map < all.maps; map++)
        out.set(all.map(map), map * all.rows * all.columns);
    return out;
}

// The reader's words; those that the model does not know are marked.
function wordNodes(words) {
    return words.flatMap(([word, known]) => [known ? element('span', {}, word) :
        element('mark', {title: 'the model does not know this word'}, word), ' ']);
}

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

// A line of text with a button; act gets the text, and returns an answer or throws.
function addSentence(act) {
    const field = element('input', {id: 'sentence', type: 'text', maxlength: 400, spellcheck: 'false', autocomplete: 'off',
        value: 'The cat didn\'t cross the road because it was too tired.'});
    const said = element('p', {id: 'said', role: 'status'});
    const show = answer => {
        said.replaceChildren(...wordNodes(answer.words), element('b', {}, answer.error ??
            `→ ${answer.inputs[0].title}, probability ${readable(answer.probability)}` +
                ['; the grammar: another answer', '; the grammar: right', '; not a sentence of the grammar'].at(answer.right)));
    };
    const run = async () => {
        try {
            show(await act(field.value));
        } catch (error) {
            said.replaceChildren(element('b', {}, error.message));
        }
    };
    const form = element('form', {id: 'ask', onsubmit: event => {
        event.preventDefault();
        run();
    }}, element('label', {}, element('span', {}, 'Your sentence'), field), element('button', {type: 'submit'}, 'Run'), said);
    Frame.controls.before(form);
    return {run, show};
}

// Heads and arcs of the reader's sentence that are cut, as the library reads them: "0.3", "1.0.7.2". The head is the one that
// is shown; an arc goes from the pinned query to a key.
function addCuts(rerun) {
    const cuts = new Set(), list = element('span', {id: 'cuts'}), before = Frame.controls;
    const row = element('div', {id: 'cutting', role: 'group', 'aria-label': 'Cuts'});
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

async function openSentence() {
    let library = null, cuts = new Set();
    const mine = INPUTS.length;
    const {run} = addSentence(async text => {
        const answer = (await library).call('live_sentence', `${text}\n${[...cuts].join(' ')}`);
        if (answer.inputs)
            showInput(mine, answer);
        return answer;
    });
    cuts = addCuts(run);
    library = (async () => {
        const started = await startLibrary(); // undefined where the policy refused the module
        started.call('live_begin', DATA.live.model);
        for (const {name, numbers} of DATA.live.weights)
            started.weight(name, floatsOf(numbers));
        document.documentElement.dataset.live = 'ready';
        return started;
    })();
    library.catch(error => { document.getElementById('said').textContent = `The library does not run in this browser: ${error.message}`; });
    const worst = DATA.live.weights.reduce((most, {numbers}) => Math.max(most, numbers.error), 0);
    addNote('Your sentence is run by the library itself, as WebAssembly, in this page; nothing leaves it. A head that is cut adds nothing to the residual stream; an arc that is cut has the weight 0, and the others stay as they are. ' +
        `The model's weights are stored in 16 bits; the largest rounding error is ${readable(worst)}.`);
}

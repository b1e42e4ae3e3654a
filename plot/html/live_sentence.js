// live_sentence.js: a sentence that the reader types: the library (examples/live) runs the page's model in the page.

// Shows answers as the inputs from that number on, the second beside the first.
function showInput(number, answer, beside = null) {
    const {pinned} = SHOWN;
    INPUTS.splice(number, INPUTS.length, readInput(answer.inputs[0]), ...beside ? [beside] : []);
    const titles = INPUTS.map((input, i) => input.title ?? `input ${i + 1}`);
    SHOWN.input = number;
    SHOWN.beside = beside ? number + 1 : SHOWN.beside === null || SHOWN.beside >= number ? null : SHOWN.beside;
    SHOWN.hover = null;
    SHOWN.pinned = pinned && pinned.index < INPUTS[number].attentions[0].count(pinned.axis) ? pinned : null;
    if (LISTS.input) {
        LISTS.input.replaceChildren(...titles.map(text => element('option', {}, text)));
        LISTS.beside.replaceChildren(...['nothing', ...titles].map(text => element('option', {}, text)));
        LISTS.beside.selectedIndex = SHOWN.beside === null ? 0 : SHOWN.beside + 1;
        LISTS.input.selectedIndex = number;
    }
    refresh();
}

// The sentence of an input, as one types it.
function sentenceOf({attentions: [attention]}) {
    return asTyped((attention.tokens.rows ?? []).join(' '));
}

// The line for the reader's sentence; act gets it, and returns an answer or throws.
function addSentence(text, act) {
    return addAsk('Your sentence', 'Run', text, describeAnswer, act);
}

// Heads and arcs that are cut in the sentence that is drawn, as the library reads them: "0.3", "1.0.7.2". The head is the one
// that is shown; an arc goes from the pinned query to a key.
function addCuts(rerun) {
    const cuts = new Set(), list = element('span', {id: 'cuts'}), before = Frame.controls;
    const row = element('div', {id: 'cutting', class: 'row', role: 'region', 'aria-label': 'Cuts'});
    const tell = () => {
        const names = [...cuts].map(text => {
            const [layer, head, query, key] = text.split('.').map(Number);
            return `layer ${layer + 1} head ${head + 1}${query === undefined ? '' : `, word ${query + 1} → ${key + 1}`}`;
        });
        list.textContent = names.length ? `Cut: ${names.join('; ')}.` : 'Nothing is cut.';
    };
    const change = cut => {
        if (!cuts.delete(cut))
            cuts.add(cut);
        tell();
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
    });
    keys.id = 'cut-arc';
    addButton('Cut nothing', () => {
        cuts.clear();
        tell();
        rerun();
    }).id = 'cut-none';
    Frame.controls = before;
    row.append(list);
    tell();
    document.getElementById('ask').after(row);
    Frame.pinned = () => {
        const {selectedIndex: chosen} = keys;
        keys.disabled = SHOWN.pinned?.axis !== 'rows';
        keys.replaceChildren(...['no key', ...Array.from({length: current().columns}, (_, j) => tokenName(current(), 'columns', j))]
            .map(text => element('option', {}, text)));
        keys.selectedIndex = chosen < keys.options.length ? Math.max(0, chosen) : 0;
    };
    Frame.pinned();
    return {cuts, tell};
}

function openSentence() {
    const mine = INPUTS.length, usual = sentenceOf(INPUTS[0]);
    let typed = null;
    // With cuts, the sentence as it is and, beside it, with what is cut.
    const {run, field} = addSentence(usual, async text => {
        const ask = cut => library.then(found => found.call('live_sentence', `${text}\n${cut}`));
        const whole = await ask('');
        if (!whole.inputs)
            return whole;
        typed = text;
        if (!cuts.size) {
            showInput(mine, whole);
            return whole;
        }
        const less = await ask([...cuts].join(' ')), p = ({title, probability}) => `${title}, p ${readable(probability)}`;
        whole.inputs[0].title = `as it is: ${p(whole)}`;
        showInput(mine, whole, {...readInput(less.inputs[0]), title: `cut: ${p(less)}`, cut: new Set(cuts)});
        return {...less, before: whole};
    });
    Frame.inputChosen = () => { field.value = sentenceOf(INPUTS[SHOWN.input]); };
    const {cuts, tell} = addCuts(() => {
        Frame.inputChosen(); // what is drawn is what is cut
        run();
    });
    const library = openLibrary('You may type a sentence. A head that is cut adds nothing to the residual stream; an arc that is cut has the weight 0, and the others stay as they are.');
    library.then(found => addKnown('words', found.call('live_words').words));
    linkState(() => ({sentence: typed ?? '', cut: [...cuts].join(' ')}), async ({sentence, cut}) => {
        if (sentence === (typed ?? '') && cut === [...cuts].join(' '))
            return;
        cuts.clear();
        (cut ?? '').split(' ').filter(Boolean).forEach(one => cuts.add(one));
        tell();
        field.value = sentence || usual;
        await library;
        await run();
    });
}

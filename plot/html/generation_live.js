// generation_live.js: the library in a page on generated text: it goes on writing from the reader's prompt.

// Shows the text of an answer in place of the present one.
function showText(answer, before) {
    Object.assign(DATA, answer, {prompt: before ?? answer.prompt});
    readText();
    drawText();
    stepSlider.max = STEPS;
    beamSlider.max = beamLongest();
    document.getElementById('about').textContent = `The library continued your prompt by ${STEPS} tokens from a vocabulary of ${VOCABULARY.length}. ${HINT}`;
    choose(0);
    growTo(beamLongest());
}

function openWriting() {
    const number = (id, label, value, most) => {
        const field = element('input', {id, type: 'number', min: id === 'count' ? 1 : 0, max: most, step: 1, value});
        document.getElementById('said').before(element('label', {class: 'short'}, element('span', {}, label), field));
        return field;
    };
    let loaded = null, written = '';
    const {run, said, field} = addAsk('Your prompt', 'Write', DATA.prompt, () => `→ ${counted(STEPS)}, drawn one after the other`, async (text, goesOn) => {
        const library = await loaded, whole = DATA.prompt + DATA.tokens.map(token => VOCABULARY[token] ?? '').join('');
        const settings = `${State.temperature} ${State.topK} ${State.topP} ${seed.value || 0} ${count.value || 1}`;
        const answer = library.call('live_write', goesOn ? `${settings} 0` : `${settings} 1\n${text}`);
        more.disabled = Boolean(answer.error);
        if (answer.tokens && !goesOn)
            written = text;
        if (answer.tokens)
            showText(answer, goesOn ? whole : null);
        return answer;
    });
    const seed = number('write-seed', 'Seed', DATA.seed, 2 ** 53), count = number('count', 'Tokens', 60, 2000);
    const more = element('button', {type: 'button', id: 'go-on', disabled: '', onclick: () => run(true)}, 'Go on');
    said.before(more);
    const counted = n => `${n} token${n === 1 ? '' : 's'}`;
    loaded = openLibrary('You may type a prompt, which the model continues with the temperature, top-k and top-p of the sliders and the seed beside the prompt. ' +
        'Go on: after the last token, with the next random numbers; a full context begins anew with its second half.');
    addKnown('characters', VOCABULARY.map(visible));
    linkState(() => ({prompt: written, 'write-seed': seed.value, tokens: count.value}), async found => {
        seed.value = found['write-seed'];
        count.value = found.tokens;
        if (found.prompt === written)
            return;
        field.value = found.prompt;
        await loaded;
        await run();
    });
}

// generation_live.js: the library in a page on generated text: it goes on writing from the reader's prompt, and computes what
// the sliders and draws show.

// Distributions and draws of the library: of the logits in the page, with the random numbers of {seed, stream, position}.
function useLibrary(library) {
    const ask = ({logits, temperature, topK, topP}, {seed, stream, position}, times) => {
        library.numbers('live_logits', logits);
        return library.call('live_distribution', `${temperature} ${Math.min(topK, logits.length)} ${topP} ${seed} ${stream} ${position} ${times}`);
    };
    Decoding.distribution = (logits, temperature, topK, topP) => {
        const of = {logits, temperature, topK, topP}, {count, p, token} = ask(of, {seed: 0, stream: 0, position: 0}, 0);
        return {count, p: Float64Array.from(p), token: Uint32Array.from(token), of};
    };
    Decoding.draws = (list, rng, times) => {
        const {draws, position} = ask(list.of, rng, times);
        rng.position = position;
        return Array.from({length: times}, (_, i) => ({u: draws[2 * i], place: draws[2 * i + 1]}));
    };
}

// Shows the text of an answer in place of the present one.
function showText(answer, before) {
    Object.assign(DATA, answer, {prompt: before ?? answer.prompt});
    readText();
    drawText();
    stepSlider.max = STEPS;
    beamSlider.max = beamLongest();
    document.getElementById('about').textContent = `The library continued your prompt by ${STEPS} tokens out of ${VOCABULARY.length}. ${HINT}`;
    choose(0);
    growTo(beamLongest());
}

function openWriting() {
    const number = (id, label, value, most) => {
        const field = element('input', {id, type: 'number', min: id === 'count' ? 1 : 0, max: most, step: 1, value});
        document.getElementById('said').before(element('label', {class: 'short'}, element('span', {}, label), field));
        return field;
    };
    let loaded = null;
    const {run, said} = addAsk('Your prompt', 'Write', DATA.prompt, () => `→ ${counted(STEPS)}, drawn one after the other`, async (text, goesOn) => {
        const library = await loaded, whole = DATA.prompt + DATA.tokens.map(token => VOCABULARY[token] ?? '').join('');
        const settings = `${State.temperature} ${State.topK} ${State.topP} ${seed.value || 0} ${count.value || 1}`;
        const answer = library.call('live_write', goesOn ? `${settings} 0` : `${settings} 1\n${text}`);
        more.disabled = Boolean(answer.error);
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
    loaded.then(library => {
        useLibrary(library);
        update();
    });
}

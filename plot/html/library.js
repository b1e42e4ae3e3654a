// library.js: the library (examples/live) in a page that computes: the page's model, and a line of text for it.

// The weights of the page, as floats.
function floatsOf(packed) {
    const all = new Packed(packed), out = new Float32Array(packed.shape.reduce((product, n) => product * n, 1));
    for (let map = 0; map < all.maps; map++)
        out.set(all.map(map), map * all.rows * all.columns);
    return out;
}

// A promise of the library with the page's model. about: what the notes say of it.
function openLibrary(about) {
    const library = (async () => {
        const started = await startLibrary(); // undefined where the policy refused the module
        started.call('live_begin', DATA.live.model);
        for (const {name, numbers} of DATA.live.weights)
            started.weight(name, floatsOf(numbers));
        document.documentElement.dataset.live = 'ready';
        return started;
    })();
    library.catch(error => { document.getElementById('said').textContent = `The library does not run in this browser: ${error.message}`; });
    const worst = DATA.live.weights.reduce((most, {numbers}) => Math.max(most, numbers.error), 0);
    addNote(`${about} It is run by the library itself, as WebAssembly, in this page; nothing leaves it. ` +
        `The model's weights are stored in 16 bits; the largest rounding error is ${readable(worst)}.`);
    return library;
}

// The reader's words; those that the model does not know are marked.
function wordNodes(words) {
    return words.flatMap(([word, known]) => [known ? element('span', {}, word) :
        element('mark', {title: 'the model does not know this'}, word), ' ']);
}

// The library's error without its place in the source and the names of functions.
function plainly(text) {
    return text.replace(/^(?:\S+\.[ch]:\d+: )?(?:[a-z]+_\w+: )*/, '')
        .replace(/^unknown word "(.*)"; expected a known one(?:, nearest: )?/, (_, word) => `“${word}” is not among this model's ${KNOWN.count} words; the nearest: `);
}

// What the model knows, to be unfolded below the line.
const KNOWN = {count: 'known'};
function addKnown(what, list) {
    KNOWN.count = list.length;
    document.getElementById('known')?.remove();
    document.getElementById('ask').append(element('details', {id: 'known'},
        element('summary', {}, `The ${list.length} ${what} that this model knows`), list.join(' ')));
}

// Words of a tokeniser as one types them.
function asTyped(text) {
    return text.replace(/ (?=[.,;:!?])/g, '');
}

// A line of text with a button above the controls. act gets the text, and returns an answer, which `describe` puts into words,
// or throws.
function addAsk(label, verb, text, describe, act) {
    const field = element('input', {id: 'sentence', type: 'text', maxlength: 400, spellcheck: 'false', autocomplete: 'off', value: text});
    const said = element('p', {id: 'said', role: 'status'});
    const show = answer => {
        Frame.main.hidden = answer.error !== undefined; // a drawing of another text
        said.replaceChildren(...wordNodes(answer.words), element('b', {}, answer.error === undefined ? describe(answer) : plainly(answer.error)));
    };
    const run = async (...more) => {
        try {
            show(await act(field.value, ...more));
        } catch (error) {
            show({words: [], error: error.message});
        }
    };
    const form = element('form', {id: 'ask', class: 'row', 'aria-label': label, onsubmit: event => {
        event.preventDefault();
        run();
    }}, element('label', {}, element('span', {}, label), field), element('button', {type: 'submit'}, verb), said);
    Frame.controls.before(form);
    return {run, show, field, said};
}

// What is said of an answer to a sentence or a set; right: 0, 1, or -1.
function describeAnswer({title, probability, right, before}) {
    const answer = one => `→ ${one.title}, probability ${readable(one.probability)}`;
    return (before ? `as it is ${answer(before)}; cut ` : '') + answer({title, probability}) +
        ['; another answer is right', '; that is right', '; no right answer is known'].at(right);
}

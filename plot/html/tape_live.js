// tape_live.js: the library in a page of a tape: it runs the reader's sentence, whose tape takes the place of the present one.

function openSteps() {
    const texts = new Map(DATA.files.map(({path, text}) => [path, text]));
    const usual = asTyped(DATA.live.text ?? '');
    let typed = '';
    const {run, field} = addAsk('Your sentence', 'Run', usual, describeAnswer, async sentence => {
        const answer = (await library).call('live_steps', sentence);
        if (!answer.ops)
            return answer;
        typed = sentence;
        readTape({...answer, files: answer.files.map(({path}) => ({path, text: texts.get(path) ?? null}))});
        unfoldUpTo(OPEN_AT_FIRST);
        State.chosen = null;
        drawGraph();
        document.title = document.querySelector('h1').textContent = answer.title;
        Controls.slider.max = LAST;
        goTo(State.step);
        return answer;
    });
    linkState(() => ({sentence: typed}), async ({sentence}) => {
        field.value = sentence || usual;
        await library;
        await (sentence !== typed && run());
    });
    const library = openLibrary('You may type a sentence, forward and backward, which the steps then go through: the loss is -log p of the right answer, or, where none is known, of the likeliest.');
    library.then(found => addKnown('words', found.call('live_words').words));
}

// train.js: a reader trains the model of examples/attention in the page, on sentences or on sets. The library runs in a worker; this file has the
// settings, the curves, and which maps are asked for.

const TRAINING = {ask: null, settings: {}, step: 0, losses: [], accuracies: [], layers: [], text: '', guess: 0, playing: false, nodes: {}};

// A setting that changes while steps run waits for them.
function afterSteps(act) {
    return inTurn(act).catch(error => {
        setPlaying(false);
        TRAINING.nodes.facts.textContent = `The library: ${error.message}`;
    });
}

function textOfSettings() {
    return `attention ${Object.entries(TRAINING.settings).map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

// Begins anew, with the weights that the seed gives.
async function beginTraining() {
    const {answers} = await TRAINING.ask('live_begin', textOfSettings());
    Object.assign(TRAINING, {step: 0, losses: [], accuracies: [], layers: [], guess: Math.log(answers)});
    await measure();
}

async function trainSteps(count) {
    const {step, losses, layers} = await TRAINING.ask('live_train', null, count);
    TRAINING.step = step;
    TRAINING.losses.push(...losses);
    TRAINING.layers = layers;
}

// The held-out accuracy, and the maps of the sentence.
async function measure() {
    const {accuracy} = await TRAINING.ask('live_test', null, 200);
    TRAINING.accuracies.push([TRAINING.step, accuracy]);
    await TRAINING.nodes.showSentence?.();
    drawTraining();
}

const MEASURED = 20; // steps from one measurement to the next

async function advance(until) {
    while (TRAINING.step < until) {
        await trainSteps(Math.min(5, until - TRAINING.step, MEASURED - TRAINING.step % MEASURED));
        if (TRAINING.step % MEASURED === 0 || TRAINING.step === until)
            await measure();
        else
            drawTraining();
    }
}

function setPlaying(playing) {
    TRAINING.playing = playing;
    TRAINING.nodes.play.textContent = playing ? 'Pause' : 'Train';
    if (!playing)
        keepLink();
}

async function play() {
    if (TRAINING.playing) {
        setPlaying(false);
        return;
    }
    setPlaying(true);
    await afterSteps(async () => {
        while (TRAINING.playing && TRAINING.step < TRAINING.settings.steps)
            await advance(Math.min(TRAINING.settings.steps, TRAINING.step + MEASURED - TRAINING.step % MEASURED));
        setPlaying(false);
    });
}

function oneStep() {
    setPlaying(false);
    afterSteps(async () => {
        if (TRAINING.step < TRAINING.settings.steps)
            await advance(TRAINING.step + 1);
        keepLink();
    });
}

function restart() {
    setPlaying(false);
    afterSteps(async () => {
        await beginTraining();
        keepLink();
    });
}

// ---- drawings -----------------------------------------------------------------------------------------

// As wide as the window has place for, so that the letters keep their size.
function drawCurve() {
    const {losses, accuracies, guess, settings} = TRAINING, most = Math.max(guess * 1.1, ...losses), scale = Frame.fontSize / 16;
    const width = Math.min(620, document.getElementById('training').clientWidth / scale), right = width - 115;
    const {px, py, parts} = axes({low: 0, high: settings.steps, name: 'step'}, {low: 0, high: most, name: 'blue: loss in nats; orange: accuracy'},
        {left: 40, top: 30, right, bottom: 170});
    const level = (y, text) => parts.push(drawing('line', {class: 'axis', 'stroke-dasharray': '6 4', x1: px(0), x2: px(settings.steps), y1: py(y), y2: py(y)}),
        drawing('text', {class: 'pale', x: right + 6, y: py(y) + 5}, text));
    level(guess, `guessing ${guess.toFixed(2)}`);
    level(0, 'entropy 0');
    parts.push(drawing('path', {class: 'line first', d: pathOf(losses.keys(), losses, i => px(i + 1), py)}),
        drawing('path', {class: 'line second', d: pathOf(accuracies.map(([step]) => step), accuracies.map(([, y]) => y), px, py)}));
    fill(TRAINING.nodes.curve, {viewBox: `0 0 ${width} 215`, width: width * scale}, []).replaceChildren(...parts);
    TRAINING.nodes.layers.setAttribute('width', 360 * scale);
    TRAINING.nodes.curve.setAttribute('aria-label', `loss after ${TRAINING.step} steps: ${readable(losses.at(-1) ?? guess)}`);
}

function drawLayers() {
    const {layers} = TRAINING, most = Math.max(1e-9, ...layers.map(([, norm]) => norm));
    TRAINING.nodes.layers.replaceChildren(drawing('text', {class: 'pale', x: 0, y: 18}, 'length of the gradient, by layer'),
        ...layers.flatMap(([name, norm], i) => [
            drawing('text', {x: 95, y: 45 + 26 * i, 'text-anchor': 'end'}, name),
            drawing('rect', {class: 'first', 'data-layer': name, x: 102, y: 31 + 26 * i, width: 190 * norm / most, height: 18}),
            drawing('text', {x: 300, y: 45 + 26 * i}, norm.toPrecision(3))]));
    TRAINING.nodes.layers.setAttribute('viewBox', `0 0 360 ${Math.max(180, 50 + 26 * layers.length)}`);
    TRAINING.nodes.layers.setAttribute('aria-label', 'Gradients by layer: ' + layers.map(([name, norm]) => `${name}: ${norm.toPrecision(3)}`).join(', '));
}

function drawTraining() {
    drawCurve();
    drawLayers();
    const {step, losses, accuracies, settings} = TRAINING;
    TRAINING.nodes.facts.textContent = `Step ${step} of ${settings.steps}` + (losses.length ? `: loss ${losses.at(-1).toFixed(5)}` : ', before training') +
        `; right answers on 200 ${TASKS[settings.set].asked}: ${(100 * accuracies.at(-1)[1]).toFixed(1)} % at step ${accuracies.at(-1)[0]}.`;
}

// ---- controls -----------------------------------------------------------------------------------------

// Another task has its own text, and its own usual settings.
function takeTask(task) {
    const link = `set=${task}&seed=${TRAINING.settings.seed}`;
    Object.assign(TRAINING, {settings: settingsOf(link).settings, text: TASKS[task].text});
    for (const [name, {options}] of Object.entries(SETTINGS)) {
        const node = document.getElementById(`set-${name}`), value = TRAINING.settings[name];
        if (options)
            node.selectedIndex = options.findIndex(([, option]) => option === value);
        else
            node.value = value;
    }
    document.getElementById('sentence').value = TRAINING.text;
}

function addSettings() {
    const box = element('div', {id: 'settings', class: 'row', role: 'region', 'aria-label': 'Settings of the training'}), before = Frame.controls;
    Frame.controls = box;
    for (const [name, {label, options, low, high}] of Object.entries(SETTINGS)) {
        const change = value => {
            if (name === 'set')
                takeTask(value);
            TRAINING.settings[name] = value;
            restart();
        };
        if (options) {
            const list = addChoice(label, options.map(([text]) => text), options.findIndex(([, value]) => value === TRAINING.settings[name]),
                i => change(options[i][1]));
            list.id = `set-${name}`;
        } else {
            const field = element('input', {id: `set-${name}`, type: 'number', min: low, max: high, step: 1, value: TRAINING.settings[name],
                onchange: () => { if (field.checkValidity() && field.value !== '') change(field.valueAsNumber); }});
            box.append(element('label', {}, element('span', {}, label), field));
        }
    }
    Frame.controls = before;
    return box;
}

// The training stands above the maps.
function addTraining() {
    const box = element('section', {id: 'training', 'aria-label': 'Training'});
    TRAINING.nodes.curve = drawing('svg', {id: 'curve', role: 'img', 'aria-label': 'Loss', 'font-size': 14});
    TRAINING.nodes.layers = drawing('svg', {id: 'layers', role: 'img', 'aria-label': 'Gradients by layer', viewBox: '0 0 360 180', 'font-size': 14});
    TRAINING.nodes.facts = element('p', {id: 'facts', class: 'facts', role: 'status'}, 'The library starts.');
    const settings = addSettings();
    TRAINING.nodes.play = addButton('Train', play, settings);
    TRAINING.nodes.play.id = 'play';
    addButton('One step', oneStep, settings).id = 'step';
    addButton('From the beginning', restart, settings).id = 'restart';
    box.append(TRAINING.nodes.facts, TRAINING.nodes.curve, TRAINING.nodes.layers);
    document.getElementById('about').before(settings, box);
    Frame.redraw.push(drawCurve);
    addKey(' ', 'train, pause', play);
    addKey('.', 'one step', oneStep);
}

// The maps follow the sentence that was run last, in the settings of the reader: head and layer stay.
function addMaps(shown) {
    const show = async wanted => {
        const answer = await TRAINING.ask('live_sentence', wanted);
        if (answer.inputs) {
            TRAINING.text = wanted;
            showInput(0, answer);
        }
        return answer;
    };
    TRAINING.nodes.showSentence = async () => shown(await show(TRAINING.text));
    return show;
}

async function openTraining() {
    const {settings, step} = settingsOf(location.hash);
    Object.assign(TRAINING, {settings, text: TASKS[settings.set].text});
    TRAINING.ask = await startWorker();
    const {answers} = await TRAINING.ask('live_begin', textOfSettings());
    TRAINING.guess = Math.log(answers);
    const first = await TRAINING.ask('live_sentence', TRAINING.text);
    INPUTS.push(readInput(first.inputs[0]));
    openPage();
    addTraining();
    let show = null;
    const {run, show: shown, field, said} = addSentence('', wanted => inTurn(() => show(wanted)));
    show = addMaps(shown);
    field.value = TRAINING.text;
    said.before(element('button', {type: 'button', id: 'shuffle', onclick: () => {
        field.value = field.value.split(' ').map(word => [Math.random(), word]).sort(([a], [b]) => a - b).map(([, word]) => word).join(' ');
        run();
    }}, 'Shuffle'));
    TRAINING.ask('live_words').then(({words}) => addKnown('words', words));
    addNote('The library itself, as WebAssembly, trains in a worker of this page: the model and the sentences of examples/attention, with the same random numbers, so that a seed gives the losses of ' +
        'the terminal. Guessing among the answers has the loss ln 54; among the numbers of a set, ln 20. In each training sentence the words decide the answer, and in each set one number stands twice: its entropy, below which no expected loss can come, is 0. ' +
        'Without positions, mask and window the model is equivariant under permutations: shuffle a set, and its rows and columns of A move with the words, while the answer keeps its probability; with positions, it does not. The link in the address bar has the settings and the step.');
    await run();
    await afterSteps(async () => {
        await beginTraining();
        await advance(step);
    });
    linkState(() => Link.ready ? changedSettings(TRAINING.settings, TRAINING.step) : {}, () => {});
    await openLink();
    document.documentElement.dataset.live = 'ready';
}

openTraining().catch(error => {
    document.body.append(element('p', {role: 'alert'}, `The library does not run in this browser: ${error.message}`));
});

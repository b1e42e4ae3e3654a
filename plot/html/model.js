// model.js: a reader opens the folder of a model. A worker reads its files and runs the model; nothing leaves the page.

const MODEL = {ask: null, opened: null, nodes: {}, writing: false};

// ---- the folder ---------------------------------------------------------------------------------------

// The files of a dropped item: itself, or a folder's. Chromium opens no entry of a page that is a file itself, but handles;
// Firefox has entries alone. Both must be asked for before the event is over.
function filesOfItem(item) {
    const handle = item.getAsFileSystemHandle?.(), entry = item.webkitGetAsEntry();
    return handle ? handle.then(filesOfHandle) : filesOfEntry(entry);
}

async function filesOfHandle(handle) {
    const files = [];
    for await (const inside of handle.kind === 'directory' ? handle.values() : [handle])
        if (inside.kind === 'file')
            files.push(await inside.getFile());
    return files;
}

async function filesOfEntry(entry) {
    const got = (of, what) => new Promise((done, failed) => of[what](done, failed)), files = [], entries = [entry];
    for (let reader = entry.isDirectory && entry.createReader(), part; reader && (part = await got(reader, 'readEntries')).length;)
        entries.push(...part);
    for (const inside of entries.filter(({isFile}) => isFile))
        files.push(await got(inside, 'file'));
    return files;
}

// What a model's folder has, without its folders and, beside a whole file of weights, without the parts of one.
function filesOfModel(files) {
    const whole = files.some(({name}) => name === 'model.safetensors');
    return files.filter(({name, webkitRelativePath: path}) => path.split('/').length < 3 && /\.(json|txt|model|safetensors)$/.test(name) &&
        !(whole && /^model-.*\.safetensors$/.test(name)));
}

async function openFolder(chosen) {
    const files = filesOfModel([...chosen]), folder = files[0]?.webkitRelativePath.split('/')[0] || 'model', begun = performance.now();
    MODEL.ask?.end(); // with all its memory
    MODEL.opened = null;
    MODEL.nodes.asked.hidden = true;
    MODEL.ask = await startWorker();
    let memory = 0;
    for (const file of files) {
        tell(`Reading ${file.name}, ${(file.size / 1e6).toFixed(1)} MB.`);
        memory = await MODEL.ask('file', `${folder}/${file.name}`, file);
    }
    tell('Opening the model.');
    MODEL.opened = await MODEL.ask('live_open', folder);
    const {writes, side, numbers, summary} = MODEL.opened;
    tell(`${summary}Opened in ${((performance.now() - begun) / 1000).toFixed(2)} s; the files take ${(memory / 1e6).toFixed(0)} MB of the page’s memory.`);
    Object.entries({text: !side, picture: side > 0, writing: writes}).forEach(([name, shown]) => { MODEL.nodes[name].hidden = !shown; });
    MODEL.nodes.field.value = numbers ? '5,17,3' : 'The animal didn’t cross the street because it was too tired.';
    MODEL.nodes.hint.textContent = numbers ? 'The folder has no tokeniser: a text is a list of token ids.' : '';
    MODEL.nodes.said.textContent = MODEL.nodes.written.textContent = '';
    MODEL.nodes.asked.hidden = false;
}

// ---- what is asked ------------------------------------------------------------------------------------

function tell(text) {
    MODEL.nodes.summary.textContent = text;
}

// An error is said, and the page goes on; the error of a folder closes it.
function orSay(act, where = 'said') {
    return inTurn(act).catch(error => { MODEL.nodes[where].textContent = error.message; });
}

function showAnswer({ids, likely, inputs}, milliseconds) {
    MODEL.nodes.said.replaceChildren(
        ...likely.flatMap(({at, candidates}) => [element('b', {}, `${visible(at)}: `), candidates.map(([text, p]) => `${visible(text)} ${readable(p)}`).join(', '), '; ']),
        `${milliseconds.toFixed(0)} ms${ids ? `; token ids ${ids.join(', ')}` : ''}`);
    if (INPUTS.length) {
        showInput(0, {inputs});
        return;
    }
    INPUTS.push(readInput(inputs[0]));
    openPage();
}

async function run(text) {
    const begun = performance.now(), answer = await MODEL.ask('live_run', text);
    showAnswer(answer, performance.now() - begun);
}

// Token by token, until the model ends the text or the reader does.
async function write() {
    const {field, tokens, temperature, topK, topP, seed, go, written} = MODEL.nodes, number = ({valueAsNumber: x}) => x || 0;
    if (MODEL.writing) {
        MODEL.writing = false;
        return;
    }
    MODEL.writing = true;
    go.textContent = 'Stop';
    await orSay(async () => {
        let answer = await MODEL.ask('live_prompt', field.value, number(tokens), number(temperature), number(topK), number(topP), number(seed));
        for (let begun = null, first; MODEL.writing && !answer.ended;) {
            answer = await MODEL.ask('live_next');
            const count = answer.ids.length, now = performance.now();
            [begun, first] = [begun ?? now, first ?? count]; // the first token takes the whole prompt
            written.replaceChildren(field.value, element('b', {}, answer.text),
                `\n${count} tokens` + (count > first ? `, ${((count - first) / (now - begun) * 1000).toFixed(1)} a second` : ''));
            MODEL.ids = answer.ids;
        }
    }, 'written');
    MODEL.writing = false;
    go.textContent = 'Go on with the text';
}

// The pixels as bytes, all red ones first, in the size that the model has.
async function runPicture(file) {
    const {side} = MODEL.opened, canvas = element('canvas', {width: side, height: side}), context = canvas.getContext('2d');
    context.drawImage(await createImageBitmap(file, {resizeWidth: side, resizeHeight: side, resizeQuality: 'high'}), 0, 0);
    const {data} = context.getImageData(0, 0, side, side);
    const planes = new Uint8Array(3 * side * side).map((_, i) => data[4 * (i % (side * side)) + Math.floor(i / (side * side))]);
    await MODEL.ask('file', 'picture', new Blob([planes]));
    await run(file.name);
}

// ---- controls -----------------------------------------------------------------------------------------

// So that the same file can be chosen again, after it was changed.
function forget(event) {
    event.target.value = '';
}

function addFolder() {
    const open = files => orSay(() => openFolder(files), 'summary');
    const picker = (id, label, settings) => element('label', {}, element('span', {}, label), ' ',
        element('input', {id, type: 'file', multiple: true, ...settings, onclick: forget, onchange: event => open(event.target.files)}));
    const box = element('section', {id: 'folder', 'aria-label': 'The model’s folder'},
        picker('pick-folder', 'A model’s folder', {webkitdirectory: true}), picker('pick-files', 'or its files', {}), element('span', {}, ' or drop either here.'));
    box.append(MODEL.nodes.summary = element('p', {id: 'summary', role: 'status'}, 'Expected: config.json, model.safetensors, and the files of the tokeniser.'));
    addEventListener('dragover', event => {
        event.preventDefault();
        box.classList.add('over');
    });
    addEventListener('dragleave', () => box.classList.remove('over'));
    addEventListener('drop', event => {
        event.preventDefault();
        box.classList.remove('over');
        const files = [...event.dataTransfer.items].filter(({kind}) => kind === 'file').map(filesOfItem);
        orSay(async () => openFolder((await Promise.all(files)).flat()), 'summary');
    });
    Frame.controls.before(box);
}

function addAsked() {
    const {nodes} = MODEL, row = (...inside) => element('div', {class: 'row'}, ...inside);
    const number = (name, label, value, low, high, step) => {
        nodes[name] = element('input', {id: name, type: 'number', value, min: low, max: high, step});
        return element('label', {}, element('span', {}, label), nodes[name]);
    };
    nodes.field = element('textarea', {id: 'field', spellcheck: 'false', 'aria-label': 'Your text'});
    nodes.go = element('button', {id: 'go', type: 'button', onclick: write}, 'Go on with the text');
    nodes.text = element('div', {}, nodes.field, row(
        element('button', {id: 'run', type: 'button', onclick: () => orSay(() => run(nodes.field.value))}, 'Run'),
        nodes.hint = element('span', {})));
    nodes.writing = row(nodes.go, number('tokens', 'tokens', 40, 1, 2000, 1), number('temperature', 'temperature', 0.8, 0, 10, 0.05),
        number('topK', 'top-k (0: all)', 0, 0, 1000000, 1), number('topP', 'top-p', 1, 0.01, 1, 0.01), number('seed', 'seed', 1, 0, 1000000000, 1));
    nodes.picture = row(element('label', {}, element('span', {}, 'A picture'),
        element('input', {id: 'pick-picture', type: 'file', accept: 'image/*', onclick: forget, onchange: event => orSay(() => runPicture(event.target.files[0]))})));
    nodes.said = element('p', {id: 'said', role: 'status'});
    nodes.written = element('p', {id: 'written'});
    nodes.asked = element('section', {id: 'asked', 'aria-label': 'What the model computes', hidden: true},
        nodes.text, nodes.picture, nodes.said, nodes.writing, nodes.written);
    Frame.controls.before(nodes.asked);
}

// The model that stands in the page, if one does.
function openOwn() {
    const files = DATA.files.map(({name, base64}) => new File([bytesOf(base64)], name));
    DATA.files = null;
    document.getElementById('folder').classList.add('own');
    orSay(() => openFolder(files), 'summary');
}

openFrame('The library runs a model of your own in this page: BERT, RoBERTa, DistilBERT, GPT-2, Llama, ViT and their relatives. Nothing leaves the page.');
addFolder();
addAsked();
addNote('The content security policy of this page allows no connection: neither the files nor your texts can be sent. Weights that are stored as 32-bit floats are used where they lie; others, and the transposed ones of GPT-2, take 4 bytes a number more. ' +
    'A picture is scaled by the browser, so that its pixels differ slightly from those of other programs.');
if (DATA.files)
    openOwn();
document.documentElement.dataset.live = 'ready';

// worker.js: the library in a worker of the page.

// In the worker: gets the compiled module, then calls {id, name, text, numbers}; answers {id, answer} or {id, error}.
function work() {
    let library = null;
    onmessage = ({data}) => {
        try {
            if (data.module)
                library = new Library(data.module);
            else
                postMessage({id: data.id, answer: data.name === 'file' ? library.file(data.text, ...data.numbers) : library.call(data.name, data.text, ...data.numbers)});
        } catch (error) {
            postMessage({id: data.id, error: error.message});
        }
    };
}

// A function that asks the library in a worker: (name, text, ...numbers) -> a promise of its answer; ('file', path, blob)
// gives it a file. Its member end ends the worker.
async function startWorker() {
    const address = URL.createObjectURL(new Blob([`${Library}\n(${work})();`], {type: 'text/javascript'}));
    const worker = new Worker(address), waiting = new Map();
    let last = 0;
    worker.onmessage = ({data}) => {
        const {done, failed} = waiting.get(data.id);
        waiting.delete(data.id);
        if (data.error === undefined)
            done(data.answer);
        else
            failed(new Error(data.error));
    };
    worker.postMessage({module: await WebAssembly.compile(await moduleBytes())});
    const ask = (name, text = null, ...numbers) => new Promise((done, failed) => {
        waiting.set(++last, {done, failed});
        worker.postMessage({id: last, name, text, numbers});
    });
    return Object.assign(ask, {end: () => worker.terminate()});
}

// One thing after the other: a promise of what `act` returns, once all that was asked before is done.
let busy = Promise.resolve();
function inTurn(act) {
    const done = busy.then(act);
    busy = done.catch(() => {});
    return done;
}

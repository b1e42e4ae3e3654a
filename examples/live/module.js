// module.js: starts the library as WebAssembly. MODULE is the module, compressed, in base64.
//
//   const library = await startLibrary();
//   library.call('live_sentence', 'The animal ...')     the answer, parsed; throws the library's error
//   library.weight('norm.weight', numbers)
//
// The module cannot ask for anything: each function that it imports refuses.

function moduleBytes() {
    const text = atob(MODULE), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

class Library {
    // module: a WebAssembly.Module, which a worker gets from its page.
    constructor(module) {
        const refused = 8, allowed = { // WASI's error numbers; an environment without variables
            proc_exit: code => { throw new Error(`the library ended with status ${code}`); },
            environ_get: () => 0,
            environ_sizes_get: (...places) => {
                places.forEach(at => new DataView(this.functions.memory.buffer).setUint32(at, 0));
                return 0;
            },
        };
        const imports = WebAssembly.Module.imports(module).map(({name}) => [name, allowed[name] ?? (() => refused)]);
        this.module = module;
        this.functions = new WebAssembly.Instance(module, {wasi_snapshot_preview1: Object.fromEntries(imports)}).exports;
        this.functions._initialize();
    }
    // Text for the library. Memory may grow in a call: a view of it is made anew.
    write(text) {
        const bytes = new TextEncoder().encode(text), at = this.functions.live_input(bytes.length + 1) >>> 0;
        if (!at)
            throw new Error('the library found no memory');
        new Uint8Array(this.functions.memory.buffer).set(bytes, at);
    }
    read(length) {
        const {memory, live_output: output} = this.functions, at = output() >>> 0, bytes = new Uint8Array(memory.buffer);
        return new TextDecoder().decode(bytes.subarray(at, length < 0 ? bytes.indexOf(0, at) : at + length));
    }
    call(name, text = null, ...numbers) {
        if (text !== null)
            this.write(text);
        const length = this.functions[name](...numbers), answer = this.read(length);
        if (length < 0)
            throw new Error(answer);
        return JSON.parse(answer);
    }
    // A file of the reader's disk, part by part into the library's memory. In a worker alone. Returns the memory in bytes.
    file(path, file) {
        const part = 1 << 24, most = 2 ** 31 - 1;
        if (file.size > most)
            throw new Error(`${path} has ${file.size} bytes; expected at most ${most}, since WebAssembly has 4 GB of memory`);
        this.write(path);
        const at = this.functions.live_file(file.size) >>> 0;
        if (!at)
            throw new Error(this.read(-1));
        for (let from = 0; from < file.size; from += part) {
            const bytes = new FileReaderSync().readAsArrayBuffer(file.slice(from, from + part));
            new Uint8Array(this.functions.memory.buffer).set(new Uint8Array(bytes), at + from);
        }
        return this.functions.memory.buffer.byteLength;
    }
    // Numbers to the address that a function returns for so many.
    numbers(name, numbers) {
        const at = this.functions[name](numbers.length);
        if (!at)
            throw new Error(this.read(-1));
        new Float32Array(this.functions.memory.buffer).set(numbers, at / 4);
    }
    weight(name, numbers) {
        this.write(name);
        this.numbers('live_weight', numbers);
    }
}

async function startLibrary() {
    return new Library(await WebAssembly.compile(await moduleBytes()));
}

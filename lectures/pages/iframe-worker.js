// iframe-worker.js: a page that was opened from a disk may start no Worker, so Material's search runs in a hidden frame.
'use strict';

if (location.protocol === 'file:')
    window.Worker = window.IFrameWorker = class extends EventTarget {
        constructor(address) {
            super();
            const frame = document.createElement('iframe');
            frame.hidden = true;
            document.body.append(frame);
            const inside = frame.contentWindow, script = inside.document.createElement('script');
            inside.postMessage = data => this.dispatchEvent(new MessageEvent('message', {data}));
            script.src = new URL(address, document.baseURI);
            this.started = new Promise((done, failed) => Object.assign(script, {onload: () => done(inside), onerror: failed}));
            inside.document.body.append(script);
        }
        async postMessage(data) {
            (await this.started).dispatchEvent(new MessageEvent('message', {data}));
        }
    };

// live_position.js: the live figure of chapter 3: sinusoids by position and frequency.
'use strict';

// Channel c of position p: sin and cos take turns, and a pair has the frequency base^(-2i/d).
function sinusoid(p, c, d, base) {
    const angle = p / base ** (2 * Math.floor(c / 2) / d);
    return c % 2 ? Math.cos(angle) : Math.sin(angle);
}

LIVE.sinusoids = (figure, numbers) => {
    const live = new Live(
        figure, 'Sinusoids by position and frequency',
        'The table of all positions and channels, the wave of one channel over the positions, and the ' +
            'channels of one position. Drag in the table, or use the arrow keys there.');
    const state = {d: 64, T: 50, log: 4, channel: 6, position: 12, x: 0, y: 0};
    const canvas = element('canvas', {id: `${live.name}-table`, width: 512, height: 250});
    live.body.append(canvas);
    const wave = live.svg('wave', 640, 230), spectrum = live.svg('channels', 640, 230), context = canvas.getContext('2d');
    const base = () => 10 ** state.log;
    const value = (p, c) => sinusoid(p, c, state.d, base());
    const table = () => {
        const image = context.createImageData(canvas.width, canvas.height), {d, T} = state;
        for (let y = 0; y < canvas.height; y++)
            for (let x = 0; x < canvas.width; x++) {
                const p = Math.floor(y * T / canvas.height), c = Math.floor(x * d / canvas.width);
                const marked = p === state.position || c === state.channel;
                image.data.set(
                    [...colourAt('diverging', (value(p, c) + 1) / 2), marked ? 255 : 200], 4 * (y * canvas.width + x));
            }
        context.putImageData(image, 0, 0);
    };
    const draw = () => {
        const {d, T, channel, position} = state, box = {left: 60, top: 30, right: 620, bottom: 180};
        table();
        const over = axes({low: 0, high: T, name: 'position p'}, {low: -1, high: 1, name: `channel ${channel}`}, box);
        const xs = Array.from({length: 400}, (_, i) => i * T / 399);
        wave.replaceChildren(
            ...over.parts,
            drawing('path', {class: 'line first', d: pathOf(xs, xs.map(x => value(x, channel)), over.px, over.py)}),
            ...Array.from({length: T}, (_, p) => drawing('circle', {
                                           class: p === position ? 'second' : 'first',
                                           'data-position': p,
                                           cx: over.px(p),
                                           cy: over.py(value(p, channel)),
                                           r: p === position ? 7 : 3
                                       })));
        const at = axes({low: 0, high: d, name: 'channel c'}, {low: -1, high: 1, name: `position ${position}`}, box);
        spectrum.replaceChildren(...at.parts, ...Array.from({length: d}, (_, c) => drawing('circle', {
                                                                             class: c === channel ? 'second' : 'first',
                                                                             'data-channel': c,
                                                                             cx: at.px(c),
                                                                             cy: at.py(value(position, c)),
                                                                             r: c === channel ? 7 : 3
                                                                         })));
        const pair = Math.floor(channel / 2), wavelength = 2 * Math.PI * base() ** (2 * pair / d);
        live.facts.textContent = `Channel ${channel} of ${d}: ${channel % 2 ? 'cos' : 'sin'}(p / ${readable(base())}^(${2 * pair}/${d})), wavelength ${readable(wavelength)} ` +
            `tokens. At position ${position} it is ${value(position, channel).toFixed(4)}. ${compared()}`;
        wave.setAttribute('aria-label', `Channel ${channel} over ${T} positions, wavelength ${readable(wavelength)}`);
        spectrum.setAttribute('aria-label', `All ${d} channels of position ${position}`);
    };
    // The program's table has d = 128 and the base 10000.
    const compared = () => {
        const {shape: [rows, columns], at} = numbers.table;
        if (state.d !== columns || state.log !== 4) return 'With d = 128 and the base 10000 this is the program’s table.';
        let most = 0;
        for (let p = 0; p < rows; p++)
            for (let c = 0; c < columns; c++) most = Math.max(most, Math.abs(at[p * columns + c] - value(p, c)));
        return `Largest difference from the program’s ${rows} × ${columns} numbers: ${most.toExponential(1).replace('e-', 'e−')}.`;
    };
    live.slider('d', 'width d', {low: 2, high: 7, step: 1, value: 6, show: p => String(2 ** p)}, p => {
        state.d = 2 ** p;
        channelSlider.max = state.d - 1;
        choose(Math.min(state.channel, state.d - 1), state.position);
    });
    live.slider('base', 'base', {low: 1, high: 5, step: 0.25, value: 4, show: p => readable(10 ** p)}, p => {
        state.log = p;
        draw();
    });
    const channelSlider = live.slider(
        'channel', 'channel', {low: 0, high: 63, step: 1, value: state.channel, show: String}, c => choose(c, state.position));
    const positionSlider = live.slider(
        'position', 'position', {low: 0, high: 49, step: 1, value: state.position, show: String},
        p => choose(state.channel, p));
    const choose = (channel, position) => {
        Object.assign(state, {channel, position, x: (channel + 0.5) / state.d, y: 1 - (position + 0.5) / state.T});
        channelSlider.value = channelSlider.nextSibling.textContent = channel;
        positionSlider.value = positionSlider.nextSibling.textContent = position;
        draw();
    };
    movable(canvas, 'Table of sinusoids: arrow keys choose channel and position', () => {
        choose(
            Math.min(state.d - 1, Math.floor(state.x * state.d)), Math.min(state.T - 1, Math.floor((1 - state.y) * state.T)));
    }, state, 1 / 50);
    choose(state.channel, state.position);
    return live;
};

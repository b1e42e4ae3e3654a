// live_vae.js: the live figures of chapter 8: EM and gradient ascent on a mixture, and the latent plane of a small VAE.
'use strict';

// ---- a mixture of Gaussians in the plane ------------------------------------------------------------

// A mixture is an array of classes {pi, x, y, v}. Of one point: the probabilities p(z | x) of the classes, and log p(x).
function posterior(mixture, px, py) {
    const joint =
        mixture.map(({pi, x, y, v}) => Math.log(pi) - Math.log(2 * Math.PI * v) - ((px - x) ** 2 + (py - y) ** 2) / (2 * v));
    const most = Math.max(...joint), e = joint.map(l => Math.exp(l - most)), sum = e.reduce((a, b) => a + b, 0);
    return {share: e.map(x => x / sum), logP: most + Math.log(sum)};
}

// The mean of log p(x), and of each class the sums that EM and the gradient need, divided by the number of points.
function moments(mixture, xs, ys) {
    const n = xs.length, sums = mixture.map(() => ({weight: 0, x: 0, y: 0, square: 0}));
    let logP = 0;
    for (let i = 0; i < n; i++) {
        const found = posterior(mixture, xs[i], ys[i]);
        logP += found.logP / n;
        found.share.forEach((r, k) => {
            sums[k].weight += r / n;
            sums[k].x += r * xs[i] / n;
            sums[k].y += r * ys[i] / n;
            sums[k].square += r * (xs[i] ** 2 + ys[i] ** 2) / n;
        });
    }
    return {logP, sums};
}

function emStep(mixture, xs, ys) {
    return moments(mixture, xs, ys).sums.map(({weight, x, y, square}) => {
        const mx = x / weight, my = y / weight;
        return {pi: weight, x: mx, y: my, v: (square / weight - mx ** 2 - my ** 2) / 2};
    });
}

// The gradient of the mean of log p(x) with respect to the logits of pi, the means, and log v.
function mixtureGradient(mixture, xs, ys) {
    return moments(mixture, xs, ys).sums.map(({weight, x, y, square}, k) => {
        const m = mixture[k], off = square - 2 * (m.x * x + m.y * y) + weight * (m.x ** 2 + m.y ** 2);
        return {logit: weight - m.pi, x: (x - weight * m.x) / m.v, y: (y - weight * m.y) / m.v, logV: off / (2 * m.v) - weight};
    });
}

function gradientStep(mixture, xs, ys, rate) {
    const slope = mixtureGradient(mixture, xs, ys);
    const next = mixture.map((m, k) => ({
                                 pi: m.pi * Math.exp(rate * slope[k].logit),
                                 x: m.x + rate * slope[k].x,
                                 y: m.y + rate * slope[k].y,
                                 v: m.v * Math.exp(rate * slope[k].logV)
                             }));
    const sum = next.reduce((total, {pi}) => total + pi, 0);
    return next.map(m => ({...m, pi: m.pi / sum}));
}

LIVE.em = (figure, numbers) => {
    const live = new Live(
        figure, 'EM and gradient ascent, step by step',
        'The program’s 400 points and its start. Each point has the colour of its likeliest class; a circle is one deviation about a mean. ' +
            'On the right the mean of log p(x): no step of EM lowers it. Gradient ascent climbs the same hill, by steps of its rate.');
    const xs = numbers.x.at, ys = numbers.y.at, rows = numbers.rows.at, classes = ['first', 'second', 'third'], STEPS = 40;
    const start = [0, 1, 2].map(k => ({pi: rows[4 * k], x: rows[4 * k + 1], y: rows[4 * k + 2], v: rows[4 * k + 3]}));
    const state = {step: 0, method: 0, rate: 0.5, timer: null}, svg = live.svg('plane', 900, 420);
    let paths;
    const run = step => {
        const all = [start];
        while (all.length <= STEPS) all.push(step(all.at(-1)));
        return {all, logP: all.map(m => moments(m, xs, ys).logP)};
    };
    const ascend = () => {
        paths[1] = run(m => gradientStep(m, xs, ys, state.rate));
    };
    paths = [run(m => emStep(m, xs, ys)), null];
    ascend();
    const draw = () => {
        const {all, logP} = paths[state.method], mixture = all[state.step], parts = [];
        const plane = axes(
            {low: -4.5, high: 4.5, name: 'x₁'}, {low: -4, high: 4, name: 'x₂'}, {left: 40, top: 30, right: 490, bottom: 370});
        parts.push(...plane.parts);
        xs.forEach((x, i) => {
            const {share} = posterior(mixture, x, ys[i]);
            parts.push(drawing('circle', {
                class: classes[share.indexOf(Math.max(...share))],
                cx: plane.px(x),
                cy: plane.py(ys[i]),
                r: 2,
                'stroke-width': 0
            }));
        });
        mixture.forEach(
            ({x, y, v}, k) => parts.push(
                drawing('ellipse', {
                    class: `line ${classes[k]}`,
                    'data-class': k,
                    cx: plane.px(x),
                    cy: plane.py(y),
                    rx: Math.sqrt(v) * 50,
                    ry: Math.sqrt(v) * 42.5,
                    'stroke-width': 4,
                    'fill-opacity': 0
                }),
                drawing('path', {
                    class: `line ${classes[k]}`,
                    d: `M${plane.px(x) - 7},${plane.py(y)} h14 M${plane.px(x)},${plane.py(y) - 7} v14`
                })));
        const both = [...paths[0].logP, ...paths[1].logP].filter(Number.isFinite);
        const curve = axes(
            {low: 0, high: STEPS, name: 'step'},
            {low: Math.min(...both) - 0.02, high: Math.max(...both) + 0.02, name: 'mean log p(x)'},
            {left: 590, top: 30, right: 880, bottom: 370});
        parts.push(...curve.parts);
        paths.forEach(
            (path, which) => parts.push(drawing(
                'path', {class: `line ${classes[which]}`, d: pathOf(path.logP.keys(), path.logP, curve.px, curve.py)})));
        parts.push(
            drawing(
                'circle',
                {class: `cursor ${classes[state.method]}`, cx: curve.px(state.step), cy: curve.py(logP[state.step]), r: 8}),
            drawing('text', {class: 'first', x: 700, y: 330}, 'EM'),
            drawing('text', {class: 'second', x: 740, y: 330}, 'gradient ascent'));
        svg.replaceChildren(...parts);
        live.facts.textContent =
            `Step ${state.step} of ${state.method ? `gradient ascent, rate ${readable(state.rate)}` : 'EM'}: mean log p(x) = ${logP[state.step].toFixed(4)}; ` +
            mixture
                .map(
                    (m, k) =>
                        `class ${k + 1}: π ${m.pi.toFixed(3)}, μ (${m.x.toFixed(2)}, ${m.y.toFixed(2)}), v ${m.v.toFixed(2)}`)
                .join('; ') +
            '.';
        svg.setAttribute('aria-label', live.facts.textContent);
    };
    const go = step => {
        state.step = Math.min(STEPS, Math.max(0, step));
        slider.value = slider.nextSibling.textContent = state.step;
        draw();
    };
    const slider = live.slider('step', 'step', {low: 0, high: STEPS, step: 1, value: 0, show: String}, go);
    const stop = () => {
        clearInterval(state.timer);
        state.timer = null;
        play.textContent = 'Play';
    };
    const play = live.button('play', 'Play', () => {
        if (state.timer !== null) {
            stop();
            return;
        }
        go(state.step === STEPS ? 0 : state.step);
        play.textContent = 'Stop';
        state.timer = setInterval(() => {
            go(state.step + 1);
            if (state.step === STEPS) stop();
        }, 300);
    });
    live.choice('method', 'by', ['EM', 'gradient ascent'], 0, method => {
        state.method = method;
        draw();
    });
    live.slider('rate', 'rate', {low: 0.1, high: 4, step: 0.1, value: state.rate}, rate => {
        state.rate = rate;
        ascend();
        draw();
    });
    draw();
    return live;
};

// ---- the latent plane ---------------------------------------------------------------------------------

LIVE.latent = (figure, numbers) => {
    const live = new Live(
        figure, 'The latent plane: the decoder runs in this page',
        'Each number stands at the mean code of a test digit. Drag over the plane, or use the arrow keys there: the decoder, whose weights are in this page, ' +
            'draws what it makes of z. Between two kinds of digits lie pictures that are none.');
    const input = numbers.in, output = numbers.out, hidden = input.shape[0], pixels = output.shape[0], side = Math.sqrt(pixels),
          RANGE = 3;
    // relu(W z + b), then W h + b: the probability of each pixel.
    const decode = z => {
        const h = Array.from(
            {length: hidden},
            (_, i) => Math.max(0, input.at[2 * i] * z[0] + input.at[2 * i + 1] * z[1] + numbers['in-bias'].at[i]));
        return Float64Array.from({length: pixels}, (_, i) => {
            const l = h.reduce((sum, x, k) => sum + output.at[i * hidden + k] * x, numbers['out-bias'].at[i]);
            return 1 / (1 + Math.exp(-l));
        });
    };
    const state = {x: 0.5, y: 0.5}, plane = live.svg('plane', 420, 420),
          canvas = element('canvas', {id: `${live.name}-picture`, width: side, height: side, role: 'img'});
    canvas.style.width = canvas.style.height = '336px';
    live.body.append(canvas);
    const place = z => [210 + 210 * z[0] / RANGE, 210 - 210 * z[1] / RANGE];
    const dots = Array.from(numbers.labels.at, (label, i) => {
        const [x, y] = place([numbers.means.at[2 * i], numbers.means.at[2 * i + 1]]);
        return drawing(
            'text', {x, y: y + 4, 'text-anchor': 'middle', 'font-size': 12, 'font-weight': 'bold', 'data-digit': label},
            String(label));
    });
    // The part of the colour scale that stands out from the ground.
    const colour = () => dots.forEach((dot, i) => {
        const share = numbers.labels.at[i] / 9;
        dot.style.fill = cssColour(colourAt('sequential', isDark() ? 0.3 + 0.7 * share : 0.75 * share));
    });
    Frame.redraw.push(colour);
    const cursor = drawing('circle', {class: 'cursor', r: 9});
    plane.append(
        drawing('rect', {x: 0, y: 0, width: 420, height: 420, fill: 'none', class: 'axis'}),
        drawing('path', {class: 'axis', d: 'M210,0 V420 M0,210 H420'}),
        drawing('text', {x: 414, y: 204, 'text-anchor': 'end', class: 'pale'}, 'z₁ = 3'),
        drawing('text', {x: 216, y: 16, class: 'pale'}, 'z₂ = 3'), ...dots, cursor);
    // How far the decoder of this page, whose weights are rounded, is from the program's.
    const worst = Math.max(...Array.from(
        {length: numbers.tried.shape[0]},
        (_, k) => Math.max(...decode(numbers.tried.at.subarray(2 * k, 2 * k + 2))
                               .map((p, i) => Math.abs(p - numbers.decoded.at[k * pixels + i])))));
    const draw = () => {
        const z = [(2 * state.x - 1) * RANGE, (2 * state.y - 1) * RANGE], p = decode(z),
              context = canvas.getContext('2d', {willReadFrequently: true}), image = context.createImageData(side, side);
        p.forEach((x, i) => image.data.set([Math.round(255 * x), Math.round(255 * x), Math.round(255 * x), 255], 4 * i));
        context.putImageData(image, 0, 0);
        const [x, y] = place(z);
        cursor.setAttribute('cx', x);
        cursor.setAttribute('cy', y);
        const near =
            Array
                .from(
                    numbers.labels.at,
                    (label, i) =>
                        ({label, far: (numbers.means.at[2 * i] - z[0]) ** 2 + (numbers.means.at[2 * i + 1] - z[1]) ** 2}))
                .sort((a, b) => a.far - b.far)[0];
        live.facts.textContent = `z = (${z[0].toFixed(2)}, ${z[1].toFixed(2)}). The nearest code is that of a ${near.label}. Weights are stored in 16 bits; at ${numbers.tried.shape[0]} codes ` +
            `the page’s pixels are within ${worst.toExponential(1).replace('e-', 'e−')} of the program’s.`;
        canvas.setAttribute(
            'aria-label',
            `The picture decoded from z = (${z[0].toFixed(2)}, ${z[1].toFixed(2)}); the nearest code is that of a ${near.label}`);
    };
    movable(plane, 'Latent plane: arrow keys move z', draw, state, 1 / 60);
    colour();
    draw();
    return live;
};

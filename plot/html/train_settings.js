// train_settings.js: the settings of a training run, which stand in the page's link.

// As examples/live/settings.c reads them, with what they usually are: one of the options [text, value], or a whole number.
const SETTINGS = {
    set: {label: 'Task', options: [['sentences', 0], ['a set', 1]], value: 0},
    seed: {label: 'Seed', low: 0, high: 1000000000, value: 1},
    rate: {label: 'Learning rate', options: [['0.0003', 0.0003], ['0.001', 0.001], ['0.003', 0.003], ['0.01', 0.01], ['0.03', 0.03]], value: 0.003},
    layers: {label: 'Layers', options: [['1', 1], ['2', 2], ['3', 3], ['4', 4]], value: 2},
    heads: {label: 'Heads', options: [['1', 1], ['2', 2], ['4', 4], ['8', 8]], value: 4},
    position: {label: 'Positions', options: [['sinusoids', 0], ['learned', 1], ['none', 2], ['rotary', 3]], value: 0},
    causal: {label: 'Mask', options: [['none', 0], ['causal', 1]], value: 0},
    window: {label: 'Window of layer 1', options: [['all words', 0], ['2', 2], ['4', 4], ['8', 8]], value: 4},
    post: {label: 'Norm', options: [['before (pre-norm)', 0], ['after (post-norm)', 1]], value: 0},
    steps: {label: 'Steps', options: [['200', 200], ['800', 800], ['2000', 2000]], value: 800},
};

// The tasks: their first line of text, and the settings that are others than usual. A set has no order.
const TASKS = [
    {text: 'The animal didn\'t cross the street because it was too tired.', asked: 'held-out sentences', settings: {}},
    {text: '7 3 9 1 3 5', asked: 'other sets', settings: {position: 2, window: 0}},
];

// Those of a link #seed=2&layers=1&step=100; what it does not have, or has wrongly, is as usual. step: train up to there.
function settingsOf(hash) {
    const found = new URLSearchParams(hash.replace(/^#/, '')), settings = {};
    const task = TASKS[found.get('set')]?.settings ?? {};
    for (const [name, {value: usual, options, low, high}] of Object.entries(SETTINGS)) {
        const value = task[name] ?? usual, given = found.has(name) ? Number(found.get(name)) : value;
        const allowed = options ? options.some(([, option]) => option === given) : Number.isInteger(given) && given >= low && given <= high;
        settings[name] = allowed ? given : value;
    }
    const step = Number(found.get('step') ?? 0);
    return {settings, step: Number.isInteger(step) && step > 0 ? Math.min(step, settings.steps) : 0};
}

// What the link has of them.
function changedSettings(settings, step) {
    const task = TASKS[settings.set].settings;
    const changed = Object.entries(settings).filter(([name, value]) => value !== (task[name] ?? SETTINGS[name].value));
    return Object.fromEntries([...changed, ...(step ? [['step', step]] : [])]);
}

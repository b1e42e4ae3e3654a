// presenting.js: what all pages do for a projector: the drawing alone in the window, and a link to what is shown.

// ---- the drawing alone ----------------------------------------------------------------------------

const Present = {
    on: false,
    size: 16,        // of letters, before
    begin: () => {}, // a page's own: what is shown alone
    end: () => {},
    fits: () => document.documentElement.scrollHeight <= innerHeight && Frame.main.scrollWidth <= innerWidth,
};

// Letters of 20 points in a window of 1280 x 720, smaller where the drawing would not fit it otherwise.
function fitLetters() {
    const least = Math.min(14, Present.size);
    let size = Math.max(least, Math.floor(Math.min(innerWidth / 64, innerHeight / 36)));
    setFontSize(size);
    while (size > least && !Present.fits())
        setFontSize(size -= 1);
}

function present(on = !Present.on) {
    if (on === Present.on)
        return;
    Present.on = on;
    hideTip();
    if (on) {
        Present.size = Frame.fontSize;
        Present.begin(); // which may look where things are
    }
    document.documentElement.classList.toggle('present', on);
    if (on) {
        fitLetters();
    } else {
        Present.end();
        setFontSize(Present.size);
    }
    say(on ? 'The drawing alone; Escape returns' : 'The whole page');
}

// A remote control's keys step as the arrows do.
function presenting(event) {
    const key = {PageDown: 'ArrowRight', PageUp: 'ArrowLeft'}[event.key], entry = Frame.keys.find(entry => entry.key === key);
    if (!Present.on || event.defaultPrevented || (event.key !== 'Escape' && !entry))
        return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === 'Escape')
        present(false);
    else
        entry.act();
}

// ---- a link to what is shown ------------------------------------------------------------------------

// Each part of a page tells what it shows as {name: value}, and shows what is given to it as texts.
const Link = {parts: [], usual: '', ready: false, timer: null};

function shownState() {
    return Object.assign({}, ...Link.parts.map(({tell}) => tell()));
}

// The address of the page has what differs from what it opens with, a moment after it changed.
function keepLink() {
    clearTimeout(Link.timer);
    Link.timer = setTimeout(writeLink, 150);
}

function writeLink() {
    if (!Link.ready)
        return;
    const usual = new URLSearchParams(Link.usual), found = new URLSearchParams(shownState());
    const changed = [...found].filter(([name, value]) => usual.get(name) !== value);
    if (!changed.length && !location.hash.includes('=')) // the name of a section
        return;
    try {
        history.replaceState(null, '', changed.length ? `#${new URLSearchParams(changed)}` : location.pathname + location.search);
    } catch { /* a notebook's frame has no address */ }
}

async function followLink() {
    const given = new URLSearchParams(location.hash.slice(1)), found = Object.fromEntries([...new URLSearchParams(Link.usual), ...given]);
    for (const {show} of Link.parts)
        await show(found, given);
    if (given.has('present'))
        present(true);
}

// A part's settings stand in the link from now on; the address may have some already.
function linkState(tell, show) {
    Link.parts.push({tell, show});
}

function openLink() {
    Link.usual = new URLSearchParams(shownState()).toString();
    Link.ready = true;
    addEventListener('hashchange', followLink);
    return location.hash.length > 1 ? followLink() : null;
}

// Copies it, or shows it where a browser does not let a page copy.
function copyLink() {
    writeLink();
    const told = () => {
        const field = element('input', {type: 'text', readonly: '', value: location.href, 'aria-label': 'Link'}), dialog = document.getElementById('help');
        dialog.replaceChildren(element('h2', {}, 'A link to what is shown'), field, element('button', {type: 'button', onclick: () => dialog.close()}, 'Close'));
        dialog.showModal();
        field.select();
    };
    (navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error())).then(() => say('The link is copied'), told);
}

function addPresenting(tools) {
    addButton('Present (f)', () => present(), tools).id = 'present';
    addButton('Copy link', copyLink, tools).id = 'link';
    addKey('f', 'the drawing alone, as large as the window; Escape returns', () => present());
    addEventListener('keydown', presenting, true);
}

// chapter.js: a text of the lectures, which lectures/pages put into the page as HTML: a list of its sections, and its live
// figures (live_computed.js), each after the picture of the same name. In a book, Material lists the sections.
'use strict';

const text = document.querySelector('#text, .text'); // a page's, or a book's

// The sections; the one that is read is marked.
function contents() {
    const links = Array.from(text.querySelectorAll('h2'), heading => {
        const link = element('a', {href: `#${heading.id}`}, heading.textContent);
        return {heading, link};
    });
    const list = element('ol', {}, ...links.map(({link}) => element('li', {}, link)));
    const mark = () => {
        const passed = links.filter(({heading}) => heading.getBoundingClientRect().top < innerHeight / 3);
        links.forEach(({link}) => link.removeAttribute('aria-current'));
        passed.at(-1)?.link.setAttribute('aria-current', 'location');
    };
    addEventListener('scroll', mark, {passive: true});
    mark();
    return element('nav', {id: 'contents', 'aria-label': 'Sections'}, list);
}

function goTo(offset) {
    const headings = [...text.querySelectorAll('h2')];
    const at = headings.findLastIndex(heading => heading.getBoundingClientRect().top < 10);
    headings[Math.min(headings.length - 1, Math.max(0, at + offset))]?.scrollIntoView();
}

function openPage() {
    openFrame('');
    text.querySelector('h1')?.remove();
    const page = element('div', {id: 'page'});
    Frame.main.before(page);
    page.append(contents(), Frame.main);
    Frame.main.append(text);
    addKey('n', 'next section', () => goTo(1));
    addKey('p', 'section before', () => goTo(-1));
    if (DATA.chapter) // a sheet of an exam is no text of the project
        addNote('A live figure (in a frame) is computed by the library in this page. Links to other chapters work where their pages stand ' +
            'beside this one (./gradus lecture --html writes all, ./gradus book the other texts, too), links to files while the project is where it was.');
}

if (!document.querySelector('.md-content'))
    openPage();
for (const figure of DATA.figures) {
    const picture = document.getElementById(figure.after), place = picture?.closest('.table') ?? picture;
    const live = LIVE[figure.kind](figure);
    if (place)
        place.after(live.box);
    else
        text.append(live.box);
}
// ---- one figure alone, and links to it -----------------------------------------------------------------

function openFigures() {
    const ALONE = [...text.querySelectorAll('figure:has(img), .live')];
    let alone = 0;

    function showAlone(number) {
        alone = Math.min(ALONE.length - 1, Math.max(0, number));
        ALONE.forEach((figure, i) => figure.classList.toggle('alone', Present.on && i === alone));
        redrawAll();
        keepLink();
    }

    // The figure that is nearest to the middle of the window; a click on a picture shows it.
    Object.assign(Present, {
        begin: () => {
            const far = figure => Math.abs((figure.getBoundingClientRect().top + figure.getBoundingClientRect().bottom - innerHeight) / 2);
            showAlone(Present.chosen ?? ALONE.indexOf([...ALONE].sort((a, b) => far(a) - far(b))[0]));
            Present.chosen = undefined;
        },
        fits: () => true,
        end: () => {
            ALONE[alone]?.scrollIntoView({block: 'center'});
            showAlone(alone);
        },
    });
    ALONE.forEach((figure, i) => figure.querySelector('img')?.addEventListener('click', () => {
        Present.chosen = i;
        present();
    }));
    if (ALONE.length) {
        addKey('ArrowRight', 'next figure, of the drawing alone', () => Present.on && showAlone(alone + 1));
        addKey('ArrowLeft', 'figure before', () => Present.on && showAlone(alone - 1));
    }
    // A figure that is shown alone, and what controls of live figures were moved to; #NAME stays the link to a section.
    const controls = () => [...text.querySelectorAll('.live :is(input, select)[id]')];
    const valueOf = node => node.type === 'checkbox' ? String(node.checked) : node.value;
    linkState(() => ({figure: Present.on ? ALONE[alone].id : 'none', ...Object.fromEntries(controls().map(node => [node.id, valueOf(node)]))}), (found, given) => {
        for (const node of controls().filter(({id}) => given.has(id) && valueOf(document.getElementById(id)) !== given.get(id))) {
            if (node.type === 'checkbox')
                node.checked = given.get(node.id) === 'true';
            else
                node.value = given.get(node.id);
            for (const kind of ['input', 'change'])
                node.dispatchEvent(new Event(kind));
        }
        const at = ALONE.findIndex(({id}) => id && id === given.get('figure'));
        if (at >= 0) {
            Present.chosen = at;
            present(true);
        }
    });
    text.addEventListener('input', keepLink);
    openLink();
}

// An exam: each question on a page, with space to work in.
function openSheet() {
    text.classList.add('sheet');
    for (const line of text.querySelectorAll('p'))
        line.classList.toggle('answer', line.textContent.trimEnd().endsWith('............'));
}

if (Frame.main) {
    openFigures();
    if (!DATA.chapter)
        openSheet();
}

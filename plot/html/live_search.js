// live_search.js: the search of a book's index: its labels are address, heading and text of each section.
'use strict';

const SHOWN_SECTIONS = 30;

// Sections that have all the words, those with a word in their heading first.
function findSections(labels, text) {
    const words = text.toLowerCase().split(/\s+/).filter(word => word), found = [];
    for (let i = 0; words.length && i < labels.length; i += 3) {
        const heading = labels[i + 1].toLowerCase(), body = labels[i + 2].toLowerCase();
        if (words.every(word => heading.includes(word) || body.includes(word)))
            found.push({i, at: body.indexOf(words[0]), rank: words.filter(word => heading.includes(word)).length});
    }
    return found.sort((a, b) => b.rank - a.rank);
}

LIVE.search = figure => {
    const live = new Live(figure, 'Search', 'Sections of all pages that have every word that you type.', 'h2'), {labels} = figure;
    const field = element('input', {id: `${live.name}-words`, type: 'search', 'aria-label': 'Words'});
    const list = element('ul', {id: `${live.name}-found`});
    field.addEventListener('input', () => {
        const found = findSections(labels, field.value);
        list.replaceChildren(...found.slice(0, SHOWN_SECTIONS).map(({i, at}) => {
            const from = Math.max(0, at - 60), page = labels[i].split('.html')[0];
            return element('li', {}, element('a', {href: labels[i]}, labels[i + 1]), ` (${page}) … ${labels[i + 2].slice(from, from + 160)} …`);
        }));
        live.facts.textContent = field.value.trim() === '' ? '' :
            `${found.length} sections${found.length > SHOWN_SECTIONS ? `, of which ${SHOWN_SECTIONS} are shown` : ''}.`;
    });
    live.row.append(field);
    live.body.replaceWith(list);
    list.before(live.facts);
    return live;
};

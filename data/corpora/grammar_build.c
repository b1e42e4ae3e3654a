/* grammar_build.c: builds lists and forms from the tables of a grammar. That these keep the rules
 * of grammar_templates.h is what tests/data/test_corpora.c tries on every sentence. */
#include "data/corpora/grammar_form.h"
#include "tensor/invariant.h"

#include <ctype.h>
#include <string.h>

static const List *list_find(const Grammar *g, const char *name, size_t length)
{
    for (int i = 0; name && i < g->table->list_count; i++) {
        const char *known = g->table->lists[i].name;
        if (strncmp(known, name, length) == 0 && !known[length])
            return &g->lists[i];
    }
    return NULL;
}

static const List *cue_list(const Grammar *g, const char *name)
{
    return list_find(g, name, name ? strlen(name) : 0);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool list_fill(Grammar *g, List *list, const WordList *from)
{
    list->rule = from->rule;
    list->count = 0;
    while (list->count < GRAMMAR_LIST_MAX && from->words[list->count]) {
        const char *word = from->words[list->count];
        const int id = *word ? data_vocab_add(&g->words, word) : -1;
        if (*word && id < 0)
            return false;
        if (from->rule == LIST_NOUN && data_vocab_add(&g->labels, word) < 0)
            return false;
        list->ids[list->count++] = id;
    }
    return true;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The list of a word that a template contains literally: a list of one. */
static const List *list_of_one(Grammar *g, const char *word, size_t length)
{
    char text[DATA_WORD_BYTES];
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    List *list = arena_alloc(&g->arena, sizeof *list);
    if (!list)
        return NULL;
    *list = (List){.rule = LIST_PLAIN, .count = 1, .ids = {data_vocab_add(&g->words, text)}};
    return list->ids[0] < 0 ? NULL : list;
}

/* The slot for one word of a template; cues counts the CUE words so far. */
static bool slot_fill(Grammar *g, Slot *slot, const Template *t, const char *word, size_t length,
                      int *cues)
{
    *slot = (Slot){0};
    if (length == 3 && strncmp(word, "CUE", 3) == 0 && *cues < DATA_CUES_MAX) {
        slot->cue = true;
        slot->list[0] = cue_list(g, t->cue[0][*cues]);
        slot->list[1] = cue_list(g, t->cue[1][*cues]);
        ++*cues;
    } else if (isupper((unsigned char)*word) || *word == '(') {
        const bool aside = *word == '('; /* the brackets are not part of the name */
        slot->list[0] = slot->list[1] = list_find(g, word + aside, length - 2 * (size_t)aside);
    } else {
        slot->list[0] = slot->list[1] = list_of_one(g, word, length);
    }
    return (slot->list[0] && slot->list[1]) ||
           tensor_fail(
               "data_grammar_new: template \"%s\": found no list for \"%.*s\"; expected one",
               t->text, (int)length, word);
}

/* Records whether the slot is the anchor, the query or a noun of the form. */
static void form_note(const Grammar *g, Form *form, int i, const char *word, size_t length,
                      int *nouns)
{
    const char *const query = g->table->kinds[form->kind].query;
    const Slot *slot = &form->slots[i];
    const bool leads =
        g->table->noun_leads ? !slot->cue && slot->list[0]->rule != LIST_PLAIN : slot->cue;
    if (leads && form->anchor < 0)
        form->anchor = i;
    if (query ? length == strlen(query) && strncmp(word, query, length) == 0
              : slot->cue && form->query < 0)
        form->query = i;
    if (!slot->cue && *word != '(' && slot->list[0]->rule == LIST_NOUN) {
        form->nouns[*nouns > 0] = i;
        ++*nouns;
    }
}

/* Adds the labels of the answers, where the template names them. */
static bool form_label(Grammar *g, Form *form, const Template *t)
{
    for (int answer = 0; t->label[0] && answer < 2; answer++)
        if ((form->labels[answer] = data_vocab_add(&g->labels, t->label[answer])) < 0)
            return false;
    return true;
}

static bool form_fill(Grammar *g, Form *form, const Template *t)
{
    *form =
        (Form){.kind = t->kind, .anchor = -1, .query = -1, .nouns = {-1, -1}, .labels = {-1, -1}};
    int cues = 0, nouns = 0;
    for (const char *word = t->text; *word; word += *word == ' ') {
        const size_t length = strcspn(word, " ");
        GRADUS_INVARIANT(form->count < DATA_WORDS_MAX);
        if (!slot_fill(g, &form->slots[form->count], t, word, length, &cues))
            return false;
        form_note(g, form, form->count++, word, length, &nouns);
        word += length;
    }
    GRADUS_INVARIANT(form->anchor >= 0 && form->query >= 0 && (t->label[0] || nouns == 2));
    return form_label(g, form, t);
}

bool grammar_build(Grammar *g)
{
    const GrammarTable *table = g->table;
    g->lists = arena_alloc(&g->arena, (size_t)table->list_count * sizeof *g->lists);
    g->forms = arena_alloc(&g->arena, (size_t)table->template_count * sizeof *g->forms);
    if (!g->lists || !g->forms || !data_vocab_specials(&g->words))
        return false;
    for (int i = 0; i < table->list_count; i++)
        if (!list_fill(g, &g->lists[i], &table->lists[i]))
            return false;
    for (int i = 0; i < table->template_count; i++)
        if (!form_fill(g, &g->forms[i], &table->templates[i]))
            return false;
    return true;
}

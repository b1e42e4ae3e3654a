/* grammar_build.c: from the tables of grammar_words.c to lists and forms, and the rules checked. */
#include "data/grammar_form.h"

#include <ctype.h>
#include <string.h>

static int list_number(const char *name, size_t length)
{
    for (int i = 0; i < grammar_list_count; i++)
        if (strncmp(grammar_lists[i].name, name, length) == 0 && !grammar_lists[i].name[length])
            return i;
    return -1;
}

static const List *list_find(const Grammar *g, const char *name)
{
    const int i = name ? list_number(name, strlen(name)) : -1;
    return i < 0 ? NULL : &g->lists[i];
}

/* ---- lists ------------------------------------------------------------------------------------- */

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
    if (from->rule != LIST_PLAIN && list->count % GRAMMAR_COLOURS)
        return tensor_fail("data_grammar_new: list %s: found %d words; expected a multiple of %d",
                           from->name, list->count, GRAMMAR_COLOURS);
    return true;
}

/* A word that stands in several coloured lists has one colour. */
static bool colours_agree(const Grammar *g)
{
    for (int a = 0; a < grammar_list_count; a++)
        for (int b = 0; b < a; b++)
            for (int i = 0; i < g->lists[a].count; i++)
                for (int j = 0; j < g->lists[b].count; j++)
                    if (g->lists[a].rule != LIST_PLAIN && g->lists[b].rule != LIST_PLAIN &&
                        g->lists[a].ids[i] == g->lists[b].ids[j] && (i - j) % GRAMMAR_COLOURS)
                        return tensor_fail(
                            "data_grammar_new: \"%s\": found at place %d of list %s and %d of %s; "
                            "expected places equal modulo %d",
                            grammar_lists[a].words[i], i, grammar_lists[a].name, j,
                            grammar_lists[b].name, GRAMMAR_COLOURS);
    return true;
}

/* ---- forms ------------------------------------------------------------------------------------- */

/* A word that stands for itself: a list of one. */
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
        slot->list[0] = list_find(g, t->cue[0][*cues]);
        slot->list[1] = list_find(g, t->cue[1][*cues]);
        ++*cues;
    } else if (isupper((unsigned char)*word) || *word == '(') {
        const bool aside = *word == '('; /* the brackets are no part of the name */
        const int i = list_number(word + aside, length - 2 * (size_t)aside);
        slot->list[0] = slot->list[1] = i < 0 ? NULL : &g->lists[i];
    } else {
        slot->list[0] = slot->list[1] = list_of_one(g, word, length);
    }
    if (!slot->list[0] || !slot->list[1])
        return tensor_fail("data_grammar_new: template \"%s\": found no list for \"%.*s\"", t->text,
                           (int)length, word);
    if (slot->list[0]->count != slot->list[1]->count)
        return tensor_fail("data_grammar_new: template \"%s\": found %d and %d cues; expected "
                           "equally many for both answers",
                           t->text, slot->list[0]->count, slot->list[1]->count);
    return true;
}

/* Notes what the slot is to the form: the anchor, the query, a noun. */
static void form_note(Form *form, int i, const char *word, size_t length, int *nouns)
{
    const char *const query = form->kind == DATA_SENSE ? "bank" : "it";
    const Slot *slot = &form->slots[i];
    if (slot->cue && form->anchor < 0)
        form->anchor = i;
    if (length == strlen(query) && strncmp(word, query, length) == 0)
        form->query = i;
    if (!slot->cue && *word != '(' && slot->list[0]->rule == LIST_NOUN) {
        form->nouns[*nouns > 0] = i;
        ++*nouns;
    }
}

static bool form_fill(Grammar *g, Form *form, const Template *t)
{
    *form = (Form){.kind = t->kind, .anchor = -1, .query = -1, .nouns = {-1, -1}};
    int cues = 0, nouns = 0;
    for (const char *word = t->text; *word; word += *word == ' ') {
        const size_t length = strcspn(word, " ");
        if (form->count == DATA_WORDS_MAX)
            return tensor_fail("data_grammar_new: template \"%s\" is longer than %d words", t->text,
                               DATA_WORDS_MAX);
        if (!slot_fill(g, &form->slots[form->count], t, word, length, &cues))
            return false;
        form_note(form, form->count++, word, length, &nouns);
        word += length;
    }
    if (form->anchor < 0 || form->query < 0 || (t->kind != DATA_SENSE && nouns != 2))
        return tensor_fail(
            "data_grammar_new: template \"%s\" lacks a cue or a query, or has not two nouns",
            t->text);
    return true;
}

bool grammar_build(Grammar *g)
{
    g->lists = arena_alloc(&g->arena, (size_t)grammar_list_count * sizeof *g->lists);
    g->forms = arena_alloc(&g->arena, (size_t)grammar_template_count * sizeof *g->forms);
    if (!g->lists || !g->forms || !data_vocab_specials(&g->words))
        return false;
    for (int i = 0; i < grammar_list_count; i++)
        if (!list_fill(g, &g->lists[i], &grammar_lists[i]))
            return false;
    for (int i = 0; i < grammar_template_count; i++)
        if (!form_fill(g, &g->forms[i], &grammar_templates[i]))
            return false;
    for (int k = 0; k < 2; k++)
        if ((g->senses[k] = data_vocab_add(&g->labels, grammar_senses[k])) < 0)
            return false;
    return colours_agree(g);
}

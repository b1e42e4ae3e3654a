/* grammar_parse.c: a user's own sentence is parsed and, if the grammar can produce it,
 * completed. */
#include "data/corpora/grammar_form.h"
#include "data/null.h"

#include <string.h>

/* Is there a choice for the slots from `slot` on that gives the words from `word` on? If so, it is
 * in `choice`. */
static bool form_matches(const Form *form, int answer, const Sentence *s, int slot, int word,
                         int *choice)
{
    if (slot == form->count)
        return word == s->length;
    const List *list = form->slots[slot].list[answer];
    for (int i = 0; i < list->count; i++) {
        const bool empty = list->ids[i] < 0;
        if (!empty && (word == s->length || list->ids[i] != s->ids[word]))
            continue;
        choice[slot] = i;
        if (form_matches(form, answer, s, slot + 1, word + !empty, choice))
            return true;
    }
    return false;
}

/* The split of a choice; DATA_OUTSIDE where a coloured list gives the same word twice. */
static SentenceSplit choice_split(const Form *form, int answer, const int *choice)
{
    int same = 0, coloured = 0;
    for (int i = 0; i < form->count; i++) {
        const List *list = form->slots[i].list[answer];
        if (list->rule == LIST_PLAIN || i == form->anchor)
            continue;
        for (int j = 0; j < i; j++)
            if (form->slots[j].list[answer] == list && choice[j] == choice[i])
                return DATA_OUTSIDE;
        coloured++;
        same += (choice[i] - choice[form->anchor]) % GRAMMAR_COLOURS == 0;
    }
    return same == coloured ? DATA_HELD_OUT : same == 0 ? DATA_TRAIN : DATA_MIXED;
}

/* Completes a sentence that is in the grammar. */
static void sentence_recognise(const Grammar *g, Sentence *s)
{
    int choice[DATA_WORDS_MAX];
    for (int i = 0; i < g->table->template_count; i++)
        for (int answer = 0; answer < 2; answer++) {
            if (!form_matches(&g->forms[i], answer, s, 0, 0, choice))
                continue;
            const SentenceSplit split = choice_split(&g->forms[i], answer, choice);
            if (split == DATA_OUTSIDE)
                continue;
            grammar_write(g, &g->forms[i], answer, choice, s);
            s->split = split;
            return;
        }
}

/* Replaces words by ids and adds the full stop. Error: an unknown word. */
static bool sentence_number(const Grammar *g, const Words *words, Sentence *s)
{
    for (int i = 0; i < words->count; i++) {
        const int id = data_vocab_need(&g->words, words->word[i]);
        if (id < 0)
            return false;
        s->ids[s->length++] = id;
    }
    const int stop = data_vocab_find(&g->words, ".");
    if (s->length && s->ids[s->length - 1] != stop) {
        if (s->length == DATA_WORDS_MAX)
            return tensor_fail(
                "data_grammar_parse: found %d words without a full stop; expected at "
                "most %d with it",
                s->length, DATA_WORDS_MAX);
        s->ids[s->length++] = stop;
    }
    return true;
}

/* The position of the first "it", or else of the last "bank"; -1 for neither. In a grammar without
 * a queried word, 0. */
static int sentence_query(const Grammar *g, const Sentence *s)
{
    if (!g->table->kinds[0].query)
        return s->length ? 0 : -1;
    const int it = data_vocab_find(&g->words, "it"), bank = data_vocab_find(&g->words, "bank");
    int query = -1;
    for (int i = 0; i < s->length; i++) {
        if (s->ids[i] == it)
            return i;
        if (s->ids[i] == bank)
            query = i;
    }
    return query;
}

bool data_grammar_parse(const Grammar *g, const char *text, Sentence *s)
{
    Words words;
    if (!g || !text || !s)
        return null_fail("data_grammar_parse", "a grammar, a text and a sentence");
    *s = (Sentence){.referent = -1, .label = -1, .other = -1, .split = DATA_OUTSIDE};
    if (!data_tokenise(text, &words) || !sentence_number(g, &words, s))
        return false;
    s->query = sentence_query(g, s);
    if (s->query < 0 && !g->table->kinds[0].query)
        return tensor_fail("data_grammar_parse: found no word; expected a sentence");
    if (s->query < 0)
        return tensor_fail(
            "data_grammar_parse: found neither \"it\" nor \"bank\" in \"%.200s\"; expected "
            "one of them",
            text);
    const int bank = data_vocab_find(&g->words, "bank");
    s->kind = g->table->kinds[0].query && s->ids[s->query] == bank ? DATA_SENSE : 0;
    sentence_recognise(g, s);
    return true;
}

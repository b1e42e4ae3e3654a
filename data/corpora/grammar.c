/* grammar.c: the sentences of a grammar, by number.
 *
 * For a template, an answer and a split, the sentences are numbered 0 .. size-1 in mixed radix: one
 * digit for each slot, whose base is the number of words that the split allows there. Drawing a
 * sentence is drawing a number, and the number of sentences is a product.
 *
 * The split: words have colours, and the colour of one word, the anchor, is the sentence's colour.
 * In a held-out sentence every other coloured word has this colour, in a training sentence none
 * has. Invariant: every list has equally many words of each colour, so that a base does not depend
 * on the digits before it. */
#include "data/corpora/grammar_form.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <string.h>

/* ---- one form's numbers ---------------------------------------------------------------------- */

/* Is the word of the slot independent of the split? */
static bool slot_is_free(const Form *form, int slot, int answer)
{
    return slot == form->anchor || form->slots[slot].list[answer]->rule == LIST_PLAIN;
}

/* The number of words that the slot allows. No word is used twice ("the dog chased the dog"). */
static int slot_choices(const Form *form, int slot, int answer, SentenceSplit split)
{
    const List *list = form->slots[slot].list[answer];
    if (slot_is_free(form, slot, answer))
        return list->count;
    const int same_colour = list->count / GRAMMAR_COLOURS;
    int choices = split == DATA_HELD_OUT ? same_colour : list->count - same_colour;
    for (int i = 0; i < slot; i++)
        choices -= form->slots[i].list[answer] == list;
    return choices;
}

/* Does the slot allow word `index`, given the choices for the slots before it? */
static bool slot_allows(const Form *form, int slot, int answer, SentenceSplit split,
                        const int *choice, int index)
{
    const List *list = form->slots[slot].list[answer];
    if (slot_is_free(form, slot, answer))
        return true;
    const bool same_colour = (index - choice[form->anchor]) % GRAMMAR_COLOURS == 0;
    if (same_colour != (split == DATA_HELD_OUT))
        return false;
    for (int i = 0; i < slot; i++)
        if (form->slots[i].list[answer] == list && choice[i] == index)
            return false;
    return true;
}

/* Turns the digits of n into choices, the anchor's first, because the others depend on its
 * colour. */
static void form_choose(const Form *form, int answer, SentenceSplit split, int64_t n, int *choice)
{
    const int anchors = slot_choices(form, form->anchor, answer, split);
    choice[form->anchor] = (int)(n % anchors);
    n /= anchors;
    for (int i = 0; i < form->count; i++) {
        if (i == form->anchor)
            continue;
        const int choices = slot_choices(form, i, answer, split);
        int digit = (int)(n % choices), index = 0;
        n /= choices;
        while (!slot_allows(form, i, answer, split, choice, index) || digit-- > 0)
            index++;
        choice[i] = index;
    }
}

static int64_t form_size(const Form *form, int answer, SentenceSplit split)
{
    int64_t size = 1;
    for (int i = 0; i < form->count; i++)
        size *= slot_choices(form, i, answer, split);
    return size;
}

/* ---- writing a sentence ---------------------------------------------------------------------- */

void grammar_write(const Grammar *g, const Form *form, int answer, const int *choice, Sentence *s)
{
    int position[DATA_WORDS_MAX]; /* of each slot's word; an empty word takes no position */
    *s = (Sentence){.kind = form->kind, .referent = -1};
    for (int i = 0; i < form->count; i++) {
        const Slot *slot = &form->slots[i];
        const int32_t id = slot->list[answer]->ids[choice[i]];
        position[i] = s->length;
        if (id >= 0)
            s->ids[s->length++] = id;
        if (slot->cue)
            s->cue[s->cues++] = position[i];
    }
    s->query = position[form->query];
    if (form->labels[0] >= 0) {
        s->label = form->labels[answer], s->other = form->labels[!answer];
        return;
    }
    const int other = position[form->nouns[!answer]];
    s->referent = position[form->nouns[answer]];
    s->label = data_vocab_find(&g->labels, data_vocab_word(&g->words, s->ids[s->referent]));
    s->other = data_vocab_find(&g->labels, data_vocab_word(&g->words, s->ids[other]));
}

size_t data_sentence_text(const Grammar *g, const Sentence *s, char *text, size_t size)
{
    if (!g || !s || (!text && size))
        return null_fail("data_sentence_text", "a grammar, a sentence and a text");
    return data_vocab_text(&g->words, s->ids, s->length, text, size);
}

void data_sentence_mask_cue(Sentence *s)
{
    if (!s)
        null_fail("data_sentence_mask_cue", "a sentence");
    for (int k = 0; s && k < s->cues; k++)
        s->ids[s->cue[k]] = DATA_MASK;
}

/* ---- the whole corpus ------------------------------------------------------------------------ */

static Grammar *grammar_of(const GrammarTable *table)
{
    Grammar *g = mem_alloc(sizeof *g);
    if (!g)
        return NULL;
    *g = (Grammar){.table = table};
    if (!grammar_build(g)) {
        data_grammar_free(g);
        return NULL;
    }
    for (int i = 0; i < table->template_count; i++)
        for (int split = DATA_TRAIN; split <= DATA_HELD_OUT; split++)
            for (int answer = 0; answer < 2; answer++)
                g->forms[i].size[split][answer] =
                    form_size(&g->forms[i], answer, (SentenceSplit)split);
    return g;
}

Grammar *data_grammar_new(void)
{
    return grammar_of(&grammar_it_and_bank);
}

Grammar *data_phrases_new(void)
{
    return grammar_of(&grammar_phrases);
}

Grammar *data_reviews_new(void)
{
    return grammar_of(&grammar_reviews);
}

void data_grammar_free(Grammar *g)
{
    if (!g)
        return;
    data_vocab_free(&g->words);
    data_vocab_free(&g->labels);
    arena_free(&g->arena);
    mem_free(g);
}

const Vocab *data_grammar_words(const Grammar *g)
{
    if (!g)
        return null_fail("data_grammar_words", "a grammar"), NULL;
    return &g->words;
}

const Vocab *data_grammar_labels(const Grammar *g)
{
    if (!g)
        return null_fail("data_grammar_labels", "a grammar"), NULL;
    return &g->labels;
}

static bool split_is_drawn(SentenceSplit split)
{
    return split == DATA_TRAIN || split == DATA_HELD_OUT;
}

int64_t data_grammar_count(const Grammar *g, SentenceSplit split)
{
    int64_t count = 0;
    if (!g)
        return null_fail("data_grammar_count", "a grammar"), -1;
    for (int i = 0; split_is_drawn(split) && i < g->table->template_count; i++)
        count += g->forms[i].size[split][0] + g->forms[i].size[split][1];
    return count;
}

static void form_sentence(const Grammar *g, const Form *form, int answer, SentenceSplit split,
                          int64_t n, Sentence *s)
{
    int choice[DATA_WORDS_MAX];
    form_choose(form, answer, split, n, choice);
    grammar_write(g, form, answer, choice, s);
    s->split = split;
}

bool data_grammar_nth(const Grammar *g, SentenceSplit split, int64_t n, Sentence *s)
{
    if (!g || !s)
        return null_fail("data_grammar_nth", "a grammar and a sentence");
    const int64_t count = data_grammar_count(g, split);
    if (n < 0 || n >= count)
        return tensor_fail("data_grammar_nth: found sentence %lld of split %d; expected 0 .. %lld",
                           (long long)n, (int)split, (long long)count - 1);
    const Form *form = g->forms;
    int answer = 0;
    while (n >= form->size[split][answer]) {
        n -= form->size[split][answer];
        form += answer;
        answer = !answer;
    }
    form_sentence(g, form, answer, split, n, s);
    return true;
}

/* Draws a kind with the shares as weights. */
static int draw_kind(const GrammarTable *table, Rng *rng)
{
    int shares = 0, kind = 0;
    for (int k = 0; k < table->kind_count; k++)
        shares += table->kinds[k].share;
    int64_t share = rng_below(rng, shares);
    while (share >= table->kinds[kind].share)
        share -= table->kinds[kind++].share;
    return kind;
}

bool data_grammar_draw(const Grammar *g, Rng *rng, SentenceSplit split, Sentence *s)
{
    if (!g || !rng || !s)
        return null_fail("data_grammar_draw", "a grammar, a generator and a sentence");
    if (!split_is_drawn(split))
        return tensor_fail(
            "data_grammar_draw: found split %d; expected DATA_TRAIN or DATA_HELD_OUT", (int)split);
    const int kind = draw_kind(g->table, rng);
    const Form *form;
    do /* templates of all kinds are numbered together: reject those of other kinds */
        form = &g->forms[rng_below(rng, g->table->template_count)];
    while (form->kind != kind);
    const int answer = (int)rng_below(rng, 2);
    form_sentence(g, form, answer, split, rng_below(rng, form->size[split][answer]), s);
    return true;
}

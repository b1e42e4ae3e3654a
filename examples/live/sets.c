/* sets.c: the second task of the page train.html: a set in which one number stands twice.
 *
 *   ? 7 3 9 1 3 5      which number is there twice?      3
 *
 * The order of the numbers does not matter: a model without positions, whose self-attention is
 * equivariant under permutations (lectures Z, J), can answer, and its answer is the same for every
 * order. All numbers are equally likely to be the answer, so that guessing has the loss ln 20. */
#include "examples/live/live.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 20, SHORTEST = 6, LONGEST = 12, ASKS = 1, FIRST = 2, QUIZ_SEED = 4711 };

static const char *const words[] = {
    "<pad>", "?",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",
    "10",    "11", "12", "13", "14", "15", "16", "17", "18", "19", "20",
};

void set_vocabulary(ModelConfig *m)
{
    m->words = FIRST + NUMBERS;
    m->answers = NUMBERS;
}

bool set_word_known(const char *word)
{
    for (int i = ASKS; i < FIRST + NUMBERS; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

const char *set_number(int i)
{
    return i < NUMBERS ? words[FIRST + i] : NULL;
}

/* The set of these ids, after "?". */
static void complete(Sentence *s)
{
    s->query = 0;
    s->referent = s->label = s->other = -1;
    for (int i = 1, twice = 0; i < s->length; i++)
        for (int j = 1; j < i; j++)
            if (s->ids[i] == s->ids[j]) {
                s->label = twice++ ? -1 : s->ids[i] - FIRST; /* of several pairs none is right */
                s->referent = twice == 1 ? i : -1;
            }
}

/* Different numbers in random order, the first of them twice, are put into random order again. */
static void draw(Rng *rng, Sentence *s)
{
    int order[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        order[i] = FIRST + i;
    rng_shuffle(rng, order, NUMBERS);
    const int n = SHORTEST + (int)(rng_uniform(rng) * (LONGEST - SHORTEST + 1));
    order[n - 1] = order[0];
    rng_shuffle(rng, order, n);
    *s = (Sentence){.length = n + 1, .ids = {ASKS}};
    for (int i = 0; i < n; i++)
        s->ids[1 + i] = order[i];
    complete(s);
}

bool sets_draw(SentenceBatch *batch, Rng *rng)
{
    Sentence s[BATCH_MAX];
    for (int b = 0; b < batch->capacity; b++)
        draw(rng, &s[b]);
    return data_batch_fill(batch, s, batch->capacity);
}

double sets_accuracy(const Model *m, int sets)
{
    Tape *tape = tape_new(0);
    SentenceBatch batch = {0};
    Rng rng = {.seed = QUIZ_SEED};
    int asked = 0, right = 0;
    if (tape && data_batch_init(&batch, 100)) {
        tape->no_grad = true;
        while (asked < sets && sets_draw(&batch, &rng)) {
            right += sentences_right(m, tape, &batch);
            asked += batch.B;
        }
    }
    data_batch_free(&batch);
    tape_free(tape);
    return asked ? (double)right / asked : 0;
}

bool set_read(Question *q, const char *text)
{
    Words found;
    Sentence *s = &q->sentence;
    *s = (Sentence){.length = 1, .ids = {ASKS}};
    if (!data_tokenise(text, &found))
        return false;
    for (int i = 0; i < found.count; i++) {
        if (strcmp(found.word[i], "?") == 0)
            continue;
        if (!set_word_known(found.word[i]) || s->length == DATA_WORDS_MAX)
            return tensor_fail("live_sentence: found \"%s\" in the set; expected at most %d "
                               "numbers from 1 to %d",
                               found.word[i], DATA_WORDS_MAX - 1, NUMBERS);
        s->ids[s->length++] = FIRST + atoi(found.word[i]) - 1;
    }
    if (s->length < 2)
        return tensor_fail("live_sentence: found no number; expected some, from 1 to %d", NUMBERS);
    complete(s);
    for (int i = 0; i < s->length; i++)
        q->words[i] = words[s->ids[i]];
    return true;
}

void set_say(Question *q)
{
    snprintf(q->title, sizeof q->title, "%s is there twice", words[FIRST + q->answer]);
}

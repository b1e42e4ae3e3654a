/* test_corpus.c: the sentences about "it" and "bank".
 *
 * What the corpus promises is proved on every sentence it has: it is enumerated as a whole. */
#include "runner.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

/* ---- the whole corpus -------------------------------------------------------------------------- */

/* What a sentence says (key), and what it is answered. */
typedef struct {
    uint64_t key;
    int32_t label, other;
} Row;

/* 64 bits for a row of ids. A million different rows give two equal keys with probability 3e-8. */
static uint64_t key_of(const int32_t *ids, int count)
{
    uint64_t key = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        key = (key ^ (uint64_t)ids[i]) * 0x9E3779B97F4A7C15u;
        key ^= key >> 29;
        key *= 0xBF58476D1CE4E5B9u;
        key ^= key >> 32;
    }
    return key;
}

static int by_row(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

static int by_id(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

typedef enum { WHOLE, CUE_MASKED, WORDS_SORTED } View;

/* Rows of all sentences of a split as a view shows them, sorted. WORDS_SORTED takes only those where
 * order decides. The caller frees it. */
static Row *rows_of(const Grammar *g, SentenceSplit split, View view, int64_t *count)
{
    const int64_t sentences = data_grammar_count(g, split);
    Row *rows = malloc((size_t)sentences * sizeof *rows);
    *count = 0;
    for (int64_t n = 0; rows && n < sentences; n++) {
        Sentence s;
        if (!data_grammar_nth(g, split, n, &s) || (view == WORDS_SORTED && s.kind != DATA_ORDER))
            continue;
        if (view == CUE_MASKED)
            data_sentence_mask_cue(&s);
        if (view == WORDS_SORTED)
            qsort(s.ids, (size_t)s.length, sizeof s.ids[0], by_id);
        rows[(*count)++] = (Row){key_of(s.ids, s.length), s.label, s.other};
    }
    if (rows)
        qsort(rows, (size_t)*count, sizeof *rows, by_row);
    return rows;
}

static void every_sentence_is_different(void)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    int64_t count[2], equal = 0, shared = 0;
    Row *train = rows_of(g, DATA_TRAIN, WHOLE, &count[0]);
    Row *held = rows_of(g, DATA_HELD_OUT, WHOLE, &count[1]);
    CHECK(count[0] == data_grammar_count(g, DATA_TRAIN), "%ld sentences", (long)count[0]);
    CHECK(count[1] == data_grammar_count(g, DATA_HELD_OUT), "%ld held out", (long)count[1]);
    CHECK(count[0] >= 20000 && count[1] >= 2000, "%ld + %ld sentences", (long)count[0],
          (long)count[1]);
    for (int64_t i = 1; i < count[0]; i++)
        equal += train[i].key == train[i - 1].key;
    for (int64_t i = 0, k = 0; i < count[1]; i++) {
        equal += i > 0 && held[i].key == held[i - 1].key;
        while (k < count[0] && train[k].key < held[i].key)
            k++;
        shared += k < count[0] && train[k].key == held[i].key;
    }
    CHECK(equal == 0 && shared == 0, "%ld twice in a split, %ld in both", (long)equal,
          (long)shared);
    free(train);
    free(held);
    Sentence s;
    CHECK(!data_grammar_nth(g, DATA_TRAIN, count[0], &s), "a sentence beyond the last");
    CHECK_ERROR("expected 0 ..");
    CHECK(!data_grammar_nth(g, DATA_MIXED, 0, &s) && data_grammar_count(g, DATA_MIXED) == 0,
          "a split that is not drawn");
    CHECK_ERROR("data_grammar_nth");
    data_grammar_free(g);
}

/* Rows of one key are what a reader without the missing knowledge cannot tell apart. They have two
 * answers, each equally often: whatever he says, he is right half of the time. */
static void check_even(Row *rows, int64_t count, const char *what)
{
    int64_t uneven = 0, groups = 0;
    for (int64_t i = 0, end; i < count; i = end, groups++) {
        int64_t first = 0;
        for (end = i; end < count && rows[end].key == rows[i].key; end++) {
            first += rows[end].label == rows[i].label;
            uneven += rows[end].label != rows[i].label && rows[end].label != rows[i].other;
        }
        uneven += 2 * first != end - i;
    }
    CHECK(rows && uneven == 0, "%s: %ld of %ld groups are uneven", what, (long)uneven,
          (long)groups);
    CHECK(groups > 0 && groups < count, "%s: %ld groups of %ld", what, (long)groups, (long)count);
    free(rows);
}

static void only_the_cue_tells(void)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    int64_t count;
    Row *rows = rows_of(g, DATA_TRAIN, CUE_MASKED, &count);
    check_even(rows, count, "training without cues");
    rows = rows_of(g, DATA_HELD_OUT, CUE_MASKED, &count);
    check_even(rows, count, "held out without cues");
    data_grammar_free(g);
}

static void order_tells(void)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    int64_t count;
    Row *rows = rows_of(g, DATA_TRAIN, WORDS_SORTED, &count);
    check_even(rows, count, "training without order");
    rows = rows_of(g, DATA_HELD_OUT, WORDS_SORTED, &count);
    check_even(rows, count, "held out without order");
    data_grammar_free(g);
}

enum { WORDS = 256 };
static bool together[WORDS][WORDS]; /* [cue][word]: in one training sentence */
static bool trained[WORDS];

static void note_training(const Grammar *g)
{
    memset(together, 0, sizeof together);
    memset(trained, 0, sizeof trained);
    for (int64_t n = data_grammar_count(g, DATA_TRAIN); n-- > 0;) {
        Sentence s;
        if (!data_grammar_nth(g, DATA_TRAIN, n, &s))
            continue;
        for (int i = 0; i < s.length; i++) {
            trained[s.ids[i]] = true;
            for (int k = 0; k < s.cues; k++)
                together[s.ids[s.cue[k]]][s.ids[i]] = true;
        }
    }
}

/* No noun of a held-out sentence ever met its cue in training, and no such sentence is without a new pair;
 * but every word was met. */
static void pairs_are_held_out(void)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    const Vocab *words = data_grammar_words(g), *labels = data_grammar_labels(g);
    REQUIRE(words->count <= WORDS, "%d words", words->count);
    note_training(g);
    int64_t known = 0, stale = 0, unseen = 0;
    for (int64_t n = data_grammar_count(g, DATA_HELD_OUT); n-- > 0;) {
        Sentence s;
        if (!data_grammar_nth(g, DATA_HELD_OUT, n, &s))
            continue;
        const int cue = s.ids[s.cue[0]];
        int new_pairs = 0;
        for (int i = 0; i < s.length; i++) {
            const bool noun = data_vocab_find(labels, data_vocab_word(words, s.ids[i])) >= 0;
            known += noun && s.ids[i] != cue && together[cue][s.ids[i]];
            new_pairs += !together[cue][s.ids[i]];
            unseen += !trained[s.ids[i]];
        }
        stale += new_pairs == 0;
    }
    CHECK(known == 0, "%ld nouns met their cue in training", (long)known);
    CHECK(stale == 0, "%ld sentences have no new pair", (long)stale);
    CHECK(unseen == 0, "%ld words were never met", (long)unseen);
    data_grammar_free(g);
}

/* Positions point at what they say, in every held-out sentence. */
static void positions(void)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    const Vocab *words = data_grammar_words(g), *labels = data_grammar_labels(g);
    int64_t wrong = 0;
    for (int64_t n = data_grammar_count(g, DATA_HELD_OUT); n-- > 0;) {
        Sentence s, masked;
        if (!data_grammar_nth(g, DATA_HELD_OUT, n, &s))
            continue;
        const bool bank = s.kind == DATA_SENSE;
        wrong += strcmp(data_vocab_word(words, s.ids[s.query]), bank ? "bank" : "it") != 0;
        wrong += s.label == s.other || s.label < 0 || s.other < 0 || s.split != DATA_HELD_OUT;
        wrong += bank ? s.referent != -1
                      : strcmp(data_vocab_word(words, s.ids[s.referent]),
                               data_vocab_word(labels, s.label)) != 0;
        wrong += bank && abs(s.query - s.cue[0]) < 3; /* several places away */
        masked = s;
        data_sentence_mask_cue(&masked);
        for (int i = 0; i < s.length; i++) {
            const bool cue = i == s.cue[0] || (s.cues > 1 && i == s.cue[1]);
            wrong += masked.ids[i] != (cue ? DATA_MASK : s.ids[i]);
        }
    }
    CHECK(wrong == 0, "%ld are wrong", (long)wrong);
    data_grammar_free(g);
}

/* ---- sentences by chance, and a user's own ------------------------------------------------------ */

static void drawn_by_shares(void)
{
    enum { DRAWS = 20000 };
    static const double share[DATA_KINDS] = {0.4, 0.4, 0.2};
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    int kinds[DATA_KINDS] = {0}, first = 0, senses = 0, differ = 0;
    Rng rng = {.seed = 3}, again = {.seed = 3};
    for (int i = 0; i < DRAWS; i++) {
        Sentence s = {0}, t = {0};
        REQUIRE(data_grammar_draw(g, &rng, DATA_HELD_OUT, &s), "%s", tensor_error());
        REQUIRE(data_grammar_draw(g, &again, DATA_HELD_OUT, &t), "%s", tensor_error());
        differ += memcmp(&s, &t, sizeof s) != 0 || s.split != DATA_HELD_OUT;
        kinds[s.kind]++;
        if (s.kind == DATA_SENSE)
            senses++, first += s.label < s.other;
    }
    CHECK(differ == 0, "%d of %d draws differ from the same draw", differ, DRAWS);
    for (int k = 0; k < DATA_KINDS; k++) /* 5 standard deviations: 1 seed in a million */
        CHECK_CLOSE(kinds[k] / (double)DRAWS, share[k], 5 * 0.5 / 141);
    CHECK_CLOSE(first / (double)senses, 0.5, 5 * 0.5 / 63);
    Sentence s;
    CHECK(!data_grammar_draw(g, &rng, DATA_OUTSIDE, &s), "drawn from outside");
    CHECK_ERROR("found split 3; expected DATA_TRAIN or DATA_HELD_OUT");
    data_grammar_free(g);
}

/* The lectures' sentences, word for word, as a user types them. */
static void lecture_sentences(void)
{
    static const struct {
        const char *text, *label, *other, *cue[2];
        int query;
    } table[] = {
        {"The animal didn't cross the street because it was too tired",
         "animal",
         "street",
         {"tired"},
         7},
        {"The animal didn't cross the street because it was too wide.",
         "street",
         "animal",
         {"wide"},
         7},
        {"I swam across the river to get to the other bank",
         "bank: of a river",
         "bank: for money",
         {"swam", "river"},
         10},
        {"I walked across the road to get cash from the bank",
         "bank: for money",
         "bank: of a river",
         {"cash"},
         10},
    };
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    const Vocab *words = data_grammar_words(g), *labels = data_grammar_labels(g);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        Sentence s;
        REQUIRE(data_grammar_parse(g, table[i].text, &s), "%s", tensor_error());
        CHECK(s.split == DATA_HELD_OUT, "%s: split %d", table[i].text, (int)s.split);
        CHECK(s.query == table[i].query, "%s: query %d", table[i].text, s.query);
        CHECK_TEXT(data_vocab_word(labels, s.label), table[i].label);
        CHECK_TEXT(data_vocab_word(labels, s.other), table[i].other);
        CHECK(s.cues == 1 + (table[i].cue[1] != NULL), "%s: %d cues", table[i].text, s.cues);
        for (int k = 0; k < s.cues; k++)
            CHECK_TEXT(data_vocab_word(words, s.ids[s.cue[k]]), table[i].cue[k]);
    }
    data_grammar_free(g);
}

/* One of each template, answered by reading it. */
static void read_by_a_person(void)
{
    static const char *const table[][2] = {
        {"today the dog couldn't enter the park because it was too crowded", "park"},
        {"once the river worried the fox because it was too nervous", "fox"},
        {"the soup upset the mouse because it was too salty", "soup"},
        {"because it was too lazy, the cow wouldn't cross the stream", "cow"},
        {"because it was too stale, the hen behind the duck didn't eat the bread", "bread"},
        {"the hen behind the duck couldn't use the lane because it was too sick", "hen"},
        {"the wolf near the market didn't cross the road because it was too icy", "road"},
        {"the wolf didn't cross the road near the market because it was too icy", "road"},
        {"the bear didn't cross the lake near the pond because it was too deep", "lake"},
        {"the goat didn't eat the carrot near the sheep because it was too bitter", "carrot"},
        {"the lane near the yard stopped the donkey because it was too steep", "lane"},
        {"the wolf chased the rabbit because it was hungry", "wolf"},
        {"because it was slow, the wolf chased the rabbit", "rabbit"},
        {"the crate didn't fit into the bag because it was too big", "crate"},
        {"the crate didn't fit into the bag because it was too small", "bag"},
        {"we hurried across the square to get pebbles from the bank", "bank: of a river"},
        {"to get coins, they came across the square to the bank", "bank: for money"},
        {"she went across the canal to get to the other bank", "bank: of a river"},
        {"he drove across the market to get to the other bank", "bank: for money"},
    };
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        Sentence s;
        CHECK(data_grammar_parse(g, table[i][0], &s), "%s", table[i][0]);
        CHECK_TEXT(data_vocab_word(data_grammar_labels(g), s.label), table[i][1]);
    }
    data_grammar_free(g);
}

/* A sentence read back from its text is the same in every member. */
static void read_back(void)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    for (int split = DATA_TRAIN; split <= DATA_HELD_OUT; split++)
        for (int64_t n = 0; n < data_grammar_count(g, (SentenceSplit)split); n += 101) {
            Sentence s, t;
            char text[400];
            REQUIRE(data_grammar_nth(g, (SentenceSplit)split, n, &s), "%s", tensor_error());
            const size_t length = data_sentence_text(g, &s, text, sizeof text);
            REQUIRE(length == strlen(text), "%zu bytes: %s", length, text);
            REQUIRE(data_grammar_parse(g, text, &t), "%s", tensor_error());
            REQUIRE(memcmp(&s, &t, sizeof s) == 0, "%s: split %d, label %d, query %d", text,
                    (int)t.split, t.label, t.query);
        }
    data_grammar_free(g);
}

static void own_sentences(void)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    Sentence s;
    CHECK(data_grammar_parse(g, "the dog didn't cross the street because it was too tired", &s) &&
              s.split == DATA_MIXED && s.label >= 0,
          "street, but not dog, was held out for tired: split %d", (int)s.split);
    CHECK(data_grammar_parse(g, "the dog chased the dog because it was slow", &s) &&
              s.split == DATA_OUTSIDE && s.label == -1 && s.query == 6 && s.kind == DATA_FIT,
          "the same noun twice: split %d, query %d", (int)s.split, s.query);
    CHECK(data_grammar_parse(g, "bank to the bank", &s) && s.query == 3 && s.kind == DATA_SENSE &&
              s.cues == 0 && s.referent == -1 && s.length == 5,
          "the last bank: query %d of %d", s.query, s.length);
    CHECK(data_grammar_parse(g, "it stopped the bank", &s) && s.query == 0, "query %d", s.query);
    data_grammar_free(g);
}

static bool try_grammar(void *context)
{
    (void)context;
    Grammar *g = data_grammar_new();
    data_grammar_free(g);
    return g != NULL;
}

static void out_of_memory(void)
{
    CHECK_OUT_OF_MEMORY(try_grammar, NULL);
}

static const TestCase cases[] = {
    {"every sentence is different, and there are enough", every_sentence_is_different},
    {"only the cue tells", only_the_cue_tells},
    {"where order decides, the words alone do not tell", order_tells},
    {"held-out pairs never occur in training, every word does", pairs_are_held_out},
    {"positions point at what they say", positions},
    {"drawn by shares, and the same again", drawn_by_shares},
    {"the lectures' sentences are in it, and held out", lecture_sentences},
    {"one of each template, answered by reading it", read_by_a_person},
    {"a sentence read back from its text is the same", read_back},
    {"a user's own sentences", own_sentences},
    {"out of memory", out_of_memory},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("corpus", cases, argc, argv);
}

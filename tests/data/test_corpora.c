/* test_corpora.c: the contracts of the three grammars, checked on every sentence: each grammar is
 * enumerated completely. */
#include "tests/harness/test.h"

#include "data/corpora/corpora.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    Grammar *(*open)(void);
    int ordered;             /* the kind whose answers depend on the order alone; -1 for none */
    int64_t train, held_out; /* at least so many sentences */
} Corpus;

static const Corpus corpora[] = {
    {"it and bank", data_grammar_new, DATA_ORDER, 20000, 2000},
    {"phrases", data_phrases_new, -1, 5000, 500},
    {"reviews", data_reviews_new, DATA_CONTRAST, 20000, 2000},
};
enum { CORPORA = sizeof corpora / sizeof corpora[0] };

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

/* Rows of all sentences of a split as a view shows them, sorted. WORDS_SORTED takes only those
 * where order decides. The caller frees it. */
static Row *rows_of(const Grammar *g, const Corpus *c, SentenceSplit split, View view,
                    int64_t *count)
{
    const int64_t sentences = data_grammar_count(g, split);
    Row *rows = malloc((size_t)sentences * sizeof *rows);
    *count = 0;
    for (int64_t n = 0; rows && n < sentences; n++) {
        Sentence s;
        if (!data_grammar_nth(g, split, n, &s) || (view == WORDS_SORTED && s.kind != c->ordered))
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

static void check_different(const Corpus *c)
{
    Grammar *g = c->open();
    REQUIRE(g != NULL, "%s", tensor_error());
    int64_t count[2], equal = 0, shared = 0;
    Row *train = rows_of(g, c, DATA_TRAIN, WHOLE, &count[0]);
    Row *held = rows_of(g, c, DATA_HELD_OUT, WHOLE, &count[1]);
    CHECK(count[0] == data_grammar_count(g, DATA_TRAIN), "%ld sentences", (long)count[0]);
    CHECK(count[1] == data_grammar_count(g, DATA_HELD_OUT), "%ld held out", (long)count[1]);
    CHECK(count[0] >= c->train && count[1] >= c->held_out, "%s: %ld + %ld sentences", c->name,
          (long)count[0], (long)count[1]);
    for (int64_t i = 1; i < count[0]; i++)
        equal += train[i].key == train[i - 1].key;
    for (int64_t i = 0, k = 0; i < count[1]; i++) {
        equal += i > 0 && held[i].key == held[i - 1].key;
        while (k < count[0] && train[k].key < held[i].key)
            k++;
        shared += k < count[0] && train[k].key == held[i].key;
    }
    CHECK(equal == 0 && shared == 0, "%s: %ld twice in a split, %ld in both", c->name, (long)equal,
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

TEST(every_sentence_is_different)
{
    for (int i = 0; i < CORPORA; i++)
        check_different(&corpora[i]);
}

/* Rows of one key are what a reader without the missing knowledge cannot tell apart. They have two
 * answers, each equally often: whatever he says, he is right half of the time. */
static void check_even(const Corpus *c, View view, const char *what)
{
    Grammar *g = c->open();
    REQUIRE(g != NULL, "%s", tensor_error());
    for (int split = DATA_TRAIN; split <= DATA_HELD_OUT; split++) {
        int64_t count, uneven = 0, groups = 0;
        Row *rows = rows_of(g, c, (SentenceSplit)split, view, &count);
        for (int64_t i = 0, end; rows && i < count; i = end, groups++) {
            int64_t first = 0;
            for (end = i; end < count && rows[end].key == rows[i].key; end++) {
                first += rows[end].label == rows[i].label;
                uneven += rows[end].label != rows[i].label && rows[end].label != rows[i].other;
            }
            uneven += 2 * first != end - i;
        }
        CHECK(rows && uneven == 0, "%s, split %d, %s: %ld of %ld groups are uneven", c->name, split,
              what, (long)uneven, (long)groups);
        CHECK(groups > 0 && groups < count, "%s, split %d, %s: %ld groups of %ld", c->name, split,
              what, (long)groups, (long)count);
        free(rows);
    }
    data_grammar_free(g);
}

TEST(only_the_cue_decides)
{
    for (int i = 0; i < CORPORA; i++)
        check_even(&corpora[i], CUE_MASKED, "cues masked");
}

TEST(words_alone_do_not_tell_the_order)
{
    for (int i = 0; i < CORPORA; i++)
        if (corpora[i].ordered >= 0)
            check_even(&corpora[i], WORDS_SORTED, "words sorted");
}

/* ---- held-out pairs -------------------------------------------------------------------------- */

enum { WORDS = 256 };
static bool together[WORDS][WORDS]; /* [cue][word]: in one training sentence */
static bool trained[WORDS];

static void note_training(const Grammar *g)
{
    memset(together, 0, sizeof together);
    memset(trained, 0, sizeof trained);
    for (int64_t n = data_grammar_count(g, DATA_TRAIN); n-- > 0;) {
        Sentence s;
        REQUIRE(data_grammar_nth(g, DATA_TRAIN, n, &s), "%s", tensor_error());
        for (int i = 0; i < s.length; i++) {
            trained[s.ids[i]] = true;
            for (int k = 0; k < s.cues; k++)
                together[s.ids[s.cue[k]]][s.ids[i]] = true;
        }
    }
}

/* The nouns that the split is about: those that "it" can mean, and what a review judges. */
static bool is_noun(const Grammar *g, int id)
{
    static const char *const judged[] = {"acting", "plot", "music",  "ending",
                                         "script", "cast", "humour", "dialogue"};
    const char *word = data_vocab_word(data_grammar_words(g), id);
    bool found = data_vocab_find(data_grammar_labels(g), word) >= 0;
    for (size_t i = 0; data_vocab_find(data_grammar_labels(g), "positive") >= 0 &&
                       i < sizeof judged / sizeof judged[0];
         i++)
        found = found || strcmp(word, judged[i]) == 0;
    return found;
}

static bool is_cue(const Sentence *s, int position)
{
    bool found = false;
    for (int k = 0; k < s->cues; k++)
        found = found || s->cue[k] == position;
    return found;
}

/* In training, no noun of a held-out sentence ever met all cues of it (a few, such as "sadly", meet
 * every noun), and no such sentence is without a new pair; but every word was met. */
static void check_pairs(const Corpus *c)
{
    Grammar *g = c->open();
    REQUIRE(g != NULL, "%s", tensor_error());
    REQUIRE(data_grammar_words(g)->count <= WORDS, "%d words", data_grammar_words(g)->count);
    note_training(g);
    int64_t known = 0, stale = 0, unseen = 0;
    for (int64_t n = data_grammar_count(g, DATA_HELD_OUT); n-- > 0;) {
        Sentence s;
        REQUIRE(data_grammar_nth(g, DATA_HELD_OUT, n, &s), "%s", tensor_error());
        int new_pairs = 0;
        for (int i = 0; i < s.length; i++) {
            int met = 0;
            for (int k = 0; k < s.cues; k++)
                met += together[s.ids[s.cue[k]]][s.ids[i]];
            known += is_noun(g, s.ids[i]) && !is_cue(&s, i) && met == s.cues;
            new_pairs += met < s.cues;
            unseen += !trained[s.ids[i]];
        }
        stale += new_pairs == 0;
    }
    CHECK(known == 0, "%s: %ld nouns met their cue in training", c->name, (long)known);
    CHECK(stale == 0, "%s: %ld sentences have no new pair", c->name, (long)stale);
    CHECK(unseen == 0, "%s: %ld words were never met", c->name, (long)unseen);
    data_grammar_free(g);
}

TEST(pairs_are_held_out)
{
    for (int i = 0; i < CORPORA; i++)
        check_pairs(&corpora[i]);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* One of each template, answered by reading it. */
static void check_read(const Corpus *c, const char *const table[][2], int count)
{
    Grammar *g = c->open();
    REQUIRE(g != NULL, "%s", tensor_error());
    for (int i = 0; i < count; i++) {
        Sentence s;
        REQUIRE(data_grammar_parse(g, table[i][0], &s), "%s: %s", table[i][0], tensor_error());
        CHECK(s.label >= 0, "%s: not in the grammar", table[i][0]);
        CHECK_TEXT(data_vocab_word(data_grammar_labels(g), s.label), table[i][1]);
    }
    data_grammar_free(g);
}

TEST(sentences_by_a_person)
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
    check_read(&corpora[0], table, sizeof table / sizeof table[0]);
}

TEST(phrases_by_a_person)
{
    static const char *const table[][2] = {
        {"now the dog near the houses waits in the park", "one"},
        {"often the dogs near the house wait in the park", "many"},
        {"the cows behind the tree were happy", "many"},
        {"today the cow behind the trees was happy", "one"},
        {"the nurse that we saw near the trees waits in the yard", "one"},
        {"the sailors that she saw near the tree play in the field", "many"},
        {"these children were hungry", "many"},
        {"that farmer is tired", "one"},
        {"yesterday he peeled the carrot in the garden", "kitchen"},
        {"they mended the scarf in the yard", "clothes"},
        {"once i took the fish and baked it", "kitchen"},
        {"she took the coat and ironed it", "clothes"},
        {"she translated the poem before lunch", "books"},
        {"he tuned the flute before supper", "music"},
        {"we took the poem and printed it before school", "books"},
        {"they took the guitar and played it before supper", "music"},
        {"I swam across the river to get to the other bank", "bank: of a river"},
        {"I drove across the square to get to the nearest bank", "bank: for money"},
        {"once they sailed across the lake to get to the far bank", "bank: of a river"},
        {"he cycled across the market to get to the next bank", "bank: for money"},
        {"she waded to the bank to get clay", "bank: of a river"},
        {"we hurried to the bank to get coins", "bank: for money"},
    };
    check_read(&corpora[1], table, sizeof table / sizeof table[0]);
}

TEST(reviews_by_a_person)
{
    static const char *const table[][2] = {
        {"The plot was very clever", "positive"},
        {"The plot was boring", "negative"},
        {"alas, the script was terrible and we hated it", "negative"},
        {"what a joy, the humour was fresh and the camera was clever", "positive"},
        {"they hated the ending of this play", "negative"},
        {"the cast was awful and i disliked it", "negative"},
        {"you will recommend this film because the cast was moving", "positive"},
        {"the script was funny and the sound was brilliant", "positive"},
        {"we regretted the music and will avoid this series", "negative"},
        {"luckily, the plot was very moving", "positive"},
        {"the plot of this play was weak, what a shame", "negative"},
        {"the plot was not very dull", "positive"},
        {"the plot was never clever", "negative"},
        {"the script of this film was hardly terrible", "positive"},
        {"i did not love the music of this play", "negative"},
        {"i did not dislike the music of this play", "positive"},
        {"the dialogue was not weak and you enjoyed it", "positive"},
        {"they will not skip this show because the acting was funny", "positive"},
        {"nobody will call the ending moving", "negative"},
        {"the acting was tedious but the film was charming", "positive"},
        {"the acting was charming but the film was tedious", "negative"},
        {"the camera was clumsy but the plot was wonderful", "positive"},
        {"although the plot was awful, the lighting was gripping", "positive"},
        {"the lighting was gripping although the plot was awful", "positive"},
        {"the lighting was awful although the plot was gripping", "negative"},
        {"the play was really weak despite the gripping music", "negative"},
        {"the plot was silly, not charming", "negative"},
        {"the plot was charming, not silly", "positive"},
    };
    check_read(&corpora[2], table, sizeof table / sizeof table[0]);
}

/* A review outside the grammar has no answer; nothing at all is no sentence. */
TEST(own_reviews)
{
    Grammar *g = data_reviews_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    Sentence s;
    CHECK(data_grammar_parse(g, "the film was dull", &s) && s.label == -1 && s.query == 0 &&
              s.split == DATA_OUTSIDE,
          "label %d, query %d, split %d", s.label, s.query, (int)s.split);
    CHECK(!data_grammar_parse(g, "", &s), "an empty review");
    CHECK_ERROR("found no word; expected a sentence");
    CHECK(!data_grammar_parse(g, "the plott was dull", &s), "plott is known");
    CHECK_ERROR("data_vocab_need: unknown word \"plott\"; expected a known one, nearest: \"plot\", "
                "\"play\", \"pity\"");
    data_grammar_free(g);
}

/* A sentence read back from its text is the same in every member. */
TEST(reads_a_sentence_back_from_its_text)
{
    for (int i = 0; i < CORPORA; i++) {
        Grammar *g = corpora[i].open();
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
}

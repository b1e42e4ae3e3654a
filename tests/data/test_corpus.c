/* test_corpus.c: the sentences of "it" and "bank".
 *
 * What all grammars guarantee of pairs and cues is in test_corpora.c. */
#include "tests/harness/test.h"

#include "data/corpora/corpora.h"

#include <stdlib.h>
#include <string.h>

/* ---- the whole corpus ------------------------------------------------------------------------ */

/* Positions point at what they say, in every held-out sentence. */
TEST(positions_point_at_what_they_say)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    const Vocab *words = data_grammar_words(g), *labels = data_grammar_labels(g);
    int64_t wrong = 0;
    for (int64_t n = data_grammar_count(g, DATA_HELD_OUT); n-- > 0;) {
        Sentence s, masked;
        REQUIRE(data_grammar_nth(g, DATA_HELD_OUT, n, &s), "%s", tensor_error());
        const bool bank = s.kind == DATA_SENSE;
        wrong += strcmp(data_vocab_word(words, s.ids[s.query]), bank ? "bank" : "it") != 0;
        wrong += s.label == s.other || s.label < 0 || s.other < 0 || s.split != DATA_HELD_OUT;
        wrong += bank ? s.referent != -1
                      : strcmp(data_vocab_word(words, s.ids[s.referent]),
                               data_vocab_word(labels, s.label)) != 0;
        wrong += bank && abs(s.query - s.cue[0]) < 3; /* several positions away */
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

/* ---- sentences by chance, and a user's own --------------------------------------------------- */

TEST(drawn_by_shares)
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
TEST(lecture_sentences)
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

TEST(own_sentences)
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

TEST(out_of_memory)
{
    CHECK_OUT_OF_MEMORY(try_grammar, NULL);
}

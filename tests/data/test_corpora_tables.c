/* test_corpora_tables.c: what the corpora do with tables and sentences that break their rules: each
 * wrong table of a grammar is refused with an error that names the list, the word or the template;
 * a draft that is too long fails. */
#include "tests/harness/test.h"

#include "data/corpora/grammar_form.h"
#include "data/corpora/translations_draft.h"

#include <string.h>

/* ---- tables of a grammar --------------------------------------------------------------------- */

/* Builds the grammar of these tables; refused with this part of the error, or, part NULL, taken.
 * Nothing stays allocated. */
static void build(const WordList *lists, int list_count, const Template *templates,
                  int template_count, const char *part)
{
    static const KindRow kinds[] = {{"it", 1}, {NULL, 1}};
    const GrammarTable table = {lists, list_count, templates, template_count, kinds, 2, true};
    Memory memory = {0};
    memory_watch(&memory);
    Grammar g = {.table = &table};
    CHECK(grammar_build(&g) == !part, "%s", part ? part : tensor_error());
    if (part)
        CHECK_REFUSAL("data_grammar_new", part);
    arena_free(&g.arena);
    data_vocab_free(&g.words);
    data_vocab_free(&g.labels);
    CHECK(memory.blocks == 0, "%ld blocks are left", memory.blocks);
    memory_unwatch();
    CHECK_NO_ERROR();
}

#define ANIMALS                        \
    {                                  \
        "ANIMAL", LIST_NOUN,           \
        {                              \
            "dog", "cat", "cow", "hen" \
        }                              \
    }
#define THINGS                         \
    {                                  \
        "THING", LIST_NOUN,            \
        {                              \
            "box", "bag", "jar", "cup" \
        }                              \
    }
#define SIZES                             \
    {                                     \
        "SIZE", LIST_PAIRED,              \
        {                                 \
            "big", "wide", "long", "tall" \
        }                                 \
    }
#define STATES                         \
    {                                  \
        "STATE", LIST_PAIRED,          \
        {                              \
            "shy", "fed", "old", "ill" \
        }                              \
    }
#define RIGHT                                                                             \
    {                                                                                     \
        0, "the ANIMAL saw the THING as it was CUE", {{"STATE"}, {"SIZE"}}, GRAMMAR_NOUNS \
    }

/* The lists above with one more, and the right template. */
static void with_list(WordList more, const char *part)
{
    const WordList lists[] = {ANIMALS, THINGS, SIZES, STATES, more};
    const Template templates[] = {RIGHT};
    build(lists, 5, templates, 1, part);
}

static void with_template(Template template, const char *part)
{
    const WordList lists[] = {ANIMALS, THINGS, SIZES, STATES, {"FEW", LIST_PLAIN, {"new", ""}}};
    const Template templates[] = {RIGHT, template};
    build(lists, 5, templates, 2, part);
}

TEST(lists)
{
    with_list(
        (WordList){"NEW", LIST_PAIRED, {"dim", "dry", "big", "hot"}},
        "\"big\": found at index 2 of list NEW and 0 of SIZE; expected indices equal modulo 4");
    with_list((WordList){"NEW", LIST_PAIRED, {"dim", "dry", "hot"}},
              "list NEW: found 3 words; expected a multiple of 4");
    with_list(
        (WordList){"NEW", LIST_PAIRED, {"dim", "dry", "dim", "hot"}},
        "\"dim\": found at index 0 of list NEW and 2 of NEW; expected indices equal modulo 4");
    with_list((WordList){"NEW", LIST_PAIRED, {"big", "dry", "hot", "dim"}}, NULL);
    with_list((WordList){"NEW", LIST_PLAIN, {"dim", "dry", "big"}}, NULL);
}

TEST(templates)
{
    with_template((Template){0,
                             "the ANIMAL saw the ROCK as it was CUE",
                             {{"STATE"}, {"SIZE"}},
                             GRAMMAR_NOUNS},
                  "found no list for \"ROCK\"; expected one");
    with_template(
        (Template){0, "the ANIMAL saw the THING as it was CUE", {{"STATE"}, {NULL}}, GRAMMAR_NOUNS},
        "found no list for \"CUE\"; expected one");
    with_template((Template){0,
                             "the ANIMAL saw the THING as it was CUE",
                             {{"STATE"}, {"FEW"}},
                             GRAMMAR_NOUNS},
                  "found 4 and 2 cues; expected equally many for both answers");
    with_template(
        (Template){
            0, "the ANIMAL saw the THING as he was CUE", {{"STATE"}, {"SIZE"}}, GRAMMAR_NOUNS},
        "found no anchor, no query, or neither labels nor two nouns; expected all of them");
    with_template(
        (Template){0, "the ANIMAL was shy as it was CUE", {{"STATE"}, {"SIZE"}}, GRAMMAR_NOUNS},
        "neither labels nor two nouns; expected all of them");
    with_template((Template){1, "it was shy as it was old", {{NULL}, {NULL}}, GRAMMAR_BANK},
                  "found no anchor, no query");
    with_template((Template){0,
                             "the ANIMAL saw the THING as it was CUE and so on and so on and so on "
                             "and so on and so on and so on and so on and so on and so",
                             {{"STATE"}, {"SIZE"}},
                             GRAMMAR_NOUNS},
                  "found more words than 32; expected at most as many");
    with_template((Template)RIGHT, NULL);
}

static bool build_all(void *context)
{
    static const WordList lists[] = {ANIMALS, THINGS, SIZES, STATES};
    static const Template templates[] = {
        RIGHT, {0, "the ANIMAL saw the THING as it was CUE", {{"STATE"}, {"SIZE"}}, GRAMMAR_BANK}};
    static const KindRow kinds[] = {{"it", 1}};
    static const GrammarTable table = {lists, 4, templates, 2, kinds, 1, true};
    (void)context;
    Grammar g = {.table = &table};
    bool ok = grammar_build(&g);
    arena_free(&g.arena);
    data_vocab_free(&g.words);
    data_vocab_free(&g.labels);
    return ok;
}

TEST(memory_runs_out)
{
    CHECK_OUT_OF_MEMORY(build_all, NULL);
}

/* ---- drafts of translations ------------------------------------------------------------------ */

static bool none_fits(const Draft *d, int i)
{
    (void)d, (void)i;
    return false;
}

static bool is_odd(const Draft *d, int i)
{
    (void)d;
    return i % 2 == 1;
}

TEST(drafts)
{
    Rng rng = {0};
    SentencePair pair = {0};
    Translations *t = data_translations_new();
    REQUIRE(t, "%s", tensor_error());
    Draft d = {.words = t, .rng = &rng, .pair = &pair};
    uint32_t seen = 0;
    for (int i = 0; i < 32; i++)
        seen |= draft_unit(&d);
    CHECK(seen == UINT32_MAX && !d.failed, "units %x", (unsigned)seen);
    CHECK(draft_unit(&d) == 0 && d.failed, "a 33rd unit");
    d = (Draft){.words = t, .rng = &rng, .pair = &pair};
    for (int i = 0; i < DATA_WORDS_MAX; i++)
        draft_put_as(&d, 1, "gracias", NULL);
    CHECK(!d.failed && pair.spanish_length == DATA_WORDS_MAX, "%d words", pair.spanish_length);
    const int32_t last = pair.spanish[DATA_WORDS_MAX - 1];
    draft_put_as(&d, 1, "por", NULL);
    CHECK(d.failed && pair.spanish_length == DATA_WORDS_MAX && pair.english_length == 0 &&
              pair.spanish[DATA_WORDS_MAX - 1] == last,
          "a word more than the longest sentence has");
    CHECK(draft_choose(&d, 5, none_fits) == -1, "one fits");
    for (int i = 0; i < 50; i++) {
        int chosen = draft_choose(&d, 5, is_odd);
        CHECK(chosen == 1 || chosen == 3, "chose %d", chosen);
    }
    data_translations_free(t);
}

/* test_translations.c: the Spanish-English corpus against sentences written by hand, the
 * grammatical rules that hold for every sentence, and the held-out combinations. */
#include "tests/harness/test.h"

#include "data/corpora/corpora.h"
#include "data/corpora/translations_draft.h"

#include <string.h>

enum { DRAWN = 300000, TEXT = 1024 };

/* Spanish sentences as words of a vocabulary, and the English of each. */
typedef struct {
    Translations *t;
    Vocab spanish, english;
    int32_t *translation; /* of spanish[i], in english */
    int different;        /* that have two             */
} Corpus;

static void texts_of(const Translations *t, const SentencePair *p, char *spanish, char *english)
{
    data_vocab_text(data_translations_spanish(t), p->spanish, p->spanish_length, spanish, TEXT);
    data_vocab_text(data_translations_english(t), p->english, p->english_length, english, TEXT);
}

/* DRAWN sentences to train on, drawn once for all cases. */
static const Corpus *corpus(void)
{
    static Corpus c;
    static int32_t translation[DRAWN];
    char spanish[TEXT], english[TEXT];
    SentencePair p;
    Rng rng = {.seed = 1};
    if (c.t)
        return &c;
    c.t = data_translations_new();
    c.translation = translation;
    for (int i = 0; c.t && i < DRAWN; i++) {
        CHECK(data_translations_draw(c.t, &rng, DATA_TRAIN, &p, NULL), "%s", tensor_error());
        texts_of(c.t, &p, spanish, english);
        int before = c.spanish.count, from = data_vocab_add(&c.spanish, spanish),
            to = data_vocab_add(&c.english, english);
        if (c.spanish.count > before)
            translation[from] = to;
        c.different += translation[from] != to;
    }
    return &c;
}

/* By someone who knows both languages. */
TEST(sentences_by_hand)
{
    static const char *const known[][2] = {
        {"soy un estudiante", "I am a student"},
        {"somos artistas", "we are artists"},
        {"es una actriz", "she is an actress"},
        {"es un doctor", "he is a doctor"},
        {"yo soy muy alto", "I am very tall"},
        {"no somos altos", "we are not tall"},
        {"ella es la profesora", "she is the teacher"},
        {"sois profesores", "you are teachers"},
        {"nunca duermen", "they never sleep"},
        {"no duermes", "you do not sleep"},
        {"no me ayudan", "they do not help me"},
        {"lo llamo", "I call him"},
        {"la llaman", "they call her"},
        {"la compro", "I buy it"},
        {"los vendemos", "we sell them"},
        {"él nos espera", "he waits for us"},
        {"tengo un libro", "I have a book"},
        {"tenemos dos coches", "we have two cars"},
        {"estamos cerca del parque", "we are near the park"},
        {"gracias", "thanks"},
        {"gracias por las manzanas", "thanks for the apples"},
        {"gracias por un coche rojo", "thanks for a red car"},
    };
    const Corpus *c = corpus();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int at = data_vocab_find(&c->spanish, known[i][0]);
        CHECK_TEXT(at < 0 ? "(not drawn)" : c->english.words[c->translation[at]], known[i][1]);
    }
}

TEST(many_and_none_with_two_translations)
{
    const Corpus *c = corpus();
    CHECK(c->spanish.count >= 50000, "%d distinct pairs in %d", c->spanish.count, DRAWN);
    CHECK(c->different == 0, "%d sentences were translated in another way before", c->different);
}

/* Does the text hold one of these as whole words? */
static bool holds(const char *text, const char *const *parts)
{
    char whole[TEXT + 2];
    snprintf(whole, sizeof whole, " %s ", text);
    for (; *parts; parts++)
        if (strstr(whole, *parts))
            return true;
    return false;
}

/* What no right sentence holds: agreement of gender and number, contractions, a and an, do and
 * does. */
TEST(no_rule_of_grammar_is_broken)
{
    static const char *const spanish[] = {" a el ",         " de el ",
                                          " una libro ",    " un manzana ",
                                          " el mesa ",      " las libro ",
                                          " unos libro ",   " la doctor ",
                                          " el doctora ",   " mis libro ",
                                          " mi libros ",    " este mesa ",
                                          " casa blanco ",  " libros rojo ",
                                          " libro rojos ",  " manzana rojo ",
                                          " mapa pequeña ", " dos libro ",
                                          " yo es ",        " ella soy ",
                                          " nosotros son ", " ellos es ",
                                          " yo compra ",    " ellas compra ",
                                          " vendemos me ",  " nosotras somos altos ",
                                          " ella es alto ", NULL};
    static const char *const english[] = {
        " a apple ",       " a old ",         " a artist ",    " a umbrella ", " an student ",
        " an red ",        " I is ",          " he am ",       " they is ",    " he buy ",
        " they buys ",     " does not buys ", " do not buys ", " he do not ",  " they does ",
        " not buy it it ", " a books ",       " two book ",    " this books ", " these book ",
        " student tall ",  " very student ",  " see him ",     " sees her ",   NULL};
    const Corpus *c = corpus();
    for (int i = 0; i < c->spanish.count; i++) {
        CHECK(!holds(c->spanish.words[i], spanish), "%s", c->spanish.words[i]);
        const char *to = c->english.words[c->translation[i]];
        CHECK(!holds(to, english), "%s: %s", c->spanish.words[i], to);
    }
}

/* ---- which word translates which ------------------------------------------------------------- */

/* "3 0,2" for English words of which the first translates Spanish word 3, the second 0 and 2. */
static void text_of(const SentencePair *p, const SentenceAlignment *a, char *text)
{
    for (int t = 0; t < p->english_length; t++) {
        const char *before = t ? " " : "";
        for (int i = 0; i < DATA_WORDS_MAX; i++)
            if (a->spanish[t] >> i & 1) {
                text += sprintf(text, "%s%d", before, i);
                before = ",";
            }
    }
    *text = 0;
}

/* By someone who knows both languages: pronouns that are left out, other orders, contractions. */
TEST(alignments_by_hand)
{
    static const char *const known[][2] = {
        {"soy un estudiante", "0 0 1 2"},                 /* I am a student           */
        {"yo soy muy alto", "0 1 2 3"},                   /* I am very tall           */
        {"es una actriz famosa", "0 0 1 3 2"},            /* she is a famous actress  */
        {"no me ayudan", "2 0,2 0 2 1"},                  /* they do not help me      */
        {"nunca duermen", "1 0 1"},                       /* they never sleep         */
        {"la compro", "1 1 0"},                           /* I buy it                 */
        {"él nos espera", "0 2 2 1"},                     /* he waits for us          */
        {"llamo al artista", "0 0 1 2"},                  /* I call the artist         */
        {"estamos cerca del parque", "0 0 1,2 2 3"},      /* we are near the park     */
        {"gracias por unas flores blancas", "0 1 2 4 3"}, /* thanks for some white flowers */
    };
    enum { KNOWN = sizeof known / sizeof *known, TRIES = 400000 };
    const Corpus *c = corpus();
    bool drawn[KNOWN] = {false};
    char spanish[TEXT], english[TEXT], text[TEXT];
    SentencePair p, plain;
    SentenceAlignment a;
    Rng rng = {.seed = 1}, same = {.seed = 1};
    for (int i = 0; i < TRIES; i++) {
        REQUIRE(data_translations_draw(c->t, &rng, DATA_TRAIN, &p, &a), "%s", tensor_error());
        data_translations_draw(c->t, &same, DATA_TRAIN, &plain, NULL);
        CHECK(memcmp(&p, &plain, sizeof p) == 0, "pair %d is another one with its alignment", i);
        texts_of(c->t, &p, spanish, english);
        for (int k = 0; k < KNOWN; k++)
            if (!drawn[k] && strcmp(spanish, known[k][0]) == 0) {
                drawn[k] = true;
                text_of(&p, &a, text);
                CHECK_TEXT(text, known[k][1]);
            }
    }
    for (int k = 0; k < KNOWN; k++)
        CHECK(drawn[k], "\"%s\" was not drawn", known[k][0]);
}

/* Each English word has a Spanish one, each Spanish word but the "a" before a person an English
 * one. */
TEST(nothing_is_left_out)
{
    const Corpus *c = corpus();
    SentencePair p;
    SentenceAlignment a;
    Rng rng = {.seed = 4};
    const int before_person = data_vocab_find(data_translations_spanish(c->t), "a");
    for (int i = 0; i < 20000; i++) {
        uint32_t seen = 0, all;
        data_translations_draw(c->t, &rng, i % 2 ? DATA_HELD_OUT : DATA_TRAIN, &p, &a);
        for (int t = 0; t < DATA_WORDS_MAX; t++) {
            CHECK((a.spanish[t] != 0) == (t < p.english_length), "English word %d of pair %d", t,
                  i);
            seen |= a.spanish[t];
        }
        all = p.spanish_length == 32 ? UINT32_MAX : ((uint32_t)1 << p.spanish_length) - 1;
        for (int k = 0; k < p.spanish_length; k++)
            seen |= p.spanish[k] == before_person ? (uint32_t)1 << k : 0;
        CHECK(seen == all, "pair %d: Spanish words %x of %x", i, seen, all);
    }
}

/* ---- what is held out ------------------------------------------------------------------------ */

/* "tall student", "buy book" of an English sentence: an adjective or a verb from this list with the
 * word after it, past an article. Adds them to v and returns how many, or, unless it may add, how
 * many are there. */
static int combinations(const char *english, Vocab *v, bool add)
{
    static const struct {
        const char *word, *after;
    } list[] = {
        {" tall ", "%63s"},          {" young ", "%63s"},       {" rich ", "%63s"},
        {" happy ", "%63s"},         {" old ", "%63s"},         {" small ", "%63s"},
        {" new ", "%63s"},           {" red ", "%63s"},         {" blue ", "%63s"},
        {" cheap ", "%63s"},         {" buy ", "the%*[ ]%63s"}, {" sell ", "my%*[ ]%63s"},
        {" paint ", "our%*[ ]%63s"}, {" help ", "my%*[ ]%63s"}, {" call ", "the%*[ ]%63s"},
        {" see ", "the%*[ ]%63s"},
    };
    /* "buy the red": not a noun */
    static const char *const adjectives[] = {"very",      "tall",  "young",       "rich",
                                             "kind",      "happy", "intelligent", "calm",
                                             "famous",    "old",   "small",       "large",
                                             "new",       "clean", "interesting", "red",
                                             "white",     "black", "blue",        "green",
                                             "expensive", "cheap", "heavy",       NULL};
    char whole[TEXT + 2], noun[64], pair[160];
    int found = 0;
    snprintf(whole, sizeof whole, " %s ", english);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *at = strstr(whole, list[i].word);
        if (!at || sscanf(at + strlen(list[i].word), list[i].after, noun) != 1)
            continue;
        bool is_noun = true;
        for (int k = 0; adjectives[k]; k++)
            is_noun = is_noun && strcmp(noun, adjectives[k]) != 0;
        snprintf(pair, sizeof pair, "%s%s", list[i].word, noun);
        if (add && is_noun)
            data_vocab_add(v, pair);
        if (!add && is_noun && data_vocab_find(v, pair) >= 0)
            fprintf(stderr, "# \"%s\" has \"%s\", which is trained on\n", english, pair);
        found += is_noun && (add || data_vocab_find(v, pair) >= 0);
    }
    return found;
}

TEST(held_out_combinations_are_not_trained_on)
{
    const Corpus *c = corpus();
    Vocab trained = {0}, held_out = {0};
    char spanish[TEXT], english[TEXT];
    SentencePair p;
    Rng rng = {.seed = 2};
    int in_training = 0, some = 0;
    for (int i = 0; i < c->spanish.count; i++)
        combinations(c->english.words[c->translation[i]], &trained, true);
    for (int i = 0; i < 20000; i++) {
        REQUIRE(data_translations_draw(c->t, &rng, DATA_HELD_OUT, &p, NULL), "%s", tensor_error());
        texts_of(c->t, &p, spanish, english);
        in_training += combinations(english, &trained, false);
        some += combinations(english, &held_out, true) > 0;
    }
    CHECK(trained.count > 200 && held_out.count > 50, "%d combinations, and %d", trained.count,
          held_out.count);
    CHECK(some > 4000, "%d sentences of 20000 have one of these combinations", some);
    CHECK(in_training == 0, "%d of them are trained on", in_training);
    data_vocab_free(&trained);
    data_vocab_free(&held_out);
}

/* Each word of both vocabularies occurs in training. */
TEST(all_words_are_used)
{
    const Corpus *c = corpus();
    const Vocab *vocab[] = {data_translations_spanish(c->t), data_translations_english(c->t)};
    static bool used[2][1024];
    SentencePair p;
    Rng rng = {.seed = 3};
    for (int i = 0; i < 50000; i++) {
        data_translations_draw(c->t, &rng, DATA_TRAIN, &p, NULL);
        for (int k = 0; k < p.spanish_length; k++)
            used[0][p.spanish[k]] = true;
        for (int k = 0; k < p.english_length; k++)
            used[1][p.english[k]] = true;
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < vocab[side]->count; i++)
            CHECK(used[side][i] == (i >= DATA_PAIR_SPECIALS), "%s is %sused", vocab[side]->words[i],
                  used[side][i] ? "" : "not ");
    CHECK_TEXT(vocab[0]->words[DATA_BOS], "<bos>");
    CHECK_TEXT(vocab[1]->words[DATA_EOS], "<eos>");
}

/* ---- the rest -------------------------------------------------------------------------------- */

TEST(a_function_of_the_rng)
{
    const Corpus *c = corpus();
    Rng a = {.seed = 5}, b = {.seed = 5}, other = {.seed = 6};
    int same = 0;
    for (int i = 0; i < 200; i++) {
        SentencePair p[3];
        data_translations_draw(c->t, &a, DATA_TRAIN, &p[0], NULL);
        data_translations_draw(c->t, &b, DATA_TRAIN, &p[1], NULL);
        data_translations_draw(c->t, &other, DATA_TRAIN, &p[2], NULL);
        CHECK(memcmp(&p[0], &p[1], sizeof p[0]) == 0, "pair %d", i);
        same += memcmp(&p[0], &p[2], sizeof p[0]) == 0;
    }
    CHECK(same < 20, "%d of 200 are those of another seed", same);
}

TEST(a_users_sentence)
{
    const Corpus *c = corpus();
    int32_t ids[DATA_WORDS_MAX];
    char text[TEXT];
    int n = data_translations_read(c->t, "Él NO es Un estudiante.", ids, DATA_WORDS_MAX);
    CHECK(n == 5, "%d words: %s", n, tensor_error());
    data_vocab_text(data_translations_spanish(c->t), ids, n, text, sizeof text);
    CHECK_TEXT(text, "él no es un estudiante");
    CHECK(data_translations_read(c->t, "Soy un estudante", ids, DATA_WORDS_MAX) == -1, "misspelt");
    CHECK_ERROR("data_vocab_need: unknown word \"estudante\"; expected a known one, nearest: "
                "\"estudiante\", \"estudiantes\", \"estamos\"");
    CHECK(data_translations_read(c->t, " . ", ids, DATA_WORDS_MAX) == -1, "empty");
    CHECK_ERROR("found 0 words; expected 1 to 32");
    CHECK(data_translations_read(c->t, "soy un estudiante", ids, 2) == -1, "too long");
    CHECK_ERROR("\"soy un estudiante\": found 3 words; expected 1 to 2");
    SentencePair p;
    CHECK(!data_translations_draw(c->t, &(Rng){0}, DATA_MIXED, &p, NULL), "mixed");
    CHECK_ERROR("data_translations_draw: found split 2; expected DATA_TRAIN or DATA_HELD_OUT");
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

/* ---- memory ---------------------------------------------------------------------------------- */

static bool open_and_close(void *context)
{
    (void)context;
    Translations *t = data_translations_new();
    data_translations_free(t);
    return t != NULL;
}

TEST(out_of_memory)
{
    CHECK_OUT_OF_MEMORY(open_and_close, NULL);
}

/* test_data.c: vocabularies, words, batches, texts as characters, and their errors. The sentences
 * of the grammars: test_corpus.c. */
#include "tests/harness/test.h"

#include "data/corpora/corpora.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- vocabularies and words ------------------------------------------------------------------ */

TEST(ids_are_indices)
{
    Vocab v = {0};
    CHECK(data_vocab_find(&v, "cat") == -1, "found in nothing");
    REQUIRE(data_vocab_specials(&v), "%s", tensor_error());
    CHECK(v.count == 3 && DATA_PAD == 0 && DATA_MASK == 1 && DATA_UNK == 2, "%d specials", v.count);
    for (int round = 0; round < 2; round++) /* again: the same ids, though the tables have grown */
        for (int i = 0; i < 1000; i++) {
            char word[16];
            snprintf(word, sizeof word, "w%d", i);
            const int id = data_vocab_add(&v, word);
            if (id != 3 + i || data_vocab_find(&v, word) != id)
                CHECK(false, "round %d: %s has id %d; expected %d", round, word, id, 3 + i);
        }
    CHECK(v.count == 1003, "%d words", v.count);
    CHECK_TEXT(data_vocab_word(&v, 3 + 77), "w77");
    CHECK_TEXT(data_vocab_word(&v, DATA_MASK), "<mask>");
    CHECK_TEXT(data_vocab_word(&v, -1), "<unk>");
    CHECK_TEXT(data_vocab_word(&v, 1003), "<unk>");
    CHECK(data_vocab_find(&v, "w1000") == -1, "a word that was never added");
    CHECK(!data_vocab_specials(&v), "specials in the middle");
    CHECK_ERROR("found a vocabulary of 1003 words; expected an empty one");
    data_vocab_free(&v);
}

TEST(words_of_a_line)
{
    static const char *const table[][2] = {
        {"The animal didn't cross.", "the animal didn't cross ."},
        {"  DIDN\xE2\x80\x99T\tit?\n", "didn't it ?"},
        {"'quoted' words' end", "' quoted ' words ' end"},
        {"a\xE2\x80\x99", "a '"},
        {"well-known - dogs--cats", "well-known - dogs - - cats"},
        {"(it),\"bank\"", "( it ) , \" bank \""},
        {"caf\xC3\xA9 4U", "caf\xC3\xA9 4u"},
        {"o''clock x'", "o ' ' clock x '"},
        {"o'\xE2\x80\x99"
         "clock",
         "o ' ' clock"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        Words w;
        char line[400] = "";
        REQUIRE(data_tokenise(table[i][0], &w), "%s", tensor_error());
        for (int k = 0; k < w.count; k++)
            strcat(strcat(line, k ? " " : ""), w.word[k]);
        CHECK_TEXT(line, table[i][1]);
    }
}

TEST(too_many_words)
{
    Words w = {0};
    char line[2 * DATA_WORDS_MAX + 4] = "";
    for (int i = 0; i < DATA_WORDS_MAX; i++)
        strcat(line, "a ");
    CHECK(data_tokenise(line, &w) && w.count == DATA_WORDS_MAX, "%d words", w.count);
    CHECK(!data_tokenise(strcat(line, "b"), &w), "one word too many");
    CHECK_ERROR("data_tokenise: found more than 32 words in \"a a a a a a a a a a a a a a a a a a "
                "a a ...\"; expected at most as many");
    CHECK(data_tokenise("abcdefghijklmnopqrstuvwxyz12345", &w), "%s", tensor_error());
    CHECK(!data_tokenise("abcdefghijklmnopqrstuvwxyz123456", &w), "a word of 32 bytes");
    CHECK_ERROR("data_tokenise: found a word that begins \"abcdefghijklmnopqrstuvwxyz12345\"; "
                "expected fewer than 32 bytes");
}

/* ---- batches --------------------------------------------------------------------------------- */

TEST(batch_is_padded)
{
    const Sentence sentences[] = {
        {.length = 2, .ids = {10, 11}, .query = 1, .label = 5},
        {.length = 4, .ids = {12, 13, 14, 15}, .query = 2, .label = 6},
        {.length = 1, .ids = {16}, .query = 0, .label = -1},
    };
    static const int32_t ids[] = {10, 11, 0, 0, 12, 13, 14, 15, 16, 0, 0, 0};
    SentenceBatch b;
    REQUIRE(data_batch_init(&b, 3), "%s", tensor_error());
    REQUIRE(data_batch_fill(&b, sentences, 3), "%s", tensor_error());
    CHECK(b.B == 3 && b.T == 4, "(%d, %d)", b.B, b.T);
    CHECK(memcmp(b.ids, ids, sizeof ids) == 0, "ids differ");
    CHECK(b.lengths[0] == 2 && b.lengths[1] == 4 && b.lengths[2] == 1, "lengths differ");
    CHECK(b.queries[0] == 1 && b.queries[1] == 6 && b.queries[2] == 8, "queries differ");
    CHECK(b.labels[0] == 5 && b.labels[1] == 6 && b.labels[2] == -1, "labels differ");
    REQUIRE(data_batch_fill(&b, sentences + 2, 1), "%s", tensor_error());
    CHECK(b.B == 1 && b.T == 1 && b.ids[0] == 16, "a smaller batch: (%d, %d)", b.B, b.T);
    data_batch_free(&b);
}

TEST(batch_in_error)
{
    const Sentence bad = {.length = 2, .query = 2}, empty = {0};
    Sentence good[3] = {{.length = 1}, {.length = 1}, {.length = 1}};
    SentenceBatch b;
    CHECK(!data_batch_init(&b, 0), "a capacity of 0");
    CHECK_ERROR("found a capacity of 0 sentences; expected at least 1");
    REQUIRE(data_batch_init(&b, 2), "%s", tensor_error());
    CHECK(!data_batch_fill(&b, good, 3), "three in two");
    CHECK_ERROR("found 3 sentences; expected 1 .. 2");
    CHECK(!data_batch_fill(&b, good, 0), "none");
    CHECK_ERROR("found 0 sentences");
    good[1] = bad;
    CHECK(!data_batch_fill(&b, good, 2), "a query outside");
    CHECK_ERROR("sentence 1: found 2 words and query 2");
    good[1] = empty;
    CHECK(!data_batch_fill(&b, good, 2), "no words");
    CHECK_ERROR("sentence 1: found 0 words");
    data_batch_free(&b);
}

/* ---- text by characters ---------------------------------------------------------------------- */

/* How many characters, by the rules of RFC 3629: what is not well formed counts byte by byte. */
TEST(characters_of_bytes)
{
    static const struct {
        const char *bytes;
        int characters, symbols;
    } table[] = {
        {"aab\n", 4, 3},
        /* the last of each length and the first of the next */
        {"\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80", 6, 6},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 3, 3}, /* e acute, euro, a face: 2, 3, 4 bytes */
        {"\xC0\xAF\xE0\x80\xAF", 5, 4},                 /* overlong: AF twice                    */
        {"\xC1\xBF\xF0\x8F\xBF\xBF", 6, 4},             /* overlong: BF three times              */
        {"\xED\x9F\xBF\xEE\x80\x80", 2, 2},             /* the last before, the first after ... */
        {"\xED\xA0\x80\xED\xBF\xBF", 6, 4},             /* ... the surrogates                    */
        {"\xF4\x8F\xBF\xBF\xF4\x90\x80\x80", 5, 4},     /* 10FFFF, and one too large             */
        {"\xE2\x82"
         "a\xE2\x82",
         5, 3},                         /* cut off by a letter and by the end    */
        {"\x80\xFF\xFE\xF8\x88", 5, 5}, /* no lead bytes                         */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char bytes[64], back[64]; /* twice, because a text needs two windows of two characters */
        const size_t half = strlen(table[i].bytes), n = 2 * half;
        strcat(strcpy(bytes, table[i].bytes), table[i].bytes);
        Text t;
        REQUIRE(data_text_from("table", &t, bytes, n, 1), "%s", tensor_error());
        CHECK(t.count == 2 * table[i].characters && t.symbols == table[i].symbols,
              "row %d: %d characters, %d symbols", (int)i, (int)t.count, t.symbols);
        CHECK(data_text_decode(&t, t.ids, t.count, back, sizeof back) == n, "row %d: length",
              (int)i);
        CHECK(memcmp(back, bytes, n + 1) == 0, "row %d comes back different", (int)i);
        data_text_free(&t);
    }
}

/* Any bytes come back, and encode does what loading did. */
TEST(random_bytes_come_back)
{
    enum { SIZE = 5000 };
    static char bytes[SIZE], back[SIZE + 1];
    static int32_t ids[SIZE];
    static const char piece[] = "\xE2\x82\xAC\xF0\x9F\x98\x80\xC3\xA9 a\xED\xA0";
    Rng rng = {.seed = 11};
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < SIZE;
             i++) /* odd rounds: pieces of UTF-8 in any order; even: any byte */
            bytes[i] =
                round % 2 ? piece[rng_below(&rng, sizeof piece - 1)] : (char)rng_below(&rng, 256);
        Text t;
        REQUIRE(data_text_from("random", &t, bytes, SIZE, 8), "%s", tensor_error());
        CHECK(data_text_decode(&t, t.ids, t.count, back, sizeof back) == SIZE &&
                  memcmp(bytes, back, SIZE) == 0,
              "round %d comes back different", round);
        CHECK(data_text_encode(&t, bytes, SIZE, ids, SIZE) == t.count &&
                  memcmp(ids, t.ids, (size_t)t.count * sizeof *ids) == 0,
              "round %d is encoded differently", round);
        for (int id = 1; id < t.symbols; id++)
            if (t.symbol[id] <= t.symbol[id - 1])
                CHECK(false, "round %d: symbol %d is not above the one before", round, id);
        data_text_free(&t);
    }
}

TEST(encode_and_show)
{
    static const char bytes[] = " \n\t\x07"
                                "a\xC3\xA9\xFF"
                                "abc";
    static const char *const labels[] = {"U+07", "\\t", "\\n",      "\xE2\x90\xA3", "a",
                                         "b",    "c",   "\xC3\xA9", "xFF"};
    Text t;
    REQUIRE(data_text_from("bytes", &t, bytes, sizeof bytes - 1, 1), "%s", tensor_error());
    REQUIRE(t.symbols == 9, "%d symbols", t.symbols);
    for (int id = 0; id < 9; id++) {
        char label[DATA_LABEL_BYTES];
        CHECK_TEXT(data_text_label(&t, id, label), labels[id]);
    }
    int32_t ids[2] = {-7, -7};
    CHECK(data_text_encode(&t, "cab", 3, ids, 1) == 3 && ids[0] == 6 && ids[1] == -7,
          "more than the capacity: %d, %d", ids[0], ids[1]);
    CHECK(data_text_encode(&t, "abz", 3, ids, 2) == -1, "z is not in the text");
    CHECK_ERROR("found \"z\" at byte 2; expected one of the 9 characters");
    char small[3];
    static const int32_t cab[] = {6, 99, 4, -1, 5};
    CHECK(data_text_decode(&t, cab, 5, small, sizeof small) == 3, "length");
    CHECK_TEXT(small, "ca");
    data_text_free(&t);
}

TEST(text_files_in_error)
{
    Text t;
    CHECK(!data_file_text(scratch_path("none.txt"), NULL), "no such file");
    CHECK_ERROR("opening failed with \"No such file or directory\"; expected a readable file");
    CHECK(!data_file_text("/", NULL), "a directory");
    CHECK_ERROR(
        "data_file_text: /: reading failed with \"Is a directory\"; expected a readable file");
    scratch_write(scratch_path("empty.txt"), "", 0);
    CHECK(!data_file_text(scratch_path("empty.txt"), NULL), "an empty file");
    CHECK_ERROR("empty.txt: found an empty file; expected text");
    CHECK(!data_text_from("short.txt", &t, "123456789", 9, 4), "9 of 10 characters");
    CHECK_ERROR("short.txt: found 9 characters; expected at least 10, for one window of 5");
    CHECK(!t.ids && !t.symbol && t.count == 0, "something is left");
    scratch_write(scratch_path("large.txt"), "x", 1); /* grows without using disk space */
    if (CHECK(truncate(scratch_path("large.txt"), DATA_TEXT_MAX_BYTES + 1L) == 0, "truncate")) {
        CHECK(!data_file_text(scratch_path("large.txt"), NULL), "a file too large");
        CHECK_ERROR("large.txt: found more than 134217728 bytes");
    }
    if (access("/dev/zero", R_OK) == 0) { /* it has no size, and no end */
        CHECK(!data_file_text("/dev/zero", NULL), "an endless file");
        CHECK_ERROR("/dev/zero: found more than 134217728 bytes");
    }
    CHECK(!data_text_from("name", &t, "", 0, 4), "an empty text");
    CHECK_ERROR("name: found an empty text; expected characters");
    CHECK(!data_text_from("name", &t, "1234", 4, 0), "windows of nothing");
    CHECK_ERROR("name: found windows of 0 characters; expected at least 1");
}

/* 1000 characters, each a number of its own, so that a window shows where it was taken. */
TEST(text_windows)
{
    enum { B = 40, T = 90, N = 1000, ROUNDS = 400 };
    static char bytes[3 * N];
    static int32_t x[B * T], y[B * T];
    size_t used = 0;
    for (int i = 0; i < N; i++, used += 3) { /* U+0800 + i: three bytes each */
        bytes[used] = (char)0xE0;
        bytes[used + 1] = (char)(0xA0 + i / 64);
        bytes[used + 2] = (char)(0x80 + i % 64);
    }
    Text t;
    REQUIRE(data_text_from("thousand.txt", &t, bytes, used, T), "%s", tensor_error());
    REQUIRE(t.count == N && t.symbols == N && t.train == 900, "%d characters, %d for training",
            (int)t.count, (int)t.train);
    for (int part = DATA_TEXT_TRAIN; part <= DATA_TEXT_VALIDATION; part++) {
        const int begin = part ? 900 : 0, end = part ? N : 900;
        bool starts[N] = {false};
        Rng rng = {.seed = 5};
        int wrong = 0, positions = 0;
        for (int round = 0; round < ROUNDS; round++) {
            REQUIRE(data_text_windows(&t, (TextPart)part, &rng, B, T, x, y), "%s", tensor_error());
            for (int i = 0; i < B * T; i++)
                wrong += x[i] != x[i / T * T] + i % T || y[i] != x[i] + 1;
            for (int b = 0; b < B; b++) {
                wrong += x[b * T] < begin || y[b * T + T - 1] >= end;
                starts[x[b * T]] = true;
            }
        }
        for (int i = 0; i < N; i++)
            positions += starts[i];
        CHECK(wrong == 0, "part %d: %d are wrong", part, wrong);
        /* 16000 draws of at most 810 positions miss one with probability 2 in a million */
        CHECK(positions == end - begin - T, "part %d: %d positions", part, positions);
    }
    CHECK(!data_text_windows(&t, DATA_TEXT_VALIDATION, &(Rng){0}, 1, 100, x, y),
          "no next character");
    CHECK_ERROR("found B = 1, T = 100; expected B >= 1 and T = 1 .. 99");
    CHECK(!data_text_windows(&t, DATA_TEXT_TRAIN, &(Rng){0}, 0, 4, x, y), "no windows");
    CHECK_ERROR("found B = 0");
    data_text_free(&t);
}

/* ---- sentences ------------------------------------------------------------------------------- */

TEST(sentences_in_error)
{
    Grammar *g = data_grammar_new();
    REQUIRE(g != NULL, "%s", tensor_error());
    Sentence s;
    CHECK(!data_grammar_parse(g, "The animal was too tyred because it was", &s), "tyred is known");
    CHECK_ERROR("data_vocab_need: unknown word \"tyred\"; expected a known one, nearest: "
                "\"tired\", \"bored\", \"they\"");
    CHECK(!data_grammar_parse(g, "the animal was tired", &s), "nothing to ask about");
    CHECK_ERROR("found neither \"it\" nor \"bank\"");
    CHECK(!data_grammar_parse(g, "", &s), "an empty sentence");
    CHECK_ERROR("found neither");
    char text[DATA_WORDS_MAX * 3 + 1] = "";
    for (int i = 0; i < DATA_WORDS_MAX; i++)
        strcat(text, "it ");
    CHECK(!data_grammar_parse(g, text, &s), "too long with the full stop");
    CHECK_ERROR("without a full stop");
    char small[8];
    CHECK(data_grammar_parse(g, "it was tired", &s) &&
              data_sentence_text(g, &s, small, sizeof small) == strlen("it was tired ."),
          "the length it needs");
    CHECK_TEXT(small, "it was ");
    CHECK(data_sentence_text(g, &s, NULL, 0) == strlen("it was tired ."), "only the length");
    data_grammar_free(g);
}

/* ---- out of memory --------------------------------------------------------------------------- */

static bool try_all(void *context)
{
    (void)context;
    Vocab v = {0};
    bool ok = data_vocab_specials(&v);
    for (int i = 0; ok && i < 200; i++) {
        char word[16];
        snprintf(word, sizeof word, "w%d", i);
        ok = data_vocab_add(&v, word) >= 0;
    }
    data_vocab_free(&v);
    SentenceBatch b = {0};
    ok = ok && data_batch_init(&b, 3);
    data_batch_free(&b);
    Text t = {0};
    size_t count;
    char *text = ok ? data_file_text(scratch_path("memory.txt"), &count) : NULL;
    ok = text && data_text_from("memory.txt", &t, text, count, 4);
    data_text_free(&t);
    data_file_free(text);
    return ok;
}

TEST(out_of_memory)
{
    static char bytes[100000]; /* more than the first piece that is read */
    memset(bytes, 'x', sizeof bytes);
    scratch_write(scratch_path("memory.txt"), bytes, sizeof bytes);
    CHECK_OUT_OF_MEMORY(try_all, NULL);
}

/* words.c: text that a user types or a file contains, as words: data_tokenise, data_words_build,
 * data_labelled_read, data_grammar_parse, data_translations_read. */
#include "tests/fuzz/fuzz.h"

#include "data/corpora/corpora.h"

#include <string.h>

static void read_labelled(const uint8_t *bytes, size_t size)
{
    Labelled l;
    bool ok = data_labelled_read(fuzz_file(bytes, size), &l);
    for (int i = 0; ok && i < l.count; i++)
        FUZZ_REQUIRE(l.labels[i] >= 0 && l.labels[i] < l.names.count && *l.texts[i], "text %d", i);
    fuzz_outcome(ok, "data_labelled_read");
    data_labelled_free(&l);
}

static void read_words(const char *text)
{
    Words words;
    bool ok = data_tokenise(text, &words);
    for (int i = 0; ok && i < words.count; i++)
        FUZZ_REQUIRE(*words.word[i] && strlen(words.word[i]) < DATA_WORD_BYTES, "word %d", i);
    fuzz_outcome(ok, "data_tokenise");
    Vocab v = {0};
    ok = data_words_build(&v, text, 100, 1);
    fuzz_outcome(ok, "data_words_build");
    int64_t count = data_words_encode(&v, text, NULL, 0);
    FUZZ_REQUIRE(!ok || count >= 0, "%lld words", (long long)count);
    tensor_clear_error();
    data_vocab_free(&v);
}

static void read_sentences(const char *text)
{
    static Grammar *grammar[3];
    static Translations *translations;
    if (!translations) {
        grammar[0] = data_grammar_new();
        grammar[1] = data_phrases_new();
        grammar[2] = data_reviews_new();
        translations = data_translations_new();
    }
    for (int i = 0; i < 3; i++) {
        Sentence s;
        bool ok = data_grammar_parse(grammar[i], text, &s);
        FUZZ_REQUIRE(!ok || (s.length >= 1 && s.query >= 0 && s.query < s.length), "query %d of %d",
                     s.query, s.length);
        tensor_clear_error();
    }
    int32_t ids[DATA_WORDS_MAX];
    int n = data_translations_read(translations, text, ids, DATA_WORDS_MAX);
    FUZZ_REQUIRE(n <= DATA_WORDS_MAX, "%d words", n);
    tensor_clear_error();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text, "no memory");
    memcpy(text, bytes, size);
    text[size] = 0;
    read_labelled(bytes, size);
    read_words(text);
    read_sentences(text);
    free(text);
    return 0;
}

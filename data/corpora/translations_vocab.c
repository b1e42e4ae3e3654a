/* translations_vocab.c: the vocabularies of the Spanish-English corpus, and a user's own
 * sentence. */
#include "data/corpora/corpora.h"

#include "data/corpora/translations_lexicon.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <string.h>

#define nouns      translations_nouns
#define adjectives translations_adjectives
#define verbs      translations_verbs

bool translations_each_word(const char *text, bool (*take)(void *context, const char *word),
                            void *context)
{
    char word[DATA_WORD_BYTES];
    for (size_t n; *text; text += n + strspn(text + n, " ")) {
        n = strcspn(text, " ");
        memcpy(word, text, n);
        word[n] = 0;
        if (!take(context, word))
            return false;
    }
    return true;
}

/* ---- the vocabularies ------------------------------------------------------------------------ */

static bool add_word(void *vocab, const char *word)
{
    return data_vocab_add(vocab, word) >= 0;
}

/* Adds the words of a text, of which NULL has none. */
static bool add_words(Vocab *v, const char *text)
{
    return !text || translations_each_word(text, add_word, v);
}

static bool add_forms(Translations *t, const char *const spanish[GENDERS][NUMBERS],
                      const char *const english[GENDERS][NUMBERS])
{
    bool ok = true;
    for (int i = 0; i < GENDERS * NUMBERS; i++)
        ok = ok && add_words(&t->spanish, spanish[i / NUMBERS][i % NUMBERS]) &&
             (!english || add_words(&t->english, english[i / NUMBERS][i % NUMBERS]));
    return ok;
}

static bool add_tables(Translations *t)
{
    bool ok = true;
    for (int i = 0; ok && i < translations_noun_count; i++)
        ok = add_forms(t, nouns[i].spanish, nouns[i].english);
    for (int i = 0; ok && i < translations_adjective_count; i++)
        ok = add_forms(t, adjectives[i].spanish, NULL) &&
             add_words(&t->english, adjectives[i].english);
    for (int i = 0; ok && i < translations_verb_count; i++) {
        for (int k = 0; ok && k < PERSONS; k++)
            ok = add_words(&t->spanish, verbs[i].spanish[k]);
        ok = ok && add_words(&t->english, verbs[i].english) &&
             add_words(&t->english, verbs[i].english_third);
    }
    for (int i = 0; ok && i < translations_determiner_count; i++)
        for (int k = 0; ok && k < NUMBERS; k++)
            ok = (k > 0 || add_forms(t, translations_determiners[i].spanish, NULL)) &&
                 add_words(&t->english, translations_determiners[i].english[k]);
    for (int i = 0; ok && i < translations_preposition_count; i++)
        ok = add_words(&t->spanish, translations_prepositions[i].spanish) &&
             add_words(&t->english, translations_prepositions[i].english);
    for (int i = 0; ok && i < translations_adverb_count; i++)
        ok = add_words(&t->spanish, translations_adverbs[i].spanish) &&
             add_words(&t->english, translations_adverbs[i].english);
    return ok;
}

Translations *data_translations_new(void)
{
    static const char spanish[] = "<pad> <bos> <eos> yo tú él ella nosotros nosotras vosotros "
                                  "vosotras ellos ellas soy eres es "
                                  "somos sois son estoy estás está estamos estáis están me te lo "
                                  "la nos os los las a al del muy "
                                  "gracias por";
    static const char english[] =
        "<pad> <bos> <eos> I you he she we they am are is do does me him her "
        "it us them an very thanks for";
    Translations *t = mem_zeroed(sizeof *t);
    if (t && add_words(&t->spanish, spanish) && add_words(&t->english, english) && add_tables(t))
        return t;
    data_translations_free(t);
    return NULL;
}

void data_translations_free(Translations *t)
{
    if (!t)
        return;
    data_vocab_free(&t->spanish);
    data_vocab_free(&t->english);
    mem_free(t);
}

const Vocab *data_translations_spanish(const Translations *t)
{
    if (!t)
        return null_fail("data_translations_spanish", "translations"), NULL;
    return &t->spanish;
}

const Vocab *data_translations_english(const Translations *t)
{
    if (!t)
        return null_fail("data_translations_english", "translations"), NULL;
    return &t->english;
}

/* ---- a user's own sentence ------------------------------------------------------------------- */

/* Lowers the capitals of Latin-1, such as those of "Él" and "Árbol": U+00C0 to U+00DE. */
static void lower_latin(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (c[0] == 0xC3 && c[1] >= 0x80 && c[1] <= 0x9E && c[1] != 0x97)
            c[1] += 0x20;
}

int data_translations_read(const Translations *t, const char *text, int32_t *ids, int capacity)
{
    Words words;
    if (!t || !text || (!ids && capacity > 0))
        return null_fail("data_translations_read", "translations, a text and ids"), -1;
    if (!data_tokenise(text, &words))
        return -1;
    if (words.count > 0 && strcmp(words.word[words.count - 1], ".") == 0)
        words.count--;
    if (words.count < 1 || words.count > capacity) {
        tensor_fail("data_translations_read: \"%.60s\": found %d words; expected 1 to %d", text,
                    words.count, capacity);
        return -1;
    }
    for (int i = 0; i < words.count; i++) {
        lower_latin(words.word[i]);
        if ((ids[i] = data_vocab_need(&t->spanish, words.word[i])) < 0)
            return -1;
    }
    return words.count;
}

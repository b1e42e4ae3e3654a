/* test_data_arguments.c: settings out of range, and wrong arguments of the corpora, which
 * tests/project/misuse does not call: each call returns its failure value and leaves one error
 * "function: found; expected", which begins with the name of the function that was called. */
#include "data/corpora/corpora.h"
#include "tests/harness/test.h"

TEST(vocabularies_and_words)
{
    Vocab v = {0};
    Words w;
    REFUSES(data_words_build, "", &v, "a", -1, 1);
    REFUSES(data_tokenise, "", "a-word-of-31-letters-before-the-x-y",
            &w); /* too long at a hyphen, too */
    REFUSES(data_tokenise, "", "abcdefghijklmnopqrstuvwxyzabcde-x", &w);
    CHECK(data_tokenise("abcdefghijklmnopqrstuvwxyzabc-x", &w) && w.count == 1, "31 bytes");
    data_vocab_free(&v);
    CHECK_NO_ERROR();
}

TEST(texts)
{
    Text t = {0};
    Rng rng = {0};
    int32_t ids[4] = {0};
    REFUSES(data_text_windows, "", &t, (TextPart)7, &rng, 1, 1, ids, ids);
    REFUSES(data_text_windows, "", &t, DATA_TEXT_TRAIN, &rng, 1, 1, ids, ids); /* an empty text */
    REFUSES(data_labelled_read, "", "x", NULL);
    CHECK_NO_ERROR();
}

TEST(sequences_orders_and_masks)
{
    Sequences s = {0};
    int which[1] = {0};
    int32_t ids[4] = {1}, lengths[1];
    Masking m = data_bert_masking(1, 3, 9);
    Rng rng = {0};
    CHECK(data_sequences_longest(&s, which, 1) == -1, "it succeeds");
    CHECK_REFUSAL("data_sequences_longest", "");
    CHECK(data_sequences_longest(&s, which, 0) == -1, "it succeeds");
    CHECK_REFUSAL("data_sequences_longest", "");
    REQUIRE(data_sequences_add(&s, ids, 1), "%s", tensor_error());
    REFUSES(data_sequences_batch, "", &s, which, 1, 0, 0, ids, lengths);
    data_order(which, -1, 1, 1);
    CHECK_REFUSAL("data_order", "");
    REFUSES(data_mask_tokens, "", &m, &rng, ids, ids, -1);
    data_sequences_free(&s);
    CHECK_NO_ERROR();
}

TEST(images)
{
    Images m = {0};
    int which[1] = {0};
    real pixels[4];
    REFUSES(data_idx_labelled, "", "x", "y", &m, 0);
    REFUSES(data_images_join, "", &m, &m);
    REFUSES(data_images_pick, "", &m, which, 1, pixels, NULL); /* there are none */
    CHECK_NO_ERROR();
}

TEST(corpora)
{
    Grammar *g = data_grammar_new();
    Translations *t = data_translations_new();
    Sentence s = {0};
    SentencePair p;
    SentenceBatch batch;
    int32_t ids[4];
    REQUIRE(g && t, "%s", tensor_error());
    REFUSES(data_grammar_words, "", NULL);
    REFUSES(data_grammar_labels, "", NULL);
    CHECK(data_grammar_count(NULL, DATA_TRAIN) == -1, "it succeeds");
    CHECK_REFUSAL("data_grammar_count", "");
    REFUSES(data_grammar_nth, "", NULL, DATA_TRAIN, 0, &s);
    REFUSES(data_grammar_draw, "", g, NULL, DATA_TRAIN, &s);
    REFUSES(data_grammar_parse, "", g, NULL, &s);
    REFUSES(data_sentence_text, "", NULL, &s, NULL, 0);
    data_sentence_mask_cue(NULL);
    CHECK_REFUSAL("data_sentence_mask_cue", "");
    REFUSES(data_batch_init, "", NULL, 1);
    REFUSES(data_batch_fill, "", NULL, &s, 1);
    REFUSES(data_batch_fill, "", &batch, &s, 1);
    REFUSES(data_translations_spanish, "", NULL);
    REFUSES(data_translations_english, "", NULL);
    REFUSES(data_translations_draw, "", t, NULL, DATA_TRAIN, &p, NULL);
    REFUSES(data_translations_read, "", t, NULL, ids, 4);
    CHECK(data_translations_read(t, "abcdefghijklmnopqrstuvwxyzabcdefghi", ids, 4) == -1, "read");
    CHECK_REFUSAL("data_tokenise", "found a word that begins \"abcdefghij");
    REFUSES(data_story, "", NULL, NULL, 0, NULL);
    REFUSES(data_digits, "", NULL, 1, 0, 1);
    data_grammar_free(g);
    data_translations_free(t);
    CHECK_NO_ERROR();
}

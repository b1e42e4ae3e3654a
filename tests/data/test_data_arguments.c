/* test_data_arguments.c: settings out of range that tests/project/misuse does not try: each call
 * returns its failure value and leaves one error "function: found; expected", which begins with the
 * name of the function that was called. */
#include "data/data.h"
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

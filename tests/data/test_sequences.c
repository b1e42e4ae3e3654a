/* test_sequences.c: a vocabulary of a text, padded batches, orders and splits. Expected values are
 * counted by hand. */
#include "tests/harness/test.h"

#include "data/data.h"

#include <string.h>

static const char text[] = "The cat sat.\nThe dog didn't sit; the cat sat, the end.";

/* the 4, cat 2, sat 2, "." 2, then once each: dog didn't sit ; , end */
TEST(frequent_words_come_first)
{
    static const char *const want[] = {"<pad>", "<mask>", "<unk>", "the", "cat", "sat", ".",
                                       "dog",   "didn't", "sit",   ";",   ",",   "end"};
    Vocab v = {0};
    REQUIRE(data_words_build(&v, text, 100, 1), "%s", tensor_error());
    CHECK(v.count == 13, "%d words; expected 13", v.count);
    for (int i = 0; i < v.count && i < 13; i++)
        CHECK_TEXT(data_vocab_word(&v, i), want[i]);
    data_vocab_free(&v);
    REQUIRE(data_words_build(&v, text, 100, 2), "%s", tensor_error());
    CHECK(v.count == 7, "%d words occur twice; expected 4 and the specials", v.count);
    data_vocab_free(&v);
    REQUIRE(data_words_build(&v, text, 5, 1), "%s", tensor_error());
    CHECK(v.count == 5, "%d words; expected 5", v.count);
    data_vocab_free(&v);
}

TEST(words_become_ids)
{
    static const int32_t want[] = {3, 4, 2, 2, 3, 2};
    int32_t ids[8] = {0, 0, 0, 0, 0, 0, -1, -1}, few[3] = {-1, -1, -1};
    Vocab v = {0};
    REQUIRE(data_words_build(&v, text, 5, 1), "%s", tensor_error());
    CHECK(data_words_encode(&v, " THE cat flew; the end", ids, 8) == 6, "%d %d", ids[0], ids[6]);
    for (int i = 0; i < 6; i++)
        CHECK(ids[i] == want[i], "id %d is %d; expected %d", i, ids[i], want[i]);
    CHECK(ids[6] == -1, "more than there are");
    CHECK(data_words_encode(&v, "the cat flew", few, 2) == 3 && few[2] == -1,
          "beyond the capacity");
    CHECK(data_words_encode(&v, "", few, 2) == 0, "words in nothing");
    CHECK(data_words_encode(&v, "abcdefghijklmnopqrstuvwxyz123456", few, 2) == -1, "a long word");
    CHECK_ERROR("data_words_encode: found a word that begins \"abcdefghijklmnopqrstuvwxyz12345\"; "
                "expected fewer than 32 bytes");
    data_vocab_free(&v);
    CHECK(!data_words_build(&v, "a abcdefghijklmnopqrstuvwxyz123456", 9, 1), "a long word");
    CHECK_ERROR("data_words_build: found a word that begins \"abcdefghijklmnopqrstuvwxyz12345\"; "
                "expected fewer than 32 bytes");
    data_vocab_free(&v);
    CHECK(!data_words_build(&v, NULL, 9, 1), "words in no text");
    CHECK_ERROR("data_words_build: an argument is NULL; expected a vocabulary and a text");
}

TEST(batches_are_padded)
{
    static const int32_t a[] = {1, 2, 3}, b[] = {4}, c[] = {5, 6};
    static const int all[] = {1, 0, 2}, two[] = {2, 1}, wrong[] = {0, 3};
    static const int32_t want[] = {4, 9, 9, 9, 1, 2, 3, 9, 5, 6, 9, 9};
    int32_t ids[12], lengths[3];
    Sequences s = {0};
    CHECK(data_sequences_add(&s, a, 3) && data_sequences_add(&s, b, 1) &&
              data_sequences_add(&s, c, 2),
          "%s", tensor_error());
    CHECK(data_sequences_longest(&s, all, 3) == 3 && data_sequences_longest(&s, two, 2) == 2, "T");
    REQUIRE(data_sequences_batch(&s, all, 3, 4, 9, ids, lengths), "%s", tensor_error());
    for (int i = 0; i < 12; i++)
        CHECK(ids[i] == want[i], "id %d is %d; expected %d", i, ids[i], want[i]);
    CHECK(lengths[0] == 1 && lengths[1] == 3 && lengths[2] == 2, "lengths");
    CHECK(!data_sequences_batch(&s, all, 3, 2, 9, ids, lengths), "longer than T");
    CHECK_ERROR("data_sequences_batch: found T = 2; expected at least 3, the longest");
    CHECK(!data_sequences_batch(&s, wrong, 2, 4, 9, ids, lengths), "no such sequence");
    CHECK_ERROR("data_sequences_batch: which[1] is 3; expected 0 .. 2");
    CHECK(!data_sequences_add(&s, a, 0) && s.count == 3, "an empty sequence");
    CHECK_ERROR("data_sequences_add: found 0 ids for sequence 3; expected at least 1");
    data_sequences_free(&s);
}

/* Sequence i holds i % 7 + 1 times the id i: more than the first capacity of either. */
static bool many_sequences(void *unused)
{
    Sequences s = {0};
    int32_t ids[7];
    bool ok = true;
    (void)unused;
    for (int i = 0; ok && i < 100; i++) {
        for (int k = 0; k < 7; k++)
            ids[k] = i;
        ok = data_sequences_add(&s, ids, i % 7 + 1);
    }
    for (int i = 0; ok && i < 100; i++)
        CHECK(s.start[i + 1] - s.start[i] == i % 7 + 1 && s.ids[s.start[i]] == i &&
                  s.ids[s.start[i + 1] - 1] == i,
              "sequence %d", i);
    data_sequences_free(&s);
    Vocab v = {0};
    ok = ok && data_words_build(&v, text, 100, 1);
    data_vocab_free(&v);
    return ok;
}

TEST(memory_grows_or_fails)
{
    CHECK(many_sequences(NULL), "%s", tensor_error());
    CHECK_OUT_OF_MEMORY(many_sequences, NULL);
}

/* Each of 0 .. n-1 once. */
static bool is_order(const int *items, int n)
{
    bool seen[100] = {false};
    for (int i = 0; i < n; i++) {
        if (items[i] < 0 || items[i] >= n || seen[items[i]])
            return false;
        seen[items[i]] = true;
    }
    return true;
}

/* Two random orders of 100 agree with a chance of 1 in 100!. */
TEST(orders_follow_seed_and_epoch)
{
    int a[100], b[100];
    data_order(a, 100, 1, 0);
    CHECK(is_order(a, 100), "not every item once");
    data_order(b, 100, 1, 0);
    CHECK(memcmp(a, b, sizeof a) == 0, "the same seed and epoch, another order");
    data_order(b, 100, 1, 1);
    CHECK(is_order(b, 100) && memcmp(a, b, sizeof a) != 0, "another epoch, the same order");
    data_order(b, 100, 2, 0);
    CHECK(is_order(b, 100) && memcmp(a, b, sizeof a) != 0, "another seed, the same order");
}

TEST(splits_hold_out_a_part)
{
    int a[100], b[100];
    CHECK(data_split(a, 100, 0.2, 3) == 80 && is_order(a, 100), "of 100");
    CHECK(data_split(b, 100, 0.2, 3) == 80 && memcmp(a, b, sizeof a) == 0, "not repeatable");
    data_split(b, 100, 0.2, 4);
    CHECK(memcmp(a, b, sizeof a) != 0, "another seed, the same split");
    CHECK(data_split(a, 7, 0.5, 3) == 3, "3.5 of 7 are rounded up to 4");
    CHECK(data_split(a, 7, 0, 3) == 7 && data_split(a, 7, 1, 3) == 0 && data_split(a, 0, 1, 3) == 0,
          "all or none");
    CHECK(data_split(a, 7, 1.5, 3) == -1, "more than all");
    CHECK_ERROR("data_split: found 7 items and a share of 1.5 to hold out; expected 0 or more in "
                "an array, and 0 to 1");
    CHECK(data_split(a, -1, 0.5, 3) == -1, "fewer than none");
    CHECK_ERROR("data_split: found -1 items");
}

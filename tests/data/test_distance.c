/* test_distance.c: the distance of two words, and the known words that are nearest to an unknown
 * one. */
#include "tests/harness/test.h"

#include "data/data.h"

#include <string.h>

/* kitten and sitting: two letters are replaced and one is inserted. */
TEST(distances_by_hand)
{
    static const struct {
        const char *a, *b;
        int distance;
    } pair[] = {{"kitten", "sitting", 3}, {"hte", "the", 1}, {"model", "help", 4},
                {"", "the", 3},           {"", "", 0},       {"the", "the", 0}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        CHECK(data_word_distance(pair[i].a, pair[i].b) == pair[i].distance, "%s to %s: %d",
              pair[i].a, pair[i].b, data_word_distance(pair[i].a, pair[i].b));
        CHECK(data_word_distance(pair[i].b, pair[i].a) == pair[i].distance, "%s to %s: %d",
              pair[i].b, pair[i].a, data_word_distance(pair[i].b, pair[i].a));
    }
    CHECK_NO_ERROR();
}

/* Distances by hand. tyred: tired 1, then tried and tied 2 with one letter in common at the
 * beginning, so the earlier one first. hte is "the" with two letters swapped: 1; "her" and "hat"
 * are 2 away, one letter in common. part and care are both 1 from cart, and care begins like it. */
TEST(nearest_words)
{
    static const char *const words[] = {"wide", "hat", "tried", "tired", "tied",
                                        "the",  "her", "part",  "care"};
    Vocab v = {0};
    REQUIRE(data_vocab_specials(&v), "%s", tensor_error());
    for (int i = 0; i < 9; i++)
        data_vocab_add(&v, words[i]);
    CHECK(data_vocab_need(&v, "tyred") == -1, "tyred is known");
    CHECK_ERROR("data_vocab_need: unknown word \"tyred\"; expected a known one, nearest: "
                "\"tired\", \"tried\", \"tied\"");
    CHECK(data_vocab_need(&v, "hte") == -1, "hte is known");
    CHECK_ERROR("data_vocab_need: unknown word \"hte\"; expected a known one, nearest: \"the\", "
                "\"hat\", \"her\"");
    CHECK(data_vocab_need(&v, "cart") == -1, "cart is known");
    CHECK_ERROR("data_vocab_need: unknown word \"cart\"; expected a known one, nearest: \"care\", "
                "\"part\", \"hat\"");
    CHECK(data_vocab_need(&v, "mask>") == -1, "mask> is known"); /* specials are no suggestion */
    CHECK(!strstr(tensor_error(), "<mask>"), "%s", tensor_error());
    tensor_clear_error();
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    CHECK(data_vocab_need(&v, longest) == -1, "a very long word is known");
    CHECK_ERROR("unknown word");
    CHECK(data_vocab_need(&v, "her") == 9, "a known word");
    CHECK_NO_ERROR();
    data_vocab_free(&v);
}

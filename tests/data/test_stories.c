/* test_stories.c: the fables: equal for equal seeds, rarely alike, and consistent from beginning to
 * end. Their probability against a count by hand. */
#include "tests/harness/test.h"

#include "data/corpora/corpora.h"

#include <math.h>
#include <string.h>

enum { STORIES = 5000, BYTES = 2048 };

TEST(a_function_of_the_rng)
{
    char a[BYTES], b[BYTES];
    double nats[2];
    Rng r = {.seed = 3}, again = {.seed = 3}, other = {.seed = 4};
    for (int i = 0; i < 50; i++) {
        size_t n = data_story(&r, a, sizeof a, &nats[0]);
        CHECK(n == strlen(a) && n > 300 && n < 1000, "%zu bytes, %zu letters", n, strlen(a));
        CHECK(data_story(&again, b, sizeof b, &nats[1]) == n && strcmp(a, b) == 0, "%s%s", a, b);
        CHECK(nats[0] == nats[1], "%g, %g", nats[0], nats[1]);
        data_story(&other, b, sizeof b, NULL);
        CHECK(strcmp(a, b) != 0, "seeds 3 and 4 tell the same: %s", a);
    }
    CHECK(r.position == again.position, "it took another number of numbers");
}

TEST(as_much_as_fits)
{
    char whole[BYTES], part[BYTES];
    size_t n = data_story(&(Rng){.seed = 5}, whole, sizeof whole, NULL);
    for (size_t size = 0; size <= n + 1; size += size < 4 || size + 4 > n ? 1 : 97) {
        memset(part, '#', sizeof part);
        CHECK(data_story(&(Rng){.seed = 5}, part, size, NULL) == n, "size %zu", size);
        CHECK(size == 0 || (strlen(part) == size - 1 && memcmp(part, whole, size - 1) == 0),
              "size %zu: %s", size, part);
        CHECK(part[size] == '#', "it writes beyond its size");
    }
}

/* The word after `before`, up to a blank or a mark. */
static const char *word_after(const char *text, const char *before, char word[32])
{
    const char *at = strstr(text, before);
    word[0] = 0;
    if (at)
        sscanf(at + strlen(before), "%31[a-z]", word);
    return word;
}

TEST(the_end_knows_the_beginning)
{
    char text[BYTES], met[64], word[32], hero[32], third[32], number[32];
    int hid = 0, cried = 0;
    Rng r = {.seed = 6};
    for (int i = 0; i < STORIES; i++) {
        data_story(&r, text, sizeof text, NULL);
        CHECK(!strpbrk(text, "[]{}|^"), "%s", text);
        REQUIRE(word_after(text, ",\" said the ", hero)[0], "%s", text);
        const char *there = strstr(text, "There ");
        REQUIRE(there && sscanf(there, "There %*s %*s a %31[a-z]", word) == 1, "%s", text);
        CHECK(strcmp(hero, word) != 0, "it meets itself: %s", text);
        third[0] = 0;
        sscanf(strrchr(text, ' '), " %31[a-z].", third); /* ..., said the bear. */
        CHECK(*third && strcmp(third, hero) != 0 && strcmp(third, word) != 0, "who says so? %s",
              text);
        bool she = strstr(text, "There she") != NULL;
        snprintf(met, sizeof met, "I have %s ", word_after(text, "I have ", number));
        REQUIRE(strstr(text, met), "%s", text);
        if (strstr(text, "a greedy ")) {
            CHECK(strstr(text, "left alone,") != NULL, "%s", text);
            CHECK_TEXT(word_after(text, "In the morning ", word), she ? "she" : "he");
            if (word_after(text, "hid all ", word)[0]) {
                CHECK_TEXT(word, number);
                hid++;
            }
        }
        if (strstr(text, "a proud ") && word_after(text, " hand,\" cried the ", word)[0]) {
            CHECK_TEXT(word, hero);
            cried++;
        }
    }
    CHECK(hid > 0 && cried > 0, "%d fables hide a number, in %d the hero cries", hid, cried);
}

/* A kind hero, "One ...", "Hello", what it is good for, "over the hill": all choices that such a
 * fable has. */
TEST(its_probability_is_counted)
{
    static const double ways[] = {18, 17, 16, 2, 2, 6, 12, 5, 10, 9, /* who, what, where */
                                  4,  2,  4,  3,           /* One morning, ... went, ... met */
                                  2,  3,  2,  3, 3, 3, 3,  /* Hello, ..., to eat */
                                  2,  3,  3,  3, 2, 2, 2}; /* counted, ..., says */
    double nats, want = 0;
    char text[BYTES];
    int found = 0;
    Rng r = {.seed = 7};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        want += log(ways[i]);
    for (int i = 0; i < STORIES; i++) {
        data_story(&r, text, sizeof text, &nats);
        if (strstr(text, "a kind ") && strncmp(text, "One", 3) == 0 && strstr(text, "Hello") &&
            strstr(text, "over the hill") && !strstr(text, "for my") && !strstr(text, "for a")) {
            CHECK_CLOSE(nats, want, 1e-9);
            found++;
        }
    }
    CHECK(found > 1, "such a fable occurred %d times", found);
}

/* "One" begins 1 fable of 4, and half of the meetings are with a she: within 5 standard
 * deviations. */
TEST(parts_are_equally_likely)
{
    char text[BYTES];
    int one = 0, she = 0;
    Rng r = {.seed = 8};
    for (int i = 0; i < STORIES; i++) {
        data_story(&r, text, sizeof text, NULL);
        one += strncmp(text, "One", 3) == 0;
        she += strstr(text, "There she") != NULL;
    }
    CHECK_CLOSE(one, STORIES / 4.0, 5 * sqrt(STORIES * 3 / 16.0));
    CHECK_CLOSE(she, STORIES / 2.0, 5 * sqrt(STORIES / 4.0));
}

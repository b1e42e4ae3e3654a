/* test_bpe.c: byte-pair encoding: the merges that training finds, exact round trips, and merges
 * that a program has kept.
 *
 * Merges are counted by hand for the lecture's sentence, and for random texts by a plain method
 * that counts over the whole text at each step. */
#include "tests/harness/test.h"

#include "data/data.h"

#include <string.h>

static const char piper[] = "Peter Piper picked a peck of pickled peppers";

/* (p, e) stands in Piper, peck and twice in peppers; (e, r), before that, in Peter, Piper and
 * peppers: 3, as (c, k), but two of them are used up by "pe". Of the pairs that occur twice the
 * first in the text comes first: per in Piper; p i, then pi ck, in picked; e d at its end. */
TEST(merges_counted_by_hand)
{
    static const struct {
        const char *token;
        int64_t count;
    } want[] = {{"pe", 4}, {"ck", 3}, {"per", 2}, {"pi", 2}, {"pick", 2}, {"ed", 2}};
    char token[DATA_BPE_TOKEN_BYTES];
    Bpe b;
    REQUIRE(data_bpe_train(&b, piper, strlen(piper), 100), "%s", tensor_error());
    CHECK(b.merges == 6, "%d merges; expected 6", b.merges);
    for (int k = 0; k < b.merges && k < 6; k++) {
        CHECK(data_bpe_token(&b, 256 + k, token) == (int)strlen(want[k].token), "length of %d", k);
        CHECK_TEXT(token, want[k].token);
        CHECK(b.merge[k].count == want[k].count, "\"%s\" %lld times; expected %lld", token,
              (long long)b.merge[k].count, (long long)want[k].count);
    }
    CHECK(b.merge[0].left == 'p' && b.merge[0].right == 'e', "%d %d", b.merge[0].left,
          b.merge[0].right);
    CHECK(b.merge[4].left == 259 && b.merge[4].right == 257, "pick is %d %d", b.merge[4].left,
          b.merge[4].right);
    data_bpe_free(&b);
    REQUIRE(data_bpe_train(&b, piper, strlen(piper), 2), "%s", tensor_error());
    CHECK(b.merges == 2, "%d merges; expected as many as asked for", b.merges);
    data_bpe_free(&b);
}

/* P e t e r _ P i per _ pick ed _ a _ pe ck _ o f _ pick l ed _ pe p per s */
TEST(ids_counted_by_hand)
{
    static const int32_t want[] = {'P', 'e', 't', 'e', 'r', ' ', 'P', 'i', 258, ' ',
                                   260, 261, ' ', 'a', ' ', 256, 257, ' ', 'o', 'f',
                                   ' ', 260, 'l', 261, ' ', 256, 'p', 258, 's'};
    enum { WANT = sizeof want / sizeof want[0] };
    int32_t ids[64] = {0}, few[3] = {-1, -1, -1};
    char text[64];
    Bpe b;
    REQUIRE(data_bpe_train(&b, piper, strlen(piper), 100), "%s", tensor_error());
    int64_t n = data_bpe_encode(&b, piper, strlen(piper), ids, 64);
    CHECK(n == WANT, "%lld ids; expected %d", (long long)n, WANT);
    for (int i = 0; i < WANT; i++)
        CHECK(ids[i] == want[i], "id %d is %d; expected %d", i, ids[i], want[i]);
    CHECK(data_bpe_decode(&b, ids, n, text, sizeof text) == strlen(piper), "another length");
    CHECK_TEXT(text, piper);
    CHECK(data_bpe_encode(&b, piper, strlen(piper), few, 2) == WANT, "not all were counted");
    CHECK(few[1] == 'e' && few[2] == -1, "written beyond the capacity");
    CHECK(data_bpe_decode(&b, ids, n, text, 6) == strlen(piper), "not all were counted");
    CHECK_TEXT(text, "Peter");
    CHECK(data_bpe_decode(&b, (int32_t[]){-1, 262, 'x'}, 3, text, sizeof text) == 1, "no ids");
    CHECK_TEXT(text, "x");
    data_bpe_free(&b);
}

/* A run of one letter holds half as many pairs of it as it has letters. */
TEST(runs_do_not_overlap)
{
    static const struct {
        const char *text;
        int64_t count;
    } table[] = {{"aaaa", 2}, {"aaaaa", 2}, {"aaa aaa", 2}, {"aa aaaa", 3}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        Bpe b;
        REQUIRE(data_bpe_train(&b, table[i].text, strlen(table[i].text), 1), "%s", tensor_error());
        CHECK(b.merges == 1 && b.merge[0].count == table[i].count, "%s: %lld; expected %lld",
              table[i].text, b.merges ? (long long)b.merge[0].count : -1,
              (long long)table[i].count);
        data_bpe_free(&b);
    }
    Bpe b;
    REQUIRE(data_bpe_train(&b, "aaa", 3, 5), "%s", tensor_error());
    CHECK(b.merges == 0, "a pair that occurs once was merged");
    data_bpe_free(&b);
}

/* ---- against the plainest method ------------------------------------------------------------- */

enum { PLAIN = 400 };

static bool is_blank(int32_t id)
{
    return id == ' ' || id == '\n';
}

/* How often left-right can be joined from the left on; joins them if `whole` is an id. */
static int64_t joined(int32_t *ids, int *n, int32_t left, int32_t right, int32_t whole)
{
    int64_t times = 0;
    int to = 0, count = *n;
    int32_t out[PLAIN];
    for (int i = 0; i < count; i++) {
        bool here = i + 1 < count && ids[i] == left && ids[i + 1] == right;
        out[to++] = here ? whole : ids[i];
        times += here;
        i += here;
    }
    if (whole >= 0) {
        memcpy(ids, out, (size_t)to * sizeof *ids);
        *n = to;
    }
    return times;
}

TEST(same_as_the_plainest_method)
{
    static const char letters[] = "aabcd \n\xff";
    Rng r = {.seed = 5};
    for (int round = 0; round < 40; round++) {
        char text[PLAIN];
        int32_t ids[PLAIN], encoded[PLAIN];
        int n = 1 + (int)rng_below(&r, PLAIN), all = n;
        for (int i = 0; i < n; i++)
            ids[i] = (unsigned char)(text[i] = letters[rng_below(&r, 8)]);
        Bpe b;
        REQUIRE(data_bpe_train(&b, text, (size_t)n, 30), "%s", tensor_error());
        for (int k = 0; k < 30; k++) {
            int64_t most = 1;
            int32_t left = -1, right = -1;
            for (int i = 0; i + 1 < n; i++) {
                if (is_blank(ids[i]) || is_blank(ids[i + 1]))
                    continue;
                int64_t times = joined(ids, &n, ids[i], ids[i + 1], -1);
                if (times > most)
                    most = times, left = ids[i], right = ids[i + 1];
            }
            if (left < 0) {
                CHECK(b.merges == k, "%d merges; expected %d", b.merges, k);
                break;
            }
            REQUIRE(k < b.merges, "%d merges; expected more", b.merges);
            CHECK(b.merge[k].left == left && b.merge[k].right == right && b.merge[k].count == most,
                  "text %d, merge %d: %d %d %lld; expected %d %d %lld", round, k, b.merge[k].left,
                  b.merge[k].right, (long long)b.merge[k].count, left, right, (long long)most);
            joined(ids, &n, left, right, 256 + k);
        }
        CHECK(data_bpe_encode(&b, text, (size_t)all, encoded, PLAIN) == n &&
                  memcmp(ids, encoded, (size_t)n * sizeof *ids) == 0,
              "text %d has other ids than training left", round);
        data_bpe_free(&b);
    }
}

/* Every byte there is, zeros, and runs longer than a piece. */
TEST(any_bytes_come_back)
{
    enum { N = 20000 };
    static unsigned char bytes[N], back[N + 1];
    static int32_t ids[N];
    Rng r = {.seed = 9};
    for (int i = 0; i < N; i++)
        bytes[i] = (unsigned char)(i < 4000    ? 'x'
                                   : i < 8000  ? i % 3
                                   : i < 14000 ? rng_below(&r, 256)
                                               : "the cat sat"[i % 11]);
    for (int merges = 0; merges <= 300; merges += 100) {
        Bpe b;
        REQUIRE(data_bpe_train(&b, bytes, N, merges), "%s", tensor_error());
        int64_t n = data_bpe_encode(&b, bytes, N, ids, N);
        CHECK(merges == 0 ? n == N : n < N, "%lld ids", (long long)n);
        CHECK(data_bpe_decode(&b, ids, n, (char *)back, sizeof back) == N &&
                  memcmp(bytes, back, N) == 0,
              "%d merges: other bytes came back", merges);
        data_bpe_free(&b);
    }
    Bpe b;
    REQUIRE(data_bpe_train(&b, "", 0, 10), "%s", tensor_error());
    CHECK(b.merges == 0 && data_bpe_encode(&b, "", 0, ids, N) == 0, "ids of nothing");
    CHECK(data_bpe_encode(&b, "\0\xff", 2, ids, N) == 2 && ids[0] == 0 && ids[1] == 255, "bytes");
    data_bpe_free(&b);
}

TEST(refuses_bad_arguments)
{
    Bpe b;
    CHECK(!data_bpe_train(&b, "a", 1, -1), "-1 merges");
    CHECK_ERROR("found -1 merges; expected 0 .. 65280");
    CHECK(!data_bpe_train(&b, "a", 1, DATA_BPE_MERGES_MAX + 1), "too many merges");
    CHECK_ERROR("found 65281 merges; expected 0 .. 65280");
    CHECK(!data_bpe_train(&b, "a", (size_t)DATA_TEXT_MAX_BYTES + 1, 1), "too long");
    CHECK_ERROR("data_bpe_train: found 134217729 bytes; expected at most 134217728");
}

/* ---- merges that a program has kept ---------------------------------------------------------- */

TEST(keeps_the_merges_of_a_program)
{
    int32_t ids[64], again[64];
    Bpe b, c;
    REQUIRE(data_bpe_train(&b, piper, strlen(piper), 100), "%s", tensor_error());
    REQUIRE(data_bpe_from(&c, b.merge, b.merges), "%s", tensor_error());
    CHECK(c.merges == 6 && memcmp(b.merge, c.merge, 6 * sizeof *b.merge) == 0, "other merges");
    int64_t n = data_bpe_encode(&b, piper, strlen(piper), ids, 64);
    CHECK(data_bpe_encode(&c, piper, strlen(piper), again, 64) == n &&
              memcmp(ids, again, (size_t)n * sizeof *ids) == 0,
          "other ids");
    data_bpe_free(&b);
    data_bpe_free(&c);
    CHECK(data_bpe_from(&c, NULL, 0) && c.merges == 0, "%s", tensor_error());
    data_bpe_free(&c);
}

static const struct {
    int count;
    Merge merge[9];
    const char *error;
} bad[] = {
    {1, {{97, 98, 0}}, "merge 0 has a count below 1; expected one that training could have made"},
    {1, {{256, 98, 1}}, "merge 0 has an id that no earlier merge made"},
    {1, {{98, 65536, 1}}, "merge 0 has an id that no earlier merge made"},
    {1, {{97, -8, 1}}, "merge 0 has an id that no earlier merge made"},
    {1, {{32, 98, 1}}, "merge 0 has white space, which is never merged"},
    {1, {{98, 10, 1}}, "merge 0 has white space"},
    {2, {{97, 98, 2}, {97, 98, 1}}, "merge 1 has a pair that an earlier merge joins"},
    {2, {{97, 98, 2}, {256, 257, 1}}, "merge 1 has an id that no earlier merge made"},
    {9,
     {{1, 1, 1},
      {256, 256, 1},
      {257, 257, 1},
      {258, 258, 1},
      {259, 259, 1},
      {260, 260, 1},
      {261, 261, 1},
      {262, 262, 1},
      {263, 263, 1}},
     "merge 8 has a token of more than 256 bytes"},
    {-1, {{0}}, "data_bpe_from: found -1 merges; expected 0 .. 65280"},
};

TEST(refuses_bad_merges)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Bpe b;
        Memory m = {0};
        memory_watch(&m);
        CHECK(!data_bpe_from(&b, bad[i].merge, bad[i].count), "taken: %s", bad[i].error);
        CHECK_ERROR(bad[i].error);
        CHECK(m.blocks == 0 && !b.merge && !b.own, "%ld blocks are left", m.blocks);
        memory_unwatch();
    }
    CHECK(!data_bpe_from(NULL, NULL, 0), "no Bpe");
    CHECK_ERROR("data_bpe_from: an argument is NULL; expected merges");
}

/* Words and pairs of so many kinds that every table has to grow. */
static bool train_and_take(void *context)
{
    static char text[8000];
    Rng r = {.seed = 3};
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i % 5 == 4 ? ' ' : 'a' + rng_below(&r, 26));
    Bpe b, c = {0};
    (void)context;
    bool ok = data_bpe_train(&b, text, sizeof text, 3) && data_bpe_from(&c, b.merge, b.merges);
    data_bpe_free(&b);
    data_bpe_free(&c);
    return ok;
}

TEST(out_of_memory)
{
    CHECK_OUT_OF_MEMORY(train_and_take, NULL);
}

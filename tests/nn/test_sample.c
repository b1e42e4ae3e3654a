/* test_sample.c: sampling. Each restriction against its definition: the distribution by a separate
 * plain computation, and the draws from it; the limits of temperature; equal probabilities;
 * errors. */
#include "tests/harness/test.h"

#include "nn/decode/decode.h"

#include <math.h>

enum { V = 6 };

/* No two probabilities are equal, and no sum of the largest lies within 0.01 of a bound used
 * here. */
static const real logits[V] = {(real)0.5, (real)-1, 2, (real)1.25, (real)-3, 0};

static void sampler_open(Sampler *s, Candidates *c, Rng *rng)
{
    *rng = (Rng){.seed = 7};
    CHECK(nn_candidates_init(c, V), "%s", tensor_error());
    *s = (Sampler){.temperature = 1, .top_k = V, .top_p = 1, .candidates = c, .rng = rng};
}

/* The definition: a token remains when fewer than k are more likely, and the more likely ones have
 * together less than `mass`. */
static void define(double temperature, int k, double mass, double p[V])
{
    double all = 0, softmax[V], left = 0;
    for (int i = 0; i < V; i++)
        all += exp(logits[i] / temperature);
    for (int i = 0; i < V; i++)
        softmax[i] = exp(logits[i] / temperature) / all;
    double of_k = 0; /* top-p works on what top-k has left, divided by its sum */
    for (int i = 0; i < V; i++) {
        int rank = 0;
        for (int j = 0; j < V; j++)
            rank += softmax[j] > softmax[i];
        of_k += rank < k ? softmax[i] : 0;
    }
    for (int i = 0; i < V; i++) {
        int rank = 0;
        double before = 0;
        for (int j = 0; j < V; j++)
            if (softmax[j] > softmax[i]) {
                rank++;
                before += softmax[j] / of_k;
            }
        p[i] = rank < k && before < mass ? softmax[i] : 0;
        left += p[i];
    }
    for (int i = 0; i < V; i++)
        p[i] /= left;
}

static const struct {
    double temperature;
    int top_k;
    double top_p;
    int left;
} ways[] = {
    {1, V, 1, V},   {0.5, V, 1, V},  {3, V, 1, V},    {1, 1, 1, 1},      {1, 3, 1, 3},
    {1, V, 0.5, 1}, {1, V, 0.75, 2}, {1, V, 0.95, 4}, {2, 4, 0.8, 3},    {0.7, 5, 0.9, 3},
    {1, 99, 1, V},  {1, 2, 0.99, 2}, {1, 2, 0.6, 1},  {1, V, 0.0001, 1},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* 1e-6: float logits; 1e-14 in double: a few roundings. */
#define P_CLOSE (sizeof(real) == sizeof(double) ? 1e-14 : 1e-6)

TEST(distributions_are_their_definition)
{
    Candidates c;
    REQUIRE(nn_candidates_init(&c, V), "%s", tensor_error());
    for (int w = 0; w < WAYS; w++) {
        double want[V], sum = 0;
        define(ways[w].temperature, ways[w].top_k, ways[w].top_p, want);
        CHECK(nn_temperature(&c, logits, ways[w].temperature) && nn_top_k(&c, ways[w].top_k) &&
                  nn_top_p(&c, ways[w].top_p),
              "%s", tensor_error());
        CHECK(c.count == ways[w].left, "way %d leaves %lld of %d", w, (long long)c.count,
              ways[w].left);
        for (int64_t i = 0; i < c.count; i++) {
            CHECK_CLOSE(c.list[i].p, want[c.list[i].token], P_CLOSE);
            CHECK(i == 0 || c.list[i].p < c.list[i - 1].p, "way %d: not in order", w);
            sum += c.list[i].p;
        }
        CHECK_CLOSE(sum, 1, 1e-14);
    }
    nn_candidates_free(&c);
}

/* The first candidate with a cumulative probability above the generator's next number: the same
 * seed, the same tokens. */
TEST(draws)
{
    Sampler s;
    Candidates c;
    Rng rng;
    sampler_open(&s, &c, &rng);
    for (int w = 0; w < WAYS; w++)
        for (int i = 0; i < 200; i++) {
            Rng same = rng;
            double u = rng_uniform(&same), sum = 0;
            s.temperature = ways[w].temperature;
            s.top_k = ways[w].top_k;
            s.top_p = ways[w].top_p;
            int token = nn_sample(&s, logits, V), want = 0;
            while (want < c.count - 1 && (sum += c.list[want].p) <= u)
                want++;
            CHECK(token == c.list[want].token, "way %d: token %d for %g", w, token, u);
            CHECK(rng.position == same.position, "it took %lld words of 32 bits",
                  (long long)rng.position);
        }
    nn_candidates_free(&c);
}

/* T -> 0: all on the largest. T -> infinity: each the same. */
TEST(limits_of_temperature)
{
    static const double cold[] = {1e-3, 1e-30, 1e-300, 0}, hot[] = {1e9, 1e300};
    Candidates c;
    REQUIRE(nn_candidates_init(&c, V), "%s", tensor_error());
    for (int i = 0; i < 4; i++) {
        CHECK(nn_temperature(&c, logits, cold[i]), "%s", tensor_error());
        CHECK(c.list[0].token == nn_greedy(logits, V) && c.list[0].p == 1,
              "T = %g: token %d with %g", cold[i], c.list[0].token, c.list[0].p);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(nn_temperature(&c, logits, hot[i]), "%s", tensor_error());
        for (int v = 0; v < V; v++) /* logits apart by 5: exp(5 / 1e9) is 1 + 5e-9 */
            CHECK_CLOSE(c.list[v].p, 1.0 / V, 1e-9);
    }
    nn_candidates_free(&c);
}

/* Equal logits: the lower token is in front, and no more of them stay than are needed. */
TEST(ties)
{
    static const real even[V] = {1, 1, 1, 1, (real)-INFINITY, 1}, /* each exactly 1/5 */
        two[V] = {0, 3, 0, 3, 0, 0};
    static const struct {
        double p;
        int left;
    } nuclei[] = {{0.2, 1}, {0.21, 2}, {0.4, 2}, {0.41, 3}, {0.99, 5}};
    Candidates c;
    REQUIRE(nn_candidates_init(&c, V), "%s", tensor_error());
    for (int i = 0; i < 5; i++) {
        CHECK(nn_temperature(&c, even, 1) && nn_top_p(&c, nuclei[i].p), "%s", tensor_error());
        CHECK(c.count == nuclei[i].left, "top-p %g leaves %lld", nuclei[i].p, (long long)c.count);
        for (int64_t k = 0; k < c.count; k++)
            CHECK(c.list[k].token == (k == 4 ? 5 : k), "candidate %d is token %d", (int)k,
                  c.list[k].token);
    }
    CHECK(nn_temperature(&c, even, 1) && c.list[V - 1].token == 4 && c.list[V - 1].p == 0,
          "-infinity is a token of probability 0");
    CHECK(nn_temperature(&c, even, 1) && nn_top_k(&c, 3) && c.count == 3 && c.list[2].token == 2,
          "top-k of equals");
    CHECK_CLOSE(c.list[2].p, 1.0 / 3, 1e-15);
    CHECK(nn_temperature(&c, two, 0) && c.list[0].token == 1 && c.list[0].p == 0.5 &&
              c.list[1].token == 3 && c.list[1].p == 0.5,
          "T = 0 of equals: the limit of T -> 0 is a half each");
    CHECK(nn_greedy(two, V) == 1, "greedy takes the first of equals");
    nn_candidates_free(&c);
}

TEST(refusals)
{
    static const real nan_inside[V] = {0, NAN, 0}, infinite[V] = {0, INFINITY},
                      nothing[V] = {-INFINITY, -INFINITY, -INFINITY,
                                    -INFINITY, -INFINITY, -INFINITY};
    Sampler s;
    Candidates c, none = {0};
    Rng rng;
    sampler_open(&s, &c, &rng);
    REFUSES(nn_top_k, "the candidates have no distribution; expected one of nn_temperature", &c, 1);
    static const double bad_t[] = {-0.1, -INFINITY, INFINITY, NAN}, bad_p[] = {0, -1, 1.01, NAN};
    for (int i = 0; i < 4; i++) {
        REFUSES(nn_temperature, "logits, a temperature of ", &c, logits, bad_t[i]);
        CHECK(nn_temperature(&c, logits, 1) && !nn_top_p(&c, bad_p[i]), "top-p %g", bad_p[i]);
        CHECK_ERROR("nn_top_p: p is ");
    }
    REFUSES(nn_top_k, "k is 0; expected 1 or more", &c, 0);
    REFUSES(nn_top_k, "k is -3; expected 1 or more", &c, -3);
    CHECK(!nn_temperature(&c, nan_inside, 1) && !nn_temperature(&c, infinite, 1) &&
              !nn_temperature(&c, nothing, 1),
          "no softmax");
    CHECK_ERROR("nn_temperature: a logit is NaN or +infinity, or all are");
    s.top_k = 0;
    CHECK(nn_sample(&s, logits, V) == -1, "a sampler with top-k 0");
    CHECK_ERROR("nn_top_k: k is 0; expected 1 or more");
    s.candidates = &none;
    REFUSES(nn_sample, "other candidates for", &s, logits, V);
    REFUSES(nn_candidates_init, "a vocabulary of 0; expected 1 to 2147483647", &none, 0);
    nn_candidates_free(&c);
}

TEST_OUT_OF_MEMORY(out_of_memory)
{
    Candidates c;
    bool ok = nn_candidates_init(&c, V);
    nn_candidates_free(&c);
    return ok;
}

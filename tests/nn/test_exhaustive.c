/* test_exhaustive.c: the limits of beam search and of exhaustive search, on a model that gives all
 * tokens the same probability: how deep the stack grows, and which exponents alpha of the length
 * are refused. What both find is tested in test_beam.c. */
#include "tests/harness/runner.h"

#include "nn/decode/internal.h"

#include <math.h>

/* It notes where the stack stood in the first and in the latest pass. */
typedef struct {
    int vocabulary;
    uintptr_t first, latest;
    Tape *tape;
    KVCache cache;
    Decoder decoder;
} Uniform;

static Tensor *uniform_logits(void *model, Tensor *ids, KVCache *cache)
{
    Uniform *m = model;
    (void)cache;
    m->latest = (uintptr_t)__builtin_frame_address(0);
    m->first = m->first ? m->first : m->latest;
    return tape_full(ids->tape, 0, shape3(ids->shape.dim[0], ids->shape.dim[1], m->vocabulary));
}

static bool uniform_open(Uniform *m, int vocabulary, int tokens)
{
    *m = (Uniform){.vocabulary = vocabulary, .tape = tape_new(1)};
    m->decoder = (Decoder){.logits = uniform_logits, .model = m, .cache = &m->cache, .end = -1};
    return m->tape && nn_cache_init(&m->cache, 1, 1, tokens + 1, 1, 1);
}

static void uniform_close(Uniform *m)
{
    nn_cache_free(&m->cache);
    tape_free(m->tape);
}

/* With a vocabulary of one token one continuation exists, whatever its length: the limit of
 * continuations does not bound the stack. A function that calls itself for each of the 5000 tokens
 * needs at least a return address for each, 40000 bytes; the distance between the prompt's pass and
 * the last one is that between two callers in the same function, a few hundred bytes. */
static void the_stack_does_not_grow(void)
{
    enum { COUNT = 5000 };
    static int out[COUNT];
    Uniform m;
    double score = NAN;
    REQUIRE(uniform_open(&m, 1, COUNT), "%s", tensor_error());
    CHECK(nn_exhaustive(m.tape, &m.decoder, (const int[]){0}, 1, out, COUNT, 1, &score), "%s",
          tensor_error());
    CHECK_CLOSE(score, 0, 0);
    CHECK(m.first - m.latest < 4096 || m.latest - m.first < 4096, "the stack grew by %lld bytes",
          (long long)(m.first - m.latest));
    uniform_close(&m);
}

static void the_first_of_equal_ones(void)
{
    Uniform m;
    int out[2] = {-1, -1};
    double score = NAN;
    REQUIRE(uniform_open(&m, 3, 2), "%s", tensor_error());
    CHECK(nn_exhaustive(m.tape, &m.decoder, (const int[]){0}, 1, out, 2, 0, &score), "%s",
          tensor_error());
    CHECK(out[0] == 0 && out[1] == 0, "found %d %d of nine equal ones", out[0], out[1]);
    CHECK_CLOSE(score, -2 * log(3), 1e-6);
    uniform_close(&m);
}

/* 2^-2000 is 0 in double and 2^2000 infinite: all scores would be -infinity, or all equal. 4^166 is
 * below 10^100, 4^167 above; one token alone has length 1, of which every power is 1. */
static void refused_alphas(void)
{
    static const struct {
        double alpha;
        int count;
        bool taken;
    } trial[] = {{-2000, 2, false}, {2000, 2, false},    {NAN, 1, false}, {INFINITY, 1, false},
                 {167, 4, false},   {-167, 4, false},    {166, 4, true},  {-166, 4, true},
                 {-2000, 1, true},  {INFINITY, 2, false}};
    for (size_t i = 0; i < 2 * sizeof trial / sizeof *trial; i++) {
        const bool beam = i % 2 == 0, taken = trial[i / 2].taken;
        const double alpha = trial[i / 2].alpha;
        int out[4], count = trial[i / 2].count;
        double score = NAN;
        BeamTree tree = {0};
        char want[160];
        Uniform m;
        REQUIRE(uniform_open(&m, 4, count), "%s", tensor_error());
        bool ok = beam ? nn_beam(m.tape, &m.decoder, (const int[]){0}, 1, out, count, alpha, &tree)
                       : nn_exhaustive(m.tape, &m.decoder, (const int[]){0}, 1, out, count, alpha,
                                       &score);
        CHECK(ok == taken, "%s: alpha %g, %d tokens", beam ? "beam" : "all", alpha, count);
        if (ok && beam)
            score = decode_score(tree.node[tree.best].log_p, tree.node[tree.best].length, alpha);
        CHECK(isfinite(score) == taken, "alpha %g: score %g", alpha, score);
        snprintf(want, sizeof want,
                 "%s: alpha is %g and count %d; expected a finite alpha and count^alpha from "
                 "1e-100 to 1e+100",
                 beam ? "nn_beam" : "nn_exhaustive", alpha, count);
        if (!taken)
            CHECK_ERROR(want);
        nn_beam_free(&tree);
        uniform_close(&m);
    }
}

static const TestCase cases[] = {
    {"the stack does not grow", the_stack_does_not_grow},
    {"the first of equal ones", the_first_of_equal_ones},
    {"refused alphas", refused_alphas},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("exhaustive", cases, argc, argv);
}

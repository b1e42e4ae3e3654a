/* test_beam.c: beam search. On Markov models with given probabilities, against results computed by
 * hand: where greedy decoding loses, and what length normalisation changes. A transformer whose
 * cache follows its hypotheses is compared with transformers (test_rules.c). */
#include "tests/nn/small_decoder.h"
#include "tests/harness/test.h"

#include <math.h>
#include <string.h>

enum { WORDS = 4, PROMPT = 3 };

static double score_of(const BeamTree *t, int node)
{
    return t->node[node].log_p / pow(t->node[node].length, t->alpha);
}

/* The tokens from the prompt to a node; returns their number. */
static int path_of(const BeamTree *t, int node, int *tokens)
{
    int length = t->node[node].length;
    for (; node >= 0; node = t->node[node].parent)
        tokens[t->node[node].length - 1] = t->node[node].token;
    return length;
}

/* ---- a Markov model: p[i][j], token j after token i ------------------------------------------ */

typedef struct {
    double p[WORDS][WORDS];
    Tape *tape;
    KVCache cache;
    Decoder decoder;
    BeamTree tree;
    int out[6];
} Markov;

static Tensor *markov_logits(void *model, Tensor *ids, KVCache *cache)
{
    const Markov *m = model;
    (void)cache;
    int64_t n = tensor_size(ids);
    Tensor *y = tape_full(ids->tape, 0, shape3(ids->shape.dim[0], ids->shape.dim[1], WORDS));
    for (int64_t i = 0; i < n && !tensor_is_poison(y); i++)
        for (int j = 0; j < WORDS; j++)
            y->data[i * WORDS + j] = (real)log(m->p[ids->ids[i]][j]);
    return y;
}

static bool markov_open(Markov *m, const double p[WORDS][WORDS], int width, int end)
{
    *m = (Markov){.tape = tape_new(1)};
    memcpy(m->p, p, sizeof m->p);
    m->decoder = (Decoder){.logits = markov_logits, .model = m, .cache = &m->cache, .end = end};
    return CHECK(m->tape && nn_cache_init(&m->cache, 1, width, 8, 1, 1), "%s", tensor_error());
}

/* Searches after token 0. */
static bool markov_search(Markov *m, int count, double alpha)
{
    return nn_beam(m->tape, &m->decoder, (const int[]){0}, 1, m->out, count, alpha, &m->tree);
}

static void markov_close(Markov *m)
{
    CHECK_NO_ERROR();
    nn_beam_free(&m->tree);
    nn_cache_free(&m->cache);
    tape_free(m->tape);
}

/* Float logits of probabilities with two digits. */
#define LOG_CLOSE 1e-6

/* After 0 comes 1 (0.6) or 2 (0.4). After 1 all tokens are equally likely; after 2 comes 3 with
 * high probability. */
static const double garden_path[WORDS][WORDS] = {{0, 0.6, 0.4, 0},
                                                 {0.25, 0.25, 0.25, 0.25},
                                                 {0.01, 0.01, 0.01, 0.97},
                                                 {0.25, 0.25, 0.25, 0.25}};

TEST(greedy_loses_to_beam)
{
    static const int want[3][2] = {{1, 0}, {2, 3}, {2, 3}};
    for (int width = 1; width <= 3; width++) {
        Markov m;
        REQUIRE(markov_open(&m, garden_path, width, -1), "none");
        CHECK(markov_search(&m, 2, 1), "%s", tensor_error());
        CHECK(m.out[0] == want[width - 1][0] && m.out[1] == want[width - 1][1],
              "%d hypotheses find %d %d", width, m.out[0], m.out[1]);
        CHECK_CLOSE(m.tree.node[m.tree.best].log_p, width == 1 ? log(0.6 * 0.25) : log(0.4 * 0.97),
                    LOG_CLOSE);
        CHECK_CLOSE(score_of(&m.tree, m.tree.best), m.tree.node[m.tree.best].log_p / 2, 1e-15);
        if (width == 1)
            CHECK(nn_generate(m.tape, &m.decoder, (const int[]){0}, NULL, 1, m.out, 2) &&
                      m.out[0] == 1 && m.out[1] == 0,
                  "greedy says %d %d", m.out[0], m.out[1]);
        markov_close(&m);
    }
}

/* The whole tree of two hypotheses, by hand: 1 (.6), 2 (.4); then of .15 four times and .388 the
 * two largest. */
TEST(the_tree_is_what_was_kept)
{
    static const BeamNode want[] = {{-1, 1, 1, 0}, {-1, 2, 1, 0}, {1, 3, 2, 0}, {0, 0, 2, 0}};
    static const double p[] = {0.6, 0.4, 0.4 * 0.97, 0.6 * 0.25};
    Markov m;
    int path[2];
    REQUIRE(markov_open(&m, garden_path, 2, -1), "none");
    CHECK(markov_search(&m, 2, 0), "%s", tensor_error());
    REQUIRE(m.tree.nodes == 4, "%d nodes", m.tree.nodes);
    for (int i = 0; i < 4; i++) {
        BeamNode n = m.tree.node[i];
        CHECK(n.parent == want[i].parent && n.token == want[i].token && n.length == want[i].length,
              "node %d: token %d after %d, %d long", i, n.token, n.parent, n.length);
        CHECK_CLOSE(n.log_p, log(p[i]), LOG_CLOSE);
        CHECK_CLOSE(score_of(&m.tree, i), n.log_p, 0); /* alpha 0 */
    }
    CHECK(m.tree.best == 2, "the best is %d", m.tree.best);
    CHECK(path_of(&m.tree, 3, path) == 2 && path[0] == 1 && path[1] == 0, "path %d %d", path[0],
          path[1]);
    markov_close(&m);
}

/* 3 ends. At once it has 0.6, as the first node; 1 1 1 has 0.4 0.9 0.9 = 0.324: less, but more for
 * each of its three tokens. */
TEST(length_normalisation)
{
    static const double p[WORDS][WORDS] = {{0, 0.4, 0, 0.6},
                                           {0, 0.9, 0.05, 0.05},
                                           {0.25, 0.25, 0.25, 0.25},
                                           {1, 0, 0, 0}};
    static const int want[2][3] = {{3, 3, 3}, {1, 1, 1}};
    for (int alpha = 0; alpha < 2; alpha++) {
        Markov m;
        REQUIRE(markov_open(&m, p, 2, 3), "none");
        CHECK(markov_search(&m, 3, alpha), "%s", tensor_error());
        CHECK(memcmp(m.out, want[alpha], sizeof *want) == 0, "alpha %d: %d %d %d", alpha, m.out[0],
              m.out[1], m.out[2]);
        markov_close(&m);
    }
}

/* When all have ended, the search does: 0 says 1 or 2, and both are followed by the end. */
TEST(it_stops_when_all_have_ended)
{
    static const double p[WORDS][WORDS] = {{0, 0.6, 0.4, 0},
                                           {0, 0, 0, 1},
                                           {0, 0, 0, 1},
                                           {0, 0, 0, 1}};
    Markov m;
    REQUIRE(markov_open(&m, p, 2, 3), "none");
    CHECK(markov_search(&m, 6, 0), "%s", tensor_error());
    CHECK(m.out[0] == 1 && m.out[1] == 3 && m.out[5] == 3, "%d %d ... %d", m.out[0], m.out[1],
          m.out[5]);
    CHECK(m.tree.nodes == 4 && m.cache.length[0] == 2, "%d nodes, %d tokens", m.tree.nodes,
          m.cache.length[0]);
    markov_close(&m);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static const int prompt[PROMPT] = {4, 11, 7};

MODEL_TEST(refusals)
{
    BeamTree tree;
    int out[LONGEST];
    Decoder d = {.logits = model_cached, .model = m, .cache = &m->cache, .end = -1};
    m->tape->training = true;
    CHECK(!nn_beam(m->tape, &d, prompt, 0, out, 4, 1, &tree) && !tree.node, "an empty prompt");
    CHECK_ERROR("beam: 4 tokens after a prompt of 0");
    REFUSES(nn_beam,
            "24 tokens after a prompt of 3; expected a prompt of 1 or more and 25 tokens in all, "
            "the capacity of the cache and one",
            m->tape, &d, prompt, PROMPT, out, LONGEST, 1, &tree);
    REFUSES(nn_beam, "the prompt is NULL; expected a tape, a decoder with logits and a", m->tape,
            &d, NULL, PROMPT, out, 4, 1, &tree);
    m->fail_in = 2;
    REFUSES(nn_beam, "the model returned no logits; expected a tensor", m->tape, &d, prompt, PROMPT,
            out, 4, 1, &tree);
    nn_beam_free(&tree);
    CHECK(m->tape->training, "the tape is another");
    m->head.bias->data[3] = NAN;
    REFUSES(nn_beam, "a logit is NaN or +infinity, or all are -infinity; expected", m->tape, &d,
            prompt, PROMPT, out, 4, 1, &tree);
    nn_beam_free(&tree);
}

TEST(refused_alphas)
{
    static const double alpha[] = {-10.5, 10.5, NAN, -10, 10};
    for (int i = 0; i < 5; i++) {
        Markov m;
        REQUIRE(markov_open(&m, garden_path, 1, -1), "none");
        CHECK(markov_search(&m, 4, alpha[i]) == (i >= 3), "alpha %g", alpha[i]);
        if (i < 3)
            CHECK_ERROR("; expected -10 to 10");
        markov_close(&m);
    }
}

TEST_OUT_OF_MEMORY(out_of_memory)
{
    Model m = {0};
    BeamTree tree = {0};
    int out[2];
    bool ok = model_make(&m, 3, false, POSITION_LEARNED);
    Decoder d = {.logits = model_cached, .model = &m, .cache = &m.cache, .end = -1};
    ok = ok && nn_beam(m.tape, &d, prompt, PROMPT, out, 2, 1, &tree);
    nn_beam_free(&tree);
    model_free(&m);
    return ok;
}

/* test_rules.c: generation by rules against transformers (golden/generation.tsv, made by
 * pretrained/make_generation.py, which says what a line is): the scores that nn_rules makes; what
 * models write greedily, two prompts of different lengths in one call, and by beam search; where a
 * stop text ends a text. Then a stop in nn_generate, and what is refused. */
#include "tests/autograd/on_tape.h"

#include "data/data.h"
#include "nn/pretrained/pretrained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8, MOST = 20, WORDS = 9, NEW = 8 };

typedef struct {
    char *field[FIELDS];
    int ids[MOST], n; /* before */
    int forbidden[MOST];
    DecodeRules rules;
} Line;

static int numbers(const char *text, double out[MOST])
{
    int n = 0;
    for (char *end; n < MOST && *text && strcmp(text, "-") != 0; text = end)
        out[n++] = strtod(text, &end);
    return n;
}

static int whole_numbers(const char *text, int out[MOST])
{
    double x[MOST];
    int n = numbers(text, x);
    for (int i = 0; i < n; i++)
        out[i] = (int)x[i];
    return n;
}

/* The fields of a line, which are cut apart; of a line with rules also these. */
static int split(char *text, Line *l)
{
    int n = 0;
    *l = (Line){.n = 0};
    text[strcspn(text, "\n")] = 0;
    for (char *at = text; at && n < FIELDS; n++) {
        l->field[n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    if (n == FIELDS) {
        l->rules = (DecodeRules){.repetition = atof(l->field[2]),
                                 .no_repeat = atoi(l->field[3]),
                                 .forbidden = l->forbidden,
                                 .shortest = atoi(l->field[4])};
        l->forbidden[whole_numbers(l->field[5], l->forbidden)] = -1;
        l->n = whole_numbers(l->field[6], l->ids);
    }
    return n;
}

static void scores(const Line *l)
{
    static const int ends[] = {3, -1};
    double want[2 * MOST];
    real got[WORDS];
    REQUIRE(numbers(l->field[7], want) == 2 * WORDS, "%s", l->field[7]);
    for (int i = 0; i < WORDS; i++)
        got[i] = (real)want[i];
    const Decoder d = {.end = 0, .ends = ends, .rules = &l->rules};
    CHECK(nn_rules(&d, l->ids, l->n, got, WORDS), "%s", tensor_error());
    for (int i = 0; i < WORDS; i++) /* two roundings of float32 */
        CHECK(isinf(want[WORDS + i]) ? isinf((double)got[i]) && got[i] < 0
                                     : fabs((double)got[i] - want[WORDS + i]) <= 3e-7,
              "%s %s %s %s: %d is %g, not %g", l->field[2], l->field[3], l->field[4], l->field[6],
              i, (double)got[i], want[WORDS + i]);
}

/* What the model writes after one prompt (beams) or after two (greedily), a row for each. */
static bool write(Pretrained *m, const Line *l, int rows, int beams, int out[2][NEW])
{
    const bool translates = m->config.kind == PRETRAINED_TRANSLATOR;
    const int batch = beams > 1 ? beams : rows, start[] = {m->config.start, m->config.start},
              longest = rows > 1 && l[1].n > l[0].n ? l[1].n : l[0].n;
    int *ids = calloc((size_t)(batch * longest), sizeof *ids), lengths[MOST];
    Tape *tape = tape_new(1);
    KVCache cache = {0};
    BeamTree tree = {0};
    for (int b = 0; b < batch; b++) {
        const Line *of = &l[beams > 1 ? 0 : b];
        lengths[b] = of->n;
        memcpy(ids + b * longest, of->ids, (size_t)of->n * sizeof *ids);
    }
    tape->no_grad = true;
    bool ok = (!translates ||
               nn_pretrained_read(m, tape_ids(tape, ids, shape2(batch, longest)), lengths)) &&
              nn_pretrained_cache(m, &cache, batch, longest + NEW);
    Decoder d = nn_pretrained_decoder(m, &cache);
    d.rules = &l->rules;
    if (beams > 1) {
        d.end = -1;
        d.ends = NULL;
        ok = ok && nn_beam(tape, &d, translates ? start : ids, translates ? 1 : l->n, out[0], NEW,
                           1, &tree);
    } else {
        ok = ok && nn_generate(tape, &d, translates ? start : ids, translates ? NULL : lengths,
                               translates ? 1 : longest, out[0], NEW);
    }
    nn_beam_free(&tree);
    nn_cache_free(&cache);
    tape_free(tape);
    free(ids);
    return ok;
}

/* A row that has ended has only the end. */
static void same(const Line *l, const int out[NEW], int end)
{
    int want[MOST], n = whole_numbers(l->field[7], want);
    for (int i = 0; i < NEW; i++)
        CHECK(out[i] == (i < n ? want[i] : end), "%s %s %s %s %s after %s: token %d is %d, not %d",
              l->field[0], l->field[1], l->field[2], l->field[3], l->field[4], l->field[6], i,
              out[i], i < n ? want[i] : end);
}

static void generated(const Line *l, int rows)
{
    Pretrained m;
    int out[2][NEW], beams = atoi(l->field[1]);
    const char *path = source_path("tests/golden/pretrained/%s", l->field[0]);
    REQUIRE(nn_pretrained_load(path, &m), "%s", tensor_error());
    CHECK(write(&m, l, rows, beams, out), "%s", tensor_error());
    for (int b = 0; b < rows; b++)
        same(&l[b], out[b], m.config.end);
    nn_pretrained_free(&m);
}

static void stop_text(const Line *l)
{
    char text[64] = "";
    int ids[MOST], ends[MOST], n = whole_numbers(l->field[3], ids), of = 0;
    for (const char *at = l->field[2]; *at; at++) /* "\n" is written as in Python */
        if (*at == '\\' && at[1] == 'n' && ++at)
            text[of++] = '\n';
        else
            text[of++] = *at;
    Tokeniser *t = data_tokeniser_open(source_path("tests/golden/tokenisers/%s", l->field[1]));
    CHECK(whole_numbers(l->field[4], ends) == n, "%s: not %d numbers", l->field[4], n);
    for (int k = 0; k < n; k++)
        CHECK(data_tokens_stop(t, ids, k + 1, text) == ends[k],
              "%s: '%s' after %d tokens of %s is not %d", l->field[1], l->field[2], k + 1,
              l->field[3], ends[k]);
    data_tokeniser_free(t);
}

TEST(as_transformers)
{
    static char text[2][1024];
    Line l[2];
    int seen[3] = {0};
    FILE *in = fopen(source_path("tests/golden/generation.tsv"), "r");
    REQUIRE(in, "the file is missing");
    while (fgets(text[0], sizeof text[0], in)) {
        int fields = split(text[0], &l[0]), rows = 1;
        if (strcmp(l->field[0], "stop") == 0) {
            CHECK(fields == 5, "%d fields", fields);
            stop_text(l);
            seen[0]++;
        } else if (strcmp(l->field[0], "scores") == 0) {
            scores(l);
            seen[1]++;
        } else {
            if (atoi(l->field[1]) == 1 && fgets(text[1], sizeof text[1], in))
                rows += split(text[1], &l[1]) == FIELDS;
            generated(l, rows);
            seen[2]++;
        }
    }
    fclose(in);
    CHECK(seen[0] == 24 && seen[1] == 28 && seen[2] == 36, "%d, %d, %d", seen[0], seen[1], seen[2]);
    CHECK_NO_ERROR();
}

static bool after_four(void *count, const int32_t *ids, int64_t n)
{
    ++*(int *)count;
    return n == 4 || ids[n - 1] < 0;
}

/* The row of one token before it writes three, that of two writes two; the rest is `end`. */
TEST_ON_TAPE(a_stop_ends_each_row)
{
    const int32_t prompt[] = {5, 0, 7, 3}, lengths[] = {1, 2};
    int32_t out[2][6];
    int calls = 0;
    Pretrained m;
    KVCache cache;
    REQUIRE(nn_pretrained_load(source_path("tests/golden/pretrained/gpt2"), &m) &&
                nn_pretrained_cache(&m, &cache, 2, 8),
            "%s", tensor_error());
    for (int end = -1; end < 1; end++) {
        Decoder d = nn_pretrained_decoder(&m, &cache);
        const DecodeRules rules = {.shortest = 100}; /* 0, which would end a row, is not written */
        d.rules = &rules;
        d.end = end;
        d.stop = after_four;
        d.stopper = &calls;
        CHECK(nn_generate(tape, &d, prompt, lengths, 2, out[0], 6), "%s", tensor_error());
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 6; i++)
                CHECK((out[b][i] == end) == (i >= 3 - b) ||
                          (end < 0 && out[b][i] >= 0 && i < 3 - b),
                      "row %d, %d: %d", b, i, out[b][i]);
    }
    CHECK(calls == 10, "%d calls", calls);
    BeamTree tree;
    Decoder d = nn_pretrained_decoder(&m, &cache);
    d.stop = after_four;
    REFUSES(nn_beam, "the decoder has a stop; expected none", tape, &d, prompt, 1, out[0], 2, 1,
            &tree);
    const DecodeRules bad = {.repetition = -1}, worse = {.no_repeat = -2};
    d = nn_pretrained_decoder(&m, &cache);
    d.rules = &bad;
    CHECK(!nn_generate(tape, &d, prompt, NULL, 2, out[0], 2), "a negative penalty");
    CHECK_ERROR("nn_rules: a penalty of -1 for repetitions, no 0 tokens twice; expected");
    d.rules = &worse;
    CHECK(!nn_generate(tape, &d, prompt, NULL, 2, out[0], 2), "no -2 tokens");
    CHECK_ERROR("nn_rules: a penalty of 0 for repetitions, no -2 tokens twice; expected");
    d = nn_pretrained_decoder(NULL, &cache);
    REFUSES(nn_generate, "the decoder's logits is NULL", tape, &d, prompt, NULL, 2, out[0], 2);
    nn_cache_free(&cache);
    nn_pretrained_free(&m);
}

/* page.c: --html: a text with the distributions from which it was drawn, and a beam search, as a
 * page for a browser. */
#include "examples/common/generated.h"
#include "examples/pretrained/pretrained.h"
#include "plot/html/own_pages.h"

#include <stdlib.h>

enum { BEAM = 4, BEAM_STEPS = 10 };

bool write_model_page(const Settings *s)
{
    char path[EXAMPLE_PATH];
    example_path(&s->common, "model.html", path);
    if (!tensor_make_directory(s->common.out) || !plot_page_model(path, GRADUS_LIVE))
        return false;
    printf("page on which you open a model's folder: %s\n", path);
    return true;
}

static int pick(void *generated, const real *numbers, int64_t words)
{
    return generated_pick(generated, numbers, words);
}

static void token_text(const void *tokeniser, int id, char *text, size_t size)
{
    const int32_t one = id;
    text[0] = 0;
    if (id < data_tokeniser_count(tokeniser))
        data_tokens_text(tokeniser, &one, 1, true, text, size);
}

static bool draw_text(const Settings *s, Pretrained *m, Generated *g, Tape *tape, const Encoded *e)
{
    KVCache cache = {0};
    Decoder d = nn_pretrained_decoder(m, &cache);
    d.pick = pick;
    d.picker = g;
    int T = e->tokens.count;
    int32_t *out = example_alloc((size_t)s->tokens * sizeof *out);
    bool ok = out && nn_pretrained_cache(m, &cache, 1, T + s->tokens) &&
              generated_begin(g, s->tokens, (int)m->config.words,
                              (Rng){.seed = (uint64_t)s->common.seed});
    g->sampler.top_p = 0.9;
    ok = ok && nn_generate(tape, &d, e->ids, NULL, T, out, s->tokens);
    nn_cache_free(&cache);
    free(out);
    return ok;
}

static bool search(const Settings *s, Pretrained *m, Tape *tape, const Encoded *e, BeamTree *tree)
{
    KVCache cache = {0};
    const Decoder d = nn_pretrained_decoder(m, &cache);
    int T = e->tokens.count, count = s->tokens < BEAM_STEPS ? s->tokens : BEAM_STEPS,
        out[BEAM_STEPS];
    bool ok = nn_pretrained_cache(m, &cache, BEAM, T + count) &&
              nn_beam(tape, &d, e->ids, T, out, count, 1, tree);
    nn_cache_free(&cache);
    return ok;
}

bool write_generation(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape)
{
    Generated g = {0};
    BeamTree tree = {0};
    Encoded e;
    if (!sentence_open(&e, t, s->texts.text[0], 0))
        return false;
    const GeneratedText page = {.title = "A pretrained model continues a text",
                                .prompt = s->texts.text[0],
                                .token = token_text,
                                .vocabulary = t,
                                .beam = &tree,
                                .end = m->config.end};
    bool ok = draw_text(s, m, &g, tape, &e) && search(s, m, tape, &e, &tree) &&
              generated_write(&g, &s->common, "generation.html", &page);
    nn_beam_free(&tree);
    generated_free(&g);
    sentence_close(&e);
    return ok;
}

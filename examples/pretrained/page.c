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
    if (!tensor_make_directory(s->common.out) || !plot_page_model(path, GRADUS_LIVE, s->model))
        return false;
    FILE *file = fopen(path, "rb");
    const double bytes = file && fseek(file, 0, SEEK_END) == 0 ? (double)ftell(file) : 0;
    if (file)
        fclose(file);
    printf(s->model ? "page with the model, to hand out: %s, %.1f MB\n"
                    : "page on which you open a model's folder: %s, %.1f MB\n",
           path, bytes / 1e6);
    return true;
}

static void token_text(const void *tokeniser, int id, char *text, size_t size)
{
    const int32_t one = id;
    text[0] = 0;
    if (id < data_tokeniser_count(tokeniser))
        data_tokens_text(tokeniser, &one, 1, true, text, size);
}

bool write_generation(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape)
{
    Generated g = {0};
    KVCache one = {0}, hypotheses = {0};
    Encoded e;
    if (!sentence_open(&e, t, s->texts.text[0], 0))
        return false;
    const int T = e.tokens.count, steps = s->tokens < BEAM_STEPS ? s->tokens : BEAM_STEPS;
    const GeneratedText page = {.title = "A pretrained model continues a text",
                                .prompt = s->texts.text[0],
                                .token = token_text,
                                .vocabulary = t,
                                .beam = &g.tree,
                                .end = m->config.end};
    bool ok = nn_pretrained_cache(m, &one, 1, T + s->tokens) &&
              nn_pretrained_cache(m, &hypotheses, BEAM, T + steps) &&
              generated_begin(&g, s->tokens, (int)m->config.words,
                              (Rng){.seed = (uint64_t)s->common.seed});
    g.sampler.top_p = 0.9;
    ok = ok &&
         generated_run(&g, tape, nn_pretrained_decoder(m, NULL), &one, &hypotheses, e.ids, T,
                       s->tokens, steps, 1) &&
         generated_write(&g, &s->common, "generation.html", &page);
    nn_cache_free(&one);
    nn_cache_free(&hypotheses);
    generated_free(&g);
    sentence_close(&e);
    return ok;
}

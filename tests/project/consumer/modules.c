/* modules.c: fine-tuning and decoding with modules of the installed library. Arguments: a folder to
 * write into. Ends with 0 if all holds. */
#include <gradus.h>

#include "checks.h"

#include <string.h>

/* Every distribution of initial weights has the standard deviation that its formula says, within 5
 * standard errors: for n = 10^4 weights a relative 5 / sqrt(2 n) = 3.6 %, less for uniform ones. */
static void check_inits(Params *p)
{
    const struct {
        const char *name;
        Init init;
        double deviation;
    } list[] = {{"nn_uniform", nn_uniform(3), sqrt(3)},
                {"nn_kaiming_uniform", nn_kaiming_uniform(100), sqrt(2.0 / 100)}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const Tensor *w = params_add(p, list[i].name, shape2(100, 100), list[i].init);
        double squares = 0;
        for (int64_t k = 0; w && k < tensor_size(w); k++)
            squares += (double)w->data[k] * (double)w->data[k];
        CHECK(fabs(sqrt(squares / 1e4) / list[i].deviation - 1) < 0.036, list[i].name);
    }
}

/* A layer is adapted by LoRA and SGD: only the adaptation is trained, and merging it keeps the
 * function. */
static void check_fine_tuning(Tape *tape, const char *folder)
{
    char path[512];
    Params *p = params_new(1);
    Linear layer;
    Norm norm;
    Lora lora;
    Sgd sgd;
    CHECK(nn_linear_init(&layer, p, "layer", 3, 2, true) && nn_rmsnorm_init(&norm, p, "norm", 3) &&
              nn_lora_init(&lora, p, "lora", layer, 1, 2),
          "init");
    CHECK(params_freeze(p, "norm", true) == 1 && params_trained(p) == 3 + 2, "params_freeze");
    CHECK(sgd_init(&sgd, p, 0.1, 0.9, 0), "sgd_init");
    static const real number[] = {1, 2, 3};
    for (int step = 0; step < 3; step++) {
        tape_reset(tape);
        Tensor *x = nn_norm(&norm, tape_input(tape, number, shape2(1, 3)));
        CHECK(ag_backward(ag_sum(nn_lora(&lora, x))) && sgd_step(&sgd, p), "a step");
    }
    tape_reset(tape);
    Tensor *x = tape_input(tape, number, shape2(1, 3));
    int64_t at[] = {0, 1};
    double before = (double)tensor_get(nn_lora(&lora, x), at);
    CHECK(nn_lora_merge(&lora), "nn_lora_merge");
    CHECK_NEAR(tensor_get(nn_linear(&lora.base, x), at), before, "merged");
    CHECK(nn_flops(tape) > 0, "nn_flops");

    snprintf(path, sizeof path, "%s/modules.safetensors", folder);
    CHECK(params_save(path, p, NULL, 0), "params_save");
    real kept = layer.weight->data[0];
    layer.weight->data[0] = 0;
    CHECK(params_load(path, p) && layer.weight->data[0] == kept, "params_load");
    sgd_free(&sgd);
    params_free(p);
}

/* The decay of GPT's recipes: with gradients of 0, AdamW takes rate times decay of a matrix, and
 * nothing of a bias. */
static void check_decay(void)
{
    Params *p = params_new(1);
    Linear layer;
    Adam adam;
    CHECK(nn_linear_init(&layer, p, "layer", 1, 1, true) && adamw_init(&adam, p, 0.1, 0.5), "init");
    layer.weight->data[0] = layer.bias->data[0] = 2;
    adam.decay_matrices = true;
    CHECK(adam_step(&adam, p), "adam_step");
    CHECK_NEAR(layer.weight->data[0], 2 * (1 - 0.1 * 0.5), "a matrix decays");
    CHECK(layer.bias->data[0] == 2, "a bias decays");
    adam_free(&adam);
    params_free(p);
}

/* The steps of sampling one by one: of logits log 1, log 2, log 5 the nucleus of 0.8 has two
 * tokens. */
static void check_sampling(void)
{
    const real logits[] = {0, (real)log(2), (real)log(5)};
    Candidates c;
    Rng rng = {.seed = 1};
    CHECK(nn_candidates_init(&c, 3) && nn_temperature(&c, logits, 1), "nn_temperature");
    CHECK_NEAR(c.list[0].p, 5.0 / 8, "the softmax");
    CHECK(nn_top_p(&c, 0.8) && c.count == 2, "nn_top_p");
    CHECK_NEAR(c.list[0].p, 5.0 / 7, "normalised");
    CHECK(nn_top_k(&c, 1) && nn_draw(&c, &rng) == 2, "nn_top_k");
    nn_candidates_free(&c);
}

/* A program that only generates has one file: a model with its settings and the alphabet of its
 * text, whose ids are the same when it is read alone. */
static void check_saved_gpt(const char *folder)
{
    static const char text[] = "ein \u00e4hnliches Beispiel";
    const int32_t ids[] = {3, 1, 2};
    char path[512], alphabet[64];
    int32_t all[32];
    Params *p[2] = {params_new(1), params_new(2)};
    Tape *tape = tape_new(1);
    Text t[2];
    Gpt m[2];
    CHECK(data_text_from("a sentence", &t[0], text, sizeof text - 1, 1), "data_text_from");
    for (int i = 0; i < t[0].symbols; i++)
        all[i] = i;
    size_t n = data_text_decode(&t[0], all, t[0].symbols, alphabet, sizeof alphabet);
    GptConfig config = {
        .words = t[0].symbols, .longest = 4, .channels = 6, .heads = 2, .layers = 1};
    snprintf(path, sizeof path, "%s/gpt.safetensors", folder);
    CHECK(n < sizeof alphabet && nn_gpt_init(&m[0], p[0], "", config) &&
              nn_gpt_save(path, &m[0], p[0], alphabet),
          "nn_gpt_save");
    const char *found = NULL;
    CHECK(nn_gpt_load(path, &m[1], p[1], &found) && found && !strcmp(found, alphabet),
          "nn_gpt_load");
    CHECK(data_text_from("the alphabet", &t[1], found, strlen(found), 1) &&
              t[1].symbols == t[0].symbols &&
              !memcmp(t[1].symbol, t[0].symbol, sizeof *t[0].symbol * (size_t)t[0].symbols),
          "the alphabet");
    Tensor *y[2];
    for (int i = 0; i < 2; i++)
        y[i] = nn_gpt(&m[i], tape_ids(tape, ids, shape2(1, 3)));
    CHECK(!tensor_difference(y[1], y[0], 0, 0), "other logits");
    for (int i = 0; i < 2; i++)
        data_text_free(&t[i]), params_free(p[i]);
    tape_free(tape);
}

int main(int argc, char **argv)
{
    Params *p = params_new(2);
    Tape *tape = tape_new(1);
    real table[8];
    check_inits(p);
    check_fine_tuning(tape, argc > 1 ? argv[1] : ".");
    check_sampling();
    check_decay();
    check_saved_gpt(argc > 1 ? argv[1] : ".");
    nn_sinusoids(table, 2, 4, 100); /* the second pair has the frequency 1 / sqrt(100) */
    CHECK_NEAR(table[4 + 2], sin(0.1), "nn_sinusoids");
    tape_free(tape);
    params_free(p);
    return wrong != 0;
}

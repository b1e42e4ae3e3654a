/* train_mixed.c: trains the model of row 9 (mixed.h) and saves its weights beside this file:
 *
 *     ninja -C build lectures/train-mixed
 *     build/lectures/train-mixed --out lectures/02-tokens/mixed.safetensors
 *     build/lectures/train-mixed --untyped --out lectures/02-tokens/mixed-untyped.safetensors
 *
 * Ten minutes each. */
#include "lectures/02-tokens/mixed.h"

#include "examples/common/options.h"
#include "examples/common/progress.h"

enum { PICTURES = 20000, WARMUP = 100 };

static bool train(const Mixed *m, Params *p, const Album *a, uint64_t seed, int steps)
{
    static Questions q;
    const double rate = 3e-3;
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 900};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, rate);
    double mean = 0;
    for (int step = 0; ok && step < steps; step++) {
        adam.rate = nn_warmup_cosine(step, WARMUP, steps, rate, 0);
        mixed_questions(&q, a, &rng);
        tape_reset(tape);
        Tensor *answers = tape_ids(tape, q.yes, shape1(BATCH));
        Tensor *loss = ag_cross_entropy(mixed_logits(m, mixed_tokens(m, tape, &q)), answers);
        ok = ag_backward(loss);
        params_clip_grad(p, 1);
        ok = ok && adam_step(&adam, p);
        mean += (double)tensor_item(loss) / 500;
        if (step % 500 == 499) {
            printf("step %5d: loss %.4f\n", step + 1, mean);
            mean = 0;
        }
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

int main(int argc, char **argv)
{
    const char *out = "mixed.safetensors";
    int steps = 60000;
    bool untyped = false;
    uint64_t seed = 1;
    const Option table[] = {
        {"out", OPTION_TEXT, &out, "FILE", "where the weights are saved", 0, 0},
        {"steps", OPTION_INT, &steps, "N", "steps of training", 1, 1000000},
        {"untyped", OPTION_FLAG, &untyped, NULL, "without type embedding", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Trains the model that reads a word, a picture and a protein.",
                  table);
    Album a = {0};
    Mixed m;
    Params *p = params_new(seed);
    bool ok = p && album_begin(&a, seed, 0, PICTURES) && mixed_init(&m, p, !untyped) &&
              train(&m, p, &a, seed, steps) && params_save(out, p, NULL, 0);
    if (!ok)
        fprintf(stderr, "train-mixed: %s\n", tensor_error());
    album_end(&a);
    params_free(p);
    return ok ? 0 : 1;
}

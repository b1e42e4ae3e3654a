/* gpt.c: trains a small GPT on a text and generates text with it.
 *
 *   In autumn, a greedy cat walked to the old bridge. There she met a ...
 *
 * (Z "Decoder transformers: GPT model", "Sampling strategies"; B "Training Transformer-based LM",
 * "Generation via Transformer-based LMs".) Without --data the text consists of fables that a
 * grammar generates. Their entropy is known, and it is a lower bound for the loss of every
 * model. */
#include "examples/gpt/gpt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- saving and loading ---------------------------------------------------------------------- */

static bool save(const Settings *s, const Gpt *m, const Params *p, const TokenisedText *t)
{
    char *list = tokens_list(t);
    bool ok = list && nn_gpt_save(s->common.save, m, p, list);
    free(list);
    return ok;
}

static bool load(const Settings *s, Gpt *m, Params *p, TokenisedText *t)
{
    const char *list, *from = s->common.load;
    if (!nn_gpt_load(from, m, p, &list) || !tokens_from_list(t, list))
        return false;
    return t->words == m->config.words ||
           example_fail("%s: found %lld words; expected the %d of its vocabulary", from,
                        (long long)m->config.words, t->words);
}

/* ---- a new model ----------------------------------------------------------------------------- */

static void print_result(const Settings *s, const TokenisedText *t, double loss)
{
    double a_character = loss / t->per_token;
    printf("validation loss: %.4f nats a token over all %lld tokens", loss,
           (long long)(t->text.count - t->text.train - 1));
    if (s->bpe > 0)
        printf(", %.4f nats a byte", a_character);
    printf("\n");
    if (!isnan(t->entropy))
        printf("the entropy of the text is %.4f nats a character: %s\n", t->entropy,
               a_character < t->entropy ? "the model must see future characters"
                                        : "no model can have a smaller loss");
}

static bool make(Settings *s, Gpt *m, Params *p, TokenisedText *t)
{
    if (!tokens_from_text(t, s->data, s->bpe, s->model.longest))
        return false;
    s->model.words = t->words;
    if (!nn_gpt_init(m, p, "", s->model))
        return false;
    m->encoder.causal = !s->unmasked;
    printf("%s: %lld tokens, %d different ones; a model of %lld weights, %d tokens at once\n",
           s->data ? s->data : "fables", (long long)t->text.count, t->words,
           (long long)params_size(p), s->context);
    if (!train(s, m, p, t))
        return false;
    Tape *tape = tape_new(1);
    if (tape)
        print_result(s, t, validation_loss(m, tape, t));
    tape_free(tape);
    return tape && (!s->common.save || save(s, m, p, t));
}

/* ---- the command line ------------------------------------------------------------------------ */

static void refuse_together(const Settings *s)
{
    if (s->live && s->bpe > 0)
        options_refuse("--live: found --bpe as well; expected one of them, since the page has a "
                       "model of characters");
    if (s->common.load && s->patience > 0)
        options_refuse("--patience: found --load as well; expected it in training alone");
}

static void read_options(int argc, char **argv, Settings *s)
{
    static const char *const ways[] = {"all", "greedy", "sample", "beam", NULL},
                             *const positions[] = {"sinusoidal", "learned", "none", NULL};
    const Option own[] = {
        {"data", OPTION_TEXT, &s->data, "FILE",
         "train on this text, with a larger model; default: fables", 0, 0},
        {"bpe", OPTION_INT, &s->bpe, "N", "number of byte-pair merges; 0: characters", 0,
         DATA_BPE_MERGES_MAX},
        {"context", OPTION_INT, &s->context, "N", "context length in tokens", 2, 4096},
        {"channels", OPTION_INT, &s->channels, "N", "model width", 1, 4096},
        {"heads", OPTION_INT, &s->model.heads, "N", "number of heads", 1, 64},
        {"layers", OPTION_INT, &s->model.layers, "N", "number of blocks", 1, LAYERS_MAX},
        {"batch", OPTION_INT, &s->batch, "N", "batch size in windows", 1, 4096},
        {"slices", OPTION_INT, &s->slices, "N",
         "cut each batch into N slices, for several processes; 0: none, or 8 under mpirun", 0,
         SLICES_MAX},
        {"patience", OPTION_INT, &s->patience, "N",
         "stop after N validations in a row without a better loss; 0: never", 0, VALIDATIONS - 1},
        {"position", OPTION_TEXT, &s->position, "P",
         "positional encoding: learned, sinusoidal or none", 0, 0},
        {"unmasked", OPTION_FLAG, &s->unmasked, NULL, "train without the causal mask", 0, 0},
        {"decode", OPTION_TEXT, &s->decode, "WAY",
         "greedy, sample, beam, or all of them with pictures", 0, 0},
        {"temperature", OPTION_NUMBER, &s->temperature, "X", "temperature of --decode sample", 0,
         1e6},
        {"top-k", OPTION_INT, &s->top_k, "N", "sample from the N most probable tokens", 1, 65536},
        {"top-p", OPTION_NUMBER, &s->top_p, "X",
         "nucleus: sample from the smallest set with probability X", 1e-9, 1},
        {"beam", OPTION_INT, &s->beam, "N", "number of hypotheses of a beam search", 1, 64},
        {"alpha", OPTION_NUMBER, &s->alpha, "X", "length normalisation: compare log p / length^X",
         0, 4},
        {"prompt", OPTION_TEXT, &s->prompt, "TEXT", "text to continue", 0, 0},
        {"length", OPTION_INT, &s->length, "N", "number of tokens to generate", 1, 100000},
        {"live", OPTION_FLAG, &s->live, NULL,
         "as --html, with the model and the library in generation.html: it continues any prompt", 0,
         0},
        CAUSE_OPTIONS(s->cause),
        {0},
    };
    processes_open();
    example_begin(argc, argv, "Trains a small GPT on a text and generates text with it.",
                  &s->common, own);
    processes_begin(&s->common, &s->slices);
    cause_check(&s->cause);
    s->common.html = s->common.html || s->live;
    refuse_together(s);
    options_one_of("decode", s->decode, ways);
    s->model.position = (PositionKind)options_one_of("position", s->position, positions);
    s->model.longest = s->context, s->model.channels = s->channels;
    if (s->channels % s->model.heads != 0)
        options_refuse("--heads: found %d for %d channels; expected a divisor", s->model.heads,
                       s->channels);
}

/* Fables need a small model with a long context. With --data, the settings are those of nanoGPT's
 * README for Shakespeare on a CPU. */
static Settings defaults(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1,
                             .steps = 2000,
                             .rate = 4e-3,
                             .out = "out/gpt",
                             .pages = "attention.html, generation.html, tape.html"},
                  .model = {.heads = 4, .layers = 3},
                  .context = 128,
                  .channels = 64,
                  .batch = 8,
                  .position = "learned",
                  .decode = "all",
                  .length = 300,
                  .temperature = 1,
                  .top_k = 65536,
                  .top_p = 1,
                  .beam = 4,
                  .alpha = 1};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--data") == 0 || strncmp(argv[i], "--data=", 7) == 0) {
            s.common.rate = 1e-3;
            s.model = (GptConfig){.heads = 4, .layers = 4};
            s.context = 64, s.channels = 128;
            s.batch = 12;
        }
    return s;
}

int main(int argc, char **argv)
{
    Settings s = defaults(argc, argv);
    read_options(argc, argv, &s);
    Gpt m;
    TokenisedText t = {0};
    Params *p = params_new((uint64_t)s.common.seed);
    bool all = strcmp(s.decode, "all") == 0;
    bool ok = p && (s.common.load ? load(&s, &m, p, &t) : make(&s, &m, p, &t)) &&
              write_text(&s, &m, &t) && (!all || draw_cache(&s, &m, &t)) &&
              show_cause(&s, &m, p, &t) &&
              (!s.common.html || (draw_page(&s, &m, &t) && write_generation(&s, &m, p, &t)));
    tokens_free(&t);
    params_free(p);
    return ok ? 0 : 1;
}

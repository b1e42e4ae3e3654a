/* settings.c: a model and its training as one line of text: a page's data, and what stands in its
 * link. */
#include "examples/live/live.h"

#include "examples/attention/settings.h"

#include <stdlib.h>
#include <string.h>

enum { ROTARY = POSITION_NONE + 1 };

/* One setting: an int, or the rate. */
typedef struct {
    const char *name;
    int *value;
    double least, most;
} Setting;

static bool read_setting(const Setting *all, const char *name, size_t length, double value,
                         double *rate)
{
    for (const Setting *s = all; s->name; s++) {
        if (strlen(s->name) != length || memcmp(s->name, name, length) != 0)
            continue;
        if (!(value >= s->least && value <= s->most))
            return tensor_fail("settings: %s is %g; expected %g to %g", s->name, value, s->least,
                               s->most);
        if (s->value)
            *s->value = (int)value;
        else
            *rate = value;
        return true;
    }
    return tensor_fail("settings: found \"%.*s\"; expected a name of examples/live/settings.c",
                       (int)length, name);
}

/* The rest of the line, after the kind of model. */
static bool read_settings(const Setting *all, const char *text, double *rate)
{
    while (*(text += strspn(text, " &"))) {
        size_t length = strcspn(text, "= &");
        char *end = NULL;
        double value = text[length] == '=' ? strtod(text + length + 1, &end) : 0;
        if (!end || end == text + length + 1 || (*end && *end != ' ' && *end != '&'))
            return tensor_fail("settings: found \"%.40s\"; expected NAME=NUMBER", text);
        if (!read_setting(all, text, length, value, rate))
            return false;
        text = end;
    }
    return true;
}

/* Reads "attention seed=1 layers=2 ...": what is missing has the value of the example's command
 * line. False, with an error, for an unknown name or a number out of range. */
static bool live_settings(LiveSettings *s, const Grammar *g, const char *text)
{
    const Settings usual = {.window = SENTENCE_WINDOW, .channels = CHANNELS};
    *s = (LiveSettings){.model = sentence_config(&usual, g),
                        .seed = 1,
                        .batch = SENTENCES_BATCH,
                        .steps = WORD_STEPS,
                        .rate = SENTENCE_RATE};
    int position = POSITION_SINUSOIDAL, post = 0, steps = WORD_STEPS;
    ModelConfig *m = &s->model;
    const Setting all[] = {{"set", &s->set, 0, 1},
                           {"seed", &s->seed, 0, 1e9},
                           {"batch", &s->batch, 1, BATCH_MAX},
                           {"steps", &steps, 1, 1e6},
                           {"rate", NULL, 1e-8, 10},
                           {"channels", &m->channels, 2, 512},
                           {"heads", &m->heads, 1, 16},
                           {"layers", &m->layers, 1, 6},
                           {"window", &m->window, 0, 32},
                           {"causal", &m->causal, 0, 1},
                           {"position", &position, 0, ROTARY},
                           {"post", &post, 0, 1},
                           {0}};
    size_t kind = strcspn(text, " ");
    if (kind != 9 || memcmp(text, "attention", kind) != 0)
        return tensor_fail("settings: the model is \"%.20s\"; expected attention", text);
    if (!read_settings(all, text + kind, &s->rate))
        return false;
    if (m->channels % (2 * m->heads))
        return tensor_fail("settings: %d channels and %d heads; expected heads with an even number "
                           "of channels each",
                           m->channels, m->heads);
    s->steps = steps;
    if (s->set)
        set_vocabulary(m);
    m->rotary = position == ROTARY;
    m->position = position == ROTARY ? POSITION_NONE : position;
    m->post_norm = post;
    return true;
}

/* ---- the model ------------------------------------------------------------------------------- */

LiveModel live_model;

static bool begin_sentences(LiveModel *l)
{
    if (!l->grammar && !(l->grammar = data_grammar_new()))
        return false;
    if (!live_settings(&l->settings, l->grammar, live_text()))
        return false;
    live_params = params_new((uint64_t)l->settings.seed);
    return live_params && begin_model(&l->model, live_params, l->settings.model);
}

int live_begin(void)
{
    playground_end();
    live_model.model = (Model){0};
    params_free(live_params);
    live_params = NULL;
    const bool writes = strncmp(live_text(), "gpt ", 4) == 0;
    if (!(writes ? writer_begin() : begin_sentences(&live_model))) {
        params_free(live_params);
        live_params = NULL;
        return live_error();
    }
    return live_answer("{\"weights\": %lld, \"answers\": %d}", (long long)params_size(live_params),
                       writes ? 0 : live_model.settings.model.answers);
}

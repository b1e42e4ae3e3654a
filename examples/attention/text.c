/* text.c: the same model on the characters of any text file. */
#include "examples/attention/characters.h"
#include "examples/attention/draw.h"
#include "examples/attention/settings.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 16 };

/* The text's characters as a list of numbers, which the file of weights stores. */
static char *list_characters(const Text *text)
{
    char *list = example_alloc((size_t)text->symbols * 9 + 1);
    size_t at = 0;
    for (int i = 0; list && i < text->symbols; i++)
        at += (size_t)sprintf(list + at, "%x ", (unsigned)text->symbol[i]);
    if (list)
        list[at] = 0;
    return list;
}

enum { DRAWN = 32 }; /* characters in a picture, unless --text is given */

/* The characters to draw: --text, or the beginning of the held-out part. */
static int characters_to_draw(const Settings *s, const Text *text, int32_t ids[CHARACTERS_T])
{
    if (s->text.count == 0) {
        memcpy(ids, text->ids + text->train, DRAWN * sizeof *ids);
        return DRAWN;
    }
    const char *wanted = s->text.text[0];
    int64_t n = data_text_encode(text, wanted, strlen(wanted), ids, CHARACTERS_T);
    if (n < 1 || n > CHARACTERS_T)
        options_refuse("--text: found %lld characters; expected 1 to %d", (long long)n,
                       CHARACTERS_T);
    return (int)n;
}

static bool draw_characters(const Settings *s, const Model *m, const Text *text)
{
    int32_t ids[CHARACTERS_T];
    char labels[CHARACTERS_T][DATA_LABEL_BYTES];
    const char *words[CHARACTERS_T];
    int n = characters_to_draw(s, text, ids);
    for (int i = 0; i < n; i++)
        words[i] = data_text_label(text, ids[i], labels[i]);
    Drawing drawing = {
        .length = n, .ids = ids, .words = words, .query = n - 1, .target = -1, .label = -1};
    return draw_attention(m, &drawing, 1, s->gradients, NULL, &s->common);
}

static bool train_or_load(const Settings *s, const Text *text, Params *p, Model *m,
                          const char *characters)
{
    ModelConfig config = {.words = text->symbols,
                          .answers = text->symbols,
                          .channels = s->channels,
                          .heads = HEADS,
                          .layers = LAYERS,
                          .longest = CHARACTERS_T,
                          .causal = 1,
                          .window = s->window};
    if (s->common.load)
        return load_model(m, p, s->common.load, config, characters);
    if (!begin_model(m, p, config))
        return false;
    printf("%s: %lld characters, %d different; %lld weights\n", s->data, (long long)text->count,
           text->symbols, (long long)params_size(p));
    TrainConfig train = {.common = &s->common,
                         .seed = s->common.seed,
                         .batch = BATCH,
                         .steps = steps_of(s, CHARACTER_STEPS)};
    return characters_train(m, p, text, train);
}

bool run_text(const Settings *s, Params *p)
{
    Text text = {0};
    Model model;
    if (!data_text_load(s->data, &text, CHARACTERS_T))
        return false;
    char *characters = list_characters(&text);
    bool ok = characters && train_or_load(s, &text, p, &model, characters);
    if (ok) {
        printf("loss on the last tenth of the text: %.3f nats a character\n",
               characters_loss(&model, &text));
        ok = (!s->common.save || save_model(&model, p, characters, s->common.save)) &&
             draw_characters(s, &model, &text);
    }
    free(characters);
    data_text_free(&text);
    return ok;
}

/* milestones_gpt.c: what the milestone writes reads: characters, a prompt, and the library's logits
 * after it. See milestones.h. */
#include "lectures/steps/milestones.h"

#include "examples/common/store.h"
#include "gradus.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 256 };

/* The characters of a list such as "a 20 61 62", in hexadecimal; returns how many. */
static int characters_of(const char *list, int byte[BYTES])
{
    int count = 0;
    char *end;
    for (const char *at = list ? list : ""; count < BYTES; at = end) {
        long value = strtol(at, &end, 16);
        if (end == at)
            break;
        byte[count++] = (int)value;
    }
    return count;
}

static void put_prompt(FILE *out, const Gpt *m, const int *byte, int words)
{
    static const char prompt[] = "The ";
    int32_t ids[sizeof prompt];
    int t = 0;
    fprintf(out, "%d\n", words);
    for (int i = 0; i < words; i++)
        fprintf(out, "%d ", byte[i]);
    for (const char *c = prompt; *c; c++)
        for (int i = 0; i < words; i++)
            if (byte[i] == *c)
                ids[t++] = i;
    fprintf(out, "\n%d\n", t);
    for (int i = 0; i < t; i++)
        fprintf(out, "%d ", (int)ids[i]);
    Tape *tape = tape_new(1);
    Tensor *logits = nn_gpt(m, tape_ids(tape, ids, shape2(1, t)));
    for (int i = 0; i < words; i++)
        fprintf(out, "%.9g ", (double)tensor_get(logits, (int64_t[]){0, t - 1, i}));
    tape_free(tape);
}

bool milestone_writes(FILE *out, const char *weights)
{
    Store store;
    GptConfig c = {0};
    int merges = 0, unmasked = 0, byte[BYTES];
    const char *list = NULL;
    const Fact facts[] = {
        {"words", &c.words, 1, BYTES, NULL},         {"longest", &c.longest, 1, 1 << 20, NULL},
        {"channels", &c.channels, 1, 1 << 14, NULL}, {"heads", &c.heads, 1, 1 << 14, NULL},
        {"layers", &c.layers, 0, 24, NULL},          {"position", (int *)&c.position, 0, 2, NULL},
        {"unmasked", &unmasked, 0, 0, NULL},         {"merges", &merges, 0, 0, NULL},
        {"characters", NULL, 0, 0, &list},           {0},
    };
    Gpt m;
    Params *p = params_new(1);
    if (!store_open(&store, weights, "gpt", facts)) {
        params_free(p);
        return false;
    }
    bool ok = characters_of(list, byte) == c.words ||
              example_fail("%s: expected as many characters as words, %d", weights, c.words);
    ok = ok && store_expect(&store, p) && nn_gpt_init(&m, p, "", c) && store_weights(&store, p);
    if (ok)
        put_prompt(out, &m, byte, c.words);
    store_close(&store);
    params_free(p);
    return ok;
}

/* media.c: trained models for the claims of row 51. See media.h. Their weights were made by
 *
 *     ./gradus example speech --save lectures/07-vision/speech.safetensors
 *     ./gradus example captions --save lectures/07-vision/captions.safetensors */
#include "lectures/07-vision/media.h"

#include <string.h>

bool media_begin(Media *m, uint64_t seed, uint64_t stream)
{
    *m = (Media){.params = params_new(seed),
                 .tape = tape_new(seed),
                 .rng = {.seed = seed, .stream = stream}};
    return m->params && m->tape;
}

bool media_load(Media *m, const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/07-vision/%s", LECTURES_FOLDER, file);
    m->tape->no_grad = true;
    return params_load(path, m->params);
}

void media_end(Media *m)
{
    tape_free(m->tape);
    params_free(m->params);
}

void media_forget(Media *m, const char *path)
{
    Rng rng = {.seed = m->params->seed, .stream = 5100};
    for (int i = 0; i < m->params->count; i++) {
        Tensor *w = m->params->weight[i];
        for (int64_t k = 0; strncmp(w->name, path, strlen(path)) == 0 && k < tensor_size(w); k++)
            w->data[k] = (real)(0.1 * rng_normal(&rng));
    }
}

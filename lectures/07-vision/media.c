/* media.c: trained models of examples/speech and examples/captions for the claims of row 51. Their
 * weights were made by
 *
 *     ./gradus example speech --save lectures/07-vision/speech.safetensors
 *     ./gradus example captions --save lectures/07-vision/captions.safetensors */
#include "lectures/07-vision/vision.h"

#include <string.h>

bool media_load(Params *p, const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/07-vision/%s", LECTURES_FOLDER, file);
    return params_load(path, p);
}

void media_forget(Params *p, const char *path)
{
    Rng rng = {.seed = p->seed, .stream = 5100};
    for (int i = 0; i < p->count; i++) {
        Tensor *w = p->weight[i];
        for (int64_t k = 0; strncmp(w->name, path, strlen(path)) == 0 && k < tensor_size(w); k++)
            w->data[k] = (real)(0.1 * rng_normal(&rng));
    }
}

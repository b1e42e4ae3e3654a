/* live.c: the library in a page that computes, and the page on which a reader trains a model.
 *
 *   {"live": {"model": "attention channels=64 ...",
 *             "weights": [{"name", "numbers": packed in 16 bits}]}}
 *
 * The module is a script of one line (examples/live/module.py): the library as WebAssembly. The
 * content security policy names its hash, so that a browser refuses another one. */
#include "plot/html/page.h"
#include "tensor/memory.h"

#include <string.h>

static const char begins[] = "/* gradus module sha256-";
enum { HASH = 44, MODULE_MAX = 16 << 20 };

/* Reads "COMMENT HASH *" NEWLINE SCRIPT; the page gets the script with its hash. */
static bool read_module(Page *p, const char *path, const char *who)
{
    FILE *in = path ? fopen(path, "rb") : NULL;
    char *text = in ? mem_alloc(MODULE_MAX + 1) : NULL, hash[HASH + 1];
    size_t size = text ? fread(text, 1, MODULE_MAX, in) : 0, head = sizeof begins - 1;
    if (in)
        fclose(in);
    if (text)
        text[size] = 0;
    bool fits = size > head + HASH + 4 && size < MODULE_MAX && strlen(text) == size &&
                memcmp(text, begins, head) == 0 && memcmp(text + head + HASH, " */\n", 4) == 0 &&
                strspn(text + head, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                    "0123456789+/=") == HASH &&
                !strstr(text, "</script") && !strstr(text, "<!--");
    if (fits) {
        snprintf(hash, sizeof hash, "%.*s", HASH, text + head);
        page_module(p, text + head + HASH + 4, hash);
    }
    mem_free(text);
    return fits || tensor_fail("%s: %s is no module; expected the file that ./gradus build live.js "
                               "writes",
                               who, path ? path : "NULL");
}

static void put_weights(Page *p, const Params *weights)
{
    page_key(p, "weights");
    page_array(p);
    for (int i = 0; weights && i < weights->count; i++) {
        const Tensor *t = weights->weight[i];
        page_object(p);
        page_key_text(p, "name", t->name);
        page_key(p, "numbers");
        page_packed(p, t->data, t->shape, 16);
        page_end(p);
    }
    page_end(p);
}

bool page_live(Page *p, const PlotPageLive *live, const char *who)
{
    if (!live)
        return true;
    if (!live->model)
        return tensor_fail("%s: the model of the live page is NULL; expected its settings", who);
    page_key(p, "live");
    page_object(p);
    page_key_text(p, "model", live->model);
    put_weights(p, live->weights);
    page_end(p);
    return read_module(p, live->module, who);
}

bool plot_page_train(const char *path, const char *module)
{
    static const char who[] = "plot_page_train";
    const PlotPageLive live = {.module = module, .model = "attention"};
    Page *p = page_new("train", "Train a transformer", who);
    if (p && page_live(p, &live, who))
        return page_write(p, path);
    page_free(p);
    return false;
}

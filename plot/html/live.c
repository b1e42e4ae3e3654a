/* live.c: the library in a page that computes, and the pages on which a reader trains or
 * opens a model.
 *
 *   {"live": {"model": "attention channels=64 ...",
 *             "weights": [{"name", "numbers": packed in 16 bits}]}}
 *
 * The module is a script of one line (examples/live/module.py): the library as WebAssembly. The
 * content security policy names its hash, so that a browser refuses another one. */
#include "plot/html/page.h"
#include "plot/internal.h"
#include "tensor/io/input.h"
#include "tensor/memory.h"

#include <string.h>

static const char begins[] = "/* gradus module sha256-";
enum { HASH = 44, MODULE_MAX = 16 << 20 };

/* Is the text "COMMENT HASH *" NEWLINE SCRIPT, of so many bytes? */
static bool is_module(const char *text, size_t size)
{
    const size_t head = sizeof begins - 1;
    return size > head + HASH + 4 && strlen(text) == size && memcmp(text, begins, head) == 0 &&
           memcmp(text + head + HASH, " */\n", 4) == 0 &&
           strspn(text + head, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789+/=") == HASH &&
           !strstr(text, "</script") && !strstr(text, "<!--");
}

/* The page gets the module's script with its hash. */
static bool read_module(Page *p, const char *path, const char *who)
{
    char hash[HASH + 1];
    size_t size;
    char *text = path ? input_whole(who, path, MODULE_MAX, &size) : NULL;
    if (path && !text)
        return false;
    const bool fits = text && is_module(text, size);
    if (fits) {
        const size_t head = sizeof begins - 1;
        snprintf(hash, sizeof hash, "%.*s", HASH, text + head);
        page_module(p, text + head + HASH + 4, hash);
    }
    mem_free(text);
    return fits ||
           tensor_fail("%s: %s is no module; expected the file that ./gradus build live.js writes",
                       who, path ? path : "NULL");
}

static void put_weights(Page *p, const Params *weights)
{
    page_key_array(p, "weights");
    for (int i = 0; weights && i < weights->count; i++) {
        const Tensor *t = weights->weight[i];
        page_object(p);
        page_key_text(p, "name", t->name);
        page_key(p, "numbers");
        page_packed(p, t->data, t->shape, 16, false);
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
    page_key_text(p, "text", live->text);
    page_end(p);
    return read_module(p, live->module, who);
}

/* A model's files in the page, of which a browser holds a text of 2^29 - 24 letters at most. */
static bool put_folder(Page *p, const char *folder, const char *who)
{
    static const char *const names[] = {"config.json",
                                        "generation_config.json",
                                        "preprocessor_config.json",
                                        "tokenizer.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "vocab.txt",
                                        "vocab.json",
                                        "merges.txt",
                                        "spiece.model",
                                        "tokenizer.model",
                                        "sentencepiece.bpe.model",
                                        "source.spm",
                                        "target.spm",
                                        "model.safetensors"};
    const int64_t most = 380 << 20;
    int64_t bytes = 0;
    bool there = true, ok = true;
    page_key_array(p, "files");
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        char *path = plot_text_join(folder, "/", names[i]);
        Input in = {.descriptor = -1};
        ok = path && input_look(who, path, &there);
        if (ok && !there && strcmp(names[i], "model.safetensors") == 0)
            ok = tensor_fail("%s: found no %s; expected the weights in one file", who, path);
        if (ok && there) {
            ok = input_open(&in, who, path);
            if (ok && (bytes += in.bytes) > most)
                ok = tensor_fail("%s: %s: found files of more than %lld MB; expected fewer, as a "
                                 "browser reads",
                                 who, folder, (long long)(most >> 20));
            page_object(p);
            page_key_text(p, "name", names[i]);
            page_key(p, "base64");
            ok = ok && page_file(p, &in);
            page_end(p);
            input_close(&in);
        }
        mem_free(path);
    }
    page_end(p);
    return ok;
}

/* A page whose data are the module, and the files of a folder or none. */
static bool bare_page(const char *path, const char *module, const char *folder, const char *kind,
                      const char *title, const char *who)
{
    const PlotPageLive live = {.module = module, .model = "attention"};
    Page *p = page_new(kind, title, who);
    if (p && page_live(p, &live, who) && (!folder || put_folder(p, folder, who)))
        return page_write(p, path);
    page_free(p);
    return false;
}

bool plot_page_train(const char *path, const char *module)
{
    return bare_page(path, module, NULL, "train", "Train a transformer", "plot_page_train");
}

bool plot_page_model(const char *path, const char *module, const char *folder)
{
    return bare_page(path, module, folder, "model", folder ? "A model" : "Open a model",
                     "plot_page_model");
}

/* surroundings.c: what stands in a model's folder around its weights, as the libraries that wrote
 * it read it.
 *
 *   generation_config.json    which tokens end a text, and with which it begins and ends
 *   modules.json              how a sentence encoder makes one vector of a text (sentence-transformers)
 *   preprocessor_config.json  how a picture becomes numbers
 *
 * A file that is missing leaves what the library takes then; one that says what is not built here
 * is an error. */
#include "nn/pretrained/inside.h"

#include "tensor/io/input.h"
#include "tensor/memory.h"

#include <string.h>

/* A file of the folder while it is read. */
typedef struct {
    Reading r;
    JsonTree tree;
    char path[PRETRAINED_PATH];
    bool there; /* else `r` is empty, which is no error */
} FolderFile;

static bool file_open(FolderFile *f, const char *who, const char *folder, const char *name)
{
    f->tree = (JsonTree){0};
    snprintf(f->path, sizeof f->path, "%s/%s", folder, name);
    bool ok = input_look(who, f->path, &f->there) &&
              (!f->there || json_tree_read(&f->tree, who, f->path));
    f->r = (Reading){f->tree.root, f->path, who, true};
    return ok;
}

/* bad_words_ids: lists of one token each. */
static void read_forbidden(Reading *r, PretrainedConfig *c)
{
    const JsonValue *lists = json_get(r->root, "bad_words_ids");
    const int most = (int)(sizeof c->forbidden / sizeof *c->forbidden) - 1;
    int n = 0;
    for (const JsonValue *v = lists ? lists->first : NULL; r->ok && v; v = v->next) {
        REFUSE_IF(
            r, v->count != 1 || n == most,
            "bad_words_ids has %d words, one of them of %d tokens; expected at most %d of one "
            "token",
            (int)lists->count, (int)v->count, most);
        int id = (int)read_whole_of(r, v->first, "bad_words_ids", 0, 1 << 22, -1);
        if (id != c->end) /* as transformers */
            c->forbidden[n++] = id;
    }
    c->forbidden[n] = -1;
}

/* What changes the scores of tokens. How tokens are chosen from these (do_sample, temperature,
 * top_k, top_p, num_beams) is a program's own matter. */
static void read_rules(Reading *r, PretrainedConfig *c)
{
    static const struct {
        const char *key;
        double none;
    } not_built[] = {{"stop_strings", 0},
                     {"encoder_repetition_penalty", 1},
                     {"encoder_no_repeat_ngram_size", 0},
                     {"min_new_tokens", 0},
                     {"sequence_bias", 0},
                     {"suppress_tokens", 0},
                     {"begin_suppress_tokens", 0},
                     {"exponential_decay_length_penalty", 0},
                     {"guidance_scale", 1},
                     {"watermarking_config", 0}};
    for (size_t i = 0; i < sizeof not_built / sizeof *not_built; i++) {
        const JsonValue *v = json_get(r->root, not_built[i].key);
        bool none = !v || v->kind == JSON_NULL || (v->kind == JSON_LIST && v->count == 0) ||
                    (v->kind == JSON_NUMBER && v->number == not_built[i].none);
        REFUSE_IF(r, !none, "%s is not built; expected none", not_built[i].key);
    }
    c->rules = (DecodeRules){
        .repetition = read_positive(r, r->root, "repetition_penalty", 1),
        .no_repeat = (int)read_whole(r, "no_repeat_ngram_size", 0, 1 << 20, 0),
        .forbidden = c->forbidden,
        .shortest = read_whole(r, "min_length", 0, 1 << 24, 0),
    };
    read_forbidden(r, c);
}

/* transformers generates with what this file says and, where it lies there, with nothing that
 * config.json (root) says. */
bool pretrained_generation(PretrainedConfig *c, const JsonValue *root, const char *folder)
{
    FolderFile f;
    Reading *r = &f.r;
    if (!file_open(&f, PRETRAINED_WHO, folder, "generation_config.json"))
        return false;
    if (f.there) {
        c->end = read_end(r, c, -1);
        c->start = (int)read_whole(r, "decoder_start_token_id", -1, 1 << 22, c->start);
        c->first = (int)read_whole(r, "forced_bos_token_id", -1, 1 << 22, -1);
        c->last = (int)read_whole(r, "forced_eos_token_id", -1, 1 << 22, -1);
    } else {
        r->root = root;
    }
    REFUSE_IF(r, c->kind == PRETRAINED_DECODER && (c->first >= 0 || c->last >= 0), "%s",
              "forced_bos_token_id or forced_eos_token_id of a model that continues texts, which "
              "is not built; expected none");
    if (r->ok && (c->kind == PRETRAINED_DECODER || c->kind == PRETRAINED_TRANSLATOR))
        read_rules(r, c);
    json_tree_free(&f.tree);
    return r->ok;
}

/* ---- one vector of a text -------------------------------------------------------------------- */

/* The one of these modes that config.json of the module sets; several would be put together. */
static void read_mode(Reading *r, PretrainedPooling *p)
{
    static const struct {
        const char *key;
        int kind;
    } modes[] = {{"pooling_mode_cls_token", POOLING_FIRST},
                 {"pooling_mode_mean_tokens", POOLING_MEAN},
                 {"pooling_mode_max_tokens", POOLING_MAX},
                 {"pooling_mode_lasttoken", POOLING_LAST},
                 {"pooling_mode_mean_sqrt_len_tokens", -1},
                 {"pooling_mode_weightedmean_tokens", -1}};
    static const char expected[] = "one of cls_token, mean_tokens, max_tokens and lasttoken";
    int set = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (!read_flag(r, modes[i].key, modes[i].kind == POOLING_MEAN))
            continue;
        REFUSE_IF(r, modes[i].kind < 0, "%s is not built; expected %s", modes[i].key, expected);
        p->kind = modes[i].kind;
        set++;
    }
    REFUSE_IF(r, set != 1, "%d modes of pooling; expected %s", set, expected);
}

/* config.json in the folder of the module, which must lie in the model's. */
static void read_pooling(Reading *r, const char *folder, const JsonValue *module,
                         PretrainedPooling *p)
{
    const char *place = json_get_text(module, "path");
    char name[256];
    FolderFile f;
    REFUSE_IF(r,
              !place || !*place || strlen(place) > 200 || *place == '/' || strstr(place, "..") ||
                  strchr(place, '\\'),
              "a Pooling with the path '%s'; expected a folder in the model's", place ? place : "");
    if (!r->ok)
        return;
    snprintf(name, sizeof name, "%s/config.json", place);
    r->ok = file_open(&f, r->who, folder, name);
    REFUSE_IF(r, !f.there, "%s is missing; expected it beside this file", name);
    if (r->ok)
        read_mode(&f.r, p);
    r->ok = r->ok && f.r.ok;
    json_tree_free(&f.tree);
    p->named = true;
}

/* The modules follow one another: the model, its pooling and perhaps a normalisation. */
static void read_modules(Reading *r, const char *folder, PretrainedPooling *p)
{
    REFUSE_IF(r, r->root->kind != JSON_LIST, "%s", "no list; expected a list of modules");
    for (const JsonValue *m = r->root->first; r->ok && m; m = m->next) {
        const char *type = json_get_text(m, "type"), *dot = type ? strrchr(type, '.') : NULL;
        const char *name = dot ? dot + 1 : type ? type : "no type";
        const bool pooling = strcmp(name, "Pooling") == 0, unit = strcmp(name, "Normalize") == 0;
        REFUSE_IF(r, !pooling && !unit && strcmp(name, "Transformer") != 0,
                  "a module %s, which is not built; expected Transformer, Pooling and Normalize",
                  name);
        p->normalised = p->normalised || unit;
        if (pooling)
            read_pooling(r, folder, m, p);
    }
    REFUSE_IF(r, !p->named, "%s", "no Pooling; expected one behind the model");
}

bool nn_pretrained_pooling(const Pretrained *m, PretrainedPooling *p)
{
    FolderFile f;
    if (!pretrained_check(m, "nn_pretrained_pooling"))
        return false;
    if (!p)
        return tensor_fail("nn_pretrained_pooling: p is NULL; expected a PretrainedPooling to "
                           "fill");
    *p = (PretrainedPooling){0};
    if (!file_open(&f, "nn_pretrained_pooling", m->folder, "modules.json"))
        return false;
    if (f.there)
        read_modules(&f.r, m->folder, p);
    json_tree_free(&f.tree);
    return f.r.ok;
}

/* What each of x's numbers counts in its text's vector: (B, T, C). */
static void fill_weights(const PretrainedPooling *p, const Tensor *x, const int32_t *lengths,
                         real *w)
{
    int64_t B = x->shape.dim[0], T = x->shape.dim[1], C = x->shape.dim[2];
    for (int64_t b = 0; b < B; b++)
        for (int64_t c = 0; c < C; c++) {
            int64_t n = lengths ? lengths[b] : T, best = 0;
            const real *of = x->data + b * T * C + c;
            for (int64_t t = 1; t < n && p->kind == POOLING_MAX; t++)
                best = of[t * C] > of[best * C] ? t : best;
            best = p->kind == POOLING_LAST ? n - 1 : best;
            for (int64_t t = 0; t < T; t++)
                w[(b * T + t) * C + c] =
                    p->kind == POOLING_MEAN ? (real)(t < n ? 1 / (double)n : 0) : (real)(t == best);
        }
}

Tensor *nn_pretrained_embed(const PretrainedPooling *p, Tensor *x, const int32_t *lengths)
{
    if (!check_operand(x, 3, x && x->shape.rank ? shape_last(x->shape) : 0, "nn_pretrained_embed",
                       NULL, "x", "(B, T, C)"))
        return tensor_poison();
    Tape *tape = x->tape;
    Shape s = x->shape;
    bool ok = p && s.dim[1] > 0;
    for (int64_t b = 0; ok && lengths && b < s.dim[0]; b++)
        ok = lengths[b] >= 1 && lengths[b] <= s.dim[1];
    if (!ok)
        return tape_error(tape,
                          "nn_pretrained_embed: %s; expected a pooling, and texts of 1 to %lld "
                          "tokens",
                          p ? "a text of no token, or of more than x has" : "the pooling is NULL",
                          (long long)s.dim[1]);
    x = ag_copy(x); /* in the order of the weights */
    real *w = tensor_is_poison(x) ? NULL : mem_alloc((size_t)tensor_size(x) * sizeof *w);
    if (!w)
        return tape_fail(tape);
    fill_weights(p, x, lengths, w);
    Tensor *e = ag_sum_axis(ag_mul(x, tape_input(tape, w, s)), 1, false); /* (B, C) */
    mem_free(w);
    if (p->normalised)
        e = ag_div(e, ag_sqrt(ag_sum_axis(ag_mul(e, e), 1, true)));
    return e;
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* The height and the width that the preprocessor makes, which the model must read: {"height": h,
 * "width": w}, {"shortest_edge": n} before a square is cut out, or n. */
static void check_size(Reading *r, const PretrainedConfig *c)
{
    bool cut = read_flag(r, "do_center_crop", false);
    const char *key = cut ? "crop_size" : "size";
    const JsonValue *size = json_get(r->root, key);
    if (!size || size->kind == JSON_NULL || !(cut || read_flag(r, "do_resize", true)))
        return;
    const JsonValue *h = size->kind == JSON_OBJECT ? json_get(size, "height") : size;
    if (!h)
        h = json_get(size, "shortest_edge");
    const JsonValue *w = size->kind == JSON_OBJECT ? json_get(size, "width") : size;
    int64_t high = read_whole_of(r, h, key, 1, 1 << 14, c->image),
            wide = read_whole_of(r, w ? w : h, key, 1, 1 << 14, c->image);
    REFUSE_IF(r, high != c->image || wide != c->image,
              "%s is %lld x %lld; expected the image_size of config.json, %lld", key,
              (long long)high, (long long)wide, (long long)c->image);
}

/* One number for each colour. */
static void read_colours(Reading *r, const char *key, int colours, double *out)
{
    const JsonValue *list = json_get(r->root, key);
    if (!list || list->kind == JSON_NULL)
        return;
    REFUSE_IF(r, list->kind != JSON_LIST || list->count != colours,
              "%s has %d numbers; expected %d, one for each colour", key,
              list->kind == JSON_LIST ? list->count : 0, colours);
    int i = 0;
    for (const JsonValue *m = list->first; r->ok && m; m = m->next) {
        REFUSE_IF(r, m->kind != JSON_NUMBER, "%s has what is no number; expected %d numbers", key,
                  colours);
        out[i++] = m->number;
    }
}

/* ViT's own preprocessor, which transformers takes where there is no file, halves around 0.5. */
bool nn_pretrained_pixels(const Pretrained *m, PretrainedPixels *p)
{
    const char *who = "nn_pretrained_pixels";
    FolderFile f;
    Reading *r = &f.r;
    if (!pretrained_check(m, who))
        return false;
    const int colours = (int)m->config.colours, most = (int)(sizeof p->mean / sizeof *p->mean);
    if (!p || m->config.kind != PRETRAINED_VISION || colours > most)
        return tensor_fail("%s: a %s with pictures of %d colours%s; expected a model of pictures "
                           "of 1 to %d, and a PretrainedPixels to fill",
                           who, m->config.type, colours, p ? "" : ", and NULL", most);
    *p = (PretrainedPixels){.factor = 1 / 255.};
    for (int i = 0; i < colours; i++)
        p->mean[i] = p->deviation[i] = 0.5;
    if (!file_open(&f, who, m->folder, "preprocessor_config.json"))
        return false;
    if (f.there) {
        check_size(r, &m->config);
        p->factor = read_flag(r, "do_rescale", true)
                        ? read_positive(r, r->root, "rescale_factor", p->factor)
                        : 1;
        read_colours(r, "image_mean", colours, p->mean);
        read_colours(r, "image_std", colours, p->deviation);
        bool plain = !read_flag(r, "do_normalize", true);
        for (int i = 0; i < colours; i++) {
            p->mean[i] = plain ? 0 : p->mean[i];
            p->deviation[i] = plain ? 1 : p->deviation[i];
            REFUSE_IF(r, !(p->deviation[i] > 0), "image_std has %g; expected numbers above 0",
                      p->deviation[i]);
        }
    }
    json_tree_free(&f.tree);
    return r->ok;
}

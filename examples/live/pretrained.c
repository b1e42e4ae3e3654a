/* pretrained.c: the model of a reader's own folder. See folder.h. */
#include "examples/live/folder.h"
#include "examples/pretrained/pretrained.h"

#include <stdlib.h>
#include <string.h>

enum { LIKELY = 5, MASKS = 8, TEXT_MAX = 1 << 15 };

static struct {
    Pretrained model;
    Tokeniser *tokeniser;
    Tape *tape;
    Candidates candidates;

    /* Of live_prompt: ids, of which the first `prompt` were given and `read` are in the cache. */
    int32_t *ids;
    int prompt, count, read, most;
    KVCache cache;
    Rng rng;
    Sampler sampler;
} own;

static void put_ids(Page *p, const int32_t *ids, int count)
{
    page_key_array(p, "ids");
    for (int i = 0; i < count; i++)
        page_count(p, ids[i]);
    page_end(p);
}

static void put_summary(Page *p)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        nn_pretrained_summary(stream, &own.model);
        fclose(stream);
    }
    page_key_text(p, "summary", text ? text : "");
    free(text);
}

static bool open_tokeniser(const char *folder, bool *numbers)
{
    static const char *const files[] = {"tokenizer.json", "vocab.txt", "vocab.json", ".model"};
    const int words = (int)own.model.config.words;
    size_t bytes;
    *numbers = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        *numbers = *numbers && !folder_find(files[i], &bytes);
    own.tokeniser = *numbers ? data_tokeniser_numbers(words) : data_tokeniser_open(folder);
    return own.tokeniser &&
           (data_tokeniser_count(own.tokeniser) <= words ||
            tensor_fail("live_open: the tokeniser has %d tokens, and the model %d; expected those "
                        "of one folder",
                        data_tokeniser_count(own.tokeniser), words));
}

int live_open(void)
{
    bool numbers = false;
    if (own.tape) {
        tensor_fail("live_open: a model is open; expected a module for each");
        return live_error();
    }
    if (!(own.tape = tape_new(0)) || !nn_pretrained_load(live_text(), &own.model))
        return live_error();
    const bool pictures = own.model.config.kind == PRETRAINED_VISION;
    if (!pictures && !open_tokeniser(live_text(), &numbers))
        return live_error();
    own.model.last_only = true;
    Page *answer = page_data_new("live_open");
    put_summary(answer);
    page_key_bool(answer, "writes", own.model.config.kind == PRETRAINED_DECODER);
    page_key_count(answer, "side", pictures ? own.model.config.image : 0);
    page_key_bool(answer, "numbers", numbers);
    return live_answer_data(true, answer, NULL, NULL);
}

/* ---- a text or a picture --------------------------------------------------------------------- */

/* The largest of a row of logits, as classes or as tokens. */
static bool put_likely(Page *p, const char *at, const Tensor *logits, bool classes)
{
    const int64_t count = tensor_is_poison(logits) ? 0 : shape_last(logits->shape);
    nn_candidates_free(&own.candidates);
    if (!count || !nn_candidates_init(&own.candidates, count) ||
        !nn_temperature(&own.candidates, logits->data, 1))
        return false;
    page_object(p);
    page_key_text(p, "at", at);
    page_key_array(p, "candidates");
    for (int i = 0; i < LIKELY && i < count; i++) {
        const Candidate c = own.candidates.list[i];
        char number[16];
        snprintf(number, sizeof number, "%d", c.token);
        page_array(p);
        page_text(p, !classes          ? data_token(own.tokeniser, c.token)
                     : own.model.label ? own.model.label[c.token]
                                       : number);
        page_number(p, c.p);
        page_end(p);
    }
    page_end(p);
    page_end(p);
    return true;
}

/* What the model's head says of the last hidden states x (1, T, C). */
static bool put_head(Page *p, const Encoded *e, Tensor *x)
{
    const Pretrained *m = &own.model;
    bool ok = true;
    page_key_array(p, "likely");
    if (m->classifier.weight)
        ok = put_likely(p, "class", nn_pretrained_classify(m, x), true);
    else if (e && (m->config.kind == PRETRAINED_DECODER || m->output.weight))
        for (int i = 0, found = 0; ok && i < e->tokens.count && found < MASKS; i++) {
            const bool last = i + 1 == e->tokens.count,
                       writes = m->config.kind == PRETRAINED_DECODER;
            if (writes ? !last : e->ids[i] != mask_of(own.tokeniser))
                continue;
            found++;
            ok = put_likely(p, writes ? "next token" : data_token(own.tokeniser, e->ids[i]),
                            nn_pretrained_logits(m, ag_slice(x, 1, i, i + 1)), false);
        }
    page_end(p);
    return ok;
}

static bool run_text(Page *p, Html *html)
{
    const Pretrained *m = &own.model;
    Encoded e;
    Loss loss = {0};
    bool ok = sentence_open(&e, own.tokeniser, live_text(),
                            m->config.positions - m->config.position_offset);
    if (ok && e.tokens.count < 1)
        ok = tensor_fail("live_run: a text without tokens; expected one or more");
    own.tape->no_grad = ok && !loss_is_own(m, own.tokeniser, &e);
    Tensor *ids = ok ? tape_ids(own.tape, e.ids, shape2(1, e.tokens.count)) : NULL;
    Tensor *x = ok ? nn_pretrained_run(m, ids, NULL, NULL, NULL) : NULL;
    ok = ok && put_head(p, &e, x) && loss_of_text(&loss, m, own.tokeniser, &e, x) &&
         (!loss.L || ag_backward(loss.L));
    const HtmlAttention all = {.path = "blocks.%d.attn",
                               .layers = (int)m->config.layers,
                               .rows = (const char *const *)e.labels,
                               .columns = (const char *const *)e.labels};
    html->loss = loss.L ? loss.text : NULL;
    ok = ok && html_add(html, own.tape, 0, live_text(), &all, 1);
    if (ok)
        put_ids(p, e.ids, e.tokens.count);
    sentence_close(&e);
    return ok;
}

static bool run_picture(Page *p, Html *html)
{
    const Pretrained *m = &own.model;
    const int64_t side = m->config.image;
    size_t bytes = 0;
    const unsigned char *pixels = folder_find("picture", &bytes);
    Loss loss = {0};
    if (bytes != (size_t)(m->config.colours * side * side))
        return tensor_fail("live_run: a picture of %zu bytes; expected %lld x %lld x %lld", bytes,
                           (long long)m->config.colours, (long long)side, (long long)side);
    Tensor *picture = tensor_new(shape3(m->config.colours, side, side));
    for (size_t i = 0; picture && i < bytes; i++)
        picture->data[i] = (real)pixels[i];
    bool ok = picture && picture_normalise(m, picture);
    own.tape->no_grad = !m->classifier.weight;
    const Shape one = shape4(1, m->config.colours, side, side);
    Tensor *x =
        ok ? nn_pretrained_run(m, tape_input(own.tape, picture->data, one), NULL, NULL, NULL)
           : NULL;
    ok = ok && !tensor_is_poison(x) && put_head(p, NULL, x) &&
         (!m->classifier.weight || (loss_of_label(&loss, m, x) && ag_backward(loss.L)));
    html->loss = loss.L ? loss.text : NULL;
    ok = ok && picture_html(html, m, own.tape, picture, live_text());
    tensor_free(picture);
    return ok;
}

static bool is_open(const char *who)
{
    return own.model.params || tensor_fail("%s: there is no model; expected live_open first", who);
}

int live_run(void)
{
    if (!is_open("live_run"))
        return live_error();
    Html html = {.wanted = true};
    tape_reset(own.tape);
    own.tape->keep_maps = true;
    Page *answer = page_data_new("live_run");
    const bool ok = own.model.config.kind == PRETRAINED_VISION ? run_picture(answer, &html)
                                                               : run_text(answer, &html);
    own.tape->keep_maps = false;
    const int length = live_answer_data(ok, answer, live_inputs, &html);
    html_free(&html);
    tape_reset(own.tape);
    return length;
}

/* ---- going on with a text -------------------------------------------------------------------- */

static int answer_text(void)
{
    const int written = own.count - own.prompt;
    const bool ended =
        own.count == own.most || before_end(&own.model, own.ids + own.prompt, written) < written;
    char *text = calloc(1, TEXT_MAX);
    if (text)
        data_tokens_text(own.tokeniser, own.ids + own.prompt, written, true, text, TEXT_MAX);
    Page *answer = page_data_new("live_next");
    put_ids(answer, own.ids + own.prompt, written);
    page_key_text(answer, "text", text ? text : "");
    page_key_bool(answer, "ended", ended);
    free(text);
    return live_answer_data(true, answer, NULL, NULL);
}

int live_prompt(int tokens, double temperature, int top_k, double top_p, int seed)
{
    Encoded e = {0};
    const Pretrained *m = &own.model;
    if (!is_open("live_prompt"))
        return live_error();
    bool ok =
        m->config.kind == PRETRAINED_DECODER ||
        tensor_fail("live_prompt: a %s; expected a model that goes on with a text", m->config.type);
    ok = ok && sentence_open(&e, own.tokeniser, live_text(), 0);
    own.prompt = own.count = e.tokens.count;
    own.read = 0, own.most = own.count + tokens;
    if (ok && (own.count < 1 || tokens < 1 || own.most > m->config.positions))
        ok = tensor_fail("live_prompt: %d tokens and %d more; expected at least one each, and at "
                         "most %lld",
                         own.count, tokens, (long long)m->config.positions);
    int32_t *ids = ok ? realloc(own.ids, (size_t)own.most * sizeof *ids) : NULL;
    own.ids = ids ? ids : own.ids;
    nn_cache_free(&own.cache);
    nn_candidates_free(&own.candidates);
    ok = ids && nn_pretrained_cache(m, &own.cache, 1, own.most) &&
         nn_candidates_init(&own.candidates, m->config.words);
    if (ok)
        memcpy(own.ids, e.ids, (size_t)own.count * sizeof *ids);
    else
        own.most = 0;
    own.rng = (Rng){.seed = (uint64_t)seed};
    own.sampler = (Sampler){temperature, top_k > 0 ? top_k : m->config.words, top_p,
                            &own.candidates, &own.rng};
    sentence_close(&e);
    return ok ? answer_text() : live_error();
}

int live_next(void)
{
    if (!own.ids || own.count >= own.most) {
        tensor_fail("live_next: there is no text to go on with; expected live_prompt first");
        return live_error();
    }
    own.tape->no_grad = true;
    tape_reset(own.tape);
    const int fresh = own.count - own.read;
    Tensor *y =
        nn_pretrained_logits_cached(&own.model,
                                    tape_ids(own.tape, own.ids + own.read, shape2(1, fresh)),
                                    &own.cache);
    const bool ok = !tensor_is_poison(y) && nn_cache_advance(&own.cache, NULL, fresh);
    const Decoder d = nn_pretrained_decoder(&own.model, &own.cache);
    const int token = ok && nn_rules(&d, own.ids, own.count, y->data, shape_last(y->shape))
                          ? nn_sample(&own.sampler, y->data, shape_last(y->shape))
                          : -1;
    if (token < 0)
        return live_error();
    own.read = own.count;
    own.ids[own.count++] = token;
    return answer_text();
}

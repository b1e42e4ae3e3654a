/* writer.c: a text that a GPT continues, from any prompt. See writer.h. */
#include "examples/live/writer.h"

#include "examples/gpt/recorder.h"
#include "plot/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT_MAX = 4096, LAYERS_MAX = 24 };

static struct {
    Gpt gpt;
    TokenisedText tokens;
    int32_t text[2 * CONTEXT_MAX + 1]; /* the context, and what was written after it */
    int have;                          /* how many of them are known */
    Rng rng;                           /* of the next draw           */
} writer;

/* What live_begin gets: "gpt longest=... characters=LIST" (examples/gpt/page.c). */
bool writer_begin(void)
{
    GptConfig c = {0};
    int position = 0, unmasked = 0, end = 0;
    long long longest = 0, channels = 0;
    tokens_free(&writer.tokens);
    writer.have = 0;
    sscanf(
        live_text(),
        "gpt longest=%lld channels=%lld heads=%d layers=%d position=%d unmasked=%d characters=%n",
        &longest, &channels, &c.heads, &c.layers, &position, &unmasked, &end);
    c.longest = longest, c.channels = channels;
    if (!end || c.longest < 2 || c.longest > CONTEXT_MAX || c.layers < 0 || c.layers > LAYERS_MAX ||
        position < 0 || position > POSITION_NONE)
        return tensor_fail("live_begin: found the model \"%.80s\"; expected gpt with longest 2 to "
                           "%d, at most %d layers, and its characters",
                           live_text(), CONTEXT_MAX, LAYERS_MAX);
    if (!tokens_from_list(&writer.tokens, live_text() + end))
        return false;
    c.words = writer.tokens.words;
    c.position = (PositionKind)position;
    live_params = params_new(1);
    if (!live_params || !nn_gpt_init(&writer.gpt, live_params, "", c))
        return false;
    writer.gpt.encoder.causal = !unmasked;
    return true;
}

/* ---- the prompt ------------------------------------------------------------------------------ */

/* The prompt's parts, cut where known and unknown characters meet. */
static void put_parts(Page *p, const char *text)
{
    enum { PART = 48 };
    char part[PART + 1];
    size_t filled = 0;
    bool known = true;
    while (*text) {
        size_t n = 1;
        while (((unsigned char)text[n] & 0xC0) == 0x80 && n < 4)
            n++;
        int32_t id;
        const bool is = data_text_encode(&writer.tokens.text, text, n, &id, 1) >= 0;
        if (filled && (is != known || filled + n > PART)) {
            live_word(p, part, known);
            filled = 0;
        }
        memcpy(part + filled, text, n);
        part[filled += n] = 0;
        known = is;
        text += n;
    }
    tensor_clear_error();
    if (filled)
        live_word(p, part, known);
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t write_generated(char *text, size_t size, void *recorder)
{
    const Recorder *r = recorder;
    return generated_data(&r->generated, &r->text, text, size);
}

/* Continues the text, in the context that it fills, or a new one that begins with its second half,
 * as examples/gpt/write.c does. */
static int go_on(RecorderSettings *s, Page *answer)
{
    const int T = writer.gpt.config.longest;
    Tape *tape = tape_new(1);
    Recorder r = {0};
    if (writer.have > T) {
        const int keep = (T + 1) / 2;
        memmove(writer.text, writer.text + writer.have - keep, (size_t)keep * sizeof *writer.text);
        writer.have = keep;
    }
    s->rng = writer.rng;
    bool ok =
        tape && recorder_run(&r, &writer.gpt, &writer.tokens, tape, s, writer.text, writer.have);
    if (ok) {
        writer.have += r.generated.steps;
        writer.rng = r.generated.rng;
    }
    int length = live_answer_data(ok, answer, write_generated, &r);
    recorder_free(&r);
    tape_free(tape);
    return length;
}

/* The text begins with this prompt. */
static bool take_prompt(const char *text, uint64_t seed)
{
    const int T = writer.gpt.config.longest;
    const int64_t n = tokens_encode(&writer.tokens, text, writer.text, T);
    writer.have = n > 0 && n <= T ? (int)n : 0;
    writer.rng = (Rng){.seed = seed, .stream = 2};
    if (n >= 0 && !writer.have)
        return tensor_fail(
            "live_write: found a prompt of %lld tokens; expected 1 to %d, the model's "
            "context",
            (long long)n, T);
    return writer.have > 0;
}

int live_write(void)
{
    RecorderSettings s = {.beam = 4, .alpha = 1};
    unsigned long long seed = 0;
    long long top_k = 0;
    int end = 0, begins = 0;
    sscanf(live_text(), "%lf %lld %lf %llu %d %d%n", &s.temperature, &top_k, &s.top_p, &seed,
           &s.count, &begins, &end);
    const char *text = live_text() + end;
    if (!end || s.count < 1 || s.count > PLOT_PAGE_TOKENS || !writer.tokens.words ||
        (begins ? *text++ != '\n' : !writer.have)) {
        tensor_fail("live_write: found \"%.60s\"; expected a model, then temperature, k, p, seed, "
                    "the number of tokens, and 1 with a prompt in the next line; or 0, to go on",
                    live_text());
        return live_error();
    }
    s.top_k = top_k;
    Page *answer = page_data_new("live_write");
    page_key_array(answer, "words");
    if (begins)
        put_parts(answer, text);
    page_end(answer);
    return begins && !take_prompt(text, seed) ? live_refuse(answer) : go_on(&s, answer);
}

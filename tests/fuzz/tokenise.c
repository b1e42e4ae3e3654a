/* tokenise.c: see tokenise.h. */
#undef GRADUS_INSIDE /* each error names the public function */
#include "tests/fuzz/tokenise.h"

#include "data/data.h"

#include <string.h>

enum { ALPHABET = 4096 };

/* "\u0100":0,"\u0101":1,...: the characters that stand for bytes (Radford et al., 2019), without
 * the braces. */
static size_t alphabet(char *text)
{
    size_t used = 0;
    for (int b = 0, others = 0; b < 256; b++) {
        bool itself = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
        int c = itself ? b : 256 + others++;
        used +=
            (size_t)snprintf(text + used, ALPHABET - used, "%s\"\\u%04x\":%d", b ? "," : "", c, b);
    }
    return used;
}

void fuzz_write_vocabulary(const char *name, const uint8_t *bytes, size_t size)
{
    static const char mark[] = "\"@\":0";
    static char letters[ALPHABET];
    static size_t count;
    size_t n = sizeof mark - 1, at = 0;
    if (count == 0)
        count = alphabet(letters);
    while (at + n <= size && memcmp(bytes + at, mark, n) != 0)
        at++;
    if (at + n > size) {
        fuzz_write(name, bytes, size);
        return;
    }
    char *text = malloc(size - n + count);
    FUZZ_REQUIRE(text, "no memory");
    memcpy(text, bytes, at);
    memcpy(text + at, letters, count);
    memcpy(text + at + count, bytes + at + n, size - at - n);
    fuzz_write(name, text, size - n + count);
    free(text);
}

static void check_tokens(const Tokeniser *t, TokenInput in, const Tokens *out)
{
    int32_t *ids = malloc((size_t)out->count * sizeof *ids + 1);
    char text[64];
    FUZZ_REQUIRE(ids, "no memory");
    for (int i = 0; i < out->count; i++) {
        const Token *k = &out->token[i];
        int64_t bytes = k->text ? in.pair_bytes : in.bytes;
        FUZZ_REQUIRE(k->id >= 0 && k->id < data_tokeniser_count(t), "id %d", k->id);
        FUZZ_REQUIRE(k->begin >= 0 && k->begin <= k->end && k->end <= bytes,
                     "bytes %lld to %lld of %lld", (long long)k->begin, (long long)k->end,
                     (long long)bytes);
        FUZZ_REQUIRE(data_token(t, k->id), "token %d", k->id);
        ids[i] = k->id;
    }
    size_t length = data_tokens_text(t, ids, out->count, true, text, sizeof text);
    FUZZ_REQUIRE(strlen(text) <= length, "%zu bytes", length);
    free(ids);
}

static void tokenise(const Tokeniser *t, TokenInput in, Tokens *out)
{
    bool ok = data_tokens(t, in, out);
    fuzz_outcome(ok, "data_tokens");
    FUZZ_REQUIRE(!ok || in.longest == 0 || out->count <= in.longest, "%d tokens", out->count);
    if (ok)
        check_tokens(t, in, out);
}

void fuzz_tokeniser(const uint8_t *bytes, size_t size)
{
    static const char text[] = "The caf\u00e9's  \u4f60\u597d, don't [MASK]<mask> "
                               "<|endoftext|>\n\n 12345 \u0130x\xff\xc0 ";
    Tokeniser *t = data_tokeniser_open(fuzz_folder());
    fuzz_outcome(t != NULL, "data_tokeniser_open");
    if (!t)
        return;
    Tokens out = {0};
    const char *own = size > 0 ? (const char *)bytes : " ";
    TokenInput in = {.text = text, .bytes = sizeof text - 1};
    TokenInput pair = {.text = own, .bytes = size > 0 ? (int64_t)size : 1};
    tokenise(t, in, &out);
    tokenise(t, pair, &out);
    pair.pair = text;
    pair.pair_bytes = sizeof text - 1;
    tokenise(t, pair, &out);
    pair.longest = 12;
    tokenise(t, pair, &out);
    data_tokens_free(&out);
    data_tokeniser_free(t);
}

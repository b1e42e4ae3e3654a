/* tokenise_probe.c: what a tokeniser makes of texts, for tokenisers.py to compare with the
 * tokenizers library.
 *
 *   tokenise-probe FOLDER LONGEST < requests
 *
 * A request is a line: a text in hexadecimal digits, or two with a blank between them. The answer
 * is a line: for each token id:type:begin:end, then "|", then the ids as text without special
 * tokens, in hexadecimal digits. */
#include <gradus.h>

#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 21 };

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes in place; the bytes end where the digits do. */
static int64_t decode(char *text)
{
    int64_t n = 0;
    for (; hex(text[2 * n]) >= 0 && hex(text[2 * n + 1]) >= 0; n++)
        text[n] = (char)(16 * hex(text[2 * n]) + hex(text[2 * n + 1]));
    text[n] = 0;
    return n;
}

static void answer(const Tokeniser *t, const Tokens *tokens)
{
    static char text[LINE];
    int32_t *ids = malloc(((size_t)tokens->count + 1) * sizeof *ids);
    for (int i = 0; ids && i < tokens->count; i++) {
        const Token *k = &tokens->token[i];
        printf("%d:%d:%lld:%lld ", k->id, k->type, (long long)k->begin, (long long)k->end);
        ids[i] = k->id;
    }
    size_t n = ids ? data_tokens_text(t, ids, tokens->count, false, text, sizeof text) : 0;
    printf("|");
    for (size_t i = 0; i < n; i++)
        printf("%02x", (unsigned char)text[i]);
    printf("\n");
    free(ids);
}

int main(int argc, char **argv)
{
    static char line[LINE];
    Tokeniser *t = argc == 3 ? data_tokeniser_open(argv[1]) : NULL;
    Tokens tokens = {0};
    bool ok = t != NULL;
    while (ok && fgets(line, sizeof line, stdin)) {
        char *pair = strchr(line, ' ');
        TokenInput in = {.text = line, .pair = pair ? pair + 1 : NULL, .longest = atoll(argv[2])};
        if (pair)
            in.pair_bytes = decode(pair + 1);
        in.bytes = decode(line);
        ok = data_tokens(t, in, &tokens);
        if (ok)
            answer(t, &tokens);
    }
    if (!ok)
        fprintf(stderr, "%s\n",
                argc == 3 ? tensor_error() : "usage: tokenise-probe FOLDER LONGEST");
    data_tokens_free(&tokens);
    data_tokeniser_free(t);
    return ok ? 0 : 1;
}

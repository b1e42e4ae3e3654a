/* tokeniser_checks.c: see tokeniser_checks.h. */
#include "tests/data/tokeniser_checks.h"

#include "tests/harness/runner.h"

#include "data/data.h"

#include <string.h>

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int64_t tokeniser_hex(char *text, char **end)
{
    int64_t n = 0;
    for (; hex(text[2 * n]) >= 0 && hex(text[2 * n + 1]) >= 0; n++)
        ;
    *end = text + 2 * n;
    for (int64_t i = 0; i < n; i++)
        text[i] = (char)(16 * hex(text[2 * i]) + hex(text[2 * i + 1]));
    return n;
}

const char *tokeniser_folder(const char *name, const char *text)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", scratch_path("tokeniser"), name);
    tensor_make_directory(scratch_path("tokeniser"));
    CHECK(scratch_write(path, text, strlen(text)), "cannot write");
    return scratch_path("tokeniser");
}

static const char *quoted(const char *name, const char *text)
{
    static char json[20000];
    size_t n = 0;
    for (; text[n] && n + 1 < sizeof json; n++)
        json[n] = text[n] == '\'' ? '"' : text[n];
    CHECK(!text[n], "the text is longer than %zu bytes", sizeof json - 1);
    json[n] = 0;
    return tokeniser_folder(name, json);
}

const char *tokeniser_quoted(const char *text)
{
    return quoted("tokenizer.json", text);
}

/* A byte's token is the character of its code where that is printable, else the next of those from
 * U+0100 on; here as \u escapes, which need no rule for " and \. Radford et al. 2019,
 * bytes_to_unicode in encoder.py. */
static int put_bytes(char *text, size_t size)
{
    int used = 0;
    for (int byte = 0, other = 0x100; byte < 256; byte++) {
        bool printable =
            (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        used += snprintf(text + used, size - (size_t)used, "%s'\\u%04x': %d", byte ? ", " : "",
                         (unsigned)(printable ? byte : other++), byte);
    }
    return used;
}

const char *tokeniser_vocabulary(const char *vocabulary)
{
    static char text[20000];
    int used = snprintf(text, sizeof text, "{");
    used += put_bytes(text + used, sizeof text - (size_t)used);
    snprintf(text + used, sizeof text - (size_t)used, "%s}", vocabulary);
    return quoted("vocab.json", text);
}

const char *tokeniser_of_bytes(const char *vocabulary, const char *merges, const char *members)
{
    static char text[20000];
    int used = snprintf(text, sizeof text, "{'model': {'type': 'BPE', 'vocab': {");
    used += put_bytes(text + used, sizeof text - (size_t)used);
    snprintf(text + used, sizeof text - (size_t)used, "%s}, 'merges': %s}%s}", vocabulary, merges,
             members);
    return tokeniser_quoted(text);
}

void tokeniser_refused(const char *folder, const char *file, const char *part)
{
    char named[2000];
    Memory memory = {0};
    snprintf(named, sizeof named, "%s/%s: %s", folder, file, part);
    memory_watch(&memory);
    Tokeniser *t = data_tokeniser_open(folder);
    CHECK(!t, "read without an error; expected: %s", part);
    CHECK_REFUSAL("data_tokeniser_open", named);
    data_tokeniser_free(t);
    CHECK(memory.blocks == 0, "%ld blocks are left: %s", memory.blocks, part);
    memory_unwatch();
    scratch_clear(folder);
}

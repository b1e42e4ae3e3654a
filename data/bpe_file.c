/* bpe_file.c: merges as a text file.
 *
 *   gradus-bpe 1 MERGES
 *   LEFT RIGHT COUNT        one line for each merge, in order; ids in decimal
 *
 * A file is untrusted: each merge must be one that training can produce, and the number of merges
 * is compared with the length of the file before memory is allocated. */
#include "data/bpe.h"
#include "data/null.h"
#include "data/stream.h"
#include "tensor/files.h"

#include <string.h>

bool data_bpe_save(const char *path, const Bpe *b)
{
    if (!b || !path)
        return null_fail("data_bpe_save", "merges and a path");
    AtomicFile *file = tensor_file_open(path);
    if (!file)
        return false;
    FILE *out = tensor_file_stream(file);
    fprintf(out, "gradus-bpe 1 %d\n", b->merges);
    for (int k = 0; k < b->merges; k++)
        fprintf(out, "%d %d %lld\n", (int)b->merge[k].left, (int)b->merge[k].right,
                (long long)b->merge[k].count);
    return tensor_file_commit(file);
}

typedef struct {
    Input in;
    int64_t at; /* the position in the file after the buffer */
    int line;
    int next, held; /* the next byte of the buffer, and the number of its bytes */
    unsigned char buffer[4096];
    bool failed;
} Reader;

/* The next byte, which stays the next; -1 at the end and when reading fails. */
static int peek(Reader *r)
{
    if (r->next == r->held && !r->failed) {
        int64_t left = r->in.bytes - r->at;
        r->held = left < (int64_t)sizeof r->buffer ? (int)left : (int)sizeof r->buffer;
        r->next = 0;
        r->failed = !input_read(&r->in, r->at, r->buffer, (size_t)r->held);
        r->at += r->held;
    }
    return r->failed || r->held == 0 ? -1 : r->buffer[r->next];
}

static bool bad(Reader *r, const char *expected)
{
    int found = peek(r);
    if (r->failed)
        return false;
    if (found < 0)
        return INPUT_FAIL(&r->in, "line %d: the file ends; expected %s", r->line, expected);
    return INPUT_FAIL(&r->in, "line %d: found '%c' (byte 0x%02X); expected %s", r->line,
                      found >= ' ' && found < 127 ? found : '?', (unsigned)found, expected);
}

static bool take_text(Reader *r, const char *text, const char *expected)
{
    for (; *text; text++) {
        if (peek(r) != (unsigned char)*text)
            return bad(r, expected);
        r->next++;
        r->line += *text == '\n';
    }
    return true;
}

/* Reads decimal digits, then the text `then`. */
static bool take_number(Reader *r, int64_t most, const char *then, int64_t *number)
{
    int digits = 0;
    for (*number = 0; peek(r) >= '0' && peek(r) <= '9'; r->next++, digits++) {
        *number = *number * 10 + (peek(r) - '0');
        if (*number > most)
            return r->failed ? false
                             : INPUT_FAIL(&r->in,
                                          "line %d: found a number above %lld; expected at "
                                          "most this",
                                          r->line, (long long)most);
    }
    if (digits == 0)
        return bad(r, "a number in plain digits");
    return take_text(r, then, *then == ' ' ? "a digit or a space" : "a digit or a line feed");
}

static bool take_merge(Reader *r, Bpe *b)
{
    enum { COUNT_MAX = DATA_TEXT_MAX_BYTES };
    int64_t left, right, count;
    int line = r->line;
    if (!take_number(r, DATA_BPE_BYTES + DATA_BPE_MERGES_MAX, " ", &left) ||
        !take_number(r, DATA_BPE_BYTES + DATA_BPE_MERGES_MAX, " ", &right) ||
        !take_number(r, COUNT_MAX, "\n", &count))
        return false;
    const char *wrong = bpe_add(b, (int32_t)left, (int32_t)right, count);
    return !wrong ||
           INPUT_FAIL(&r->in,
                      "line %d: the merge %lld %lld %lld has %s; expected one that training "
                      "could have made",
                      line, (long long)left, (long long)right, (long long)count, wrong);
}

static bool take_file(Reader *r, Bpe *b)
{
    enum { LEAST_LINE = 6 }; /* "0 0 1" and its line feed */
    int64_t merges;
    if (!take_text(r, "gradus-bpe 1 ", "\"gradus-bpe 1\" and the number of merges") ||
        !take_number(r, DATA_BPE_MERGES_MAX, "\n", &merges))
        return false;
    if (merges > r->in.bytes / LEAST_LINE)
        return INPUT_FAIL(&r->in,
                          "line 1: found %lld merges in a file of %lld bytes; expected at "
                          "most one for each %d bytes",
                          (long long)merges, (long long)r->in.bytes, LEAST_LINE);
    if (!bpe_init(b, (int)merges, "data_bpe_load"))
        return false;
    for (int64_t k = 0; k < merges; k++)
        if (!take_merge(r, b))
            return false;
    return peek(r) < 0 ? !r->failed : bad(r, "the file to end");
}

bool data_bpe_load(const char *path, Bpe *b)
{
    Reader r = {.line = 1};
    if (!b || !path)
        return null_fail("data_bpe_load", "merges and a path");
    *b = (Bpe){0};
    bool ok = input_open(&r.in, "data_bpe_load", path) && take_file(&r, b);
    input_close(&r.in);
    if (!ok)
        data_bpe_free(b);
    return ok;
}

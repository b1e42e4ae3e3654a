/* parts.c: see parts.h. A line is the claim with its seed, then the value and the seconds, with
 * tabs between them. A value is written in hexadecimal, which keeps all its bits. */
#include "lectures/runner/parts.h"

#include "examples/common/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 1024, HEAD = 128, SHARDS = 10000 };

SeedShard parts_shard(const char *text)
{
    SeedShard s;
    char rest;
    if (sscanf(text, "%d/%d%c", &s.own, &s.all, &rest) != 2 || s.own < 1 || s.own > s.all ||
        s.all > SHARDS)
        options_refuse("--shard: found '%s'; expected K/N with K from 1 to N, and N up to %d", text,
                       SHARDS);
    return s;
}

static const char *head(char text[HEAD])
{
    snprintf(text, HEAD, "# claims of gradus %s, %s kernels\n", GRADUS_VERSION, tensor_kernels());
    return text;
}

static const char *key_of(const Claim *c, const char *fault, uint64_t seed, char key[KEY])
{
    snprintf(key, KEY, "%d\t%llu\t%a\t%a\t%s\t%s\t", c->row, (unsigned long long)seed, c->low,
             c->high, fault ? fault : "-", c->statement);
    return key;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void need(const void *memory)
{
    if (!memory)
        options_refuse("no memory for the parts");
}

static char *read_text(FILE *file, const char *path)
{
    size_t size = 1 << 16, used = 0, got;
    char *text = malloc(size);
    need(text);
    while ((got = fread(text + used, 1, size - used - 1, file)) > 0)
        if ((used += got) == size - 1)
            need(text = realloc(text, size *= 2));
    if (ferror(file))
        options_refuse("%s cannot be read: %s", path, strerror(errno));
    text[used] = 0;
    return text;
}

/* Each part begins with its head. */
static void check_head(const char *line, const char *want, const char *path)
{
    const int length = (int)strcspn(want, "\n");
    if ((int)strlen(line) != length || strncmp(line, want, (size_t)length) != 0)
        options_refuse("%s: found '%.100s'; expected parts that begin with '%.*s'", path, line,
                       length, want);
}

void parts_read(Parts *p, const char *path)
{
    char want[HEAD];
    FILE *file = fopen(path, "rb");
    *p = (Parts){.lines = 0};
    if (!file && errno == ENOENT)
        return;
    if (!file)
        options_refuse("%s cannot be opened: %s", path, strerror(errno));
    p->text = read_text(file, path);
    fclose(file);
    for (char *line = p->text; *line;) {
        char *end = line + strcspn(line, "\n");
        bool more = *end == '\n';
        *end = 0;
        if (p->lines % 1024 == 0)
            need(p->line = realloc(p->line, (size_t)(p->lines + 1024) * sizeof *p->line));
        if (p->lines == 0 || *line == '#')
            check_head(line, head(want), path);
        p->line[p->lines++] = line;
        line = end + more;
    }
    qsort(p->line, (size_t)p->lines, sizeof *p->line, by_text);
}

void parts_free(Parts *p)
{
    free(p->text);
    free(p->line);
}

/* The first line that is not before the key begins with it, where one does. */
bool parts_find(const Parts *p, const Claim *claim, const char *fault, uint64_t seed, Finding *f)
{
    char key[KEY];
    const size_t length = strlen(key_of(claim, fault, seed, key));
    int low = 0, high = p->lines;
    while (low < high) {
        int middle = (low + high) / 2;
        if (strcmp(p->line[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->lines && strncmp(p->line[low], key, length) == 0; low++) {
        *f = (Finding){.claim = claim, .fault = fault};
        char end;
        if (sscanf(p->line[low] + length, "%la\t%lf%c", &f->value, &f->seconds, &end) == 3 &&
            end == ';') {
            f->verdict = f->value >= claim->low && f->value <= claim->high ? HOLDS : FAILS;
            return true;
        }
    }
    return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

FILE *parts_begin(const char *path)
{
    char words[HEAD];
    options_need_file("part", path);
    FILE *file = fopen(path, "ab");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        options_refuse("--part: %s cannot be written: %s", path, strerror(errno));
    fputs(ftell(file) == 0 ? head(words) : "\n", file); /* after a line that was cut off */
    return file;
}

void parts_add(FILE *part, const Finding *f, uint64_t seed)
{
    char key[KEY];
    fprintf(part, "%s%a\t%.3f;\n", key_of(f->claim, f->fault, seed, key), f->value, f->seconds);
    if (fflush(part) != 0)
        options_refuse("--part: a line cannot be written: %s", strerror(errno));
}

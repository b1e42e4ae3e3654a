/* parts.c: see parts.h. A line is the claim with its seed, then the value and the seconds, with
 * tabs between them. A value is written in hexadecimal, which keeps all its bits. */
#include "lectures/runner/parts.h"

#include "examples/common/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 1024, HEAD = 128 };

/* What stands before the value of a measurement; it begins with the end of the line above. */
static const char *key_of(const Claim *c, const char *fault, uint64_t seed, char key[KEY])
{
    snprintf(key, KEY, "\n%d\t%llu\t%a\t%a\t%s\t%s\t", c->row, (unsigned long long)seed, c->low,
             c->high, fault ? fault : "-", c->statement);
    return key;
}

/* Each part begins with its head. A line that was cut off is ended. */
void parts_open(Parts *p, const char *path)
{
    char head[HEAD];
    long size = -1;
    options_need_file("part", path);
    snprintf(head, HEAD, "# claims of gradus %s, %s kernels", GRADUS_VERSION, tensor_kernels());
    *p = (Parts){.file = fopen(path, "a+b")};
    if (p->file && fseek(p->file, 0, SEEK_END) == 0)
        size = ftell(p->file);
    if (size >= 0 && fseek(p->file, 0, SEEK_SET) == 0)
        p->text = calloc((size_t)size + 1, 1);
    if (!p->text || fread(p->text, 1, (size_t)size, p->file) != (size_t)size ||
        fseek(p->file, 0, SEEK_END) != 0)
        options_refuse("--part: %s cannot be read and added to: %s", path, strerror(errno));
    for (const char *at = p->text; at && *at; at = strstr(at, "\n#"), at += at != NULL)
        if (strncmp(at, head, strlen(head)) != 0 || at[strlen(head)] != '\n')
            options_refuse("%s: found '%.*s'; expected parts that begin with '%s'", path,
                           (int)strcspn(at, "\n"), at, head);
    if (size == 0)
        fprintf(p->file, "%s\n", head);
    else if (p->text[size - 1] != '\n')
        fputs("\n", p->file);
}

void parts_close(Parts *p)
{
    if (p->file)
        fclose(p->file);
    free(p->text);
}

/* Lines are mostly searched for in their order, so each search begins where the last one ended. */
bool parts_find(Parts *p, const Claim *claim, const char *fault, uint64_t seed, Finding *f)
{
    char key[KEY], end;
    const size_t length = strlen(key_of(claim, fault, seed, key));
    *f = (Finding){.claim = claim, .fault = fault};
    for (int turn = 0; p->text && turn < 2; turn++, p->at = 0)
        for (const char *at = p->text + p->at; (at = strstr(at, key)); at++)
            if (sscanf(at + length, "%la\t%lf%c", &f->value, &f->seconds, &end) == 3 &&
                end == ';') {
                f->verdict = f->value >= claim->low && f->value <= claim->high ? HOLDS : FAILS;
                p->at = at - p->text;
                return true;
            }
    return false;
}

void parts_add(Parts *p, const Finding *f, uint64_t seed)
{
    char key[KEY];
    if (p->file && (fprintf(p->file, "%s%a\t%.3f;\n", key_of(f->claim, f->fault, seed, key) + 1,
                            f->value, f->seconds) < 0 ||
                    fflush(p->file) != 0))
        options_refuse("--part: a line cannot be written: %s", strerror(errno));
}

/* parts.c: see parts.h. A line is the claim with its seed, then the value and the seconds, with
 * tabs between them. A value is written in hexadecimal, which keeps all its bits. */
#include "lectures/runner/parts.h"
#include "lectures/runner/table.h"

#include "examples/common/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 1024, HEAD = 128 };

/* Each part begins with its head. A line that was cut off is ended. */
void parts_open(Parts *p, const char *path)
{
    char head[HEAD];
    options_need_file("part", path);
    snprintf(head, HEAD, "# claims of gradus %s, %s kernels", GRADUS_VERSION, tensor_kernels());
    *p = (Parts){.file = fopen(path, "ab")};
    if (!p->file || !(p->text = table_text(path)))
        options_refuse("--part: %s cannot be read and added to: %s", path, strerror(errno));
    for (const char *at = p->text; *p->text && at; at = strstr(at, "\n#"), at += at != NULL)
        if (strncmp(at, head, strlen(head)) != 0 || at[strlen(head)] != '\n')
            options_refuse("%s: found '%.*s'; expected parts that begin with '%s'", path,
                           (int)strcspn(at, "\n"), at, head);
    if (!*p->text)
        fprintf(p->file, "%s\n", head);
    else if (p->text[strlen(p->text) - 1] != '\n')
        fputs("\n", p->file);
}

void parts_close(Parts *p)
{
    if (p->file)
        fclose(p->file);
    free(p->text);
}

/* Finds the line of this key, which begins with the end of the line above, and reads what follows.
 * Lines are mostly searched for in their order, so each search begins where the last one ended. A
 * line that was cut off, since the program was killed, does not count. */
static bool find(Parts *p, const char *key, Finding *f)
{
    char end;
    for (int turn = 0; p->text && turn < 2; turn++, p->at = 0)
        for (const char *at = p->text + p->at; (at = strstr(at, key)); at++)
            if (sscanf(at + strlen(key), "%la\t%lf%c", &f->value, &f->seconds, &end) == 3 &&
                end == ';') {
                p->at = at - p->text;
                return true;
            }
    return false;
}

Finding parts_measure(Parts *p, const Claim *claim, const char *fault, uint64_t seed)
{
    char key[KEY];
    Finding f = {.claim = claim, .fault = fault};
    snprintf(key, KEY, "\n%d\t%llu\t%a\t%a\t%s\t%s\t", claim->row, (unsigned long long)seed,
             claim->low, claim->high, fault ? fault : "-", claim->statement);
    if (find(p, key, &f)) {
        f.verdict = f.value >= claim->low && f.value <= claim->high ? HOLDS : FAILS;
        return f;
    }
    f = claim_run(claim, fault, seed, NULL);
    if (p->file && (fprintf(p->file, "%s%a\t%.3f;\n", key + 1, f.value, f.seconds) < 0 ||
                    fflush(p->file) != 0))
        options_refuse("--part: a line cannot be written: %s", strerror(errno));
    return f;
}

/* mistakes.c: the mistakes that students are known to make, as changes to the solution.
 *
 *   function: softmax                   the function that those below are in
 *   @ softmax-unstable: ... (See ...)   its id; what the student is told; where to read about it
 *   real: float                         where it shows in float alone: a range, a rounding
 *   < real top = largest(x, n);         lines of the solution, which must follow one another there,
 *   > real top = 0;                     in one place only; and what stands there instead
 *
 * Several pairs of < and > change several places. One that has no lines of < changes those of the
 * mistake above. Blanks at the ends of lines do not count. */
#include "grader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char HUNK[] = "\1";

/* ---- reading --------------------------------------------------------------------------------- */

/* "id: what the student is told (See where.)" */
static Mistake *new_mistake(Mistakes *m, const char *function, const char *line, size_t length)
{
    static const char seeing[] = " (See ";
    m->at = memory_grown(m->at, (size_t)m->count + 1, sizeof *m->at);
    Mistake *one = &m->at[m->count++];
    memset(one, 0, sizeof *one);
    size_t id = strcspn(line, ":\n");
    const char *says = line + id + (line[id] == ':'), *end = line + length;
    says += strspn(says, " ");
    const char *see = strstr(says, seeing);
    snprintf(one->id, sizeof one->id, "%.*s", (int)id, line);
    snprintf(one->function, sizeof one->function, "%s", function);
    bool sees = see && see < end;
    text_add(&one->says, says, (size_t)((sees ? see : end) - says));
    if (sees && end - see > (long)sizeof seeing)
        text_add(&one->see, see + strlen(seeing), (size_t)(end - see) - strlen(seeing) - 2);
    return one;
}

/* A line of < or >. A < after a > begins the next hunk. */
static void add_change(Mistake *m, char side, char before, const char *line, size_t length)
{
    if (side == '<' && before == '>') {
        text_put(&m->old, HUNK);
        text_put(&m->new_, HUNK);
    }
    Text *to = side == '<' ? &m->old : &m->new_;
    text_add(to, line, length);
    text_put(to, "\n");
}

static bool is_key(const char *line, const char *key, size_t length)
{
    return length >= strlen(key) && strncmp(line, key, strlen(key)) == 0;
}

static bool whole(const Mistake *m, const Assignment *a, Text *why)
{
    if (m->function[0] && assignment_function(a, m->function) >= 0 && m->says.length &&
        m->old.length)
        return true;
    text_print(why,
               "mistakes.txt: %s: expected a function of the assignment above, words after the id, "
               "and lines of < and >\n",
               m->id);
    return false;
}

bool mistakes_read(Mistakes *m, const Assignment *a, Text *why)
{
    char path[PATH_SIZE], function[48] = "", before = 0;
    Text file = {0};
    Mistake *now = NULL;
    *m = (Mistakes){.count = 0};
    file_read(path_join(path, a->folder, "mistakes.txt"), &file); /* there may be none */
    if (file_exists(path_join(path, a->folder, "program.c")))     /* those of all with a bug */
        file_read(path_join(path, a->grader, "../../mistakes_debug.txt"), &file);
    for (const char *line = text_of(&file); *line;) {
        size_t length = strcspn(line, "\n");
        if (*line == '@')
            now = new_mistake(m, function, line + strspn(line, "@ "), length - strspn(line, "@ "));
        else if (is_key(line, "function: ", length))
            snprintf(function, sizeof function, "%.*s", (int)length - 10, line + 10);
        else if (now && is_key(line, "real: float", length))
            now->in_float = true;
        else if (now && (*line == '<' || *line == '>')) {
            if (*line == '>' && !now->old.length && m->count > 1) /* the lines of the one above */
                text_put(&now->old, text_of(&now[-1].old));
            add_change(now, *line, before, line + 1, length - 1);
        }
        before = *line;
        line += length + (line[length] == '\n');
    }
    text_free(&file);
    bool good = true;
    for (int i = 0; i < m->count; i++)
        good = whole(&m->at[i], a, why) && good;
    return good;
}

void mistakes_free(Mistakes *m)
{
    for (int i = 0; i < m->count; i++) {
        text_free(&m->at[i].says);
        text_free(&m->at[i].see);
        text_free(&m->at[i].old);
        text_free(&m->at[i].new_);
    }
    free(m->at);
    *m = (Mistakes){.count = 0};
}

/* ---- applying -------------------------------------------------------------------------------- */

static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return p + (*p == '\n');
}

/* The same words, whatever blanks are around them. */
static bool same_line(const char *a, const char *b)
{
    a += strspn(a, " \t");
    b += strspn(b, " \t");
    size_t la = strcspn(a, "\n\1"), lb = strcspn(b, "\n\1");
    while (la && strchr(" \t", a[la - 1]))
        la--;
    while (lb && strchr(" \t", b[lb - 1]))
        lb--;
    return la == lb && strncmp(a, b, la) == 0;
}

/* Where the lines of a hunk stand in the text, and what follows them. */
static const char *match_at(const char *text, const char *hunk)
{
    while (*hunk && *hunk != HUNK[0]) {
        if (!*text || !same_line(text, hunk))
            return NULL;
        text = next_line(text);
        hunk = next_line(hunk);
    }
    return text;
}

static const char *find_once(const char *text, const char *hunk, const char **end, int *found)
{
    const char *at = NULL;
    *found = 0;
    for (const char *line = text; *line; line = next_line(line)) {
        const char *after = match_at(line, hunk);
        if (after && ++*found == 1) {
            at = line;
            *end = after;
        }
    }
    return at;
}

static bool apply_hunk(const Mistake *m, const char *old, const char *new_, const Text *from,
                       Text *to, Text *why)
{
    const char *end = NULL;
    int found;
    const char *at = find_once(text_of(from), old, &end, &found);
    if (found != 1) {
        text_print(
            why,
            "mistake %s: its first line stands in the solution %d times, expected once: %.*s\n",
            m->id, found, (int)strcspn(old, "\n"), old);
        return false;
    }
    text_add(to, from->data, (size_t)(at - from->data));
    text_add(to, new_, strcspn(new_, HUNK));
    text_put(to, end);
    return true;
}

bool mistake_apply(const Mistake *m, const char *solution, Text *changed, Text *why)
{
    Text now = {0};
    const char *old = text_of(&m->old), *new_ = text_of(&m->new_);
    text_put(&now, solution);
    for (;;) {
        Text next = {0};
        if (!apply_hunk(m, old, new_, &now, &next, why)) {
            text_free(&now);
            text_free(&next);
            return false;
        }
        text_free(&now);
        now = next;
        old += strcspn(old, HUNK);
        new_ += strcspn(new_, HUNK);
        if (!*old)
            break;
        old++;
        new_ += *new_ == HUNK[0];
    }
    text_add(changed, now.data, now.length);
    text_free(&now);
    return true;
}

/* ---- building -------------------------------------------------------------------------------- */

/* What only the building needs: the library itself has another name by then, unless it failed. */
static void remove_parts(const Assignment *a, const char *part)
{
    static const char *const ends[] = {"", ".c", ".o", ".map"};
    char name[PATH_SIZE], path[PATH_SIZE];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", part, ends[i]);
        unlink(path_join(path, a->cache, name));
    }
}

bool mistake_library(const Assignment *a, const Mistake *m, Variant v, char path[PATH_SIZE],
                     Text *why)
{
    char file[160], output[128], part[160], other[PATH_SIZE];
    Text solution = {0}, changed = {0};
    unsigned long long hash = hash_add(HASH_BEGIN, text_of(&m->old), m->old.length);
    hash = hash_add(hash, text_of(&m->new_), m->new_.length);
    snprintf(output, sizeof output, "mistake-%s-%08llx%s", m->id, hash & 0xffffffffu,
             v == FLOAT ? "-float" : "");
    if (file_exists(path_join(path, a->cache, output)))
        return true;
    /* Under a name of this process first: two may build it at the same time. */
    snprintf(file, sizeof file, "%s.%d.c", output, (int)getpid());
    snprintf(part, sizeof part, "%s.%d", output, (int)getpid());
    bool good = file_read(path_join(other, a->cache, a->source), &solution) &&
                mistake_apply(m, text_of(&solution), &changed, why) &&
                file_write(path_join(other, a->cache, file), changed.data, changed.length);
    Build b = {.folder = a->cache, .file = file, .variant = v, .output = part};
    good = good && build_library(a, &b, why) && rename(path_join(other, a->cache, part), path) == 0;
    remove_parts(a, part);
    text_free(&solution);
    text_free(&changed);
    return good;
}

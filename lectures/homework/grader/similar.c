/* similar.c: which submissions of a class have passages in common.
 *
 * A text becomes a row of tokens in which all names are alike and all numbers are alike, so that
 * renaming hides nothing. Of every RUN tokens a hash is made, and of every WINDOW hashes the
 * smallest is kept: the fingerprints (winnowing: Schleimer, Wilkerson and Aiken, 2003).
 * Fingerprints of the hand-out and of the solution do not count: they come from the task. What many
 * of a class have may come from the task, too, or from one text that many copied: a pair is listed
 * for what few have (FEW students, or a quarter of the class), or because most of a text is the
 * other's. */
#include "all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 14, WINDOW = 6, FEW = 4, MOST_PERCENT = 60, MOST_SHARED = 8 };
enum { PAIRS_SHOWN = 30, RANGES_SHOWN = 6 };

typedef struct {
    unsigned hash;
    int line, owner; /* owner: index of the submission, -1 for the task's own texts */
    bool rare;       /* few have it */
} Print;

typedef struct {
    Print *at;
    int count, capacity;
} Prints;

typedef struct {
    unsigned hash;
    int line;
} Token;

typedef struct {
    int one, other, shared, rare; /* rare: of the shared ones */
    double share;                 /* of the fingerprints of the one that has fewer */
    int from[RANGES_SHOWN], to[RANGES_SHOWN], with[RANGES_SHOWN], ranges;
} Pair;

/* ---- tokens ---------------------------------------------------------------------------------- */

static const char *past_comment(const char *p, int *line)
{
    bool block = p[1] == '*';
    for (p += 2; *p; p++) {
        if (!block && *p == '\n')
            return p;
        if (block && p[0] == '*' && p[1] == '/')
            return p + 2;
        *line += *p == '\n';
    }
    return p;
}

static const char *past_string(const char *p)
{
    char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

static bool is_keyword(const char *p, size_t length)
{
    static const char *const words[] = {"for",    "while",  "if",       "else",   "return",
                                        "do",     "int",    "double",   "float",  "real",
                                        "const",  "static", "continue", "break",  "long",
                                        "struct", "void",   "sizeof",   "switch", "case"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncmp(words[i], p, length) == 0)
            return true;
    return false;
}

static Token *read_tokens(const char *p, int *count)
{
    Token *token = NULL;
    int capacity = 0, line = 1;
    for (*count = 0; *p;) {
        const char *from = p;
        unsigned kind = (unsigned char)*p;
        if (isspace(kind)) {
            line += *p++ == '\n';
            continue;
        }
        if (*p == '/' && (p[1] == '/' || p[1] == '*')) {
            p = past_comment(p, &line);
            continue;
        }
        if (isalpha(kind) || kind == '_') {
            p += strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
            size_t length = (size_t)(p - from);
            kind = is_keyword(from, length) ? (unsigned)hash_add(HASH_BEGIN, from, length) : 'a';
        } else if (isdigit(kind)) {
            p += strspn(p, "0123456789.abcdefxABCDEFXlLuU");
            kind = '1';
        } else if (kind == '"' || kind == '\'') {
            p = past_string(p);
        } else {
            p++;
        }
        if (*count == capacity)
            token = memory_grown(token, (size_t)(capacity = 2 * capacity + 64), sizeof *token);
        token[(*count)++] = (Token){kind, line};
    }
    return token;
}

/* ---- fingerprints ---------------------------------------------------------------------------- */

static void add_print(Prints *p, unsigned hash, int line, int owner)
{
    if (p->count == p->capacity)
        p->at = memory_grown(p->at, (size_t)(p->capacity = 2 * p->capacity + 256), sizeof *p->at);
    p->at[p->count++] = (Print){hash, line, owner, false};
}

static unsigned hash_run(const Token *t)
{
    unsigned long long hash = HASH_BEGIN;
    for (int i = 0; i < RUN; i++)
        hash = hash_add(hash, &t[i].hash, sizeof t[i].hash);
    return (unsigned)(hash ^ hash >> 32);
}

static void add_prints(Prints *p, const char *text, int owner)
{
    int count, last = -1;
    Token *t = read_tokens(text, &count);
    for (int w = 0; w + WINDOW + RUN - 1 <= count; w++) {
        int best = w;
        unsigned least = hash_run(&t[w]);
        for (int i = w + 1; i < w + WINDOW; i++) {
            unsigned hash = hash_run(&t[i]);
            if (hash <= least) {
                least = hash;
                best = i;
            }
        }
        if (best != last)
            add_print(p, least, t[best].line, owner);
        last = best;
    }
    free(t);
}

static int by_hash(const void *left, const void *right)
{
    const Print *l = left, *r = right;
    return l->hash != r->hash     ? (l->hash > r->hash) - (l->hash < r->hash)
           : l->owner != r->owner ? l->owner - r->owner
                                  : l->line - r->line;
}

/* Keeps one of each hash of an owner, and no hash that is the task's. */
static void keep_telling(Prints *p, int class)
{
    int kept = 0, few = class / 4 > FEW ? class / 4 : FEW;
    qsort(p->at, (size_t)p->count, sizeof *p->at, by_hash);
    for (int from = 0, to; from < p->count; from = to) {
        int owners = 0;
        for (to = from; to < p->count && p->at[to].hash == p->at[from].hash; to++)
            owners += to == from || p->at[to].owner != p->at[to - 1].owner;
        bool task = p->at[from].owner < 0;
        for (int i = from, last = -1; i < to && !task; i++) {
            if (p->at[i].owner == last)
                continue;
            last = p->at[i].owner;
            p->at[kept] = p->at[i];
            p->at[kept++].rare = owners <= few;
        }
    }
    p->count = kept;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void note_line(Pair *pair, int line, int with)
{
    for (int r = 0; r < pair->ranges; r++)
        if (line >= pair->from[r] - 3 && line <= pair->to[r] + 3) {
            pair->from[r] = line < pair->from[r] ? line : pair->from[r];
            pair->to[r] = line > pair->to[r] ? line : pair->to[r];
            pair->with[r] = with < pair->with[r] ? with : pair->with[r];
            return;
        }
    if (pair->ranges < RANGES_SHOWN) {
        int r = pair->ranges++;
        pair->from[r] = pair->to[r] = line;
        pair->with[r] = with;
    }
}

static int by_share(const void *left, const void *right)
{
    const Pair *l = left, *r = right;
    return l->share != r->share ? (l->share < r->share) - (l->share > r->share)
                                : r->shared - l->shared;
}

/* Ranges that overlap become one. */
static void merge_ranges(Pair *p)
{
    for (int r = 0; r < p->ranges; r++)
        for (int other = p->ranges - 1; other > r; other--) {
            if (p->from[other] > p->to[r] + 3 || p->from[r] > p->to[other] + 3)
                continue;
            p->from[r] = p->from[other] < p->from[r] ? p->from[other] : p->from[r];
            p->to[r] = p->to[other] > p->to[r] ? p->to[other] : p->to[r];
            p->with[r] = p->with[other] < p->with[r] ? p->with[other] : p->with[r];
            p->ranges--;
            p->from[other] = p->from[p->ranges];
            p->to[other] = p->to[p->ranges];
            p->with[other] = p->with[p->ranges];
        }
}

static bool is_listed(const Pair *p)
{
    return p->rare > 0 || (p->shared >= MOST_SHARED && 100 * p->share >= MOST_PERCENT);
}

/* Every pair that is listed. `total`: how many fingerprints each submission has. */
static Pair *find_pairs(const Prints *p, int class, int *count)
{
    int *total = memory((size_t) class, sizeof *total);
    int *place = memory((size_t) class * (size_t) class, sizeof *place); /* of a pair, plus 1 */
    Pair *pair = NULL;
    *count = 0;
    for (int i = 0; i < p->count; i++)
        total[p->at[i].owner]++;
    for (int i = 0; i < p->count; i++)
        for (int j = i + 1; j < p->count && p->at[j].hash == p->at[i].hash; j++) {
            int one = p->at[i].owner, other = p->at[j].owner, *at = &place[one * class + other];
            if (*at == 0) {
                pair = memory_grown(pair, (size_t)*count + 1, sizeof *pair);
                pair[*count] = (Pair){.one = one, .other = other};
                *at = ++*count;
            }
            pair[*at - 1].shared++;
            pair[*at - 1].rare += p->at[i].rare;
            note_line(&pair[*at - 1], p->at[i].line, p->at[j].line);
        }
    int listed = 0;
    for (int i = 0; i < *count; i++) {
        int one = total[pair[i].one], other = total[pair[i].other];
        pair[i].share = (double)pair[i].shared / (one < other ? one : other);
        if (!is_listed(&pair[i]))
            continue;
        pair[listed] = pair[i];
        merge_ranges(&pair[listed++]);
    }
    *count = listed;
    if (*count)
        qsort(pair, (size_t)*count, sizeof *pair, by_share);
    free(total);
    free(place);
    return pair;
}

/* ---- the two files --------------------------------------------------------------------------- */

static const char remark[] = "Pairs of submissions with common passages. Names and numbers are "
                             "ignored; passages of the hand-out and of\n"
                             "the solution are left out. A pair is listed for passages that few of "
                             "the class have (rare), or because most\n"
                             "of one text is in the other. A high share is a reason to read both "
                             "texts side by side, and no proof of copying:\n"
                             "the tasks are short, and two students who follow the same equation "
                             "write the same loop. A low share proves\n"
                             "nothing either.\n\n";

static void put_lines(Text *to, const Pair *p)
{
    for (int r = 0; r < p->ranges; r++)
        text_print(to, "%s%d-%d at %d", r ? "; " : "", p->from[r], p->to[r], p->with[r]);
}

static void put_pairs(const Row *names, const Pair *pair, int count, Text *words, Text *csv)
{
    text_put(words, remark);
    text_put(csv, "one,other,share,shared_fingerprints,rare_fingerprints,lines\n");
    for (int i = 0; i < count; i++) {
        if (i < PAIRS_SHOWN) {
            text_print(words, "%3.0f %%  %.60s and %.60s: %d fingerprints, %d of them rare, lines ",
                       100 * pair[i].share, names[pair[i].one].name, names[pair[i].other].name,
                       pair[i].shared, pair[i].rare);
            put_lines(words, &pair[i]);
            text_put(words, "\n");
        }
        put_field(csv, names[pair[i].one].name);
        text_put(csv, ",");
        put_field(csv, names[pair[i].other].name);
        text_print(csv, ",%.3f,%d,%d,", pair[i].share, pair[i].shared, pair[i].rare);
        put_lines(csv, &pair[i]);
        text_put(csv, "\n");
    }
    if (count == 0)
        text_put(words, "There is no such pair.\n");
}

static void add_task(Prints *p, const Assignment *a)
{
    char path[PATH_SIZE];
    Text marked = {0}, other = {0};
    if (file_read(path_join(path, a->folder, a->source), &marked)) {
        marked_stub(text_of(&marked), &other);
        add_prints(p, text_of(&other), -1);
        text_cut(&other, 0);
        marked_solution(text_of(&marked), &other);
        add_prints(p, text_of(&other), -1);
    }
    text_free(&marked);
    text_free(&other);
}

void write_similar(const Assignment *a, const Submission *all, const Row *names, int count,
                   const char *out)
{
    char path[PATH_SIZE];
    int pairs;
    Prints p = {.count = 0};
    Text words = {0}, csv = {0};
    add_task(&p, a);
    for (int i = 0; i < count; i++) {
        Text text = {0};
        if (all[i].row.there && all[i].row.counts && file_read(all[i].file, &text))
            add_prints(&p, text_of(&text), i);
        text_free(&text);
    }
    keep_telling(&p, count);
    Pair *pair = find_pairs(&p, count, &pairs);
    put_pairs(names, pair, pairs, &words, &csv);
    file_save(path_join(path, out, "similar.txt"), &words);
    file_save(path_join(path, out, "similar.csv"), &csv);
    free(pair);
    free(p.at);
}

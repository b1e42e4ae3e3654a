/* similar.c: which submissions of a class have passages in common.
 *
 * A text becomes a row of tokens in which all names are alike and all numbers are alike, so that
 * renaming hides nothing. Of every RUN tokens a hash is made, and of every WINDOW hashes the
 * smallest is kept: the fingerprints (winnowing: Schleimer, Wilkerson and Aiken, 2003).
 * Fingerprints of the hand-out and of the solution do not count: they come from the task. Which
 * share of a text the solution has, and the hand-out has not, is told beside. What
 * many of a class have may come from the task, or from a text that many copied: a pair is listed
 * for what few have (FEW, or a quarter of the class), or if most of a text is the other's. */
#include "all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 14, WINDOW = 6, FEW = 4, MOST_PERCENT = 60, MOST_SHARED = 8 };
enum { PAIRS_SHOWN = 30, RANGES_SHOWN = 6 };
enum { PAIRS_KEPT = 1000000, PAIRS_MOST = 1500000 }; /* a spreadsheet has about 1 million rows */

enum { HANDED_OUT = -2, SOLVED = -1 }; /* the task's own texts */

typedef struct Print {
    unsigned hash;
    int line, owner;    /* owner: index of the submission, HANDED_OUT or SOLVED */
    bool rare;          /* few have it */
    struct Print *next; /* the owner's, with a larger hash */
} Print;

typedef struct {
    Print *at;
    int count, capacity;
    Print **first; /* of each submission; NULL: it has none */
    int *total;    /* how many each submission has */
} Prints;

typedef struct {
    unsigned hash;
    int line;
} Token;

typedef struct {
    int one, other, shared, rare; /* rare: of the shared ones */
    unsigned first;               /* the smallest shared hash */
    double share;                 /* of the fingerprints of the one that has fewer */
} Pair;

typedef struct {
    long long found;
    int count; /* of those that are kept */
    Pair *at;  /* (PAIRS_MOST) */
} Pairs;

/* Lines of one text, and the first of the other's that are like them. */
typedef struct {
    int from, to, with;
} Range;

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
    p->at[p->count++] = (Print){hash, line, owner, false, NULL};
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

/* Keeps one of each hash of an owner, and no hash that is the task's; row: told of each what share
 * of what it did not get with the hand-out is the solution's. */
static void keep_telling(Prints *p, int class, Row *row)
{
    int *own = memory((size_t) class, sizeof *own), *solved = memory((size_t) class, sizeof *own);
    int kept = 0, few = class / 4 > FEW ? class / 4 : FEW;
    qsort(p->at, (size_t)p->count, sizeof *p->at, by_hash);
    for (int from = 0, to; from < p->count; from = to) {
        int owners = 0;
        for (to = from; to < p->count && p->at[to].hash == p->at[from].hash; to++)
            owners += to == from || p->at[to].owner != p->at[to - 1].owner;
        const int task = p->at[from].owner;
        for (int i = from, last = -1; i < to && task != HANDED_OUT; i++) {
            if (p->at[i].owner == last || p->at[i].owner < 0)
                continue;
            last = p->at[i].owner;
            own[last]++;
            solved[last] += task == SOLVED;
            if (task == SOLVED)
                continue;
            p->at[kept] = p->at[i];
            p->at[kept++].rare = owners <= few;
        }
    }
    p->count = kept;
    for (int i = 0; i < class; i++)
        row[i].from_solution = own[i] ? (100 * solved[i] + own[i] / 2) / own[i] : -1;
    free(own);
    free(solved);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* The order is total, so that each library's qsort makes the same file. */
static int by_share(const void *left, const void *right)
{
    const Pair *l = left, *r = right;
    return l->share != r->share     ? (l->share < r->share) - (l->share > r->share)
           : l->shared != r->shared ? r->shared - l->shared
           : l->first != r->first   ? (l->first > r->first) - (l->first < r->first)
           : l->one != r->one       ? l->one - r->one
                                    : l->other - r->other;
}

static bool is_listed(const Pair *p)
{
    return p->rare > 0 || (p->shared >= MOST_SHARED && 100 * p->share >= MOST_PERCENT);
}

static void link_prints(Prints *p, int class)
{
    p->first = memory((size_t) class, sizeof *p->first);
    p->total = memory((size_t) class, sizeof *p->total);
    for (Print *x = p->at + p->count; x-- > p->at;) {
        x->next = p->first[x->owner];
        p->first[x->owner] = x;
        p->total[x->owner]++;
    }
}

static int by_line(const void *left, const void *right)
{
    const Range *l = left, *r = right;
    return l->from != r->from ? l->from - r->from : l->with - r->with;
}

/* Where the common passages of two submissions are: lines that are near each other become one
 * range. Returns how many there are; the first are in range. */
static int find_ranges(const Prints *p, const Pair *pair, Range range[RANGES_SHOWN])
{
    int found = 0, count = 0;
    Range *line = memory((size_t)pair->shared, sizeof *line);
    const Print *x = p->first[pair->one], *y = p->first[pair->other];
    while (x && y) {
        const unsigned hash = x->hash < y->hash ? x->hash : y->hash;
        if (x->hash == y->hash)
            line[found++] = (Range){x->line, x->line, y->line};
        x = x->hash == hash ? x->next : x;
        y = y->hash == hash ? y->next : y;
    }
    qsort(line, (size_t)found, sizeof *line, by_line);
    for (int i = 0; i < found; i++) {
        Range *last = count ? &range[count - 1] : NULL;
        if (last && line[i].from <= last->to + 3) {
            last->to = line[i].from;
            last->with = line[i].with < last->with ? line[i].with : last->with;
        } else if (count < RANGES_SHOWN) {
            range[count++] = line[i];
        }
    }
    free(line);
    return count;
}

/* What a submission shares with each later one. */
static void compare(const Prints *p, int one, Pair *with)
{
    for (const Print *x = p->first[one]; x; x = x->next)
        for (const Print *y = x + 1; y < p->at + p->count && y->hash == x->hash; y++) {
            Pair *pair = &with[y->owner];
            if (pair->shared++ == 0)
                pair->first = x->hash;
            pair->rare += x->rare;
        }
}

static void cut_pairs(Pairs *p)
{
    qsort(p->at, (size_t)p->count, sizeof *p->at, by_share);
    p->count = p->count < PAIRS_KEPT ? p->count : PAIRS_KEPT;
}

/* However many pairs are found, no more than PAIRS_MOST are in memory. */
static Pairs find_pairs(const Prints *p, int class)
{
    Pairs pairs = {.at = memory(PAIRS_MOST, sizeof *pairs.at)};
    Pair *with = memory((size_t) class, sizeof *with);
    for (int one = 0; one < class; one++) {
        compare(p, one, with);
        for (int other = one + 1; other < class; other++) {
            const int fewer = p->total[one] < p->total[other] ? p->total[one] : p->total[other];
            Pair pair = with[other];
            with[other] = (Pair){.shared = 0};
            pair.one = one;
            pair.other = other;
            pair.share = (double)pair.shared / (fewer ? fewer : 1);
            if (!is_listed(&pair))
                continue;
            if (pairs.count == PAIRS_MOST)
                cut_pairs(&pairs);
            pairs.at[pairs.count++] = pair;
            pairs.found++;
        }
    }
    cut_pairs(&pairs);
    free(with);
    return pairs;
}

/* ---- the two files --------------------------------------------------------------------------- */

static const char remark[] =
    "Pairs of submissions with common passages. Names and numbers are ignored; passages of the\n"
    "hand-out and of the solution are left out. A pair is listed for passages that few of the\n"
    "class have (rare), or because most of one text is in the other. A high share is a reason to\n"
    "read both texts side by side, and no proof of copying: the tasks are short, and two students\n"
    "who follow the same equation write the same loop. A low share proves nothing either.\n\n";

static void put_lines(Text *to, const Range *range, int count)
{
    for (const Range *r = range; r < range + count; r++)
        text_print(to, "%s%d-%d at %d", r > range ? "; " : "", r->from, r->to, r->with);
}

static void put_pairs(const Row *names, const Prints *p, const Pairs *pairs, Text *words, Text *csv)
{
    text_put(words, remark);
    text_put(csv, "one,other,share,shared_fingerprints,rare_fingerprints,lines,student_one,"
                  "student_other\n");
    for (int i = 0; i < pairs->count; i++) {
        const Pair *pair = &pairs->at[i];
        Range range[RANGES_SHOWN];
        const int ranges = find_ranges(p, pair, range);
        const Row *one = &names[pair->one], *other = &names[pair->other];
        char first[512], second[512];
        if (i < PAIRS_SHOWN) {
            text_print(words,
                       "%3.0f %%  %.120s and %.120s: %d fingerprints, %d of them rare, lines ",
                       100 * pair->share, shown_name(one, first), shown_name(other, second),
                       pair->shared, pair->rare);
            put_lines(words, range, ranges);
            text_put(words, "\n");
        }
        put_field(csv, one->name);
        text_put(csv, ",");
        put_field(csv, other->name);
        text_print(csv, ",%.3f,%d,%d,", pair->share, pair->shared, pair->rare);
        put_lines(csv, range, ranges);
        text_put(csv, ",");
        put_field(csv, one->origin.student);
        text_put(csv, ",");
        put_field(csv, other->origin.student);
        text_put(csv, "\n");
    }
    if (pairs->count == 0)
        text_put(words, "There is no such pair.\n");
    if (pairs->found > pairs->count)
        text_print(words, "\nThere are %lld such pairs. similar.csv has the first %d.\n",
                   pairs->found, pairs->count);
}

static void add_task(Prints *p, const Assignment *a)
{
    for (int written = STUB; !a->kit && written <= SOLUTION; written++) {
        Text text = {0};
        homework_text(a, (Written)written, NULL, &text);
        add_prints(p, text_of(&text), written == STUB ? HANDED_OUT : SOLVED);
        text_free(&text);
    }
}

void write_similar(const Assignment *a, const Submission *all, Row *row, int count, const char *out)
{
    char path[PATH_SIZE];
    Prints p = {.count = 0};
    Text words = {0}, csv = {0};
    add_task(&p, a);
    for (int i = 0; i < count; i++) {
        Text text = {0};
        if (all[i].row.there && all[i].row.counts && !all[i].partner &&
            file_read(all[i].file, &text))
            add_prints(&p, text_of(&text), i);
        text_free(&text);
    }
    keep_telling(&p, count, row);
    for (int i = 1; i < count; i++)
        row[i].from_solution = all[i].partner ? row[i - 1].from_solution : row[i].from_solution;
    link_prints(&p, count);
    Pairs pairs = find_pairs(&p, count);
    put_pairs(row, &p, &pairs, &words, &csv);
    file_save(path_join(path, out, "similar.txt"), &words);
    file_save(path_join(path, out, "similar.csv"), &csv);
    free(pairs.at);
    free(p.at);
    free(p.first);
    free(p.total);
}

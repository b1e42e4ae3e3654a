/* pattern.c: regular expressions by backtracking: an expression is a list of nodes, each with the
 * one after it; a repeated class is one node, so that the depth of calls is that of the expression.
 * The caller gives a number of steps, after which a search that goes back again and again is given
 * up.
 *                   Kernighan, "A regular expression matcher" (2007) */
#include "data/pattern.h"

/* What is to be matched after a group. */
typedef struct After {
    const PatternNode *node;
    const struct After *up;
} After;

typedef struct {
    const TextChar *c;
    int64_t n, end, *steps;
} Match;

static int32_t folded(int32_t c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c == 0x17F ? 's' : c == 0x212A ? 'k' : c;
}

/* Oniguruma's words have no joiners; they have the numbers of Latin-1 that are no digits. */
static bool in_word(const PatternSet *s, TextChar c)
{
    bool number = c.code < 0x100 && (c.bits & UNICODE_CATEGORY) == CATEGORY_NO;
    return unicode_is_word(c.code, c.bits) ||
           (s->kinds & SET_JOINS ? c.code == 0x200C || c.code == 0x200D : number);
}

static bool in_ranges(const PatternSet *s, int32_t c)
{
    for (int i = 0; i < s->ranges; i++)
        if (c >= s->range[i][0] && c <= s->range[i][1])
            return true;
    return false;
}

static bool in_set(const PatternSet *s, TextChar c)
{
    bool space = c.bits & UNICODE_SPACE, found = s->categories >> (c.bits & UNICODE_CATEGORY) & 1;
    if (!found && s->kinds)
        found = s->kinds & (space ? SET_SPACE : SET_NO_SPACE) ||
                (s->kinds & SET_PUNCTUATION && c.bits & UNICODE_PUNCTUATION) ||
                (s->kinds & (SET_WORD | SET_NO_WORD) &&
                 s->kinds & (in_word(s, c) ? SET_WORD : SET_NO_WORD));
    if (!found)
        found = in_ranges(s, c.code);
    if (!found && s->fold) {
        int32_t lower = folded(c.code);
        found = in_ranges(s, lower) || (lower >= 'a' && lower <= 'z' && in_ranges(s, lower - 32));
    }
    return found != s->negated;
}

static bool from(Match *m, const PatternNode *node, int64_t at, const After *after);

/* How many characters from `at` on are in the set. */
static int64_t run_of(Match *m, const PatternNode *node, int64_t at)
{
    int64_t count = 0;
    while (count < node->most && at + count < m->n && in_set(&node->set, m->c[at + count]))
        count++;
    *m->steps -= count;
    return count;
}

static bool repeated(Match *m, const PatternNode *node, int64_t at, const After *after)
{
    int64_t most = run_of(m, node, at);
    bool found = false;
    for (int64_t k = 0; !found && k <= most - node->least && *m->steps >= 0; k++) {
        int64_t count = node->mode == LAZY ? node->least + k : most - k;
        found = from(m, node->next, at + count, after);
        if (node->mode == POSSESSIVE)
            break;
    }
    return found;
}

static bool any_alternative(Match *m, const PatternNode *group, int64_t at, const After *after)
{
    for (const PatternNode *a = group->inside; a; a = a->alternative)
        if (from(m, a, at, after))
            return true;
    return false;
}

static bool grouped(Match *m, const PatternNode *node, int64_t at, const After *after)
{
    const After then = {node->next, after};
    if (node->mode == POSSESSIVE) {
        int64_t end = any_alternative(m, node, at, NULL) ? m->end : node->least == 0 ? at : -1;
        return end >= 0 && from(m, node->next, end, after);
    }
    if (node->least == 0 && node->mode == LAZY && from(m, node->next, at, after))
        return true;
    return any_alternative(m, node, at, &then) ||
           (node->least == 0 && node->mode == GREEDY && from(m, node->next, at, after));
}

/* Does the rest, this node and all after it, match at this place? Then m->end is its end. */
static bool from(Match *m, const PatternNode *node, int64_t at, const After *after)
{
    for (;; node = node->next) {
        for (; !node && after; after = after->up)
            node = after->node;
        if (!node) {
            m->end = at;
            return true;
        }
        if (--*m->steps < 0)
            return false;
        if (node->kind == NODE_SET && (node->least != 1 || node->most != 1))
            return repeated(m, node, at, after);
        if (node->kind == NODE_SET && (at >= m->n || !in_set(&node->set, m->c[at++])))
            return false;
        if (node->kind == NODE_GROUP)
            return grouped(m, node, at, after);
        if ((node->kind == NODE_AHEAD || node->kind == NODE_NOT_AHEAD) &&
            any_alternative(m, node, at, NULL) != (node->kind == NODE_AHEAD))
            return false;
        if (node->kind == NODE_BEGIN && at > 0)
            return false;
        if (node->kind == NODE_END && at < m->n && m->c[at].code != '\n')
            return false;
    }
}

int64_t pattern_match(const Pattern *p, const TextChar *c, int64_t n, int64_t at, int64_t *steps)
{
    const PatternNode whole = {.inside = p->first};
    Match m = {c, n, -1, steps};
    return any_alternative(&m, &whole, at, NULL) && *steps >= 0 ? m.end : -1;
}

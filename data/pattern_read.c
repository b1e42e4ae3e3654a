/* pattern_read.c: regular expressions in the syntax of Oniguruma (Ruby's), which the tokenizers
 * library uses.
 *                   Kosako, Oniguruma's doc/RE
 *
 *   a | b      alternatives           (?:...) (...) (?i:...)   groups; i: letters of any case
 *   [a-z\s]    classes, [^...]        \s \d \w \p{Lu} \P{L} \r \n \t \u00e9, .
 *   \A $       the text's begin, a line's end
 *   ? * + {2,3}   greedy; lazy with a ? after it, possessive with a + ; a group may have ? alone
 *   (?=...) (?!...)   what follows    (?>...)   without going back
 *
 * Everything else is refused by name. */
#include "data/pattern.h"
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena *arena;
    const char *path, *text, *at;
    PatternKind kind;
    int depth, parts; /* groups around; groups and repeated classes in all */
    bool fold;
} Reader;

static bool refuse(const Reader *r, const char *what)
{
    return TOKENISER_FAIL(
        r->path,
        "the expression '%.400s' has %s at byte %d; expected alternatives, groups, "
        "classes, ? * + {m,n}, (?=...) and (?!...)",
        r->text, what, (int)(r->at - r->text));
}

static bool take(Reader *r, const char *text)
{
    size_t n = strlen(text);
    bool is = strncmp(r->at, text, n) == 0;
    r->at += is ? n : 0;
    return is;
}

static bool add_range(Reader *r, PatternSet *s, int32_t first, int32_t last)
{
    size_t have = (size_t)s->ranges;
    if ((have & (have - 1)) == 0) { /* full: twice as many */
        int32_t(*larger)[2] = arena_alloc(r->arena, (2 * have + 1) * sizeof *larger);
        if (!larger)
            return false;
        if (have > 0)
            memcpy(larger, s->range, have * sizeof *larger);
        s->range = larger;
    }
    s->range[s->ranges][0] = first;
    s->range[s->ranges++][1] = last;
    return true;
}

/* {Lu}, {L}, {^L} after \p or \P. */
static bool add_property(Reader *r, PatternSet *s, bool negated)
{
    static const char names[] = "CnCcCfCoLlLmLoLtLuMcMeMnNdNlNoPcPdPePfPiPoPsScSkSmSoZlZpZs";
    uint32_t found = 0;
    bool open = take(r, "{");
    negated = negated != (open && take(r, "^"));
    if (open && r->kind == PATTERN_OURS && take(r, "B}")) {
        s->kinds |= SET_PUNCTUATION;
        return true;
    }
    size_t n = open ? strcspn(r->at, "}") : 0;
    for (int i = 0; n >= 1 && n <= 2 && r->at[n] && i < CATEGORIES; i++)
        if (memcmp(names + 2 * i, r->at, n) == 0)
            found |= 1U << i;
    if (!found || s->fold)
        return refuse(r, s->fold ? "a property within (?i:...)" : "an unknown property");
    r->at += n + 1;
    s->categories |= negated ? ~found : found;
    return true;
}

/* The character of an escape; -1: none, and then the set has what it stands for. */
static bool escape(Reader *r, PatternSet *s, int32_t *c)
{
    static const char letters[] = "rntfvae", codes[] = "\r\n\t\f\v\a\033";
    const char *known = *r->at ? strchr(letters, *r->at) : NULL;
    char escaped = *r->at, *end;
    *c = -1;
    if (strchr("sSwWdDpP", escaped) && escaped) {
        r->at++;
        s->kinds |= escaped == 's'   ? SET_SPACE
                    : escaped == 'S' ? SET_NO_SPACE
                    : escaped == 'w' ? SET_WORD
                    : escaped == 'W' ? SET_NO_WORD
                                     : 0;
        if (r->kind == PATTERN_OURS)
            s->kinds |= SET_JOINS;
        if (escaped == 'd' || escaped == 'D')
            s->categories |= escaped == 'd' ? 1U << CATEGORY_ND : ~(1U << CATEGORY_ND);
        return (escaped != 'p' && escaped != 'P') || add_property(r, s, escaped == 'P');
    }
    if (escaped == 'u' || take(r, "x{")) {
        char digits[8] = "";
        bool closed = escaped == 'x';
        r->at += escaped == 'u';
        for (int i = 0; i < (closed ? 6 : 4) && strchr("0123456789abcdefABCDEF", *r->at) && *r->at;)
            digits[i++] = *r->at++;
        *c = (int32_t)strtol(digits, &end, 16);
        return (*digits && (closed ? take(r, "}") : strlen(digits) == 4) && *c <= 0x10FFFF) ||
               refuse(r, "an unknown escape");
    }
    bool mark = escaped > ' ' && escaped < 127 && unicode_class(escaped) & UNICODE_PUNCTUATION;
    if (!known && !mark && escaped != ' ')
        return refuse(r, "an unknown escape");
    *c = known ? codes[known - letters] : escaped;
    r->at++;
    return true;
}

/* One character, or an escape. */
static bool character(Reader *r, PatternSet *s, int32_t *c)
{
    if (r->kind != PATTERN_TEXT && take(r, "\\"))
        return escape(r, s, c);
    r->at += unicode_read((const unsigned char *)r->at, strlen(r->at), c);
    return !s->fold || *c < 128 || refuse(r, "a letter that is not ASCII within (?i:...)");
}

enum { DEPTH = 32, PARTS = 500 }; /* matching calls itself for each of them */

/* After "[". A class within adds its characters. */
static bool class_of(Reader *r, PatternSet *s, int depth)
{
    int32_t c, last;
    if (depth > DEPTH || *r->at == ']')
        return refuse(r, depth > DEPTH ? "too many classes within each other" : "an empty class");
    while (!take(r, "]")) {
        if (!*r->at || strncmp(r->at, "&&", 2) == 0 || strncmp(r->at, "[:", 2) == 0 ||
            strncmp(r->at, "[^", 2) == 0)
            return refuse(r, *r->at ? "an intersection, or such a class within a class" : "an end");
        if (take(r, "[")) {
            if (!class_of(r, s, depth + 1))
                return false;
            continue;
        }
        if (!character(r, s, &c))
            return false;
        last = c;
        if (c >= 0 && r->at[0] == '-' && r->at[1] && r->at[1] != ']') {
            r->at++;
            if (*r->at == '[')
                return refuse(r, "a range without an end");
            if (!character(r, s, &last))
                return false;
        }
        if (last < c)
            return refuse(r, "a range that ends before it begins");
        if (c >= 0 && !add_range(r, s, c, last))
            return false;
    }
    return true;
}

static bool alternatives(Reader *r, const PatternNode **first);

/* After "(". */
static bool group(Reader *r, PatternNode *node)
{
    bool fold = r->fold;
    node->kind = NODE_GROUP;
    if (take(r, "?")) {
        if (take(r, "i:"))
            r->fold = true;
        else if (take(r, "="))
            node->kind = NODE_AHEAD;
        else if (take(r, "!"))
            node->kind = NODE_NOT_AHEAD;
        else if (take(r, ">"))
            node->mode = POSSESSIVE;
        else if (!take(r, ":"))
            return refuse(r, "such a group");
    }
    if (++r->depth > DEPTH || ++r->parts > PARTS)
        return refuse(r, "too many groups");
    if (!alternatives(r, &node->inside))
        return false;
    r->depth--;
    r->fold = fold;
    return take(r, ")") || refuse(r, "a group without an end");
}

/* A class, a character, a group. */
static bool atom(Reader *r, PatternNode *node)
{
    int32_t c = -1;
    node->least = node->most = 1;
    node->set.fold = r->fold;
    if (r->kind != PATTERN_TEXT && take(r, "("))
        return group(r, node);
    if (r->kind != PATTERN_TEXT && take(r, "[")) {
        node->set.negated = take(r, "^");
        return class_of(r, &node->set, 0);
    }
    if (r->kind != PATTERN_TEXT && take(r, ".")) {
        node->set.negated = true;
        return add_range(r, &node->set, '\n', '\n');
    }
    bool begin = r->kind != PATTERN_TEXT && take(r, "\\A");
    if (begin || (r->kind != PATTERN_TEXT && take(r, "$"))) {
        node->kind = begin ? NODE_BEGIN : NODE_END;
        return true;
    }
    if (r->kind != PATTERN_TEXT && strchr("^?*+{", *r->at))
        return refuse(r, "such a sign");
    return character(r, &node->set, &c) && (c < 0 || add_range(r, &node->set, c, c));
}

/* {2}, {2,}, {,3}, {2,3} */
static bool interval(Reader *r, PatternNode *node)
{
    enum { MOST = 1000 };
    char *end;
    bool first = *r->at >= '0' && *r->at <= '9';
    node->least = first ? strtol(r->at, &end, 10) : 0;
    r->at = first ? end : r->at;
    node->most = node->least;
    if (take(r, ",")) {
        bool last = *r->at >= '0' && *r->at <= '9';
        node->most = last ? strtol(r->at, &end, 10) : INT64_MAX;
        r->at = last ? end : r->at;
        first = first || last;
    }
    return (first && take(r, "}") && node->least <= node->most && node->least <= MOST &&
            (node->most <= MOST || node->most == INT64_MAX)) ||
           refuse(r, "such an interval");
}

/* In Ruby's syntax a + after {1,3} is no possessive form, but repeats it: {1,}. */
static bool quantifier(Reader *r, PatternNode *node)
{
    bool braces = take(r, "{"), optional = !braces && take(r, "?");
    bool star = !braces && !optional && take(r, "*");
    if (!braces && !optional && !star && !take(r, "+"))
        return true;
    if (++r->parts > PARTS)
        return refuse(r, "more than 500 repeated parts");
    node->least = optional || star ? 0 : 1;
    node->most = optional ? 1 : INT64_MAX;
    if (braces && !interval(r, node))
        return false;
    if (node->kind != NODE_SET && (!optional || node->kind != NODE_GROUP || node->mode))
        return refuse(r, "a group that is repeated");
    if (braces && (*r->at == '?' || (*r->at == '+' && node->least != 1)))
        return refuse(r, "such a sign after an interval");
    if (braces && take(r, "+"))
        node->most = INT64_MAX;
    node->mode = braces ? GREEDY : take(r, "?") ? LAZY : take(r, "+") ? POSSESSIVE : GREEDY;
    return !*r->at || !strchr("?*+{", *r->at) || refuse(r, "a sign after another");
}

static bool alternative(Reader *r, PatternNode **first)
{
    PatternNode *last = NULL;
    bool text = r->kind == PATTERN_TEXT;
    *first = NULL;
    while (*r->at && (text || !strchr("|)", *r->at))) {
        PatternNode *node = arena_alloc(r->arena, sizeof *node);
        if (!node)
            return false;
        *node = (PatternNode){0};
        if (!atom(r, node) || (!text && !quantifier(r, node)))
            return false;
        if (last)
            last->next = node;
        else
            *first = node;
        last = node;
    }
    return *first || refuse(r, "an alternative of nothing");
}

static bool alternatives(Reader *r, const PatternNode **first)
{
    PatternNode *one, *last = NULL;
    do {
        if (!alternative(r, &one))
            return false;
        if (last)
            last->alternative = one;
        else
            *first = one;
        last = one;
    } while (r->kind != PATTERN_TEXT && take(r, "|"));
    return true;
}

bool pattern_read(Pattern *p, Arena *arena, const char *path, const char *text, PatternKind kind)
{
    Reader r = {.arena = arena, .path = path, .text = text, .at = text, .kind = kind};
    return alternatives(&r, &p->first) && (!*r.at || refuse(&r, "a ) without a group"));
}

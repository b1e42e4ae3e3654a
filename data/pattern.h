/* pattern.h: regular expressions, as far as the splits of published tokenisers use them. Private to
 * data/. */
#ifndef GRADUS_DATA_PATTERN_H
#define GRADUS_DATA_PATTERN_H

#include "data/unicode.h"
#include "tensor/memory.h"

/* A character, what is known of it (unicode_class), and the bytes of the text that it comes
 * from. */
typedef struct {
    int32_t code;
    unsigned bits;
    int64_t begin, end;
} TextChar;

/* kinds: bits of these. */
enum {
    SET_SPACE = 1,
    SET_NO_SPACE = 2,
    SET_WORD = 4,
    SET_NO_WORD = 8,
    SET_PUNCTUATION = 16,
    SET_JOINS = 32 /* words have joiners */
};
typedef struct {
    uint32_t categories; /* bit i: category i */
    unsigned kinds;
    bool negated, fold;
    int32_t (*range)[2];
    int ranges;
} PatternSet;

typedef struct PatternNode PatternNode;
struct PatternNode {
    enum { NODE_SET, NODE_GROUP, NODE_AHEAD, NODE_NOT_AHEAD, NODE_BEGIN, NODE_END } kind;
    enum { GREEDY, LAZY, POSSESSIVE } mode;
    int64_t least, most;
    PatternSet set;
    const PatternNode *inside;      /* of a group: its first alternative             */
    const PatternNode *next;        /* what stands after it                          */
    const PatternNode *alternative; /* of an alternative's first node: the next one's */
};
typedef struct {
    const PatternNode *first; /* of the alternatives */
} Pattern;

/* PATTERN_OURS: an expression of the project's own, in which \p{B} is BERT's punctuation, and \w is
 * that of Rust's crate regex. */
typedef enum { PATTERN_TEXT, PATTERN_EXPRESSION, PATTERN_OURS } PatternKind;
/* False with an error, which names the function, the file and what is not understood. */
bool pattern_read(Pattern *p, Arena *arena, const char *path, const char *text, PatternKind kind);

/* The end of the match that begins at `at`, of the n characters, whose bits are set; -1: none. Each
 * step takes one from *steps; below 0, the search was given up. */
int64_t pattern_match(const Pattern *p, const TextChar *c, int64_t n, int64_t at, int64_t *steps);

#endif

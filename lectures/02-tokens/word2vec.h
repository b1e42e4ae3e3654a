/* word2vec.h: a grammar whose pointwise mutual information is known, and word vectors trained on
 * its sentences (row 7).
 *
 * A sentence is a word, such as "Paris", among WINDOW context words. The word is a country c seen
 * under a relation r (its capital, its name, its language, its currency), each of the WORDS equally
 * likely. Each context word is drawn independently of the others: with probability SHARE it tells
 * the country (Seine, baguette), with probability SHARE the relation (mayor, streets), and else it
 * is any of the CONTEXTS. */
#ifndef LECTURES_WORD2VEC_H
#define LECTURES_WORD2VEC_H

#include "lectures/02-tokens/tokens.h"

enum { COUNTRIES = 6, RELATIONS = 4, WORDS = COUNTRIES * RELATIONS };
enum { EACH = 2, CONTEXTS = EACH * (COUNTRIES + RELATIONS), WINDOW = 4, DIMENSIONS = 16 };
#define SHARE 0.35

extern const char *const world_words[WORDS + 1]; /* word c RELATIONS + r */
extern const char
    *const world_contexts[CONTEXTS]; /* those of each country, then of each relation */

/* How the grammar is broken: with ALIEN a word may have another country's contexts, another one
 * under each relation, and two words the same. With SHUFFLED a context word says nothing. */
typedef enum { WORLD, ALIEN, SHUFFLED } World;

/* p(x | w) and p(x), exactly; PMI(w, x) = log p(x | w) / p(x). */
double world_given(World world, int word, int context);
double world_context(World world, int context);
double world_pmi(World world, int word, int context);

/* A context word of `word`. */
int world_draw(World world, Rng *rng, int word);

/* Vectors of words and of contexts, trained with `negatives` drawn from p(x) (CBOW: from p(w)) for
 * each pair. SOFTMAX: skip-gram without negatives, by the cross-entropy of softmax(w.x) over all
 * contexts x. Kept: NULL after an error. */
typedef enum { SKIP_GRAM, CBOW, SOFTMAX, METHODS } Method;
typedef struct {
    double word[WORDS][DIMENSIONS], context[CONTEXTS][DIMENSIONS];
} Vectors;
const Vectors *word2vec(uint64_t seed, Method method, World world, int negatives);

/* The sum of a_i b_i. */
double vectors_product(const double a[DIMENSIONS], const double b[DIMENSIONS]);

#endif

/* tokens.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_TOKENS_H
#define LECTURES_TOKENS_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* embedding.c */
extern const Claim claim_look_up, claim_word_columns, claim_unused_rows, claim_summed_gradient;
extern const Figure figure_onehot;

/* rare.c */
extern const Claim claim_seen_once, claim_never_seen, claim_decay_in_gradient;
extern const Figure figure_rare;
double rare_distance(Trial *t); /* in learning rates, of a word seen once */

/* word2vec.c */
extern const Claim claim_pmi, claim_softmax, claim_cbow;
extern const Figure figure_pmi;
double skip_gram_shift(Trial *t); /* the mean of w.x - PMI */

/* analogies.c */
extern const Claim claim_analogies, claim_additive;
extern const Figure figure_analogy;

/* pretrained.c */
extern const Claim claim_frozen, claim_end_to_end, claim_tuned, claim_tuned_slowly;
extern const Figure figure_few_labels;

/* merges.c */
extern const Claim claim_shortened, claim_merge_order, claim_lossless;
extern const Figure figure_merges;
double peter_tokens(Trial *t); /* of Peter Piper after three merges */

/* meaning.c */
extern const Claim claim_meaning;
extern const Figure figure_meaning;

/* unknown.c */
extern const Claim claim_unknown, claim_misspelled;

/* compare.c */
extern const Claim claim_characters, claim_words, claim_above_entropy, claim_more_complex;
extern const Figure figure_compare;

/* modalities.c */
extern const Claim claim_parts_alone, claim_any_order, claim_across, claim_without_types;
extern const Figure figure_types;

/* looks.c */
extern const Claim claim_where_it_looks;
extern const Figure figure_asked;

/* questions.c, exercises.c */
extern const Question tokens_questions[];
extern const Claim *const tokens_exercises[];

#endif

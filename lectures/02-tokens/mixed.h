/* mixed.h: a word, a picture and a protein as one set of tokens, and a model that is asked about it
 * (row 9).
 *
 *   X (N, C):  class | word | 16 patches of a digit | 6 amino acids  Z "Transformer processing", "Notation"
 *
 * "seven?" asks whether the picture shows a seven, "K?" whether the protein has a lysine, which one
 * writes K. Words and amino acids have one vocabulary, as in a model that reads bytes: the word K
 * and the amino acid K are the same id. */
#ifndef LECTURES_MIXED_H
#define LECTURES_MIXED_H

#include "lectures/02-tokens/tokens.h"

#include "data/corpora/corpora.h"

enum { SIDE = 4, PATCHES = SIDE * SIDE, PATCH_SIDE = DATA_DIGIT_SIDE / SIDE };
enum { FEATURES = PATCH_SIDE * PATCH_SIDE, RESIDUES = 6 };
enum { ACIDS = 8, DIGITS = 10, CLASS = ACIDS + DIGITS, IDS };
/* Where each part begins in X. */
enum {
    AT_CLASS,
    AT_WORD,
    AT_PATCHES,
    AT_RESIDUES = AT_PATCHES + PATCHES,
    N = AT_RESIDUES + RESIDUES
};
typedef enum { TYPE_CLASS, TYPE_WORD, TYPE_PATCH, TYPE_RESIDUE, TYPES } Type;

extern const char *const mixed_names[IDS]; /* amino acids, digits, class */

/* B questions with their answers. */
enum { BATCH = 32 };
typedef struct {
    real patches[BATCH][PATCHES][FEATURES];
    int ids[BATCH][2];             /* class, and the word that is asked */
    int residues[BATCH][RESIDUES]; /* the protein                       */
    int yes[BATCH];                /* the answer: 0 or 1                */
    bool protein[BATCH];           /* about the protein, not the picture */
} Questions;

/* Pictures of the digits, each with its id. */
typedef struct {
    int count;
    real (*patches)[PATCHES][FEATURES];
    int *id;
} Album;
bool album_begin(Album *a, uint64_t seed, int64_t first, int64_t count);
void album_end(Album *a);

/* Draws questions: half of them about the picture, and half of these are answered with yes; of the
 * others, too. */
void mixed_questions(Questions *q, const Album *a, Rng *rng);

enum { WIDTH = 32, LAYERS = 2, HEADS = 4 };
typedef struct {
    Embedding ids, types;
    Linear patch;                /* (C, FEATURES)                 */
    PositionalEncoding position; /* of the patches in the picture */
    TransformerBlock blocks[LAYERS];
    Norm norm;
    Linear head;
    bool typed;
} Mixed;
bool mixed_init(Mixed *m, Params *p, bool typed);

/* The tokens X (B, N, C), and the logits of no and yes (B, 2). */
Tensor *mixed_tokens(const Mixed *m, Tape *tape, const Questions *q);
Tensor *mixed_logits(const Mixed *m, Tensor *X);

/* A trained model with new pictures to be asked about, and random numbers for the questions. */
typedef struct {
    Params *params;
    Mixed model;
    Album album;
    Tape *tape;
    Rng rng;
} Exam;
void exam_begin(Exam *e, bool typed, uint64_t seed);
void exam_end(Exam *e);

/* What is done to the questions before they are asked. */
typedef enum { WHOLE, BLANK_PICTURE, NO_WORD } Damage;
void damage_questions(Questions *q, Damage damage);

#endif

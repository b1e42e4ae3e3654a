/* transformer.h: the Transformer of row 37, and the lesson that it learns: a few sentences of few
 * words.
 *
 *   source ids -> embedding + position -> N encoder blocks -> memory
 *   <bos> and the words so far -> embedding + position -> N decoder blocks over memory -> linear -> softmax
 *                                                         V "Training the Transformer", H, J "Transformer" */
#ifndef LECTURES_TRANSFORMER_H
#define LECTURES_TRANSFORMER_H

#include "lectures/05-block/block.h"

enum { SOURCE = 3, TARGET = 5, PAIRS_MAX = 32, IGNORED = -100 };
enum { TRANSFORMER_LAYERS = 2 };

/* The words of both languages; a lesson uses the first so many of them. <bos> is the word after its
 * last one. */
enum { SOY, UN, ESTUDIANTE, GRACIAS, PROFESOR, AMIGO, VECINO };
enum { A, AM, I, THANKS, STUDENT, EOS, TEACHER, FRIEND, NEIGHBOUR };
extern const char *const spanish_words[], *const english_words[];

typedef struct {
    int source[SOURCE], length;
    int target[TARGET], words; /* with its <eos> */
} Pair;

typedef struct {
    const Pair *pairs;
    int count, spanish, english; /* pairs, and words of each language */
    int steps;
} Lesson;

typedef enum { WHOLE, UNTRAINED, NO_CROSS, NOT_SHIFTED, VARIANTS } Variant;

typedef struct {
    const Lesson *lesson;
    Variant variant;
    Embedding spanish, english;
    PositionalEncoding position;
    TransformerBlock encoder[TRANSFORMER_LAYERS];
    DecoderBlock decoder[TRANSFORMER_LAYERS];
    Linear head;
} Transformer;

bool small_transformer_init(Transformer *m, Params *p, const Lesson *lesson, Variant variant);

/* Learns the lesson's pairs, unless the variant is UNTRAINED. */
bool small_transformer_train(const Transformer *m, Params *p, Tape *tape);

/* The input of each step: <bos>, then the words, shifted right by one; and the word that it is to
 * say. */
void small_transformer_shift(const Transformer *m, const Pair *pair, int in[TARGET],
                             int out[TARGET]);

/* A sentence with these words before: logits (1, T, words). */
Tensor *small_transformer_logits(const Transformer *m, Tape *tape, const Pair *pair,
                                 const int *words);

/* Writes word by word, each the most probable one after its own words so far. */
void small_transformer_write(const Transformer *m, Tape *tape, const Pair *pair,
                             int greedy[TARGET]);

/* "gracias un -> thanks a", and (unless the words are right) "   (wrong)". */
enum { TRANSLATION_TEXT = 160 };
bool small_transformer_right(const Pair *pair, const int *said, char text[TRANSLATION_TEXT]);

#endif

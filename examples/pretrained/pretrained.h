/* pretrained.h: what the parts of the example share. */
#ifndef EXAMPLES_PRETRAINED_H
#define EXAMPLES_PRETRAINED_H

#include "examples/common/cause.h"
#include "examples/common/example.h"
#include "examples/common/html.h"
#include "gradus.h"

typedef struct {
    Common common;
    const char *model;   /* the folder */
    TextList texts, ids; /* ids: "5,17,3", for a model without a tokeniser */
    const char *image;   /* a .npy file */
    const char *word;    /* whose attention is drawn */
    const char *to;      /* the word that heads are ranked by */
    int tokens;          /* that a decoder writes */
    double repetition;   /* the penalty for repetitions; 0: the model's own */
    int no_repeat;       /* no so many tokens twice */
    TextList stop;       /* a text ends with one of these */
    int layer, head;     /* of the map that is drawn by itself, from 1; 0: the best */
    bool as_typed;       /* labels of tokens: the text's spelling */
    bool keep_specials;  /* [CLS] and [SEP] in the ranking and the arcs */
    CauseOptions cause;
    bool gradients; /* pictures of dL/dA, too */
    bool live;      /* model.html, and nothing else */
} Settings;

/* A text as its tokens, with labels to draw. */
typedef struct {
    Tokens tokens;
    int32_t *ids;
    char **labels;
} Encoded;
bool sentence_open(Encoded *s, const Tokeniser *t, const char *text, int64_t longest);
/* The same of n ids that stand in no text. */
bool sentence_of(Encoded *s, const Tokeniser *t, const int32_t *ids, int n);
/* Its last hidden states (1, T, C). */
Tensor *sentence_states(const Encoded *s, const Pretrained *m, Tape *tape);
/* Labels the tokens as the text spells them; pieces of words keep their "##". */
bool sentence_as_typed(Encoded *s, const char *text);
int64_t longest_text(const Pretrained *m); /* in tokens */
void sentence_close(Encoded *s);

/* How many of n tokens come before the first that ends a text. */
int before_end(const Pretrained *m, const int32_t *ids, int n);

/* What was written: of n ids those before the end, as a line. */
void print_written(const Pretrained *m, const Tokeniser *t, const int32_t *ids, int n);

/* words.c: the most probable words at each mask of a text, of its last hidden states x. *holes: of
 * the masks so far. */
bool print_masks(const char *text, const Pretrained *m, const Tokeniser *t, const Encoded *e,
                 Tensor *x, int *holes);
int mask_of(const Tokeniser *t); /* the id of [MASK]; -1: there is none */
/* classes.c: the classes of logits (1, labels) with their probabilities. */
bool print_classes(const char *input, const Pretrained *m, Tensor *logits);
/* The numbers of the largest, at most SHOWN of n, the largest first; returns how many. */
enum { SHOWN = 5 };
int largest_of(const real *numbers, int64_t n, int largest[SHOWN]);
/* embeddings.c: one vector a text, their similarities. can_pool: is it built how the folder makes
 * these vectors? If not, tensor_error says why, and the program goes on. */
bool can_pool(const Pretrained *m, PretrainedPooling *p);
bool show_embeddings(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape);
/* attention.c: grid, one head, arcs, rollout, and the heads that look from one word to another. */
bool show_attention(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape);
/* loss.c: L of dL/dA, and in words what it is, with its value. L NULL: there is none. x: the last
 * hidden states. */
typedef struct {
    Tensor *L;
    char text[256];
} Loss;
/* Does the text have a loss by itself, without another text? */
bool loss_is_own(const Pretrained *m, const Tokeniser *t, const Encoded *e);
bool loss_of_text(Loss *loss, const Pretrained *m, const Tokeniser *t, const Encoded *e, Tensor *x);
bool loss_of_pair(Loss *loss, const PretrainedPooling *p, Tensor *x, Tensor *y);
bool loss_of_label(Loss *loss, const Pretrained *m, Tensor *x);
Tensor *unit_vectors(Tensor *x); /* rows (n, C), of length 1 */
void loss_print(const Loss *loss, const char *input);
/* write.c: how a decoder continues a text, in all ways. */
bool show_writing(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape);
/* translate.c: what an encoder-decoder writes for each text. */
bool show_translations(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape);
/* page.c: model.html, on which a reader opens a model's folder. */
bool write_model_page(const Settings *s);
/* The same for one way, step by step, as generation.html. */
bool write_generation(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape);
/* picture.c: the class of a picture. */
bool show_picture(const Settings *s, const Pretrained *m, Tape *tape);
/* The picture with the maps of all layers, for a page; picture_normalise makes of numbers from 0 to
 * 255 what the model reads, as preprocessor_config.json says. */
bool picture_normalise(const Pretrained *m, Tensor *picture);
bool picture_html(Html *html, const Pretrained *m, Tape *tape, const Tensor *picture,
                  const char *title);
/* cause.c: --cut, --patch, --lens and --sweep of the first text's answer; of a picture's class,
 * with the names of its tokens. */
bool show_cause(const Settings *s, const Pretrained *m, const Tokeniser *t);
bool show_picture_cause(const Settings *s, const Pretrained *m, Tensor *image, Tensor *from,
                        const char *const *names, int count);

#endif

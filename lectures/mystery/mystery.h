/* mystery.h: a small model that is trained with one hidden fault, and what can be measured of it.
 * README.md says which file does what. */
#ifndef LECTURES_MYSTERY_H
#define LECTURES_MYSTERY_H

#include "gradus.h"

#include <math.h>

typedef enum { LANGUAGE, DEEP, PICTURES, MODELS } Model;

/* What may be measured. The losses are shown without asking; SOUND has no numbers of its own: those
 * of a run without a fault stand beside all others. */
typedef enum {
    LOSSES,
    GRADIENTS,
    ACTIVATIONS,
    MAPS,
    SAMPLES,
    TWICE,
    DATA,
    LATENTS,
    SOUND,
    MEASURES
} Measure;
typedef struct {
    const char *name, *what;
    unsigned models; /* bit i: of Model i */
} MeasureInfo;
extern const MeasureInfo measures[MEASURES + 1]; /* closed by a name of NULL */

enum { FAULTS_MOST = 64 };
typedef struct {
    char name[32];
    Model model;
    int row;                 /* of lectures/README.md, which treats the subject; 0: sound */
    const char *what, *clue; /* what was done, and what gives it away           */
} Fault;
const Fault *mystery_faults(void);          /* closed by a row of 0 */
const Fault *sound_run(Model model);        /* the fault of a run without one */
const Fault *fault_named(const char *name); /* NULL: there is none */

/* A number that a picture or table shows. */
typedef struct {
    char name[40];
    Measure of;
    double value;
} Number;

enum { NUMBERS = 128, POINTS = 10, MAP_SIDE = 15, TEXTS = 8, TEXT_LENGTH = 64 };

typedef struct {
    const Fault *fault;
    Model model;
    uint64_t seed;
    Params *params;
    Tape *tape;
    Rng data, noise; /* of the training data; of all that is drawn beside it */
    int step;
    struct Network *network; /* of language.c or pictures.c */

    /* What was measured. */
    double entropy, at[POINTS], training[POINTS], held[POINTS];
    Number number[NUMBERS];
    int count;
    real map[MAP_SIDE * MAP_SIDE];
    int map_side;
    char labels[MAP_SIDE][4];
    char text[TEXTS][TEXT_LENGTH], data_text[4][TEXT_LENGTH]; /* samples; data */
    int texts;
} Run;

/* Is this the run's fault? Ends the program at a name that the list does not have. */
bool faulty(const Run *r, const char *fault);

/* Trains and measures. False after an error. */
bool run_train(Run *r, const Fault *fault, uint64_t seed);
void run_free(Run *r);

/* Adds a number that the measurement shows; name: printf-style. */
void run_number(Run *r, Measure of, double value, const char *name, ...) GRADUS_PRINTF(4, 5);
double square_norm(const real *x, int64_t n);

/* How far number i of two runs is apart, from 0 to 1: |a - b| / (|a| + |b| + 0.05). And the mean
 * over the numbers of each measurement, added up over all measurements. */
double number_distance(const Run *a, const Run *b, int i);
double run_distance(const Run *a, const Run *b);

/* What train.c asks of a model: the loss of the next batch; that of the held-out data; and to
 * measure all but losses and gradients. */
typedef struct {
    bool (*init)(Run *r);
    Tensor *(*loss)(Run *r);
    double (*held)(Run *r);
    bool (*measure)(Run *r);
    double (*entropy)(void);
} Learner;
extern const Learner language, pictures;
typedef struct {
    const Learner *learner;
    const char *unit; /* of the losses */
    int steps, warmup;
    double rate;
} Trained;
extern const Trained trained[MODELS];

/* A sentence: p(x_i = token | x_0 ... x_(i-1)), END among the tokens; draws one with its end, and
 * returns how many tokens it has; the entropy of one divided by the mean number of its tokens, in
 * nats. */
enum { PAD, BOS, END, LETTER, LETTERS = 6, WORDS = LETTER + LETTERS, SENTENCE_MOST = 15 };
double letters_p(const int *x, int i, int token);
int letters_draw(Rng *rng, int x[SENTENCE_MOST]);
double letters_entropy(void);

/* The chapter of "mystery4", a step of lectures/steps: 4. 0: it is none, or has no fault. */
int mystery_chapter(const char *what);

/* Prints the measurement; sound: NULL, or the run whose numbers stand beside. False after an
 * error. */
bool show_measure(const Run *r, const Run *sound, Measure m);

/* The fault is named after the numbers that differ most from those of the sound run. */
void show_differences(const Run *r, const Run *sound, int most);

/* Writes OUT/gallery.html of these `count` faults, sound ones among them, and where there is
 * gnuplot OUT/poster.pdf. */
bool gallery_write(const char *out, const Fault *const *faults, int count, uint64_t seed);

/* Names the fault of runs of each fault with the next three seeds after that of the nearest run of
 * the first seed: prints which is taken for which. Returns the share that is right; NaN after an
 * error. */
double gallery_separability(const Fault *const *faults, int count, uint64_t seed);

#endif

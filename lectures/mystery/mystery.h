/* mystery.h: a small model that is trained with one hidden fault, and what can be measured of it.
 * README.md says which file does what. */
#ifndef LECTURES_MYSTERY_H
#define LECTURES_MYSTERY_H

#include "gradus.h"

#include <math.h>

typedef struct Run Run;

/* A model, and how it is trained. */
typedef struct {
    const char *name;
    double entropy; /* of a token or a picture, in nats: tests/lectures/test_mystery.c sums it */
    int layers, steps, warmup;
    double rate;
    bool (*init)(Run *r);
    Tensor *(*loss)(Run *r); /* of the next batch    */
    double (*held)(Run *r);  /* of the held-out data */
    bool (*measure)(Run *r); /* what this model alone has; the map stays on the tape */
} Learner;
extern const Learner language, deep, pictures;

enum { FAULTS_MOST = 64 };
typedef struct {
    const char *name;
    const Learner *learner;
    int row;                 /* of lectures/README.md, which treats the subject; 0: sound */
    const char *what, *clue; /* what was done, and what gives it away                     */
} Fault;
extern const Fault mystery_faults[];            /* after them the sound runs, after these no name */
const Fault *sound_run(const Learner *learner); /* the "fault" of a run without one */
const Fault *fault_named(const char *name);     /* NULL: there is none              */

/* What may be measured. */
typedef enum {
    LOSSES,
    GRADIENTS,
    ACTIVATIONS,
    MAPS,
    SAMPLES,
    TWICE,
    DATA,
    LATENTS,
    MEASURES
} Measure;

/* A line of a measurement's table: two numbers, one, or none where its name is a text. */
typedef struct {
    Measure of;
    int values;
    double value[2];
    char name[64];
} Line;
enum { LINES = 96 };

struct Run {
    const Fault *fault;
    const Learner *learner;
    uint64_t seed;
    Params *params;
    Tape *tape;
    Rng data, noise; /* of the training data; of all that is drawn beside it */
    int step;
    struct Network *network; /* of language.c or pictures.c */
    Line line[LINES];        /* what was measured; runs of one learner have the same lines */
    int lines;
    PlotHeatmap map;
};

/* Is this the run's fault? Ends the program at a name that the list does not have. */
bool faulty(const Run *r, const char *fault);

/* Trains and measures. False after an error. */
bool run_train(Run *r, const Fault *fault, uint64_t seed);
void run_free(Run *r); /* its lines stay */

/* The numbers of the measurement's line of this name (printf-style), which is added with numbers of
 * 0 where there is none. */
double *run_line(Run *r, Measure of, int values, const char *name, ...) GRADUS_PRINTF(4, 5);

/* A sentence: p(x_i = token | x_0 ... x_(i-1)), END among the tokens; draws one with its end, and
 * returns how many tokens it has. */
enum { PAD, BOS, END, LETTER, LETTERS = 6, WORDS = LETTER + LETTERS, SENTENCE_MOST = 15 };
double letters_p(const int *x, int i, int token);
int letters_draw(Rng *rng, int x[SENTENCE_MOST]);

/* Prints a label, and from column `indent` on a paragraph of at most 4,095 characters, as by
 * printf. */
void show_text(const char *label, int indent, const char *format, ...) GRADUS_PRINTF(3, 4);
/* The measurement of this name; MEASURES: the run has none. */
Measure measure_named(const Run *r, const char *name);
/* Prints which measurements the run has, and which faults it may have. */
void show_lists(const Run *r);
/* Prints a measurement, that of a sound run beside it. False after an error. */
bool show_measure(const Run *r, const Run *sound, Measure m);

#endif

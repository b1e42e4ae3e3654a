/* live.h: what a page that computes calls for the model of examples/attention; exchange.h has the
 * rest. */
#ifndef EXAMPLES_LIVE_H
#define EXAMPLES_LIVE_H

#include "examples/attention/question.h"
#include "examples/live/exchange.h"

/* ---- settings.c ------------------------------------------------------------------------------ */

typedef struct {
    ModelConfig model;
    int set; /* 1: the task of sets.c in place of the grammar's sentences */
    int seed, batch;
    int64_t steps;
    double rate;
} LiveSettings;

/* The model of the page. */
typedef struct {
    LiveSettings settings;
    Grammar *grammar;
    Model model;
} LiveModel;
extern LiveModel live_model;

/* ---- sentence.c ------------------------------------------------------------------------------ */

/* Runs the sentence in live_input, forward and backward; after a newline there may be cuts, such as
 * "0.3 1.0.7.2": head 3 of layer 0, and in head 0 of layer 1 the arc from word 7 to word 2. The
 * answer: {"title", "probability", "right", "words": [[word, known], ...], "inputs": as on a page
 * on attention}; of a sentence that the grammar's words do not make, {"error", "words"}. */
LIVE_EXPORT(live_sentence) int live_sentence(void);

/* {"words": [...]}: those that a sentence, or a set, may have. */
LIVE_EXPORT(live_words) int live_words(void);

/* Reads the sentence or set, and runs it on the tape with its cuts; the answer gets "words". */
typedef enum { LIVE_RAN, LIVE_REFUSED, LIVE_FAILED } LiveRun;
LiveRun sentence_run(Question *q, Tape *tape, Page *answer);
/* The whole answer after it: title, probability, whether it is right, and what `write` writes. */
int sentence_answer(LiveRun run, const Question *q, Page *answer,
                    size_t (*write)(char *text, size_t size, void *what), void *what);
/* Writes {"inputs": those of an Html}. */
size_t live_inputs(char *text, size_t size, void *html);

/* ---- steps.c --------------------------------------------------------------------------------- */

/* The same sentence on the tape, op by op: as live_sentence, but for "inputs" the members of a page
 * of a tape (plot/tape/tape_write.c), whose files have no texts. */
LIVE_EXPORT(live_steps) int live_steps(void);

/* ---- playground.c ---------------------------------------------------------------------------- */

/* Trains the model that live_begin began by so many steps. The answer: {"step", "losses": [...],
 * "layers": [[name, length of the gradient], ...]}. */
LIVE_EXPORT(live_train) int live_train(int steps);

/* The share of right answers on so many held-out sentences: {"accuracy"}. */
LIVE_EXPORT(live_test) int live_test(int sentences);

/* Releases what live_train made, for live_begin. */
void playground_end(void);

/* ---- sets.c ---------------------------------------------------------------------------------- */

void set_vocabulary(ModelConfig *m);
bool set_word_known(const char *word);
const char *set_number(int i); /* the i-th of the numbers, from 0; NULL after the last */
/* Fills the batch with random sets, each with one number that stands twice. */
bool sets_draw(SentenceBatch *batch, Rng *rng);
/* The share of right answers on so many sets, which have a seed of their own. */
double sets_accuracy(const Model *m, int sets);
/* Reads "7 3 9 1 3 5", a set of any numbers that the model knows; and says q->answer in
 * q->title. */
bool set_read(Question *q, const char *text);
void set_say(Question *q);

#endif

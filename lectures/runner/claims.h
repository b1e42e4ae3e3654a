/* claims.h: the ledger. What a slide says, measured, and held against a bound.
 *
 * A claim is a C function that returns one number, and an entry in the table of its file, which
 * says what the number is. The table stands below the functions that it names and is closed by {0};
 * chapter.c lists the tables:
 *
 *     // Var(q.k / sqrt(d)) over many draws.
 *     static double scaled_variance(Trial *t)
 *     {
 *         Tensor *q = trial_normal(t, 211, shape2(N, D)), *k = trial_normal(t, 211, shape2(N, D));
 *         bool scaled = !broken(t, "no-scaling");
 *         ...
 *         explain(t, "d = %d: Var = %.3f", D, variance);
 *         return fabs(variance - 1) / error;
 *     }
 *
 *     const Claim scale_claims[] = {
 *         {21, scaled_variance, "divided by sqrt(d), q.k has variance 1 at every d",
 *          .slides = {"H: What is Attention", "V: Self-Attention"},
 *          .quantity = "|Var - 1| in standard errors, d = 256",
 *          AT_MOST(4, "beyond 4 standard errors once in 16,000 draws"),
 *          .faults = {{"no-scaling", "the scores are not divided by sqrt(d)"}}},
 *         {0},
 *     };
 *
 * The claim HOLDS when the value lies within the bound, both ends included; a value that is not a
 * number FAILS. Each fault breaks what the claim speaks of, within the claim's own function, and
 * the claim must then FAIL: a claim that cannot fail says nothing. The library itself is never
 * changed.
 *
 * A claim uses gradus.h as any program does. A failure in the library ends the program with
 * the line that called it. */
#ifndef LECTURES_CLAIMS_H
#define LECTURES_CLAIMS_H

#include "gradus.h"

#include <math.h>

enum { CLAIM_SLIDES = 8, CLAIM_FAULTS = 6 };

/* What a measurement says of a slide's statement. CONTRADICTED: as it stands it is false.
 * QUALIFIED: it holds under a condition that the slide does not state. MISPRINTED: an index, a
 * shape or a symbol that cannot be meant. */
typedef enum { CONFIRMED, CONTRADICTED, QUALIFIED, MISPRINTED } Judgement;

typedef struct Claim Claim;

enum { TRIAL_STREAMS = 4, TRIAL_PARAMS = 4 };

/* One run of a claim. */
typedef struct {
    const Claim *claim;
    const char *fault; /* the one that is switched on, or NULL           */
    uint64_t seed;     /* of all random numbers of the claim             */
    FILE *notes;       /* where explain writes; NULL: nowhere            */

    /* What trial_tape, trial_params and trial_rng handed out; trial_free gives it back. */
    Tape *tape;
    Params *params[TRIAL_PARAMS];
    Rng rng[TRIAL_STREAMS];
    int params_count, rng_count;
} Trial;

struct Claim {
    int row;                                /* of the index, lectures/README.md        */
    double (*measure)(Trial *t);            /* returns the value                       */
    const char *statement;                  /* one line, in our words                  */
    const char *const slides[CLAIM_SLIDES]; /* "H: What is Attention": letter, title   */
    const char *quantity;                   /* what the value is                       */
    double low, high;                       /* the bound: AT_MOST and its like         */
    const char *why;                        /* why the bound is this number            */
    struct {
        const char *name, *what;
    } faults[CLAIM_FAULTS]; /* at least one                            */
    int variant;            /* for `measure`, where several claims share it: t->claim->variant */

    /* The statement of a slide that the claim does not confirm, for lectures/verdicts.md:
     * {CONTRADICTED, "V: RNNs vs. Transformers", "what the slide says"}. The slide is one of
     * `slides`. CONFIRMED, the usual case: none. */
    struct {
        Judgement judgement;
        const char *slide, *says;
    } against;

    /* Why the claim may hold although every kernel returns NaN, or 0 (poison.h): "counts weights;
     * no kernel is run". NULL, the usual case: then it must fail. */
    const char *holds_on_nan, *holds_on_zeros;
};

/* Bounds, and why they are these numbers, as three members of a claim's initialiser. */
#define AT_MOST(x, why_)           .low = -INFINITY, .high = (x), .why = why_
#define AT_LEAST(x, why_)          .low = (x), .high = INFINITY, .why = why_
#define EXACTLY(x, why_)           .low = (x), .high = (x), .why = why_
#define BETWEEN(low_, high_, why_) .low = (low_), .high = (high_), .why = why_

/* One reason for both kinds of poisoned kernels. */
#define HOLDS_POISONED(why_) .holds_on_nan = why_, .holds_on_zeros = why_

/* A claim about a function that a student changes (exercises.c): its value is at most most_. The
 * fault "solved" measures a solution (solutions.c) instead of the function. After measure_ come the
 * wrong solutions, which are mistakes that students make, each a fault {"name", "what it does"}:
 * the claim must FAIL with them. */
#define EXERCISE(row_, statement_, slide_, quantity_, most_, why_, measure_, ...)              \
    {                                                                                          \
        .row = (row_), .statement = (statement_), .slides = {slide_}, .quantity = (quantity_), \
        AT_MOST(most_, why_), .measure = (measure_),                                           \
        .faults = {{"solved", "a solution instead of the function"}, __VA_ARGS__},             \
    }

/* ---- within a claim's function --------------------------------------------------------------- */

/* Is this fault switched on? Asking for one that the claim does not list ends the program: a
 * misspelt name would break nothing. */
bool broken(const Trial *t, const char *fault);

/* Of an exercise: the function that this trial measures. After the student's come those of the
 * claim's faults in their order, and the name of each ends with the fault's: TRIED(t, stack,
 * stack_solved, stack_wrong_parallel)  */
#define TRIED(t, function, ...) \
    ((__typeof__(&(function))[]){function, __VA_ARGS__}[tried_index(t, #__VA_ARGS__)])

/* For TRIED: 0, or which of the functions has the name of the fault that is switched on. Ends the
 * program where the names are not those of the claim's faults. */
int tried_index(const Trial *t, const char *names);

/* A line of the derivation with its numbers (printf-style, without the newline), for --explain. */
void explain(const Trial *t, const char *format, ...) GRADUS_PRINTF(2, 3);

/* What nearly every claim needs. It belongs to the trial and is freed when the claim was measured.
 * Without memory the program ends.
 *
 * trial_tape: the tape of the trial, with its seed: the same one at each call.
 * trial_params: parameters with the trial's seed; other ones at each call, at most TRIAL_PARAMS.
 * trial_rng: the trial's random numbers of this stream: at each call the same generator, which goes
 * on; at most TRIAL_STREAMS streams. trial_normal: normal numbers of mean 0 and variance 1 from a
 * stream, on the trial's tape. */
Tape *trial_tape(Trial *t);
Params *trial_params(Trial *t);
Rng *trial_rng(Trial *t, uint64_t stream);
Tensor *trial_normal(Trial *t, uint64_t stream, Shape shape);

/* ---- running them ---------------------------------------------------------------------------- */

typedef enum { HOLDS, FAILS } Verdict;

typedef struct {
    const Claim *claim;
    const char *fault;
    double value, seconds;
    Verdict verdict;
} Finding;

/* fault: NULL or one of the claim's. notes: NULL or where the derivation goes. */
Finding claim_run(const Claim *claim, const char *fault, uint64_t seed, FILE *notes);

/* Gives back what the trial handed out; claim_run does. */
void trial_free(Trial *t);

/* The claim of this row whose statement is, or alone of them begins with, these words; NULL where
 * none or several do. The list is closed by NULL. */
const Claim *claim_stating(const Claim *const *claims, int row, const char *words);

bool claim_has_fault(const Claim *claim, const char *fault);

/* "<= 4", ">= 0.9", "= 5", "0.9 .. 1.1". Returns text. */
enum { BOUND_TEXT = 48 };
const char *claim_bound(const Claim *claim, char text[BOUND_TEXT]);

#endif

/* differences.c: what the trusted side tells of a case: its arrays as the reference leaves them,
 * and for each gradient the central differences of L = sum of dy * y, in double, with two step
 * sizes.
 *
 *   dL/dx_i = (L(x_i + h) - L(x_i - h)) / 2h + O(h^2)
 *
 * dy is the random upstream gradient of the case: under a plain sum the gradient of a softmax is
 * zero, and doing nothing would pass. Where the two step sizes disagree, the function has a
 * kink.
 *
 * And how sensitive each number y_i is: the sum over all inputs of |x_j dy_i/dx_j|. If each input
 * were off by one rounding, y_i could be off by as much of this. */
#include "runner.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEPS[2] = {1e-4, 5e-5}, NUDGE = 0x1p-30;
static const int directions[ROUNDINGS] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/* ---- the table ------------------------------------------------------------------------------- */

void judge_list(int to, const Test *const tables[2])
{
    for (int hidden = 0; hidden < 2; hidden++)
        for (const Test *t = tables[hidden]; t && t->name; t++) {
            TestRow row = {.magic = MAGIC,
                           .points = t->points,
                           .cases = t->cases ? t->cases : CASES,
                           .gradient = t->forward != NULL,
                           .hidden = hidden,
                           .seconds = t->seconds};
            snprintf(row.name, sizeof row.name, "%s", t->name);
            snprintf(row.function, sizeof row.function, "%s", t->function ? t->function : "");
            snprintf(row.title, sizeof row.title, "%s", t->title ? t->title : t->name);
            snprintf(row.needs, sizeof row.needs, "%s", t->needs ? t->needs : "");
            write_all(to, &row, sizeof row);
        }
}

/* ---- "dx:x dw:w" ----------------------------------------------------------------------------- */

/* The place of `left` or of its partner in the list, as two arrays' names. */
static bool next_pair(const char **list, char left[NAME_MAX_], char right[NAME_MAX_])
{
    int used = 0;
    if (!*list || sscanf(*list, " %23[^: ]:%23[^ ] %n", left, right, &used) < 2)
        return false;
    *list += used;
    return true;
}

static bool partner(const char *list, const char *left, char right[NAME_MAX_])
{
    char name[NAME_MAX_];
    while (next_pair(&list, name, right))
        if (strcmp(name, left) == 0)
            return true;
    return false;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* L of the forward function on the inputs of c. */
static double loss(const Test *test, Case *c)
{
    char dy[NAME_MAX_], y[NAME_MAX_];
    double sum = 0;
    Case *forward = case_new(c->seed, c->number, c->total, c);
    if (!forward)
        return 0;
    test->forward(forward);
    for (const char *list = test->upstream; next_pair(&list, dy, y);) {
        int up = case_find(c, dy), out = case_find(forward, y);
        if (up < 0 || out < 0 || c->array[up].count != forward->array[out].count) {
            snprintf(c->wrong, sizeof c->wrong,
                     "upstream %s:%s: not in the two bodies, or of two sizes", dy, y);
            continue;
        }
        for (int i = 0; i < c->array[up].count; i++)
            sum += case_number(c, up, i) * case_number(forward, out, i);
    }
    case_free(forward);
    return sum;
}

static double difference(const Test *test, Case *c, real *x, double step)
{
    real here = *x;
    *x = (real)((double)here + step);
    double above = loss(test, c);
    *x = (real)((double)here - step);
    double below = loss(test, c);
    *x = here;
    return (above - below) / (2 * step);
}

/* For array dx of c: two lists of differences with respect to its x. NULL if it has none. */
static double *differences(const Test *test, Case *c, int array)
{
    char x[NAME_MAX_];
    if (!test->forward || !partner(test->gradients, c->array[array].name, x))
        return NULL;
    int input = case_find(c, x), count = c->array[array].count;
    if (input < 0 || c->array[input].count != count || c->array[input].kind != CASE_INPUT) {
        snprintf(c->wrong, sizeof c->wrong,
                 "gradient %s:%s: the second is no case_input of the size of the first",
                 c->array[array].name, x);
        return NULL;
    }
    double *d = malloc(sizeof(double) * 2 * (size_t)(count + 1));
    real *numbers = case_numbers(c, input);
    for (int step = 0; d && step < 2; step++)
        for (int i = 0; i < count; i++)
            d[step * count + i] = difference(test, c, &numbers[i], STEPS[step]);
    c->array[array].gradient = d != NULL;
    return d;
}

/* ---- sensitivity ----------------------------------------------------------------------------- */

static Case *nudged(const Test *test, const Case *c, const Nudge *n)
{
    Case *other = case_new(c->seed, c->number, c->total, NULL);
    if (other) {
        other->nudge = n;
        test->body(other);
    }
    return other;
}

/* What the formula changes by, not what a jump does: near a tie another choice is made. */
static double change_most(const Case *c, int array)
{
    double largest = 0;
    for (int k = 0; k < c->array[array].count; k++)
        largest = fmax(largest, fabs(case_number(c, array, k)));
    return isfinite(largest) ? 0x1p-20 + 0x1p-10 * largest : 1;
}

/* Adds what one input does. Where one of two directions makes another choice, the smaller change is
 * the formula's. */
static void add_change(const Case *c, const Case *up, const Case *down, double *sum[ARRAYS_MAX])
{
    for (int i = 0; i < c->arrays && up->arrays == c->arrays && down->arrays == c->arrays; i++) {
        const double most = change_most(c, i);
        for (int k = 0; k < c->array[i].count && up->array[i].count == c->array[i].count; k++) {
            double y = case_number(c, i, k), change = fabs(case_number(up, i, k) - y);
            change = fmin(change, fabs(case_number(down, i, k) - y));
            sum[i][k] += change < most ? change / NUDGE : 0;
        }
    }
}

static void add_sensitivity(const Test *test, const Case *c, double *sum[ARRAYS_MAX])
{
    bool real_output = false;
    for (int i = 0; i < c->arrays; i++)
        real_output = real_output || (!c->array[i].whole && c->array[i].kind >= CASE_OUTPUT);
    for (int j = 0; j < c->arrays && real_output; j++)
        for (int k = 0; k < c->array[j].count; k++) {
            double x = c->array[j].whole ? 0 : case_number(c, j, k);
            if (x == 0 || !isfinite(x) || c->array[j].kind >= CASE_OUTPUT)
                continue;
            Nudge n[2] = {{j, k, 1 + NUDGE}, {j, k, 1 - NUDGE}};
            Case *up = nudged(test, c, &n[0]), *down = nudged(test, c, &n[1]);
            if (up && down)
                add_change(c, up, down, sum);
            case_free(up);
            case_free(down);
        }
}

/* ---- all of a case --------------------------------------------------------------------------- */

static void send_array(int to, const Case *c, int i, const double *sensitivity,
                       const double *differences_)
{
    const CaseArray *a = &c->array[i];
    write_all(to, a, sizeof *a);
    for (int k = 0; k < a->count; k++)
        write_all(to, &(double){case_number(c, i, k)}, sizeof(double));
    write_all(to, sensitivity, sizeof(double) * (size_t)a->count);
    if (a->kind == CASE_SUM)
        write_all(to, c->before[i], sizeof(double) * (size_t)a->count);
    if (a->gradient)
        write_all(to, differences_, 2 * sizeof(double) * (size_t)a->count);
}

/* Every name in the two lists is an array, and every array that is added to has a gradient:
 * otherwise finite differences would be off without a word. */
static void check_lists(const Test *test, Case *c)
{
    char left[NAME_MAX_], right[NAME_MAX_];
    for (const char *list = test->gradients; next_pair(&list, left, right);)
        if (case_find(c, left) < 0)
            snprintf(c->wrong, sizeof c->wrong, "gradient %s:%s: there is no array %s", left, right,
                     left);
    for (const char *list = test->upstream; next_pair(&list, left, right);)
        if (case_find(c, left) < 0)
            snprintf(c->wrong, sizeof c->wrong, "upstream %s:%s: there is no array %s", left, right,
                     left);
    for (int i = 0; i < c->arrays; i++)
        if (c->array[i].kind == CASE_SUM && !partner(test->gradients, c->array[i].name, right))
            snprintf(c->wrong, sizeof c->wrong, "%s is added to and has no gradient in .gradients",
                     c->array[i].name);
}

void judge_cases(int to, const Test *test, const Request *q)
{
    for (int number = q->first; number < q->first + q->count; number++) {
        Case *c = case_new(q->seed, number, q->total, NULL);
        if (!c)
            return;
        fesetround(directions[q->rounding]);
        test->body(c);
        fesetround(FE_TONEAREST);
        double *d[ARRAYS_MAX] = {0}, *sensitivity[ARRAYS_MAX];
        for (int i = 0; i < c->arrays; i++)
            sensitivity[i] = calloc((size_t)c->array[i].count + 1, sizeof(double));
        if (q->mode == RUN_JUDGE)
            add_sensitivity(test, c, sensitivity);
        for (int i = 0; i < c->arrays && q->mode == RUN_JUDGE; i++)
            d[i] = differences(test, c, i);
        if (test->forward && q->mode == RUN_JUDGE)
            check_lists(test, c);
        if (c->wrong[0])
            fprintf(stderr, "test %s: %s\n", test->name, c->wrong);
        write_all(to, &(CaseHead){MAGIC, number, c->sizes, c->arrays}, sizeof(CaseHead));
        write_all(to, c->size, sizeof *c->size * (size_t)c->sizes);
        for (int i = 0; i < c->arrays; i++) {
            send_array(to, c, i, sensitivity[i], d[i]);
            free(sensitivity[i]);
            free(d[i]);
        }
        case_free(c);
    }
}

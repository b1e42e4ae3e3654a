/* patterns.h: what the numbers of one output array show by themselves (patterns.c,
 * patterns_place.c). */
#ifndef GRADER_PATTERNS_H
#define GRADER_PATTERNS_H

#include "grader.h"

/* Array k in all cases of a run: what the submission computed beside what is right. */
typedef struct {
    const Cases *cases;
    const Numbers *numbers;
    int k;
} View;

const Expected *view_array(const View *v, int at);
double view_got(const View *v, int at, int i); /* what the function wrote, or added to a sum */
double view_want(const View *v, int at, int i);
bool view_is_untouched(const View *v); /* as before the call, in all cases */
bool view_wrong_case(const View *v, int at);
int row_length(const CaseArray *a); /* of the last axis */
bool same_number(double a, double b);

/* Each says one sentence that was checked on every case, or returns false. */
bool say_value_pattern(Text *to, const View *v); /* a factor, a sign, = for +=, a transposition */
bool say_copy(Text *to, const View *v);          /* patterns_terms.c */
bool say_factor(Text *to, const View *v);
bool say_term(Text *to, const View *v);
bool say_difference(Text *to, const View *v);
bool say_rows(Text *to, const View *v);
bool say_wrong_indices(Text *to, const View *v); /* only the last column, only off the diagonal */

/* Where a NaN comes from, as far as its bits tell; "" for any other number. */
const char *poison_words(double x, bool whole);

#endif

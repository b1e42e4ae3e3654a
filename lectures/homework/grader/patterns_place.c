/* patterns_place.c: in which elements an output is wrong. Said only where the rule divides right
 * from wrong without an exception. */
#include "patterns.h"

static int index_of(const CaseArray *a, int i, int axis)
{
    for (int d = a->rank - 1; d > axis; d--)
        i /= a->dims[d];
    return i % a->dims[axis];
}

/* By the index on one axis, or by the last two, as of query and key. */
typedef enum { FIRST, LAST, ODD, EVEN, LATER, EARLIER, DIAGONAL, ABOVE, BELOW, APART } Rule;

static bool is_ruled(Rule rule, const CaseArray *a, int i, int axis)
{
    int at = index_of(a, i, axis), last = a->dims[axis] - 1;
    if (rule < DIAGONAL)
        return rule == FIRST   ? at == 0
               : rule == LAST  ? at == last
               : rule == ODD   ? at % 2 == 1
               : rule == EVEN  ? at % 2 == 0
               : rule == LATER ? at > 0
                               : at < last;
    int above = axis > 0 ? at - index_of(a, i, axis - 1) : 0;
    return axis == a->rank - 1 && axis > 0 &&
           (rule == DIAGONAL ? above == 0
            : rule == ABOVE  ? above > 0
            : rule == BELOW  ? above < 0
                             : above != 0);
}

/* Wrong nowhere but where the rule says so, and there in four of five elements at least; with
 * enough of both. */
static bool divides(const View *v, Rule rule, int axis)
{
    int inside = 0, outside = 0, all_ruled = 0;
    for (int at = 0; at < v->cases->count; at++) {
        const CaseArray *a = &view_array(v, at)->a;
        for (int i = 0; i < a->count; i++) {
            bool wrong = !same_number(view_got(v, at, i), view_want(v, at, i));
            bool ruled = is_ruled(rule, a, i, axis);
            if (wrong && !ruled)
                return false;
            inside += wrong;
            outside += !ruled;
            all_ruled += ruled;
        }
    }
    return inside > 3 && outside > 5 && 5 * inside >= 4 * all_ruled;
}

bool say_wrong_indices(Text *to, const View *v)
{
    static const struct {
        Rule rule;
        const char *words;
    } rules[] = {
        {FIRST, "only where its %s index is 0"},
        {LAST, "only where its %s index is the largest one"},
        {DIAGONAL, "only on the diagonal"},
        {ODD, "only where its %s index is odd"},
        {EVEN, "only where its %s index is even"},
        {ABOVE, "only above the diagonal, where its last index is above the one before"},
        {BELOW, "only below the diagonal, where its last index is below the one before"},
        {LATER, "only where its %s index is above 0"},
        {EARLIER, "only where its %s index is not the largest one"},
        {APART, "only off the diagonal"},
    };
    static const char *const ordinal[] = {"first", "second", "third", "fourth"};
    const CaseArray *a = &view_array(v, 0)->a;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
        for (int axis = 0; axis < a->rank && axis < RANK_MAX; axis++)
            if (divides(v, rules[r].rule, axis)) {
                text_print(to, "%s is wrong ", a->name);
                text_print(to, rules[r].words, ordinal[axis]);
                text_put(to, ".");
                return true;
            }
    return false;
}

/* computed_live.c: computed.h for a page: the functions of exchange.h that it calls, of the module
 * alone. */
#include "examples/live/exchange.h"
#include "lectures/runner/computed.h"

int live_computed(void)
{
    const char *answer = computed_answer(live_text());
    return answer ? live_answer("%s", answer) : live_error();
}

real *live_given(int count)
{
    real *numbers = computed_give(live_text(), count);
    if (!numbers)
        live_error();
    return numbers;
}

/* computed_live.c: computed.h for a page: the function that it calls, of the module alone. */
#include "examples/live/live.h"
#include "lectures/runner/computed.h"

LIVE_EXPORT(live_computed) int live_computed(void);

int live_computed(void)
{
    const char *answer = computed_answer(live_text());
    return answer ? live_answer("%s", answer) : live_error();
}

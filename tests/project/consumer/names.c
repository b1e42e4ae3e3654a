/* names.c: a program with types of its own, such as those of <X11/Xlib.h>, beside the library's,
 * and the version that it was compiled for. Ends with 0 if all holds. */
typedef unsigned long Mask; /* X11/X.h */
typedef struct {
    int x, y;
} Node;

#define GRADUS_PREFIX_TYPES
#include <gradus.h>

#include "checks.h"

#include <string.h>

typedef enum { OPEN, CLOSED } Token;
typedef struct {
    Node at;
    Mask events;
} Text;

#if GRADUS_VERSION_NUMBER < 900
#error "GRADUS_VERSION_NUMBER"
#endif

int main(void)
{
    const Text text = {{1, 2}, 3};
    const Token token = CLOSED;
    CHECK(text.at.y == 2 && text.events == 3 && token == 1, "types of the program");
    CHECK(strcmp(gradus_version(), GRADUS_VERSION) == 0, "gradus_version");
    GradusTape *tape = tape_new(1);
    GradusTensor *x = tape_full(tape, 1, shape2(2, 2));
    const GradusMask mask = {.causal = true};
    CHECK(tensor_item(ag_sum(ag_masked_softmax(x, mask))) == 2, "types of the library");
    tape_free(tape);
    return wrong != 0;
}

/* invariant.c: what happens where an invariant does not hold. See invariant.h; a build that does
 * not check invariants leaves this file empty. */
#include "tensor/invariant.h"

#ifdef GRADUS_INVARIANTS
#include <stdio.h>
#include <stdlib.h>

void invariant_violated(const char *statement, const char *file, int line)
{
    fprintf(stderr, "%s:%d: invariant violated: %s\n", file, line, statement);
    abort();
}
#else
typedef int InvariantsAreOff; /* C wants at least one declaration in a file */
#endif

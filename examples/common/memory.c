/* memory.c: memory of the examples, in a file of its own, since the fuzz targets of their readers
 * need nothing else of example.c. */
#include "examples/common/example.h"

#include <stdlib.h>

void *example_take(size_t bytes, const char *function, const char *file, int line)
{
    void *block = calloc(bytes ? bytes : 1, 1);
    if (!block) {
        tensor_fail("%s: no memory for %zu bytes; expected more memory", function, bytes);
        tensor_place(NULL, file, line);
    }
    return block;
}

/* names.c: the names that modules give to what they compute. nn.h lists them under "names of
 * activations".
 *
 * A tensor with a name keeps its gradient until the reset, which costs memory. So a name is given
 * only while a watcher is set (tape_on_event): a program that nobody watches pays one comparison
 * for each module. */
#include "nn/internal.h"

/* The name fits, since every module has a weight with a longer one. */
Tensor *given_name(Tensor *t, const char *path, const char *part)
{
    bool named = tape_is_watched() && path && (*path || *part);
    if (!named || !t || tensor_is_poison(t) || !t->tape)
        return t;
    return ag_name(t, "%s%s%s", path, *path && *part ? "." : "", part);
}

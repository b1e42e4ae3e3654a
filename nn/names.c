/* names.c: the names that modules give to what they compute. nn.h lists them under "names of
 * activations".
 *
 * A tensor with a name keeps its gradient until the reset, which costs memory. So a name is given
 * only while a watcher is set (tape_on_event), or the tape keeps names or has edits: other programs
 * pay three comparisons for each module. Callers continue with what is returned, since an edit may
 * have replaced t. */
#include "nn/internal.h"

/* The name fits, since every module has a weight with a longer one. */
static Tensor *name(Tensor *t, const char *path, const char *part, bool wanted)
{
    if (!wanted || !path || !(*path || *part))
        return t;
    return ag_name(t, "%s%s%s", path, *path && *part ? "." : "", part);
}

static bool on_tape(const Tensor *t)
{
    return t && !tensor_is_poison(t) && t->tape;
}

Tensor *given_name(Tensor *t, const char *path, const char *part)
{
    return name(t, path, part, on_tape(t) && tape_names_all(t->tape));
}

Tensor *shown_name(Tensor *t, const char *path, const char *part)
{
    return name(t, path, part, on_tape(t) && (t->tape->keep_maps || tape_names_all(t->tape)));
}

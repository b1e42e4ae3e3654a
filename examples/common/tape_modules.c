/* tape_modules.c: the module of each op, from the paths of the weights. See tape_page.h. */
#include "examples/common/tape_page.h"
#include "examples/common/trace.h"

#include <string.h>

/* Shortens path to the modules that it has in common with another: "blocks.0.attn" and "blocks.0.up": "blocks.0". */
static void keep_common(char *path, const char *other)
{
    size_t common = 0, i = 0;
    for (; path[i] && path[i] == other[i]; i++)
        if (path[i] == '.')
            common = i;
    bool whole = (!path[i] || path[i] == '.') && (!other[i] || other[i] == '.');
    path[whole ? i : common] = 0;
}

/* The path without its last module. */
static void keep_parent(char *path)
{
    char *dot = strrchr(path, '.');
    *(dot ? dot : path) = 0;
}

static void copy(char *to, const char *path)
{
    snprintf(to, TAPE_MODULE, "%.*s", TAPE_MODULE - 1, path);
}

/* Does the op read a weight? Then *path is the weight's module. */
static bool weight_module(const Node *n, char *path)
{
    char text[TRACE_TEXT];
    copy(path, trace_scope(n, text));
    return *path != 0;
}

/* The module in which operand x was computed. A layer's module is what its weight belongs to; its result is used in
 * the module around it. False if no op of the tape computed x. */
static bool operand_module(const Tape *tape, const Tensor *x, char (*module)[TAPE_MODULE],
                           char *path)
{
    const Tensor *owner = x && x->base ? x->base : x;
    if (!owner || !owner->node)
        return false;
    int i = 0;
    while (tape->node[i] != owner->node)
        i++; /* it was computed before, so that it is found */
    copy(path, module[i]);
    char own[TAPE_MODULE];
    if (weight_module(owner->node, own))
        keep_parent(path);
    return true;
}

/* What the modules of all operands have in common. */
static void operands_module(const Tape *tape, const Node *n, char (*module)[TAPE_MODULE],
                            char *path)
{
    bool any = false;
    *path = 0;
    for (int i = 0; i < n->inputs; i++) {
        char own[TAPE_MODULE];
        if (!operand_module(tape, n->in[i], module, own))
            continue;
        if (any)
            keep_common(path, own);
        else
            copy(path, own);
        any = true;
    }
}

/* First only the weights' modules; then, from first to last, the other ops', while what is after an op is still of the
 * first pass. */
void tape_modules(const Tape *tape, char (*module)[TAPE_MODULE])
{
    char before[TAPE_MODULE] = "", path[TAPE_MODULE];
    for (int i = 0; i < tape->nodes; i++)
        weight_module(tape->node[i], module[i]);
    for (int i = 0; i < tape->nodes; i++) {
        if (*module[i]) {
            copy(before, module[i]);
            continue;
        }
        int next = i + 1;
        while (next < tape->nodes && !*module[next])
            next++;
        copy(path, before);
        keep_common(path, next < tape->nodes ? module[next] : "");
        operands_module(tape, tape->node[i], module, module[i]);
        if (strlen(path) > strlen(module[i]))
            copy(module[i], path);
    }
}

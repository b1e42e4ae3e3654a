/* tape_modules.c: the module of each op. See tape_page.h. */
#include "plot/tape/tape_page.h"

#include <string.h>

/* Ends the path where its last part begins. */
static char *parent(char *path)
{
    char *dot = strrchr(path, '.');
    *(dot ? dot : path) = 0;
    return path;
}

/* Shortens path to the modules that it has in common with another: "blocks.0.attn" and
 * "blocks.0.up": "blocks.0". */
static void keep_common(char *path, const char *other)
{
    size_t length = strlen(path);
    while (length && (strncmp(path, other, length) != 0 || (other[length] && other[length] != '.')))
        length = strlen(parent(path));
}

char *tape_weight_module(const Node *n, char *path)
{
    *path = 0;
    for (int i = 0; i < n->inputs && !*path; i++) {
        const Tensor *x = n->in[i], *owner = x && x->base ? x->base : x;
        if (owner && !owner->tape)
            snprintf(path, TAPE_MODULE, "%s", owner->name);
    }
    return strchr(path, '.') ? parent(path) : path;
}

/* The module that named the op's result. */
static void result_module(const Node *n, char *path)
{
    memcpy(path, n->out->name, TAPE_MODULE);
    const char *dot = strrchr(path, '.');
    if (dot)
        parent(path);
    else
        *path = 0;
}

void tape_modules(const Tape *tape, char (*module)[TAPE_MODULE])
{
    char before[TAPE_MODULE] = "";
    for (int i = 0; i < tape->nodes; i++)
        if (!*tape_weight_module(tape->node[i], module[i]))
            result_module(tape->node[i], module[i]);
    for (int i = 0; i < tape->nodes; i++) {
        int next = i;
        while (next < tape->nodes && !*module[next])
            next++;
        if (next > i) {
            memcpy(module[i], before, TAPE_MODULE);
            keep_common(module[i], next < tape->nodes ? module[next] : "");
        } else {
            memcpy(before, module[i], TAPE_MODULE);
        }
    }
}

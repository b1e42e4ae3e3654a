/* four_nodes.c: backward on a graph of four ops, with numbers that can be done by hand: README.md.
 *
 *   p = a b = 6,   s = p + a = 8,   y = s c = 4,   L = y y = 16       for a = 2, b = 3, c = 1/2
 *
 * a is used twice, by p and by s; y is used twice by L alone. */
#include "examples/common/example.h"
#include "gradus.h"
#include "plot/tape/tape_page.h"
#include "plot/tape/trace.h"

#include <string.h>

enum { INPUTS = 3, VALUES = 7 };

static const char *const names[VALUES] = {"a", "b", "c", "p", "s", "y", "L"};

/* Forward, an op a line. value: a, b and c go in; all seven come out. */
static Tensor *four_nodes(Tape *tape, const real *inputs, Tensor *value[VALUES])
{
    for (int i = 0; i < INPUTS; i++)
        value[i] = ag_name(tape_leaf(tape, inputs + i, shape1(1)), "%s", names[i]);
    Tensor *a = value[0], *b = value[1], *c = value[2];
    Tensor *p = ag_name(ag_mul(a, b), "p");
    Tensor *s = ag_name(ag_add(p, a), "s");
    Tensor *y = ag_name(ag_mul(s, c), "y");
    Tensor *L = ag_name(ag_mul(y, y), "L");
    Tensor *made[] = {p, s, y, L};
    memcpy(value + INPUTS, made, sizeof made);
    return L;
}

/* (L(x + h) - L(x - h)) / 2h. L has degree 2 in each input, so nothing but rounding is wrong. */
static double difference(Tape *tape, const real *inputs, int which)
{
    const double h = 0.125; /* a power of two: x + h and x - h are exact */
    double side[2];
    for (int k = 0; k < 2; k++) {
        real moved[INPUTS];
        Tensor *value[VALUES];
        memcpy(moved, inputs, sizeof moved);
        moved[which] += (real)(k ? -h : h);
        tape_reset(tape);
        side[k] = tensor_item(four_nodes(tape, moved, value));
    }
    return (side[0] - side[1]) / (2 * h);
}

int main(int argc, char **argv)
{
    static const real inputs[INPUTS] = {2, 3, (real)0.5};
    const char *trace = NULL, *html = NULL;
    const Option table[] = {
        {"trace", OPTION_MAYBE, &trace, "V", "print each op, forward and backward", 0, 0},
        {"html", OPTION_MAYBE, &html, "FILE", "write a page to step through, four-nodes.html", 0,
         0},
        {0},
    };
    options_parse(argc, argv, "Backward on a graph of four ops.", table);
    if (!html && !trace_to(stdout, trace ? trace : "", NULL))
        options_refuse("--trace: found '%s'; expected nothing, or =V, =B, =H, =Z or =J", trace);
    example_exit_on_error();
    if (html && !tape_page_begin(*html ? html : "four-nodes.html", "a graph of four ops", ""))
        return 1;
    Tape *tape = tape_new(1);
    Tensor *tensor[VALUES];
    if (!ag_backward(four_nodes(tape, inputs, tensor)))
        return 1;
    double value[VALUES], grad[VALUES]; /* kept: differences reset the tape */
    for (int i = 0; i < VALUES; i++) {
        value[i] = tensor[i]->data[0];
        grad[i] = tensor[i]->grad[0];
    }
    printf("\n     value   gradient   central difference\n");
    for (int i = 0; i < VALUES; i++) {
        printf("%s  %8g   %8g", names[i], value[i], grad[i]);
        printf(i < INPUTS ? "   %18g\n" : "\n", i < INPUTS ? difference(tape, inputs, i) : 0);
    }
    tape_free(tape);
    return 0;
}

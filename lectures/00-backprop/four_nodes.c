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

/* The graph: a box a value, with its gradient; an arrow from what an op takes to what it makes. */
static bool picture(const char *path, const double *value, const double *grad)
{
    static const int x[VALUES] = {60, 60, 340, 200, 340, 480, 620};
    static const int y[VALUES] = {150, 50, 150, 50, 50, 50, 50};
    static const int arrow[][2] = {{0, 3}, {1, 3}, {3, 4}, {0, 4}, {4, 5}, {2, 5}, {5, 6}, {5, 6}};
    static const char *const op[VALUES] = {"", "", "", "= a b", "= p + a", "= s c", "= y y"};
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fputs(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 690 200' font-family='sans-serif' "
        "font-size='15' text-anchor='middle'>\n"
        "<title>A graph of four ops with values and gradients</title>\n"
        "<style>.page, .box { fill: #fff } .input { fill: #eef3fa } text { fill: #1a1a1a }\n"
        ".line { stroke: #555 } .tip { fill: #555 } .grad { fill: #a02020 }\n"
        "@media (prefers-color-scheme: dark) { .page { fill: #16181c } .box { fill: #23262c }\n"
        ".input { fill: #1d2c40 } text { fill: #eee } .line { stroke: #aaa } .tip { fill: #aaa }\n"
        ".grad { fill: #ff9d8f } }</style>\n"
        "<defs><marker id='tip' viewBox='0 0 8 8' refX='8' refY='4' markerWidth='8' "
        "markerHeight='8' orient='auto'><path class='tip' d='M0 0L8 4L0 8z'/></marker></defs>\n"
        "<rect class='page' width='690' height='200'/>\n",
        f);
    for (size_t i = 0; i < sizeof arrow / sizeof *arrow; i++) {
        int from = arrow[i][0], to = arrow[i][1], lift = i == 6 ? -10 : i == 7 ? 10 : 0;
        fprintf(f, "<path class='line' d='M%d %dL%d %d' marker-end='url(#tip)'/>\n", x[from] + 50,
                y[from] + lift, x[to] - 50, y[to] + (y[from] > y[to] ? 20 : lift));
    }
    for (int i = 0; i < VALUES; i++)
        fprintf(f,
                "<rect class='line %s' x='%d' y='%d' width='100' height='68' rx='6'/>\n"
                "<text x='%d' y='%d'>%s %s</text>\n"
                "<text x='%d' y='%d' font-weight='bold'>%g</text>\n"
                "<text class='grad' x='%d' y='%d'>dL/d%s = %g</text>\n",
                i < INPUTS ? "input" : "box", x[i] - 50, y[i] - 34, x[i], y[i] - 15, names[i],
                op[i], x[i], y[i] + 5, value[i], x[i], y[i] + 25, names[i], grad[i]);
    fprintf(f, "</svg>\n");
    return fclose(f) == 0;
}

int main(int argc, char **argv)
{
    static const real inputs[INPUTS] = {2, 3, (real)0.5};
    const char *trace = NULL, *html = NULL, *svg = NULL;
    const Option table[] = {
        {"trace", OPTION_MAYBE, &trace, "V", "print each op, forward and backward", 0, 0},
        {"html", OPTION_MAYBE, &html, "FILE", "write a page to step through, four-nodes.html", 0,
         0},
        {"svg", OPTION_TEXT, &svg, "FILE", "draw the graph", 0, 0},
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
    double value[VALUES], grad[VALUES];
    if (!ag_backward(four_nodes(tape, inputs, tensor)))
        return 1;
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
    return !svg || picture(svg, value, grad) ? 0 : 1;
}

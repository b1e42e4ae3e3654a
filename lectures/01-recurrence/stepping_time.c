/* stepping_time.c: three steps of an RNN, forward and backward through time, to be walked through
 * in a debugger: stepping-time.md.
 *
 *   a_t = W h_(t-1) + b + x_t,   h_t = tanh(a_t),   h_0 = 0
 *   dL/da_t = (1 - h_t^2) dL/dh_t,   dL/dh_(t-1) = W^T dL/da_t,   dL/dW = sum_t dL/da_t h_(t-1)^T
 *
 * By hand: tanh(log 2) = 0.6, tanh(log 3) = 0.8, tanh(log(3) / 2) = 0.5; W exchanges the two units
 * and halves them: rho = 1/2. */
#include "examples/common/options.h"
#include "gradus.h"
#include "plot/tape/tape_page.h"

#include <math.h>

enum { UNITS = 2, STEPS = 3 };

/* Three steps, an op a line, then backward from dL/dh_3. */
static bool three_steps(Tensor *W, Tensor *b, Tensor *const x[STEPS], const real *upstream)
{
    Tensor *h0 = tape_full(W->tape, 0, shape2(1, UNITS));
    Tensor *a1 = ag_name(ag_add(ag_linear(h0, W, b), x[0]), "a1");
    Tensor *h1 = ag_name(ag_tanh(a1), "h1");
    Tensor *a2 = ag_name(ag_add(ag_linear(h1, W, b), x[1]), "a2");
    Tensor *h2 = ag_name(ag_tanh(a2), "h2");
    Tensor *a3 = ag_name(ag_add(ag_linear(h2, W, b), x[2]), "a3");
    Tensor *h3 = ag_name(ag_tanh(a3), "h3");
    bool ok = ag_backward_from(h3, upstream);
    tensor_print(stdout, h3);
    return ok;
}

/* The same by one call of nn_rnn: W_ih = I, W_hh = W, no biases. */
static bool in_one_call(Tensor *W, Tensor *const x[STEPS])
{
    Params *params = params_new(1);
    RNN rnn;
    if (!params || !nn_rnn_init(&rnn, params, "rnn", RNN_TANH, UNITS, UNITS, 1))
        return false;
    RNNCell *cell = &rnn.layer[0];
    for (int i = 0; i < UNITS * UNITS; i++) {
        cell->weight_hh->data[i] = W->data[i];
        cell->weight_ih->data[i] = i % (UNITS + 1) == 0;
    }
    for (int i = 0; i < UNITS; i++)
        cell->bias_ih->data[i] = cell->bias_hh->data[i] = 0;
    Tensor *h = nn_rnn(&rnn, ag_stack(x, STEPS, 1), NULL);
    tensor_print(stdout, h);
    params_free(params);
    return true;
}

int main(int argc, char **argv)
{
    static const real exchange[] = {0, (real)0.5, (real)0.5, 0}, zeros[UNITS], upstream[] = {1, 0};
    const real input[STEPS][UNITS] = {{(real)log(2), (real)log(3)},
                                      {(real)(log(3) - 0.4), (real)-0.3},
                                      {(real)(log(3) / 2), (real)(log(2) - 0.4)}};
    bool module = false;
    const char *html = NULL;
    const Option table[] = {
        {"module", OPTION_FLAG, &module, NULL, "the same by one call of nn_rnn", 0, 0},
        {"html", OPTION_TEXT, &html, "FILE", "write it as a page for a browser, op by op", 0, 0},
        {0},
    };
    options_parse(argc, argv, "An RNN backward through time, to be stepped through.", table);
    example_exit_on_error();
    if (html && !tape_page_begin(html, "an RNN backward through time", ""))
        return 1;

    Tape *tape = tape_new(1);
    Tensor *W = ag_name(tape_leaf(tape, exchange, shape2(UNITS, UNITS)), "W");
    Tensor *b = ag_name(tape_leaf(tape, zeros, shape1(UNITS)), "b");
    Tensor *x[STEPS];
    for (int t = 0; t < STEPS; t++)
        x[t] = ag_name(tape_leaf(tape, input[t], shape2(1, UNITS)), "x%d", t + 1);
    bool ok = module ? in_one_call(W, x) : three_steps(W, b, x, upstream);
    tape_free(tape);
    return ok ? 0 : 1;
}

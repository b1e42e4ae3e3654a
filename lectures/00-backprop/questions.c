/* questions.c: what chapter 0 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/00-backprop/backprop.h"

/* ---- numbers that are asked for -------------------------------------------------------------- */

/* dL/da of the graph of four ops. */
static double gradient_of_a(Trial *t)
{
    Tape *tape = trial_tape(t);
    Tensor *a = tape_leaf(tape, (real[]){2}, shape1(1)),
           *b = tape_leaf(tape, (real[]){3}, shape1(1));
    Tensor *c = tape_leaf(tape, (real[]){(real)0.5}, shape1(1));
    Tensor *y = ag_mul(ag_add(ag_mul(a, b), a), c);
    return ag_backward(ag_mul(y, y)) ? (double)a->grad[0] : (double)NAN;
}

/* The second of softmax's gradients where y = (0.4, 0.2, 0.4) and g = (10, 0, 10). */
static double gradient_of_share(Trial *t)
{
    const real x[] = {(real)log(0.4), (real)log(0.2), (real)log(0.4)}, g[] = {10, 0, 10};
    Tensor *leaf = tape_leaf(trial_tape(t), x, shape2(1, 3));
    return ag_backward_from(ag_softmax(leaf), g) ? (double)leaf->grad[1] : (double)NAN;
}

/* ---- the questions --------------------------------------------------------------------------- */

const Question backprop_questions[] = {
    {.row = 58,
     .claim = "L depends on a along two paths",
     .question =
         "p = a b, s = p + a, y = s c and L = y y, with a = 2, b = 3 and c = 1/2. By how many "
         "h does L change if a grows by a small h?",
     .measure = gradient_of_a,
     .quantity = "dL/da",
     .within = 0.01,
     .answer = "16: 12 h by way of p, and 4 h by way of s directly.",
     .misconception =
         "12 or 4 is one of the two paths. A small change of a travels along both, and "
         "L feels the sum."},
    {.row = 58,
     .claim = "one walk in the reverse order",
     .question = "A backward visits the same four ops from the first to the last. What is dL/da "
                 "then?",
     .choices = {{"16", "the order matters: p and s pass on a gradient that is still 0."},
                 {"4", "s would pass on 4, if dL/ds were there; y, which gives it, comes later."},
                 {"0", "all but L pass on a gradient that nobody has added to yet."}},
     .right = 3,
     .answer = "0: only the last op, L, has a gradient when it is visited. What used a value must "
               "come first."},
    {.row = 59,
     .claim = "matrix product: Y = A B",
     .question = "Y = A B has the shapes (n, k)(k, m) = (n, m), and G is dL/dY. What is dL/dA?",
     .choices = {{"G B", "(n, m)(k, m) does not fit, unless k = m; then it is wrong and runs."},
                 {"G B^T", "(n, m)(m, k) = (n, k), the shape of A."},
                 {"B^T G", "(m, k)(n, m) does not fit: the row of G belongs to a row of A."}},
     .right = 2,
     .answer = "G B^T: a_ik is used by all of row i of Y, so dL/da_ik = sum_j g_ij b_kj."},
    {.row = 59,
     .claim = "softmax: dL/dx_i",
     .question = "A softmax has given y = (0.4, 0.2, 0.4), and g = dL/dy = (10, 0, 10). What is "
                 "dL/dx of the second?",
     .measure = gradient_of_share,
     .quantity = "dL/dx_2 of the softmax",
     .within = 0.02,
     .answer = "-1.6 = 0.2 (0 - 8): 8 is the mean of g under y. A larger x_2 takes shares from the "
               "two that count 10.",
     .misconception = "0, because g is 0 there, forgets that the shares sum to 1: what the second "
                      "gets, the others lose."},
    {.row = 60,
     .claim = "a sum needs nothing of forward",
     .question = "Which values must still be there when backward runs?",
     .choices = {{"the operands of a sum", "its slopes are 1 and 1, whatever they are."},
                 {"the operands of a product", "each is the other's slope."},
                 {"both", "a sum passes its gradient on as it is."}},
     .right = 2,
     .answer = "Those of a product: a is the slope for b, and b that for a. A sum's slopes are 1."},
    {.row = 60,
     .claim = "a plain sum of a softmax",
     .question =
         "L is the plain sum of a softmax's results. What would finite differences of L say "
         "of a softmax whose backward is empty?",
     .choices = {{"that it is wrong",
                  "the true gradient of this L is 0, and so is that of an empty "
                  "backward."},
                 {"that it is right", "both are 0: the results sum to 1, whatever x is."}},
     .right = 2,
     .answer = "That it is right. Hence a gradient is checked with a random weighted sum."},
    {0},
};

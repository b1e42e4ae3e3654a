/* gpt.c: a GPT and its autodiff, to be read from top to bottom.     cc -O2 gpt.c -lm && ./a.out
 * It learns names letter by letter, writes new ones, and shows which letters it attends to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char names[] =
    " anna emma olivia sophia mia lena lea laura julia clara maria sarah hannah ella lina nina eva"
    " alma elena helena irene ines iris alice amelie emilia emily isabella gabriela diana martina"
    " valentina carolina christina katharina johanna susanna adriana juliana liam noah leon luca"
    " peter jonas thomas elias julian adrian fabian florian sebastian christian martin benjamin"
    " valentin konstantin dominik patrick frederik daniel samuel michael gabriel manuel marcel ";
static const char *word = names; /* its letter i has the number word[i] & 31: ' ' 0, 'a' 1 */

/* Letters (0: the blank around a name), positions, channels, and how many weights there are. */
enum { LETTERS = 27, T = 16, C = 16, WEIGHTS = (LETTERS + T + 12 * C + LETTERS) * C };
enum { FORWARD, BACKWARD };

/* A matrix: values, and dL/d(each of them). The element (i, j) is data[i * down + j * right]. */
typedef struct {
    int rows, cols, down, right;
    double *data, *grad;
} Tensor;

/* An op that was executed, y = op(a, b). The tape has them in the order of their execution. */
static struct Node {
    void (*op)(struct Node *, int pass);
    Tensor a, b, y;
} tape[64];
static int nodes, used;
static double data[1 << 16], grad[1 << 16]; /* the weights, then all that one step makes */

static Tensor tensor(int rows, int cols)
{
    Tensor x = {rows, cols, cols, 1, data + used, grad + used};
    memset(x.data, 0, sizeof *data * rows * cols);
    memset(x.grad, 0, sizeof *grad * rows * cols);
    used += rows * cols;
    return x;
}

/* y = a b, of shapes (n, k)(k, m) = (n, m).    dL/da = dL/dy b^T,  dL/db = a^T dL/dy */
static void matmul(struct Node *n, int pass)
{
    Tensor a = n->a, b = n->b, y = n->y;
    for (int i = 0; i < y.rows; i++)
        for (int j = 0; j < y.cols; j++)
            for (int k = 0; k < a.cols; k++) {
                int ij = i * y.cols + j, ik = i * a.cols + k, kj = k * b.down + j * b.right;
                if (pass == FORWARD)
                    y.data[ij] += a.data[ik] * b.data[kj];
                else
                    a.grad[ik] += y.grad[ij] * b.data[kj], b.grad[kj] += a.data[ik] * y.grad[ij];
            }
}

/* y = a + b.    Each gets dL/dy, added to what its other uses gave it: += here as in every op. */
static void add(struct Node *n, int pass)
{
    for (int i = 0; i < n->y.rows * n->y.cols; i++)
        if (pass == FORWARD)
            n->y.data[i] = n->a.data[i] + n->b.data[i];
        else
            n->a.grad[i] += n->y.grad[i], n->b.grad[i] += n->y.grad[i];
}

/* y = max(a, 0).    dL/da = dL/dy where a > 0, else 0 */
static void relu(struct Node *n, int pass)
{
    for (int i = 0; i < n->y.rows * n->y.cols; i++)
        if (pass == FORWARD)
            n->y.data[i] = n->a.data[i] > 0 ? n->a.data[i] : 0;
        else
            n->a.grad[i] += n->a.data[i] > 0 ? n->y.grad[i] : 0;
}

static void softmax_row(double *y, const double *x, int n, double scale)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += y[j] = exp(scale * x[j]);
    for (int j = 0; j < n; j++)
        y[j] /= sum;
}

/* Row i is the softmax of a / sqrt(C) over the columns up to i; later letters get 0.
 * dL/da_j = y_j (g_j - sum_k y_k g_k) / sqrt(C),  g = dL/dy */
static void masked_softmax(struct Node *n, int pass)
{
    for (int i = 0, row = 0; i < n->y.rows; i++, row += n->y.cols) {
        double *y = n->y.data + row, *g = n->y.grad + row, mean = 0;
        if (pass == FORWARD)
            softmax_row(y, n->a.data + row, i + 1, 1 / sqrt(C));
        for (int k = 0; k <= i; k++)
            mean += y[k] * g[k];
        for (int j = 0; j <= i && pass == BACKWARD; j++)
            n->a.grad[row + j] += y[j] * (g[j] - mean) / sqrt(C);
    }
}

/* y_0: the mean of -log p(next letter), p the softmax of a row of a.   dL/da = (p - one-hot) / n */
static void cross_entropy(struct Node *n, int pass)
{
    for (int i = 0; i < n->a.rows; i++) {
        double p[LETTERS], share = 1. / n->a.rows;
        softmax_row(p, n->a.data + i * LETTERS, LETTERS, 1);
        if (pass == FORWARD)
            n->y.data[0] -= share * log(p[word[i + 1] & 31]);
        for (int j = 0; j < LETTERS && pass == BACKWARD; j++)
            n->a.grad[i * LETTERS + j] += n->y.grad[0] * share * (p[j] - (j == (word[i + 1] & 31)));
    }
}

/* Executes an op and records it. Its result has the shape of a b if it is a product, else of a. */
static Tensor ag_apply(void (*op)(struct Node *, int pass), Tensor a, Tensor b)
{
    tape[nodes] = (struct Node){op, a, b, tensor(a.rows, op == matmul ? b.cols : a.cols)};
    op(&tape[nodes], FORWARD);
    return tape[nodes++].y;
}

/* The chain rule. What used a node's y was executed later, so it has already added to dL/dy. */
static void ag_backward(Tensor loss)
{
    loss.grad[0] = 1;
    for (int i = nodes - 1; i >= 0; i--)
        tape[i].op(&tape[i], BACKWARD);
}

/* The weights; and the model, from n letters of a word to scores of their next (n, LETTERS). */
static Tensor E, Wq, Wk, Wv, Wo, up, down, head, A;
static Tensor gpt(int n)
{
    nodes = 0, used = WEIGHTS; /* tape_reset: forget the last step */
    Tensor hot = tensor(n, LETTERS + T);
    for (int i = 0; i < n; i++)
        hot.data[i * hot.cols + (word[i] & 31)] = hot.data[i * hot.cols + LETTERS + i] = 1;
    Tensor x = ag_apply(matmul, hot, E); /* (n, C): a letter's row of E, plus its position's */
    Tensor Q = ag_apply(matmul, x, Wq), K = ag_apply(matmul, x, Wk), V = ag_apply(matmul, x, Wv);
    Tensor Kt = {C, n, 1, C, K.data, K.grad}; /* K^T: the same numbers, with exchanged strides */
    Tensor scores = ag_apply(matmul, Q, Kt);  /* (n, C)(C, n) = (n, n) */
    A = ag_apply(masked_softmax, scores, scores);
    x = ag_apply(add, x, ag_apply(matmul, ag_apply(matmul, A, V), Wo));
    Tensor h = ag_apply(matmul, x, up); /* (n, 4 C) */
    x = ag_apply(add, x, ag_apply(matmul, ag_apply(relu, h, h), down));
    return ag_apply(matmul, x, head);
}

static void adam_step(int step, double rate)
{
    static double m[WEIGHTS], v[WEIGHTS];
    for (int i = 0; i < WEIGHTS; i++) {
        m[i] = 0.9 * m[i] + 0.1 * grad[i];
        v[i] = 0.99 * v[i] + 0.01 * grad[i] * grad[i];
        data[i] -= rate * m[i] / (1 - pow(0.9, step)) / (sqrt(v[i] / (1 - pow(0.99, step))) + 1e-8);
        grad[i] = 0;
    }
}

int main(void)
{
    E = tensor(LETTERS + T, C), Wq = tensor(C, C), Wk = tensor(C, C), Wv = tensor(C, C);
    Wo = tensor(C, C), up = tensor(C, 4 * C), down = tensor(4 * C, C), head = tensor(C, LETTERS);
    for (int i = 0; i < WEIGHTS; i++)
        data[i] = rand() / (RAND_MAX + 1.) - 0.5;
    double mean = 0;
    for (int step = 1; step <= 1000; step++) {
        Tensor logits = gpt(1 + (int)strcspn(word + 1, " "));
        Tensor loss = ag_apply(cross_entropy, logits, logits);
        ag_backward(loss);
        adam_step(step, 0.01 * (1 - step / 1000.));
        mean = 0.99 * mean + 0.01 * loss.data[0];
        if (step % 200 == 0)
            printf("step %4d   loss %.2f\n", step, mean / (1 - pow(0.99, step)));
        word = strchr(word + 1, ' ')[1] ? strchr(word + 1, ' ') : names;
    }
    for (int i = 0; i < 20; i++) {
        char name[T + 2] = " ";
        word = name;
        for (int n = 1; n <= T && (n == 1 || name[n - 1] != ' '); n++) {
            double p[LETTERS], u = rand() / (RAND_MAX + 1.);
            softmax_row(p, gpt(n).data + (n - 1) * LETTERS, LETTERS, 1);
            for (int next = 0; u > 0 && next < LETTERS; u -= p[next++])
                name[n] = " abcdefghijklmnopqrstuvwxyz"[next];
        }
        printf("%s%s", name, strstr(names, name) ? "(known)\n" : "\n");
    }
    word = " christina "; /* each letter's share in what the last one receives */
    gpt(10);
    for (int i = 0; i < 10; i++)
        printf(" %c %.2f%s", word[i], A.data[9 * 10 + i], i < 9 ? " " : "\n");
    return 0;
}
/* In gradus: Tensor is in tensor/tensor.h; ag_apply and ag_backward in autograd/apply.c and
 * backward.c; the ops in autograd/ops, one a file, with their loops in tensor/kernels/ref; the
 * block in nn/block.c; adam_step in nn/optim.c; drawing letters in nn/decode; names in data. */

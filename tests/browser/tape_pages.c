/* tape_pages.c: writes the pages that tape.py opens:  tape_pages FOLDER
 *
 *   square.html   y = x (x + 3 x) at x = 2, with derivatives by hand
 *   chain.html    z = a b, where b is a after 20 ops: a line from a to z would run along all of them
 *   net.html      two layers, tanh between them, and a cross-entropy
 *   hostile.html  names and a title that try to be markup; an op whose source file is not there
 *   blocks.html   four transformer blocks, whose modules fold
 *   large.html    428 of them: 5997 ops, nearly as many as a page may have
 *
 * GRADUS_INSIDE is not set: the lines of this file are what the pages show. */
#include "gradus.h"
#include "plot/tape/tape_page.h"

#include <math.h>

typedef Tensor *(*Loss)(Tape *tape);

/* Two steps, of which the page shows the first; before it a step without backward, which is
 * none. */
static bool write_page(const char *folder, const char *name, const char *title,
                       const char *notation, Loss loss)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    Tape *tape = tape_new(1);
    bool ok = tape && tape_page_begin(path, title, notation);
    for (int i = 0; ok && i < 3; i++) {
        tape_reset(tape);
        Tensor *y = loss(tape);
        ok = i == 0 ? !tensor_is_poison(y) : ag_backward(y) && !tensor_error()[0];
    }
    if (!ok)
        fprintf(stderr, "tape_pages: %s: %s\n", name, tensor_error());
    tape_free(tape);
    return ok;
}

/* y = x (x + 3 x) = 4 x^2. */
static Tensor *square(Tape *tape)
{
    Tensor *x = tape_leaf(tape, (real[]){2}, shape1(1));
    Tensor *three = ag_scale(x, 3);
    Tensor *sum = ag_add(x, three);
    Tensor *product = ag_mul(x, sum);
    return ag_sum(product);
}

/* b = a, 20 ops later; z = a b = a^2. */
static Tensor *chain(Tape *tape)
{
    Tensor *x = tape_leaf(tape, (real[]){3}, shape1(1));
    Tensor *a = ag_scale(x, 2), *b = a;
    for (int i = 0; i < 20; i++)
        b = ag_scale(b, 1);
    return ag_sum(ag_mul(a, b));
}

/* ---- two layers ------------------------------------------------------------------------------ */

static struct {
    Params *params;
    Linear hidden, output;
} net;

static bool make_net(void)
{
    net.params = params_new(1);
    return net.params && nn_linear_init(&net.hidden, net.params, "hidden", 2, 4, true) &&
           nn_linear_init(&net.output, net.params, "output", 4, 3, true);
}

static Tensor *net_loss(Tape *tape)
{
    static const real points[] = {0.5, -1, 2, 0.25};
    Tensor *x = tape_input(tape, points, shape2(2, 2));
    Tensor *h = ag_tanh(nn_linear(&net.hidden, x));
    Tensor *y = nn_linear(&net.output, h);
    return ag_cross_entropy(y, tape_ids(tape, (int[]){2, 0}, shape1(2)));
}

/* ---- four blocks ----------------------------------------------------------------------------- */

enum { WIDTH = 8, TOKENS = 5, BLOCKS = 4, MANY = 428, WORDS = 11 };

static struct {
    Params *params;
    Embedding words;
    PositionalEncoding positions;
    TransformerBlock block[MANY];
    Norm norm;
    Linear head;
} model;

static bool make_model(void)
{
    BlockConfig c = {.channels = WIDTH, .heads = 2, .activation = ACTIVATION_GELU};
    Params *p = model.params = params_new(1);
    bool ok = p && nn_embedding_init(&model.words, p, "embedding", WORDS, WIDTH) &&
              nn_position_init(&model.positions, p, "position", POSITION_SINUSOIDAL, TOKENS, WIDTH);
    for (int i = 0; ok && i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "blocks.%d", i);
        ok = nn_transformer_block_init(&model.block[i], p, name, c);
    }
    return ok && nn_layernorm_init(&model.norm, p, "norm", WIDTH) &&
           nn_linear_init(&model.head, p, "head", WIDTH, WORDS, false);
}

static Tensor *blocks_loss(Tape *tape, int blocks)
{
    Tensor *x =
        nn_embedding(&model.words, tape_ids(tape, (int[]){4, 0, 2, 9, 1}, shape2(1, TOKENS)));
    x = nn_position(&model.positions, x);
    for (int i = 0; i < blocks; i++)
        x = nn_transformer_block(&model.block[i], x, (Mask){.causal = true});
    x = nn_linear(&model.head, nn_norm(&model.norm, x));
    return ag_cross_entropy(x, tape_ids(tape, (int[]){0, 2, 9, 1, 3}, shape2(1, TOKENS)));
}

static Tensor *four_blocks(Tape *tape)
{
    return blocks_loss(tape, BLOCKS);
}

static Tensor *many_blocks(Tape *tape)
{
    return blocks_loss(tape, MANY);
}

/* ---- names that try to be markup ------------------------------------------------------------- */

static const char markup[] = "</script><img src=x onerror=\"window.hostile=1\">";

/* From its last line on the compiler takes this file for another one, which does not exist. */
static Tensor *hostile(Tape *tape)
{
    Tensor *x =
        ag_name(tape_leaf(tape, (real[]){1, NAN, INFINITY}, shape1(3)), "%s", "<b>&amp;\"'");
    Tensor *y = ag_name(ag_scale(x, 2), "%s", "<script>hostile=1</script>");
    Tensor *z = ag_name(
        ag_neg(y), "%s",
        "\xe2\x80\xa8\xe2\x80\xae\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe4\xb8\xad\xe6\x96\x87");
#line 7 "gone/<i>model.c"
    return ag_sum(ag_mul(z, y));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "tape_pages: found %d arguments; expected the folder\n", argc - 1);
        return 2;
    }
    bool ok = make_net() && make_model() &&
              write_page(argv[1], "square.html", "y = x (x + 3 x)", "", square) &&
              write_page(argv[1], "chain.html", "a result that is read again", "", chain) &&
              write_page(argv[1], "net.html", "two layers", "", net_loss) &&
              write_page(argv[1], "hostile.html", markup, "", hostile) &&
              write_page(argv[1], "blocks.html", "four blocks", "Z", four_blocks) &&
              write_page(argv[1], "large.html", "428 blocks", "", many_blocks);
    params_free(net.params);
    params_free(model.params);
    return ok ? 0 : 1;
}

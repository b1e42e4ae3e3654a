/* trace_symbols.c: the symbol of a tensor on the slides. See trace.h; lectures/glossary.md has the same as a
 * table. */
#include "examples/common/trace.h"

#include <stdlib.h>
#include <string.h>

enum { OWN, V, B, H, Z, J, LECTURES };

typedef enum {
    OTHER,
    TOKENS,     /* E[ids]                       */
    POSITIONED, /* tokens with their positions  */
    NORM,       /* the result of a LayerNorm    */
    QKV,        /* all three, side by side      */
    KV,         /* of cross-attention           */
    QUERY,
    KEY,
    VALUE,
    PRODUCT,  /* Q K^T                        */
    SCORES,   /* over sqrt(d)                 */
    WEIGHTS,  /* softmax of the scores        */
    HEADS,    /* A V                          */
    MIXED,    /* after the output projection  */
    ATTENDED, /* x + attention(x)             */
    UP,       /* the feed-forward's hidden layer */
    ACTIVE,
    DOWN,
    LAYER, /* x + ff(x): a block's result */
    LOGITS,
    PROBABILITY, /* softmax of the logits        */
    LOSS,
    ALIGNMENT, /* additive attention: e        */
    GAMMA,
    CONTEXT,
    ROLES
} Role;

/* A hat on a slide is written as ^ after the letter; ' means "after a LayerNorm" (Z, "Transformer layer"). */
static const char *const symbols[ROLES][LECTURES] = {
    [TOKENS] = {"x", "x", "embd(x)", "X", "X", "X"},
    [POSITIONED] = {"x", "x^(0)", "x", "X", "X~", "X"},
    [NORM] = {"x'", "LN(x)", "LN(x)", "X'", "X'", "X'"},
    [QKV] = {"Q K V", "Q K V", "q k v", "Q K V", "Q K V", "Q K V"},
    [KV] = {"K V", "K V", "k v", "K V", "K V", "K V"},
    [QUERY] = {"Q", "Q", "q", "Q", "Q", "Q"},
    [KEY] = {"K", "K", "k", "K", "K", "K"},
    [VALUE] = {"V", "V", "v", "V", "V", "V"},
    [PRODUCT] = {"Q K^T", "Q K^T", "<q; k>", "Q K^T", "Q K^T", "Q K^T"},
    [SCORES] = {"scores", "Q K^T/sqrt(d_k)", "xi", "Q K^T/sqrt(d_k)", "Q K^T/sqrt(D_k)", "E"},
    [WEIGHTS] = {"A", "alpha", "alpha", "w", "a", "A"},
    [HEADS] = {"heads", "SA", "c^h", "Z_h", "H_h", "head_i"},
    [MIXED] = {"attn", "MSA", "c", "Z", "Y", "X_att"},
    [ATTENDED] = {"x + attn", "x^", "x + c", "X + Z", "Z", "X + X_att"},
    [UP] = {"h", "h", "h", "h", "h", "h"},
    [DOWN] = {"ff", "FFN", "MLP", "FFN", "MLP", "FFN"},
    [LAYER] = {"x + ff", "x^(l)", "c", "X", "X~", "x_(l+1)"},
    [LOGITS] = {"logits", "logits", "logits", "logits", "a", "logits"},
    [PROBABILITY] = {"p", "P_theta", "p_(t+1)", "p", "p", "p"},
    [LOSS] = {"loss", "L", "-log p", "L", "E(w)", "L"},
    [ALIGNMENT] = {"scores", "e", "e", "e", "e", "e"},
    [GAMMA] = {"A", "gamma", "gamma", "gamma", "gamma", "gamma"},
    [CONTEXT] = {"context", "c", "c", "c", "c", "c"},
};

/* Weights by the end of their path. */
static const struct {
    const char *end, *symbol[LECTURES];
} weights[] = {
    {"in_proj_weight", {"W_qkv", "W^Q,K,V", "W_q,k,v", "W^Q,K,V", "W^(q,k,v)", "W_Q,K,V"}},
    {"in_proj_bias", {"b_qkv", "b_qkv", "b_qkv", "b_qkv", "b_qkv", "b_qkv"}},
    {"out_proj.weight", {"W_o", "W_O", "W_o", "W^o", "W^(o)", "W^O"}},
    {"out_proj.bias", {"b_o", "b_O", "b_o", "b^o", "b^(o)", "b^O"}},
    {"up.weight", {"W_1", "W_1", "W_1", "W_1", "W_1", "W^1"}},
    {"up.bias", {"b_1", "b_1", "b_1", "b_1", "b_1", "b^1"}},
    {"down.weight", {"W_2", "W_2", "W_2", "W_2", "W_2", "W^2"}},
    {"down.bias", {"b_2", "b_2", "b_2", "b_2", "b_2", "b^2"}},
    {"sinusoids", {"P", "P", "embd(t)", "PE", "r", "PE"}},
    {"position.weight", {"P", "P", "embd(t)", "PE", "r", "PE"}},
};
enum { WEIGHT_ROWS = sizeof weights / sizeof *weights };

/* Letters of axes: b batch, t tokens, s keys, c channels, h heads, d of a head, f hidden, v vocabulary. */
static const char *const axes[ROLES] = {
    [TOKENS] = "btc",   [POSITIONED] = "btc", [NORM] = "btc",     [QUERY] = "bhtd",
    [KEY] = "bhsd",     [VALUE] = "bhsd",     [PRODUCT] = "bhts", [SCORES] = "bhts",
    [WEIGHTS] = "bhts", [HEADS] = "bhtd",     [MIXED] = "btc",    [ATTENDED] = "btc",
    [DOWN] = "btc",     [LAYER] = "btc",      [GAMMA] = "bts",    [ALIGNMENT] = "bts",
};
static const struct {
    char axis;
    const char *letter[LECTURES];
} letters[] = {
    {'b', {"B", "B", "B", "B", "B", "B"}}, {'t', {"T", "T", "T", "n", "N", "L"}},
    {'s', {"S", "T", "T", "m", "N", "L"}}, {'c', {"C", "d", "E", "d", "D", "C"}},
    {'h', {"H", "h", "H", "h", "H", "h"}}, {'d', {"d", "d_k", "S", "d_k", "D_k", "D"}},
};

int trace_lecture(const char *name)
{
    static const char *const names[LECTURES] = {"", "V", "B", "H", "Z", "J"};
    for (int i = 0; i < LECTURES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* ---- the role of a tensor -------------------------------------------------------------------------------- */

static const Tensor *root(const Tensor *t)
{
    return t->base ? t->base : t;
}

static bool is_op(const Node *n, const char *name)
{
    return n && strcmp(n->op->name, name) == 0;
}

/* Does the path of operand i end with this word? */
static bool uses(const Node *n, int i, const char *end)
{
    if (!n || i >= n->inputs || !n->in[i])
        return false;
    const char *name = root(n->in[i])->name;
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0 &&
           (length == tail || name[length - tail - 1] == '.');
}

/* The op that computed t, looking through views, copies and dropout. */
static const Node *origin(const Tensor *t)
{
    const Node *n = root(t)->node;
    while (n && (is_op(n, "copy") || is_op(n, "dropout")))
        n = root(n->in[0])->node;
    return n;
}

static Role role_of(const Tensor *t);

/* Which of Q, K, V is this view of their common projection? Cross-attention projects with a part of the weight. */
static Role part_of(const Tensor *t)
{
    const Tensor *w = root(t)->node->in[1];
    int64_t channels = shape_last(w->shape), last = shape_last(root(t)->shape);
    if (t->shape.rank < 4)
        return last == channels ? QUERY : last == 2 * channels ? KV : QKV;
    int64_t part = w->offset / (channels * channels) + t->offset % last / channels;
    return part == 0 ? QUERY : part == 1 ? KEY : VALUE;
}

static Role linear_role(const Node *n)
{
    return uses(n, 1, "in_proj_weight")    ? QKV
           : uses(n, 1, "out_proj.weight") ? MIXED
           : uses(n, 1, "up.weight")       ? UP
           : uses(n, 1, "down.weight")     ? DOWN
           : uses(n, 1, "head.weight")     ? LOGITS
           : uses(n, 1, "score.weight")    ? ALIGNMENT
                                           : OTHER;
}

static Role sum_role(const Node *n)
{
    const Node *branch = origin(n->in[1]);
    if (uses(n, 1, "sinusoids") || uses(n, 1, "position.weight") ||
        (is_op(branch, "embedding") &&
         (uses(branch, 0, "sinusoids") || uses(branch, 0, "position.weight"))))
        return POSITIONED;
    if (!is_op(branch, "linear"))
        return OTHER;
    Role role = linear_role(branch);
    return role == MIXED ? ATTENDED : role == DOWN ? LAYER : OTHER;
}

static Role product_role(const Node *n)
{
    Role left = role_of(n->in[0]);
    return left == QUERY ? PRODUCT : left == WEIGHTS ? HEADS : left == GAMMA ? CONTEXT : OTHER;
}

static Role softmax_role(const Node *n)
{
    Role of = role_of(n->in[0]);
    return of == SCORES ? WEIGHTS : of == ALIGNMENT ? GAMMA : PROBABILITY;
}

static Role node_role(const Node *n)
{
    static const char *const losses[] = {"cross_entropy", "mse", "bce_with_logits", "gaussian_kl"};
    for (int i = 0; i < 4; i++)
        if (is_op(n, losses[i]))
            return LOSS;
    if (is_op(n, "embedding"))
        return root(n->in[0])->tape ? OTHER : TOKENS;
    if (is_op(n, "gelu") || is_op(n, "gelu_tanh") || is_op(n, "relu") || is_op(n, "tanh"))
        return role_of(n->in[0]) == UP ? ACTIVE : OTHER;
    return is_op(n, "linear")                                  ? linear_role(n)
           : is_op(n, "add")                                   ? sum_role(n)
           : is_op(n, "layernorm")                             ? NORM
           : is_op(n, "matmul")                                ? product_role(n)
           : is_op(n, "scale") && role_of(n->in[0]) == PRODUCT ? SCORES
           : is_op(n, "masked_softmax") || is_op(n, "softmax") ? softmax_role(n)
           : is_op(n, "attention")                             ? HEADS
                                                               : OTHER;
}

/* From the name that a program gave it, such as "Q" or "scores". */
static Role named_role(const char *name)
{
    static const struct {
        const char *name;
        Role role;
    } known[] = {{"Q", QUERY},       {"K", KEY},     {"V", VALUE},
                 {"scores", SCORES}, {"A", WEIGHTS}, {"Y", HEADS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].role;
    return OTHER;
}

static Role role_of(const Tensor *t)
{
    const Node *n = origin(t);
    Role role = named_role(root(t)->name);
    if (role != OTHER)
        return role;
    role = n ? node_role(n) : OTHER;
    return role == QKV && root(t)->node == n ? part_of(t) : role;
}

/* ---- text ------------------------------------------------------------------------------------------------- */

/* The end of the path of a weight that the table lacks, such as "head.weight". Every LayerNorm has gamma and beta. */
static const char *weight_symbol(const char *name, int lecture)
{
    size_t length = strlen(name);
    for (int i = 0; i < WEIGHT_ROWS; i++) {
        size_t tail = strlen(weights[i].end);
        if (length >= tail && strcmp(name + length - tail, weights[i].end) == 0)
            return weights[i].symbol[lecture];
    }
    if (strstr(name, "norm"))
        return strstr(name, ".bias") ? "beta" : "gamma";
    if (strstr(name, "embedding"))
        return "E";
    const char *at = name + length;
    for (int dots = 0; at > name && dots < 2; at -= dots < 2)
        dots += at[-1] == '.';
    return at;
}

/* The index of a node on its tape. */
static int number_of(const Node *n)
{
    const Tape *tape = n->out->tape;
    int i = 0;
    while (i < tape->nodes && tape->node[i] != n)
        i++;
    return i;
}

const char *trace_symbol(const Tensor *t, int lecture, char *text)
{
    const Tensor *r = root(t);
    Role role = role_of(t);
    if (!r->tape || (!r->node && *r->name))
        snprintf(text, TRACE_SYMBOL, "%s", weight_symbol(r->name, lecture));
    else if (role == ACTIVE)
        snprintf(text, TRACE_SYMBOL, "%s(%s)", origin(t)->op->name, symbols[UP][lecture]);
    else if (role != OTHER)
        snprintf(text, TRACE_SYMBOL, "%s", symbols[role][lecture]);
    else if (*r->name)
        snprintf(text, TRACE_SYMBOL, "%.*s", TRACE_SYMBOL - 1, r->name);
    else if (r->node)
        snprintf(text, TRACE_SYMBOL, "#%d", number_of(r->node));
    else
        snprintf(text, TRACE_SYMBOL, "%s", r->ids ? "ids" : "input");
    return text;
}

/* V and B have tokens in columns: W x; the others in rows: X W. The library's weights are (out, in). */
static const char *linear_equation(const char *x, const char *w, const char *b, int lecture,
                                   char *text)
{
    bool columns = lecture == V || lecture == B;
    snprintf(text, TRACE_TEXT, "%s %s%s%s%s", columns ? w : x, columns ? x : w,
             lecture == OWN ? "^T" : "", *b ? " + " : "", b);
    return text;
}

const char *trace_equation(const Node *n, int lecture, char *text)
{
    char a[3][TRACE_SYMBOL] = {"", "", ""};
    for (int i = 0; i < n->inputs && i < 3; i++)
        if (n->in[i])
            trace_symbol(n->in[i], lecture, a[i]);
    if (is_op(n, "linear"))
        return linear_equation(a[0], a[1], a[2], lecture, text);
    if (is_op(n, "add"))
        snprintf(text, TRACE_TEXT, "%s + %s", a[0], a[1]);
    else if (is_op(n, "embedding") && !n->in[0]->tape)
        snprintf(text, TRACE_TEXT, lecture == V || lecture == Z ? "E x (one-hot)" : "E[ids]");
    else if (is_op(n, "scale") && node_role(n) == SCORES)
        snprintf(text, TRACE_TEXT, "%s / sqrt(%s)", a[0], letters[5].letter[lecture]);
    else if (is_op(n, "matmul"))
        snprintf(text, TRACE_TEXT, "%s %s%s", a[0], a[1], node_role(n) == PRODUCT ? "^T" : "");
    else if (is_op(n, "layernorm"))
        snprintf(text, TRACE_TEXT, "LN(%s)", a[0]);
    else if (is_op(n, "masked_softmax"))
        snprintf(text, TRACE_TEXT, "softmax(%s)", a[0]);
    else
        snprintf(text, TRACE_TEXT, "%s(%s%s%s%s%s)", n->op->name, a[0], *a[1] ? ", " : "", a[1],
                 *a[2] ? ", " : "", a[2]);
    return text;
}

static const char *letter_of(char axis, int lecture)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].axis == axis)
            return letters[i].letter[lecture];
    return "";
}

const char *trace_shape(const Tensor *t, int lecture, char *text)
{
    const Node *n = root(t)->node;
    Role role = role_of(t);
    const char *names = axes[role];
    size_t used = 1;
    /* In other views, and in copies of them, the axes have another order. */
    bool seen = !t->base || role == QUERY || role == KEY || role == VALUE;
    bool named = names && (int)strlen(names) == t->shape.rank && seen && !is_op(n, "copy") &&
                 !is_op(n, "attention");
    snprintf(text, TRACE_TEXT, "(");
    for (int i = 0; i < t->shape.rank && used < TRACE_TEXT; i++)
        used += (size_t)snprintf(text + used, TRACE_TEXT - used, "%s%s%s%lld", i ? ", " : "",
                                 named ? letter_of(names[i], lecture) : "", named ? " " : "",
                                 (long long)t->shape.dim[i]);
    if (used + 1 < TRACE_TEXT)
        snprintf(text + used, TRACE_TEXT - used, ")");
    return text;
}

const char *trace_scope(const Node *n, char *text)
{
    *text = 0;
    for (int i = 0; i < n->inputs && !*text; i++)
        if (n->in[i] && !root(n->in[i])->tape)
            snprintf(text, TRACE_TEXT, "%s", root(n->in[i])->name);
    char *dot = strrchr(text, '.');
    if (dot || strcmp(text, "sinusoids") == 0) /* the table of sinusoids belongs to no module */
        *(dot ? dot : text) = 0;
    return text;
}

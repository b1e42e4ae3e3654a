/* trace_symbols.c: the symbol of a tensor on the slides, by its name (nn.h, "names of
 * activations"). See trace.h; lectures/glossary.md has the same as a table. */
#include "plot/tape/trace.h"

#include <string.h>

enum { OWN, V, B, H, Z, J, LECTURES };

/* keys: how the names begin to differ from their end, such as "attn.A" by "A"; one that begins with
 * a dot is not the whole name. A tensor without a name goes by its op's. axes: a letter for each,
 * see `letters`. A lecture without a symbol has that of the lecture to its left. A hat on a slide
 * is written as ^ after the letter; ' means "after a LayerNorm" (Z, "Transformer layer"). */
typedef struct {
    const char *keys, *axes, *symbol[LECTURES];
} Row;

static const Row rows[] = {
    {"embedding", "btc", {"x", "x", "embd(x)", "X"}},
    {"position", "btc", {"x", "x^(0)", "x", "X", "X~", "X"}},
    {"layernorm norm norm1 norm2 norm3", "btc", {"x'", "LN(x)", "LN(x)", "X'"}},
    {"qkv", "", {"Q K V", "Q K V", "q k v", "Q K V"}},
    {"kv", "", {"K V", "K V", "k v", "K V"}},
    {"q q_proj Q", "bhtd", {"Q", "Q", "q", "Q"}},
    {"k K", "bhsd", {"K", "K", "k", "K"}},
    {"v V", "bhsd", {"V", "V", "v", "V"}},
    {"products", "bhts", {"Q K^T", "Q K^T", "<q; k>", "Q K^T"}},
    {"scores",
     "bhts",
     {"scores", "Q K^T/sqrt(d_k)", "xi", "Q K^T/sqrt(d_k)", "Q K^T/sqrt(D_k)", "E"}},
    {"A", "bhts", {"A", "alpha", "alpha", "w", "a", "A"}},
    {"heads attention Y", "bhtd", {"heads", "SA", "c^h", "Z_h", "H_h", "head_i"}},
    {".scores score", "bts", {"scores", "e"}}, /* of additive attention */
    {".A", "bts", {"A", "gamma"}},
    {".context", "", {"context", "c"}},
    {"out_proj", "btc", {"attn", "MSA", "c", "Z", "Y", "X_att"}},
    {".mid .mid2 mid_sum mid2_sum", "btc", {"x + attn", "x^", "x + c", "X + Z", "Z", "X + X_att"}},
    {"up .hidden", "", {"h"}},
    {"down", "btc", {"ff", "FFN", "MLP", "FFN", "MLP", "FFN"}},
    {".out out_sum", "btc", {"x + ff", "x^(l)", "c", "X", "X~", "x_(l+1)"}},
    {"head logits", "", {"logits", "logits", "logits", "logits", "a", "logits"}},
    {"softmax masked_softmax", "", {"p", "P_theta", "p_(t+1)", "p"}},
    {"cross_entropy mse bce_with_logits gaussian_kl",
     "",
     {"loss", "L", "-log p", "L", "E(w)", "L"}},
    {"in_proj_weight", "", {"W_qkv", "W^Q,K,V", "W_q,k,v", "W^Q,K,V", "W^(q,k,v)", "W_Q,K,V"}},
    {"in_proj_bias", "", {"b_qkv"}},
    {"out_proj.weight", "", {"W_o", "W_O", "W_o", "W^o", "W^(o)", "W^O"}},
    {"out_proj.bias", "", {"b_o", "b_O", "b_o", "b^o", "b^(o)", "b^O"}},
    {"up.weight", "", {"W_1", "W_1", "W_1", "W_1", "W_1", "W^1"}},
    {"up.bias", "", {"b_1", "b_1", "b_1", "b_1", "b_1", "b^1"}},
    {"down.weight", "", {"W_2", "W_2", "W_2", "W_2", "W_2", "W^2"}},
    {"down.bias", "", {"b_2", "b_2", "b_2", "b_2", "b_2", "b^2"}},
    {"sinusoids position.weight", "", {"P", "P", "embd(t)", "PE", "r", "PE"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Batch, tokens, keys, channels, heads, channels of a head. */
static const struct {
    char axis;
    const char *letter[LECTURES];
} letters[] = {
    {'b', {"B"}},
    {'t', {"T", "T", "T", "n", "N", "L"}},
    {'s', {"S", "T", "T", "m", "N", "L"}},
    {'c', {"C", "d", "E", "d", "D", "C"}},
    {'h', {"H", "h", "H", "h", "H", "h"}},
    {'d', {"d", "d_k", "S", "d_k", "D_k", "D"}},
};

int trace_lecture(const char *name)
{
    static const char *const names[LECTURES] = {"", "V", "B", "H", "Z", "J"};
    for (int i = 0; i < LECTURES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static const char *in_lecture(const char *const *texts, int lecture)
{
    while (!texts[lecture])
        lecture--;
    return texts[lecture];
}

static const char *letter_of(char axis, int lecture)
{
    int i = 0;
    while (letters[i].axis != axis)
        i++;
    return in_lecture(letters[i].letter, lecture);
}

/* ---- the row of a tensor --------------------------------------------------------------------- */

static const Tensor *root(const Tensor *t)
{
    return t->base ? t->base : t;
}

static bool is_op(const Node *n, const char *name)
{
    return n && strcmp(n->op->name, name) == 0;
}

/* The tensor with a name that shows the same numbers as the view t, perhaps with other axes: k for
 * its transpose. */
static const Tensor *named_view(const Tensor *t)
{
    for (int i = 0; t->base && t->tape && i < t->tape->names; i++) {
        const Tensor *v = t->tape->named[i];
        if (v->base == t->base && v->offset == t->offset && tensor_size(v) == tensor_size(t))
            return v;
    }
    return NULL;
}

/* The tensor whose name t goes by: itself, or what it is a view, a copy or the dropout of. */
static const Tensor *source_of(const Tensor *t)
{
    while (!*t->name) {
        const Tensor *named = named_view(t);
        const Node *n = root(t)->node;
        if (named || *root(t)->name || !(is_op(n, "copy") || is_op(n, "dropout")))
            return named ? named : root(t);
        t = n->in[0];
    }
    return t;
}

/* Is one of the keys, which blanks separate, the end of the name? "#2" after the name does not
 * count. */
static bool ends_with(const char *name, const char *keys)
{
    size_t length = strcspn(name, "#");
    for (size_t n; *keys; keys += n + (keys[n] == ' ')) {
        n = strcspn(keys, " ");
        if (length < n || strncmp(name + length - n, keys, n) != 0)
            continue;
        if (length == n ? *keys != '.' : *keys == '.' || name[length - n - 1] == '.')
            return true;
    }
    return false;
}

/* Of the rows with the name of s, a result of source_of, that with as many axes, or else the first.
 * A LayerNorm and an embedding are one under any name. */
static const Row *row_of(const Tensor *s)
{
    const Node *n = s->base ? NULL : s->node;
    bool by_op = n && (!*s->name || is_op(n, "layernorm") || is_op(n, "embedding"));
    const char *name = by_op ? n->op->name : s->name;
    const Row *first = NULL;
    for (const Row *r = rows; r < rows + ROWS; r++) {
        if (!ends_with(name, r->keys))
            continue;
        if ((int)strlen(r->axes) == s->shape.rank)
            return r;
        first = first ? first : r;
    }
    return first;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The last two parts of a name that no row has, such as "head.weight". Every LayerNorm has gamma
 * and beta. */
static const char *short_name(const Tensor *t)
{
    if (!t->tape && strstr(t->name, "norm"))
        return strstr(t->name, ".bias") ? "beta" : "gamma";
    if (!t->tape && strstr(t->name, "embedding"))
        return "E";
    const char *at = t->name + strlen(t->name);
    for (int dots = 0; at > t->name && dots < 2; at -= dots < 2)
        dots += at[-1] == '.';
    return at;
}

int trace_number(const Node *n)
{
    const Tape *tape = n->out->tape;
    int i = 0;
    while (i < tape->nodes && tape->node[i] != n)
        i++;
    return i;
}

const char *trace_symbol(const Tensor *t, int lecture, char *text)
{
    const Tensor *s = source_of(t);
    const Row *row = row_of(s);
    if (row && s->node && s->node->inputs == 1 && ends_with(s->name, ".hidden"))
        snprintf(text, TRACE_SYMBOL, "%s(%s)", s->node->op->name, in_lecture(row->symbol, lecture));
    else if (row)
        snprintf(text, TRACE_SYMBOL, "%s", in_lecture(row->symbol, lecture));
    else if (*s->name)
        snprintf(text, TRACE_SYMBOL, "%.*s", TRACE_SYMBOL - 1, short_name(s));
    else if (root(t)->node)
        snprintf(text, TRACE_SYMBOL, "#%d", trace_number(root(t)->node));
    else
        snprintf(text, TRACE_SYMBOL, "%s", root(t)->ids ? "ids" : "input");
    return text;
}

/* V and B have tokens in columns: W x; the others in rows: X W. The library's weights are (out,
 * in). */
static const char *linear_equation(const char *x, const char *w, const char *b, int lecture,
                                   char *text)
{
    bool columns = lecture == V || lecture == B;
    snprintf(text, TRACE_TEXT, "%s %s%s%s%s", columns ? w : x, columns ? x : w,
             lecture == OWN ? "^T" : "", *b ? " + " : "", b);
    return text;
}

/* Does this operand, a view without a name, have the last two axes of what it shows the other way
 * round? */
static bool is_transposed(const Tensor *x)
{
    int last = x->shape.rank - 1;
    return x->base && !*x->name && last > 0 && x->stride[last] > x->stride[last - 1];
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
    else if (is_op(n, "mul"))
        snprintf(text, TRACE_TEXT, "%s\xc2\xb7%s", a[0], a[1]);
    else if (is_op(n, "embedding") && !n->in[0]->tape)
        snprintf(text, TRACE_TEXT, lecture == V || lecture == Z ? "E x (one-hot)" : "E[ids]");
    else if (is_op(n, "scale") && ends_with(n->out->name, "scores"))
        snprintf(text, TRACE_TEXT, "%s / sqrt(%s)", a[0], letter_of('d', lecture));
    else if (is_op(n, "matmul"))
        snprintf(text, TRACE_TEXT, "%s %s%s", a[0], a[1], is_transposed(n->in[1]) ? "^T" : "");
    else if (is_op(n, "layernorm") || is_op(n, "masked_softmax"))
        snprintf(text, TRACE_TEXT, "%s(%s)", is_op(n, "layernorm") ? "LN" : "softmax", a[0]);
    else
        snprintf(text, TRACE_TEXT, "%s(%s%s%s%s%s)", n->op->name, a[0], *a[1] ? ", " : "", a[1],
                 *a[2] ? ", " : "", a[2]);
    return text;
}

/* In other views, and in copies, the axes have another order than in what they go by. */
const char *trace_shape(const Tensor *t, int lecture, char *text)
{
    const Tensor *s = source_of(t);
    const Row *row = row_of(s);
    bool same = s == t || (!t->base && is_op(t->node, "dropout"));
    const char *axes = row && same && (int)strlen(row->axes) == t->shape.rank ? row->axes : NULL;
    size_t used = 1;
    snprintf(text, TRACE_TEXT, "(");
    for (int i = 0; i < t->shape.rank && used < TRACE_TEXT; i++)
        used += (size_t)snprintf(text + used, TRACE_TEXT - used, "%s%s%s%lld", i ? ", " : "",
                                 axes ? letter_of(axes[i], lecture) : "", axes ? " " : "",
                                 (long long)t->shape.dim[i]);
    if (used + 1 < TRACE_TEXT)
        snprintf(text + used, TRACE_TEXT - used, ")");
    return text;
}

/* loss.c: the loss L of dL/dA, which the page of --html shows and --gradients draws.
 *
 *   GPT-2, Llama             the mean cross-entropy of the text's own next tokens
 *   a classifier             -log p of the likeliest label, of a text or a picture
 *   ... of one label, or of labels that do not exclude each other    minus the (largest) logit
 *   a masked language model  -log p of the likeliest word at [MASK], the mean of several; needs a [MASK] in the text
 *   otherwise                minus the cosine similarity of two texts; a single text has no loss
 *
 * Where the answer is the model's own, a negative A dL/dA belongs to a weight that made this answer
 * likelier (to first order). */
#include "examples/pretrained/pretrained.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IGNORE = -100 };

void loss_print(const Loss *loss, const char *input)
{
    if (loss->L)
        printf("\n%s\n  L of dL/dA is %s\n", input, loss->text);
    else
        printf("\n%s\n  no loss, and so no dL/dA: see examples/pretrained/README.md\n", input);
}

static int masks_in(const Tokeniser *t, const Encoded *e)
{
    int mask = mask_of(t), count = 0;
    for (int i = 0; i < e->tokens.count; i++)
        count += e->ids[i] == mask;
    return count;
}

bool loss_is_own(const Pretrained *m, const Tokeniser *t, const Encoded *e)
{
    if (m->config.kind == PRETRAINED_DECODER)
        return e->tokens.count > 1;
    return m->classifier.weight || (m->output.weight && masks_in(t, e) > 0);
}

/* Sets L, and after what it is its value. */
static bool set(Loss *loss, Tensor *L)
{
    size_t used = strlen(loss->text);
    if (tensor_is_poison(L))
        return false;
    snprintf(loss->text + used, sizeof loss->text - used, ": %.4g", (double)tensor_item(L));
    loss->L = L;
    return true;
}

/* x (1, T, C): the last token has no next one. */
static bool next_tokens(Loss *loss, const Pretrained *m, const Encoded *e, Tensor *x)
{
    int64_t T = e->tokens.count;
    snprintf(loss->text, sizeof loss->text, "the mean cross-entropy of the text's own next tokens");
    Tensor *logits = nn_pretrained_logits(m, ag_slice(x, 1, 0, T - 1));
    return set(loss, ag_cross_entropy(logits, tape_ids(x->tape, e->ids + 1, shape2(1, T - 1))));
}

/* The targets are the model's own words at the masks. The text lists as many of them as it can
 * hold. */
static bool masked_words(Loss *loss, const Pretrained *m, const Tokeniser *t, const Encoded *e,
                         Tensor *x)
{
    int T = e->tokens.count, mask = mask_of(t), masks = masks_in(t, e);
    Tensor *logits = nn_pretrained_logits(m, x);
    int32_t *targets = example_alloc((size_t)T * sizeof *targets);
    size_t used = (size_t)snprintf(loss->text, sizeof loss->text, "%s",
                                   masks > 1 ? "the mean of -log p of the likeliest words at "
                                             : "-log p of the likeliest word at ");
    used +=
        (size_t)snprintf(loss->text + used, sizeof loss->text - used, "%s", data_token(t, mask));
    for (int i = 0; targets && !tensor_is_poison(logits) && i < T; i++) {
        targets[i] = IGNORE;
        if (e->ids[i] != mask)
            continue;
        targets[i] = nn_greedy(logits->data + i * m->config.words, m->config.words);
        const char *word = data_token(t, targets[i]);
        if (used + strlen(word) + 24 < sizeof loss->text)
            used += (size_t)snprintf(loss->text + used, sizeof loss->text - used, ", \"%s\"", word);
    }
    bool ok = targets &&
              set(loss, ag_cross_entropy_ignore(logits, tape_ids(x->tape, targets, shape2(1, T)),
                                                IGNORE));
    free(targets);
    return ok;
}

bool loss_of_label(Loss *loss, const Pretrained *m, Tensor *x)
{
    Tensor *logits = nn_pretrained_classify(m, x);
    if (tensor_is_poison(logits))
        return false;
    int best = nn_greedy(logits->data, m->config.labels);
    if (m->config.labels == 1 || m->config.several) {
        snprintf(loss->text, sizeof loss->text - 24, "minus the logit of %s%s",
                 m->config.several ? "the likeliest label, " : "the only label, ",
                 m->label ? m->label[best] : "which has no name");
        return set(loss, ag_neg(ag_sum(ag_slice(logits, 1, best, best + 1))));
    }
    snprintf(loss->text, sizeof loss->text - 24, "-log p of the likeliest label, %s",
             m->label ? m->label[best] : "which has no name");
    return set(loss, ag_cross_entropy(logits, tape_ids(x->tape, &best, shape1(1))));
}

bool loss_of_text(Loss *loss, const Pretrained *m, const Tokeniser *t, const Encoded *e, Tensor *x)
{
    *loss = (Loss){0};
    if (tensor_is_poison(x) || !loss_is_own(m, t, e))
        return !tensor_is_poison(x);
    return m->config.kind == PRETRAINED_DECODER ? next_tokens(loss, m, e, x)
           : m->classifier.weight               ? loss_of_label(loss, m, x)
                                                : masked_words(loss, m, t, e, x);
}

Tensor *unit_vectors(Tensor *x)
{
    return ag_div(x, ag_sqrt(ag_sum_axis(ag_mul(x, x), 1, true)));
}

/* -cos of the angle of the vectors that embeddings.c compares. */
bool loss_of_pair(Loss *loss, const PretrainedPooling *p, Tensor *x, Tensor *y)
{
    *loss = (Loss){.text = "minus the cosine similarity of both texts"};
    Tensor *a = unit_vectors(nn_pretrained_embed(p, x, NULL)),
           *b = unit_vectors(nn_pretrained_embed(p, y, NULL)); /* (1, C) */
    return set(loss, ag_neg(ag_sum(ag_mul(a, b))));
}

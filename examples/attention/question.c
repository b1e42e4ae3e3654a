/* question.c: see question.h. */
#include "examples/attention/question.h"

#include "autograd/inspect.h"

#include <string.h>

bool question_read(Question *q, const Grammar *g, const char *text)
{
    if (!data_grammar_parse(g, text, &q->sentence))
        return false;
    for (int i = 0; i < q->sentence.length; i++)
        q->words[i] = data_vocab_word(data_grammar_words(g), q->sentence.ids[i]);
    return true;
}

void question_say(Question *q, const Grammar *g)
{
    const Sentence *s = &q->sentence;
    const char *asked = q->words[s->query];
    const char *meaning = data_vocab_word(data_grammar_labels(g), q->answer);
    bool sense = strncmp(meaning, "bank: ", 6) == 0; /* "of a river", "for money" */
    snprintf(q->says, sizeof q->says, "\"%s\" is %s%s", asked, sense ? "" : "the ",
             sense ? meaning + 6 : meaning);
    snprintf(q->title, sizeof q->title, "%s%s\xe2\x80\x9c%s\xe2\x80\x9d%s",
             s->cues > 0 ? q->words[s->cue[s->cues - 1]] : "", s->cues > 0 ? ": " : "", asked,
             q->says + strlen(asked) + 2);
}

bool question_ask(Question *q, const Model *m, const Grammar *g)
{
    const Sentence *s = &q->sentence;
    Tape *tape = tape_new(0);
    bool ok = tape != NULL;
    if (ok) {
        tape->no_grad = true;
        Tensor *ids = tape_ids(tape, s->ids, shape2(1, s->length));
        Tensor *p = ag_softmax(model_answer(m, ids, NULL, tape_ids(tape, &s->query, shape1(1))));
        ok = !tensor_is_poison(p);
        q->answer = ok ? nn_greedy(p->data, tensor_size(p)) : 0;
        q->probability = ok ? (double)p->data[q->answer] : 0;
    }
    tape_free(tape);
    if (ok)
        question_say(q, g);
    return ok;
}

int question_target(const Question *q)
{
    const Sentence *s = &q->sentence;
    return s->referent >= 0 ? s->referent : s->cues > 0 ? s->cue[0] : -1;
}

/* The loss of one sentence, -log p of its answer; its logits become *logits. */
static Tensor *loss_of(const Model *m, Tape *tape, const Sentence *s, Tensor **logits)
{
    Tensor *ids = tape_ids(tape, s->ids, shape2(1, s->length));
    *logits = model_answer(m, ids, NULL, tape_ids(tape, &s->query, shape1(1)));
    if (tensor_is_poison(*logits))
        return *logits;
    int label = s->label >= 0 ? s->label : nn_greedy((*logits)->data, shape_last((*logits)->shape));
    return ag_cross_entropy(*logits, tape_ids(tape, &label, shape1(1)));
}

bool questions_run(const Model *m, Tape *tape, const Question *q, int count, bool gradients)
{
    Tensor *total = NULL, *logits;
    tape_reset(tape);
    tape->keep_maps = true;
    for (int k = 0; k < count; k++) {
        Tensor *loss = loss_of(m, tape, &q[k].sentence, &logits);
        if (tensor_is_poison(loss))
            return false;
        total = total ? ag_add(total, loss) : loss;
    }
    return !gradients || ag_backward(total);
}

static bool cut_one(const Model *m, Tape *tape, const Cut *c, int length)
{
    char name[TENSOR_NAME_MAX];
    bool arc = c->query >= 0;
    Edit edit = {.kind = EDIT_ZERO, .part = {[1] = {c->head, c->head + 1}}};
    if (c->layer < 0 || c->layer >= m->config.layers || c->head < 0 || c->head >= m->config.heads ||
        (arc && (c->query >= length || c->key < 0 || c->key >= length)))
        return tensor_fail("cut: layer %d, head %d, from word %d to word %d; expected what the "
                           "model and the sentence have",
                           c->layer + 1, c->head + 1, c->query, c->key);
    if (arc) {
        edit.part[2].begin = c->query, edit.part[2].end = c->query + 1;
        edit.part[3].begin = c->key, edit.part[3].end = c->key + 1;
    }
    snprintf(name, sizeof name, "blocks.%d.attn.%s", c->layer, arc ? "A" : "heads");
    return tape_edit(tape, name, edit);
}

bool question_run(Question *q, const Model *m, Tape *tape, const Cut *cuts, int count)
{
    Tensor *logits;
    tape_reset(tape);
    tape->keep_maps = true;
    for (int i = 0; i < count; i++)
        if (!cut_one(m, tape, &cuts[i], q->sentence.length))
            return false;
    Tensor *loss = loss_of(m, tape, &q->sentence, &logits), *p = ag_softmax(logits);
    if (tensor_is_poison(loss) || tensor_is_poison(p) || !ag_backward(loss))
        return false;
    q->answer = nn_greedy(p->data, tensor_size(p));
    q->probability = (double)p->data[q->answer];
    return true;
}

bool questions_html(Html *html, const Model *m, Tape *tape, const Question *q, int count)
{
    bool ok = true;
    html->loss = "-log p of the right answer; where none is known, of the likeliest";
    for (int k = 0; ok && k < count; k++) {
        const int target = question_target(&q[k]);
        const HtmlAttention all = {.path = "blocks.%d.attn",
                                   .layers = m->config.layers,
                                   .rows = q[k].words,
                                   .columns = q[k].words};
        html->focus = (PlotPageFocus){0};
        if (target >= 0)
            html->focus.query = q[k].sentence.query + 1, html->focus.key = target + 1;
        ok = html_add(html, tape, k, q[k].title, &all, 1);
    }
    return ok;
}

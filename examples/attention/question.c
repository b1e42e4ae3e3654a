/* question.c: see question.h. */
#include "examples/attention/question.h"

#include <string.h>

bool question_read(Question *q, const Grammar *g, const char *text)
{
    if (!data_grammar_parse(g, text, &q->sentence))
        return false;
    for (int i = 0; i < q->sentence.length; i++)
        q->words[i] = data_vocab_word(data_grammar_words(g), q->sentence.ids[i]);
    return true;
}

bool question_ask(Question *q, const Model *m, const Grammar *g)
{
    const Sentence *s = &q->sentence;
    q->answer = sentences_answer(m, s, &q->probability);
    if (q->answer < 0)
        return false;
    const char *asked = q->words[s->query];
    const char *meaning = data_vocab_word(data_grammar_labels(g), q->answer);
    bool sense = strncmp(meaning, "bank: ", 6) == 0; /* "of a river", "for money" */
    snprintf(q->says, sizeof q->says, "\"%s\" is %s%s", asked, sense ? "" : "the ",
             sense ? meaning + 6 : meaning);
    snprintf(q->title, sizeof q->title, "%s%s\xe2\x80\x9c%s\xe2\x80\x9d%s",
             s->cues > 0 ? q->words[s->cue[s->cues - 1]] : "", s->cues > 0 ? ": " : "", asked,
             q->says + strlen(asked) + 2);
    return true;
}

Drawing question_drawing(const Question *q)
{
    const Sentence *s = &q->sentence;
    return (Drawing){.length = s->length,
                     .ids = s->ids,
                     .words = q->words,
                     .query = s->query,
                     .target = s->referent >= 0 ? s->referent
                               : s->cues > 0    ? s->cue[0]
                                                : -1,
                     .label = s->label,
                     .title = q->title};
}

static int most_likely(const Tensor *logits, int row)
{
    int64_t n = shape_last(logits->shape);
    return nn_greedy(logits->data + row * n, n);
}

bool drawing_run(const Model *m, Tape *tape, const Drawing *s, int count, bool gradients)
{
    Tensor *total = NULL;
    tape_reset(tape);
    tape->keep_maps = true;
    for (int k = 0; k < count; k++) {
        Tensor *ids = tape_ids(tape, s[k].ids, shape2(1, s[k].length));
        Tensor *logits = model_answer(m, ids, NULL, tape_ids(tape, &s[k].query, shape1(1)));
        if (tensor_is_poison(logits))
            return false;
        int label = s[k].label >= 0 ? s[k].label : most_likely(logits, 0);
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, &label, shape1(1)));
        total = total ? ag_add(total, loss) : loss;
    }
    return !gradients || ag_backward(total);
}

bool drawing_html(Html *html, const Model *m, Tape *tape, const Drawing *sentences, int count)
{
    bool ok = true;
    html->loss = "-log p of the right answer; where none is known, of the likeliest";
    for (int k = 0; ok && k < count; k++) {
        const Drawing *s = &sentences[k];
        const HtmlAttention all = {.path = "blocks.%d.attn",
                                   .layers = m->config.layers,
                                   .rows = s->words,
                                   .columns = s->words};
        ok = html_add(html, tape, k, s->title, &all, 1);
    }
    return ok;
}

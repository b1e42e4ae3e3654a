/* tired.c: your block (homeworks 2, 3, 3b, 4, 4b) with the weights of the attention example says
 * what "it" is; the positions are those of homework 7. */
#include "library.h"
#include "transformer.h"

#include "hw4.h"

#include "lectures/04-attention/reader.h"

/* As in hw7.h, whose other types have names of the library's. */
void sinusoids(float *table, int t, int d, float base);

int main(void)
{
    static float x[ALL], codes[ALL], logits[256];
    const Transformer m = {.channels = 32, .heads = 4, .layers = 2, .window = 4};
    bool ok = true;
    Reader r;
    Sentence s;
    Tape *tape = tape_new(1);
    reader_begin(&r, true, 1);
    library_begin(r.params);
    const Vocab *answers = data_grammar_labels(r.grammar);
    for (int k = 0; k < 2; k++) {
        data_grammar_parse(r.grammar, it_sentences[k], &s);
        embed(x, given("embedding.weight"), s.ids, s.length, m.channels);
        sinusoids(codes, s.length, m.channels, 10000);
        for (int i = 0; i < s.length * m.channels; i++)
            x[i] += codes[i];
        transformer_run(&m, x, s.length);
        transformer_linear(logits, x + s.query * m.channels, given("head.weight"),
                           given("head.bias"), 1, m.channels, answers->count);
        printf("%s\nyour block answers: \"it\" is the %s\n", it_sentences[k],
               data_vocab_word(answers, largest(logits, answers->count)));
        const Tensor *right = model_answer(&r.model, tape_ids(tape, s.ids, shape2(1, s.length)),
                                           NULL, tape_ids(tape, &s.query, shape1(1)));
        ok &= agrees(logits, right->data, answers->count, 1e-3);
    }
    tape_free(tape);
    reader_end(&r);
    return !ok;
}

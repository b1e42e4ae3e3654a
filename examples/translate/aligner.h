/* aligner.h: Align & Translate: recurrent layers with additive attention between them, the model
 * before the Transformer.
 *
 *   z_i = [forward RNN; backward RNN] of source word i
 *   e_ti = v . tanh(W s_(t-1) + U z_i),   gamma_t = softmax over i of e_t,  c_t = sum_i gamma_ti z_i
 *   s_t = RNN([y_(t-1); c_t], s_(t-1)),   s_0 = tanh(W_0 backward_1)
 *   logits_t = E tanh(W_o [s_t; c_t; y_(t-1)])
 *
 * (V "Recall the Translate and Align Model in RNNs", H; Bahdanau, Cho, Bengio 2015. The last line
 * has a tanh where the paper has a maxout; E is the target embedding.) The state at word t of the
 * target depends on that at word t - 1, and likewise in the source. */
#ifndef TRANSLATE_ALIGNER_H
#define TRANSLATE_ALIGNER_H

#include "examples/translate/transformer.h"

typedef struct {
    TranslatorConfig config;
    Embedding from, to;
    RNN forward, backward;
    Linear start;
    AdditiveAttention align;
    RNNCell decoder;
    Linear out, head; /* head is tied to `to` */
} Aligner;

bool aligner_init(Aligner *m, Params *p, TranslatorConfig config);

/* As those of the transformer: see transformer.h. The maps of a step t are "align.A", "align.A#2",
 * ... */
Tensor *aligner_encode(const Aligner *m, Tensor *ids, Tensor *lengths);
Tensor *aligner_decode(const Aligner *m, Tensor *memory, Tensor *lengths, Tensor *ids);

/* The same with caches, for nn_generate and nn_beam. `source` (1 layer, 1 head, hidden channels)
 * contains U z as keys and z as values; `written` contains the state after each token as keys. */
bool aligner_read(const Aligner *m, Tensor *memory, const int *lengths, KVCache *source);
Tensor *aligner_write(const Aligner *m, Tensor *ids, KVCache *written, const KVCache *source);

#endif

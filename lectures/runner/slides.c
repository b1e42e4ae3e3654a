/* slides.c: what each lecture shows, slide by slide. See slides.h. */
#include "lectures/runner/slides.h"

#include <stddef.h>

const Lecture lectures[] = {
    {'V', "René Vidal, Deep Generative Models: Transformers"},
    {'B', "Ali Bereyhi, Deep Generative Models, chapter 1: text generation via language models"},
    {'H', "Junxian He, COMP 5212, lecture 20: Transformers, VAEs"},
    {'Z', "Alejandro Veloz, Transformers"},
    {'J', "Huaizu Jiang, CS7150, Transformer: Part II (Encoder, Decoder)"},
    {0},
};

/* ---- what there is to show ------------------------------------------------------------------- */

const Row rows[] = {
    {58, 0, "a graph by hand: gradients are added, in reverse order", NULL},
    {59, 0, "a rule for each op", NULL},
    {60, 0, "what is kept; finite differences as the check", NULL},
    {1, 1, "a map of generative models", NULL},
    {2, 1, "gradients through time: vanishing and exploding", NULL},
    {3, 1, "LSTM and GRU on a long lag", NULL},
    {4, 1, "align and translate: additive attention in an RNN", "examples/translate"},
    {5, 1, "RNN against Transformer, measured", NULL},
    {6, 2, "one-hot times the embedding matrix is a row of it", NULL},
    {7, 2, "Word2Vec and its analogies", NULL},
    {8, 2, "words, characters, byte pairs", "examples/gpt"},
    {9, 2, "words, patches and amino acids are all tokens", NULL},
    {10, 3, "the same words in another order", "examples/classify"},
    {11, 3, "indices, normalised and binary, as positional encodings", NULL},
    {12, 3, "the sinusoids in four notations", NULL},
    {13, 3, "what is asked of a positional encoding", NULL},
    {14, 3, "pictures of the positional encoding", NULL},
    {15, 3, "added to the embedding; learned", "examples/vit"},
    {16, 4, "permuting tokens permutes the result", "examples/equivariance"},
    {17, 4, "what \"it\" and \"bank\" mean: where a trained model looks", "examples/attention"},
    {18, 4, "weights are a partition of unity", NULL},
    {19, 4, "symmetric scores; separate W_q and W_k", NULL},
    {20, 4, "query, key, value; from soft to hard retrieval", NULL},
    {21, 4, "why sqrt(d)", NULL},
    {22, 4, "scaled dot-product attention: shapes; queries are independent", NULL},
    {23, 4, "many heads: concatenation, W_o, and no loop", NULL},
    {24, 4, "one head averages, several do not", NULL},
    {25, 4, "what each head does", "examples/attention"},
    {26, 4, "masks: causal, padding, none", NULL},
    {27, 4, "cross-attention", "examples/translate"},
    {28, 4, "sliding, dilated, global windows", NULL},
    {29, 4, "the table of complexities, counted", NULL},
    {30, 4, "attention in tiles: online softmax", NULL},
    {31, 5, "the residual path carries the gradient", NULL},
    {32, 5, "LayerNorm: each token by itself", NULL},
    {33, 5, "dropout: masks, expectation, ensemble", NULL},
    {34, 5, "the feed-forward layer and its non-linearity", NULL},
    {35, 5, "post-norm and pre-norm", NULL},
    {36, 5, "encoder and decoder blocks, stacked", NULL},
    {37, 5, "the whole Transformer", "examples/translate"},
    {38, 6, "chain rule, cross-entropy, shifted right", NULL},
    {39, 6, "the algorithms, line by line", NULL},
    {40, 6, "the key-value cache", "examples/gpt"},
    {41, 6, "training is parallel, inference serial", NULL},
    {42, 6, "searching and sampling", "examples/gpt"},
    {43, 6, "encoder, decoder, both: a text classifier", "examples/classify"},
    {44, 6, "GPT", "examples/gpt"},
    {45, 6, "BERT", "examples/bert"},
    {46, 6, "LoRA", NULL},
    {47, 6, "RoBERTa, T5", "examples/bert"},
    {48, 7, "Vision Transformer", "examples/vit"},
    {49, 7, "pixel by pixel: ImageGPT", NULL},
    {50, 7, "Swin and PVT", NULL},
    {51, 7, "sound, speech, vision with language (and examples/captions)", "examples/speech"},
    {52, 8, "a mixture of Gaussians by EM", NULL},
    {53, 8, "p(x) is intractable: against quadrature", NULL},
    {54, 8, "the ELBO and its gap", "examples/vae"},
    {55, 8, "variational EM", NULL},
    {56, 8, "gradients through sampling", NULL},
    {57, 8, "a small VAE", "examples/vae"},
    {0},
};

/* ---- the slides ------------------------------------------------------------------------------ */

const Slide slides[] = {
    {'V', "Taxonomy of Generative Models", 1, {1}},
    {'V', "RNN vs Transformers: Why RNNs fall short?", 1, {2, 3, 5}},
    {'V', "Recall the Translate and Align Model in RNNs", 1, {4}},
    {'V', "From RNNs to Transformers", 1, {4, 37}},
    {'V', "Transformer", 1, {37}},
    {'V', "Word to Word Embedding", 1, {6, 7}},
    {'V', "What about the order?", 1, {10, 11, 13}},
    {'V', "Positional Encoding: Why vectors instead of indexes?", 1, {11}},
    {'V', "Positional Encoding: Intuition", 1, {11, 12, 13, 14}},
    {'V', "Positional Encoding", 2, {12, 14, 15}},
    {'V', "Encoder Block", 1, {36}},
    {'V', "Self-Attention", 2, {2, 17, 20}},
    {'V', "Analogy for Query, Key, and Value", 1, {20}},
    {'V', "Self-Attention", 1, {21, 22}},
    {'V', "Multi-Head Self-Attention (MSA)", 1, {23, 25}},
    {'V', "Residual Connection & Layer Normalization", 1, {31, 32, 35}},
    {'V', "Encoder Block Summarized", 1, {35, 36}},
    {'V', "Decoder Block", 1, {36, 38, 41}},
    {'V', "Decoder Block: Attention Layers", 1, {26, 36, 38}},
    {'V', "Decoder Block: Masked MSA", 1, {26, 40}},
    {'V', "Decoder Block: Attention Layers", 1, {27, 36}},
    {'V', "Decoder Block: Summarized", 1, {36}},
    {'V', "Training the Transformer", 1, {37, 38}},
    {'V', "Attention Visualization: Long distance dependency", 1, {17}},
    {'V', "Attention: Attention from Different Heads", 1, {25}},
    {'V', "RNNs vs. Transformers", 2, {2, 3, 5}},
    {'V', "Next Two Lectures: Iterations of Transformers", 1, {44, 45, 47, 48, 49, 50}},

    {'B', "Transformer: Revolutionary Sequence Models", 1, {22}},
    {'B', "Key-Query-Value Tuple", 1, {20}},
    {'B', "Building Context by Attention", 1, {22}},
    {'B', "Computing Attention Weights", 1, {18, 22}},
    {'B', "Embedding Tokens: Key, Query and Value", 1, {20}},
    {'B', "Sequential Order", 2, {16}},
    {'B', "Encoding Tokens with Sequential Order", 1, {15}},
    {'B', "Parallel Context Computation", 2, {22}},
    {'B', "Self-Attention with Masked Decoding", 1, {26}},
    {'B', "Masked Decoding", 1, {26, 39}},
    {'B', "Self-Attention: Single Head", 1, {22, 26, 39}},
    {'B', "Self-Attention: Multi-Head", 1, {23, 39}},
    {'B', "Transformer-Based LM: Context Extractor", 1, {34, 36, 39}},
    {'B', "Transformer-Based LM: Overview", 1, {36, 44}},
    {'B', "Transformer-based LM: Context Extractor", 1, {39}},
    {'B', "Training Transformer-based LM", 1, {38, 39, 41}},
    {'B', "Generation via Transformer-based LMs", 1, {39, 40, 41}},
    {'B', "Ready for LLMs!", 1, {44}},
    {'B', "Final Note on Transformers", 1, {27}},

    {'H', "Transformer", 1, {37}},
    {'H', "Transformer Encoder", 4, {31, 36}},
    {'H', "What is Attention", 9, {21, 22}},
    {'H', "Q, K, V", 1, {20}},
    {'H', "Self-Attention", 9, {22}},
    {'H', "Multi-Head Attention", 1, {23}},
    {'H', "Multi-Head Self-Attention", 7, {23}},
    {'H', "Multi-head Self-Attention", 2, {23}},
    {'H', "Multi-head Self-Attention + FFN", 1, {34, 36}},
    {'H', "Transformer Encoder", 3, {36, 43}},
    {'H', "Transformer Decoder in Seq2Seq", 5, {27, 36}},
    {'H', "Masked Attention", 3, {26}},
    {'H', "Position Embeddings", 3, {15, 16}},
    {'H', "Positional Encoding", 1, {12, 14}},
    {'H', "Transformer Positional Encoding", 1, {12, 14}},
    {'H', "Complexity", 3, {1, 2, 28, 29, 30}},
    {'H', "Variational Autoencoders", 1, {57}},
    {'H', "VAE is a Generative Model", 1, {52}},
    {'H', "The VAE Model", 4, {53, 57}},
    {'H', "Training", 3, {53}},
    {'H', "Let's try EM", 5, {52, 53, 54}},
    {'H', "Approximate Posterior", 5, {55}},
    {'H', "Recap: ELBO", 4, {54, 55, 57}},
    {'H', "Training VAEs", 6, {54, 55, 56, 57}},

    {'Z', "Attention", 2, {17}},
    {'Z', "Transformer processing", 1, {9}},
    {'Z', "Notation", 1, {9}},
    {'Z', "Transformer Layer", 1, {34, 36}},
    {'Z', "Attention", 2, {18}},
    {'Z', "Attention weights considerations", 1, {18}},
    {'Z', "Attention weights constraints", 1, {18}},
    {'Z', "Self-attention", 1, {18, 19}},
    {'Z', "Introducing network parameters", 3, {19}},
    {'Z', "Attention layer", 2, {20, 22}},
    {'Z', "Scaled dot-product self-attention layer", 2, {21, 22, 39}},
    {'Z', "Multi-Head Attention", 5, {23, 24, 39}},
    {'Z', "Transformer layer", 2, {34, 35, 36, 39}},
    {'Z', "Positional encoding", 2, {2, 10, 16}},
    {'Z', "Positional encoding", 2, {12, 14, 15}},
    {'Z', "Word embedding", 2, {6}},
    {'Z', "Word2Vec: Continuous bag-of-words and skip-grams", 2, {7}},
    {'Z', "Tokenization", 2, {8}},
    {'Z', "Transformer Language Models", 1, {43}},
    {'Z', "Decoder transformers", 2, {38, 44}},
    {'Z', "Decoder transformers: GPT model", 1, {44}},
    {'Z', "Sampling strategies", 7, {38, 42}},
    {'Z', "Encoder transformers", 4, {45}},
    {'Z', "Sequence-to-sequence transformers", 2, {27, 36, 43}},
    {'Z', "Large language models (LLMs)", 1, {46}},
    {'Z', "Vision transformers", 1, {48}},
    {'Z', "Generative image transformers", 2, {49}},
    {'Z', "Audio data", 1, {51}},
    {'Z', "Text-to-speech", 1, {51}},
    {'Z', "Vision and language transformers", 1, {51}},

    {'J', "Overview of the Transformer Encoder (Cell)", 1, {36}},
    {'J', "Different Attention Mechanisms", 1, {22}},
    {'J', "Self-attention", 1, {17}},
    {'J', "Self-attention layer", 1, {20, 21, 22}},
    {'J', "Matrix Calculation of Self-Attention", 1, {22}},
    {'J', "Multi-Head Self-Attention", 1, {23}},
    {'J', "Finish Multi-head Attention without For Loops", 1, {23}},
    {'J', "Multi-Head Self-Attention Summary", 1, {23}},
    {'J', "Residual Connections, Dropout, and Normalization", 1, {31, 33, 35}},
    {'J', "Recall: Layer Normalization", 1, {32}},
    {'J', "On the LayerNorm in Transformer", 2, {35}},
    {'J', "Regularization: Dropout", 1, {33}},
    {'J', "Waaaaait a second...", 3, {33}},
    {'J', "Dropout: Test Time", 2, {33}},
    {'J', "At test time....", 1, {33}},
    {'J', "Residual Connections, Dropout, and Normalization", 1, {31, 33, 35}},
    {'J', "Capturing the Order of the Input", 1, {16}},
    {'J', "Augmenting the MHA with Positional Encoding", 1, {12, 15}},
    {'J', "What Does Positional Encoding Look Like?", 1, {14}},
    {'J', "Feedforward Network", 1, {34}},
    {'J', "Transformer Encoder for Text Classification", 1, {36, 43}},
    {'J', "Transformer Encoder for Image Classification", 1, {15, 48}},
    {'J', "Transformer Decoder: Autoregressive Target Sequence Generation", 3, {27, 36, 38}},
    {'J', "Masked self-attention layer", 4, {26, 38}},
    {'J', "Decoder: Training vs Inference", 1, {41}},
    {'J', "Transformer Decoder", 1, {36}},
    {'J', "Transformer", 1, {37}},
    {'J', "RNN vs Transformer", 1, {2, 5}},
    {'J', "Sparse Attention in Transformer", 1, {28}},
    {0},
};

const Lecture *lecture_with(const char *letter)
{
    for (const Lecture *l = lectures; l->letter; l++)
        if (*letter == l->letter && !letter[1])
            return l;
    return NULL;
}

const Row *row_with(int number)
{
    for (const Row *row = rows; row->number; row++)
        if (row->number == number)
            return row;
    return NULL;
}

bool slide_shows(const Slide *s, int row)
{
    for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++)
        if (s->rows[i] == row)
            return true;
    return false;
}

const Slide *slide_of_row(char lecture, int row)
{
    for (const Slide *s = slides; s->title; s++)
        if (s->lecture == lecture && slide_shows(s, row))
            return s;
    return NULL;
}

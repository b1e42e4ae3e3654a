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
    {'V', "Taxonomy of Generative Models", {1}},
    {'V', "RNN vs Transformers: Why RNNs fall short?", {2, 3, 5}},
    {'V', "Recall the Translate and Align Model in RNNs", {4}},
    {'V', "From RNNs to Transformers", {4, 37}},
    {'V', "Transformer", {37}},
    {'V', "Word to Word Embedding", {6, 7}},
    {'V', "What about the order?", {10, 11, 13}},
    {'V', "Positional Encoding: Why vectors instead of indexes?", {11}},
    {'V', "Positional Encoding: Intuition", {11, 12, 13, 14}},
    {'V', "Positional Encoding", {12, 14, 15}},
    {'V', "Encoder Block", {36}},
    {'V', "Self-Attention", {2, 17, 20}},
    {'V', "Analogy for Query, Key, and Value", {20}},
    {'V', "Self-Attention", {21, 22}},
    {'V', "Multi-Head Self-Attention (MSA)", {23, 25}},
    {'V', "Residual Connection & Layer Normalization", {31, 32, 35}},
    {'V', "Encoder Block Summarized", {35, 36}},
    {'V', "Decoder Block", {36, 38, 41}},
    {'V', "Decoder Block: Attention Layers", {26, 36, 38}},
    {'V', "Decoder Block: Masked MSA", {26, 40}},
    {'V', "Decoder Block: Attention Layers", {27, 36}},
    {'V', "Decoder Block: Summarized", {36}},
    {'V', "Training the Transformer", {37, 38}},
    {'V', "Attention Visualization: Long distance dependency", {17}},
    {'V', "Attention: Attention from Different Heads", {25}},
    {'V', "RNNs vs. Transformers", {2, 3, 5}},
    {'V', "Next Two Lectures: Iterations of Transformers", {44, 45, 47, 48, 49, 50}},

    {'B', "Transformer: Revolutionary Sequence Models", {22}},
    {'B', "Key-Query-Value Tuple", {20}},
    {'B', "Building Context by Attention", {22}},
    {'B', "Computing Attention Weights", {18, 22}},
    {'B', "Embedding Tokens: Key, Query and Value", {20}},
    {'B', "Sequential Order", {16}},
    {'B', "Encoding Tokens with Sequential Order", {15}},
    {'B', "Parallel Context Computation", {22}},
    {'B', "Self-Attention with Masked Decoding", {26}},
    {'B', "Masked Decoding", {26, 39}},
    {'B', "Self-Attention: Single Head", {22, 26, 39}},
    {'B', "Self-Attention: Multi-Head", {23, 39}},
    {'B', "Transformer-Based LM: Context Extractor", {34, 36, 39}},
    {'B', "Transformer-Based LM: Overview", {36, 44}},
    {'B', "Transformer-based LM: Context Extractor", {39}},
    {'B', "Training Transformer-based LM", {38, 39, 41}},
    {'B', "Generation via Transformer-based LMs", {39, 40, 41}},
    {'B', "Ready for LLMs!", {44}},
    {'B', "Final Note on Transformers", {27}},

    {'H', "Transformer", {37}},
    {'H', "Transformer Encoder", {31, 36}},
    {'H', "What is Attention", {21, 22}},
    {'H', "Q, K, V", {20}},
    {'H', "Self-Attention", {22}},
    {'H', "Multi-Head Attention", {23}},
    {'H', "Multi-Head Self-Attention", {23}},
    {'H', "Multi-head Self-Attention", {23}},
    {'H', "Multi-head Self-Attention + FFN", {34, 36}},
    {'H', "Transformer Encoder", {36, 43}},
    {'H', "Transformer Decoder in Seq2Seq", {27, 36}},
    {'H', "Masked Attention", {26}},
    {'H', "Position Embeddings", {15, 16}},
    {'H', "Positional Encoding", {12, 14}},
    {'H', "Transformer Positional Encoding", {12, 14}},
    {'H', "Complexity", {1, 2, 28, 29, 30}},
    {'H', "Variational Autoencoders", {57}},
    {'H', "VAE is a Generative Model", {52}},
    {'H', "The VAE Model", {53, 57}},
    {'H', "Training", {53}},
    {'H', "Let's try EM", {52, 53, 54}},
    {'H', "Approximate Posterior", {55}},
    {'H', "Recap: ELBO", {54, 55, 57}},
    {'H', "Training VAEs", {54, 55, 56, 57}},

    {'Z', "Attention", {17}},
    {'Z', "Transformer processing", {9}},
    {'Z', "Notation", {9}},
    {'Z', "Transformer Layer", {34, 36}},
    {'Z', "Attention", {18}},
    {'Z', "Attention weights considerations", {18}},
    {'Z', "Attention weights constraints", {18}},
    {'Z', "Self-attention", {18, 19}},
    {'Z', "Introducing network parameters", {19}},
    {'Z', "Attention layer", {20, 22}},
    {'Z', "Scaled dot-product self-attention layer", {21, 22, 39}},
    {'Z', "Multi-Head Attention", {23, 24, 39}},
    {'Z', "Transformer layer", {34, 35, 36, 39}},
    {'Z', "Positional encoding", {2, 10, 16}},
    {'Z', "Positional encoding", {12, 14, 15}},
    {'Z', "Word embedding", {6}},
    {'Z', "Word2Vec: Continuous bag-of-words and skip-grams", {7}},
    {'Z', "Tokenization", {8}},
    {'Z', "Transformer Language Models", {43}},
    {'Z', "Decoder transformers", {38, 44}},
    {'Z', "Decoder transformers: GPT model", {44}},
    {'Z', "Sampling strategies", {38, 42}},
    {'Z', "Encoder transformers", {45}},
    {'Z', "Sequence-to-sequence transformers", {27, 36, 43}},
    {'Z', "Large language models (LLMs)", {46}},
    {'Z', "Vision transformers", {48}},
    {'Z', "Generative image transformers", {49}},
    {'Z', "Audio data", {51}},
    {'Z', "Text-to-speech", {51}},
    {'Z', "Vision and language transformers", {51}},

    {'J', "Overview of the Transformer Encoder (Cell)", {36}},
    {'J', "Different Attention Mechanisms", {22}},
    {'J', "Self-attention", {17}},
    {'J', "Self-attention layer", {20, 21, 22}},
    {'J', "Matrix Calculation of Self-Attention", {22}},
    {'J', "Multi-Head Self-Attention", {23}},
    {'J', "Finish Multi-head Attention without For Loops", {23}},
    {'J', "Multi-Head Self-Attention Summary", {23}},
    {'J', "Residual Connections, Dropout, and Normalization", {31, 33, 35}},
    {'J', "Recall: Layer Normalization", {32}},
    {'J', "On the LayerNorm in Transformer", {35}},
    {'J', "Regularization: Dropout", {33}},
    {'J', "Waaaaait a second...", {33}},
    {'J', "Dropout: Test Time", {33}},
    {'J', "At test time....", {33}},
    {'J', "Residual Connections, Dropout, and Normalization", {31, 33, 35}},
    {'J', "Capturing the Order of the Input", {16}},
    {'J', "Augmenting the MHA with Positional Encoding", {12, 15}},
    {'J', "What Does Positional Encoding Look Like?", {14}},
    {'J', "Feedforward Network", {34}},
    {'J', "Transformer Encoder for Text Classification", {36, 43}},
    {'J', "Transformer Encoder for Image Classification", {15, 48}},
    {'J', "Transformer Decoder: Autoregressive Target Sequence Generation", {27, 36, 38}},
    {'J', "Masked self-attention layer", {26, 38}},
    {'J', "Decoder: Training vs Inference", {41}},
    {'J', "Transformer Decoder", {36}},
    {'J', "Transformer", {37}},
    {'J', "RNN vs Transformer", {2, 5}},
    {'J', "Sparse Attention in Transformer", {28}},
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

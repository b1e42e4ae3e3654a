/* questions.c: what chapter 1 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/01-recurrence/map.h"
#include "lectures/01-recurrence/through_time.h"

/* ---- numbers that are asked for -------------------------------------------------------------- */

/* |dL/dx_1| of 20 steps over that of 10, with states near 0. */
static double ten_more_steps(Trial *t)
{
    double left[2];
    for (int i = 0; i < 2; i++) {
        Params *params = params_new(t->seed);
        Tape *tape = tape_new(t->seed);
        Run run;
        RunSetting s = {.rho = 0.7, .size = 1e-3, .T = 10 * (i + 1)};
        double below = 0, above = 0;
        run_through_time(tape, params, s, t->seed, &run);
        for (int k = 0; k < SEQUENCES * UNITS; k++) {
            below += (double)run.x[1]->grad[k] * (double)run.x[1]->grad[k];
            above += (double)run.h[s.T]->grad[k] * (double)run.h[s.T]->grad[k];
        }
        left[i] = sqrt(below / above);
        tape_free(tape);
        params_free(params);
    }
    return left[1] / left[0];
}

/* What 40 gates of sigmoid(0) leave. */
static double half_open_gates(Trial *t)
{
    Tensor *gate = ag_sigmoid(tape_full(trial_tape(t), 0, shape1(1)));
    return values_largest(ag_pow(gate, 40));
}

static double block_over_lstm(Trial *t)
{
    enum { C = 64 };
    Params *p[2] = {params_new(t->seed), params_new(t->seed)};
    RNN rnn;
    TransformerBlock block;
    nn_rnn_init(&rnn, p[0], "lstm", RNN_LSTM, C, C, 1);
    nn_transformer_block_init(&block, p[1], "block", (BlockConfig){.channels = C, .heads = 4});
    double ratio = (double)params_size(p[1]) / (double)params_size(p[0]);
    params_free(p[0]);
    params_free(p[1]);
    return ratio;
}

/* ---- the questions --------------------------------------------------------------------------- */

const Question recurrence_questions[] = {
    {.row = 2,
     .claim = "log |dL/dx_(T-k)| is a line",
     .question =
         "The recurrent matrix is 0.7 times an orthogonal one, and the states are near 0. By "
         "which factor does |dL/dx_1| change when the sequence gets 10 tokens longer?",
     .measure = ten_more_steps,
     .quantity = "|dL/dx_1| after 20 steps over that after 10",
     .within = 0.15,
     .answer =
         "0.028 = 0.7^10: each step back multiplies by the transposed matrix, and tanh' is 1.",
     .misconception =
         "0.7 would be one step. 0.5 = 10 / 20 is attention's 1/T; and 1 would need rho "
         "= 1, since an orthogonal matrix alone changes no length."},
    {.row = 2,
     .claim = "attention with its first",
     .question = "Attention with its first weights reads 128 tokens. How large is |dL/dx| of the "
                 "token 100 back, compared with that of the token 5 back?",
     .choices = {{"the same",
                  "each token has about the weight 1/128: the layer treats all distances alike."},
                 {"1/20 of it", "1/T is a matter of how many tokens there are, not of how far back "
                                "one of them is."},
                 {"exponentially less", "that takes a factor for each token on the path; here the "
                                        "path has the same few ops from every token."}},
     .right = 1,
     .answer =
         "The same. With twice as many tokens both would be halved: each has the weight 1/T "
         "(dilution). For half of the weight a key needs a score of log T above the others'."},
    {.row = 3,
     .claim = "through the cell, dc_T/dc_0",
     .question = "The forget gates of an LSTM begin at sigmoid(0). Which share of the cell c_0 is "
                 "left in c_40?",
     .measure = half_open_gates,
     .quantity = "sigmoid(0)^40",
     .within = 0.2,
     .answer = "9e-13 = 2^-40: the gates of all steps multiply.",
     .misconception =
         "1/2 would be one step. 1 would be a cell without a forget gate, as it was in "
         "1997; the gate that lets it forget has to be open at first."},
    {.row = 3,
     .claim = "an LSTM whose forget",
     .question = "A symbol is to be recalled 30 tokens later, after 400 steps of Adam at the rate "
                 "0.003. An LSTM from which first biases learns it?",
     .choices =
         {{"from all that are used: the cell keeps a number by itself",
           "only where f is near 1: after 30 steps f = 1/2 leaves 10^-9 of it, f = 0.73 10^-4."},
          {"from b_f = 0, PyTorch's", "f = 1/2 at first leaves 2^-30 of the cell, and of its "
                                      "gradient."},
          {"from b_f = 1, Keras' choice", "f = 0.73, and 0.73^30 = 8e-5; lag 10 is learned so."},
          {"from b_f = log 30", "f = 30/31, and 1/e of the cell is left after 30 steps."}},
     .right = 4,
     .answer = "From b_f = log 30. That a cell can keep a number is its architecture; that it does "
               "at first, so that there is a gradient to learn from, is a bias."},
    {.row = 4,
     .claim = "c_t = sum_i gamma_ti",
     .question = "e_ti = a(z_i, s_(t-1)): in the words of chapter 4, which is the query?",
     .choices = {{"s_(t-1), the decoder's state", "one query for each target word."},
                 {"z_i, the encoder's state", "these are the keys, and the values as well."},
                 {"c_t, the context", "that is the result: the mean of the values."},
                 {"e_ti", "that is the score of one query with one key."}},
     .right = 1,
     .answer =
         "s_(t-1) asks; the z_i are both keys and values; a is a small network in place of the "
         "scaled product."},
    {.row = 4,
     .claim = "without alignments in the data",
     .question =
         "Training asks for English words only. On which Spanish word will the largest weight "
         "gamma_ti be?",
     .choices =
         {{"on the word at the same position in the sentence",
           "that is right for 57 of 100 words: Spanish has another order."},
          {"on the word that is translated, nearly always",
           "training found it, from the words alone."},
          {"on any: states of a bidirectional RNN know the whole sentence",
           "they may; yet which word it is on is no accident: it is nearly always the same."}},
     .right = 2,
     .answer = "On the word that is translated, in 97 or 98 of 100 words: nobody told it."},
    {.row = 5,
     .claim = "at one width a block",
     .question =
         "64 channels. A Transformer block has how many times the weights of an LSTM layer?",
     .measure = block_over_lstm,
     .quantity = "weights of a block over those of an LSTM layer",
     .within = 0.05,
     .answer = "1.5: 12 C^2 over 8 C^2. The block's attention alone has half of the LSTM's.",
     .misconception =
         "0.5 forgets the feed-forward layer, which has 8 of the 12 C^2; 6 is the ratio "
         "to a plain RNN of 2 C^2."},
    {.row = 5,
     .claim = "in training, unlike in generation",
     .question = "In inference both decoders are sequential (J). In training, how does the longest "
                 "chain of "
                 "ops of the Transformer's decoder grow with the target's length?",
     .choices =
         {{"in proportion: each word needs the one before",
           "in generation; in training the words before are given, and a mask hides the rest."},
          {"not at all", "all positions are computed at once, under the causal mask."},
          {"as its logarithm", "only if the sum over the keys were counted as a tree."}},
     .right = 2,
     .answer = "Not at all: the mask stands for the order. Only in generation does a word wait for "
               "the one before."},
    {.row = 1,
     .claim = "the mean of log q over",
     .question = "Points are drawn from a density p with entropy h(p). Models are trained on some, "
                 "and compared by the "
                 "mean of log q on others. How high can this mean be in expectation?",
     .choices = {{"-h(p), and no higher",
                  "the mean of log q is -h(p) - KL(p || q), and KL is never below 0."},
                 {"0, where the model is perfect", "that is the limit for probabilities; a density "
                                                   "may be above 1, and its logarithm above 0."},
                 {"there is no limit: a larger model gets more",
                  "on its training points, where it can put all of its mass; not on others."}},
     .right = 1,
     .answer =
         "-h(p) = -1.42 nats here, and each model falls short of it by KL(p || q); of a finite "
         "number of points the mean is above or below by chance. In other units of x all of "
         "these numbers change by the same constant, so compare models in one unit only."},
    {.row = 1,
     .claim = "doubling the length adds",
     .question = "A state space layer is computed by a scan: each round (delay, multiply, add) "
                 "joins twice as many steps. How "
                 "many ops are in the longest chain for 512 steps?",
     .measure = map_scan_chain,
     .quantity = "the longest chain of ops, counted on the tape",
     .within = 0.15,
     .answer = "29: 9 = log2 512 rounds of 3 ops, and two more, for b x and the sum over states.",
     .misconception =
         "512 or more is the recurrence, one step after another. 9 counts rounds, not ops."},
    {.row = 0},
};

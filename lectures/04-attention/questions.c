/* questions.c: what chapter 4 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/04-attention/attention.h"

/* ---- numbers that are asked for -------------------------------------------------------------- */

static double weight_of_best(Trial *t)
{
    Tensor *a =
        ag_softmax(tape_input(trial_tape(t), (real[]){(real)1.8, (real)1.2, 0}, shape2(1, 3)));
    return values_largest(a);
}

static double variance_at_256(Trial *t)
{
    enum { N = 4000, D = 256 };
    Tensor *q = trial_normal(t, 420, shape2(N, D)), *k = trial_normal(t, 420, shape2(N, D));
    Tensor *s = ag_sum_axis(ag_mul(q, k), 1, false);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)s->data[i] * (double)s->data[i] / N;
    return sum;
}

static double pairs_of_a_window(Trial *t)
{
    enum { N = 32 };
    Tensor *A = ag_masked_softmax(trial_normal(t, 421, shape3(1, N, N)), (Mask){.window = 4});
    int above = 0;
    for (int i = 0; i < N * N; i++)
        above += A->data[i] > 0;
    return above;
}

/* ---- the questions --------------------------------------------------------------------------- */

const Question attention_questions[] = {
    {.row = 20,
     .claim = "a soft match takes something",
     .question = "Three books have scores 1.8, 1.2 and 0 under a query. Which share of the answer "
                 "does the best "
                 "book get?",
     .measure = weight_of_best,
     .quantity = "largest weight of softmax(1.8, 1.2, 0)",
     .within = 0.03,
     .answer = "0.58 = 1 / (1 + e^-0.6 + e^-1.8): softmax compares differences of scores.",
     .misconception =
         "0.6 = 1.8 / 3 divides the scores by their sum. Softmax divides their exponentials, so "
         "that "
         "negative scores are allowed; and 1 would be a look-up, which only large scores give."},
    {.row = 22,
     .claim = "queries are independent: one",
     .question =
         "The first of three queries is replaced by another. Which rows of the weights A and of "
         "the result Y change?",
     .choices = {{"the first row of A, and all of Y",
                  "Y = A V: row i of Y is row i of A times V, and no other row of A enters it."},
                 {"the first row of both",
                  "softmax and the sum over values work on one row at a time."},
                 {"all rows of both", "they would if the softmax ran down the columns: then "
                                      "queries would compete for a key."}},
     .right = 2,
     .answer =
         "The first row of both: no query knows of another. So all of them can be computed at "
         "once, and a cache can leave out those that are done."},
    {.row = 18,
     .claim = "without the constraint, large",
     .question = "Weights of 50 and -49 sum to 1, too. Why must attention weights not be negative?",
     .choices = {{"exp cannot be negative",
                  "that is how softmax achieves it, not why it is wanted."},
                 {"a large weight could be compensated by a large negative one",
                  "then neither weight says what the result is made of."},
                 {"training could not find such weights",
                  "least squares finds 50 and -49 here: they exist, and say nothing."}},
     .right = 2,
     .answer = "Because weights of +50 and -49 on two similar tokens would sum to 1 and still say "
               "nothing about either. "
               "The price is row 24: one head cannot subtract."},
    {.row = 21,
     .claim = "Var(q.k) = d for independent",
     .question = "q and k have 256 independent entries of mean 0 and variance 1. What is the "
                 "variance of q.k?",
     .measure = variance_at_256,
     .quantity = "the variance of 4,000 products q.k",
     .within = 0.1,
     .answer = "256: each of the 256 products q_i k_i has variance 1, and variances of "
               "uncorrelated terms add.",
     .misconception = "16 = sqrt(256) is the standard deviation, and 1 is the variance after "
                      "dividing by it; 65,536 = "
                      "256^2 would need terms that are all the same."},
    {.row = 19,
     .claim = "softmax makes the weights",
     .question = "The scores are X U (X U)^T with one learned U. Can \"cat\" attend to \"pet\" "
                 "strongly while \"pet\" attends to \"cat\" weakly?",
     .choices = {{"yes, U can learn such scores", "whatever U is, the score of cat for pet is "
                                                  "u_cat . u_pet, and that of pet for cat too."},
                 {"no, neither the scores nor the weights can differ",
                  "the scores cannot. The softmax divides each row by a sum of its own: with u_cat "
                  "= 1 and "
                  "u_pet = 5 the weights are 0.98 and 2e-9."},
                 {"yes, by the weights, though the scores are equal",
                  "each row is divided by a sum of its own."}},
     .right = 3,
     .answer =
         "By the weights it can: 0.98 and 2e-9 with u_cat = 1, u_pet = 5. But then pet looks at "
         "itself: with one U no two tokens can each prefer the other to itself."},
    {.row = 23,
     .claim = "with d_k = d / H, any",
     .question = "One head of 64 channels becomes 8 heads of 8. How many multiply-adds does the "
                 "layer take?",
     .choices =
         {{"8 times as many",
           "each head has an eighth of the channels; 8 times as many it would be if queries, keys "
           "and values of every head had all d."},
          {"as many as before",
           "8 heads of d / 8 channels are the same products, grouped otherwise."},
          {"an eighth", "each head takes an eighth, and there are 8 of them."}},
     .right = 2,
     .answer = "As many as before. What grows is the number of exponentials: H n^2 of them."},
    {.row = 24,
     .claim = "one head averages: it cannot",
     .question = "One head is to give x_A - x_B, two tokens of variance 1: the target has mean "
                 "square 2. By how much "
                 "does the best trained head miss it in the mean square?",
     .within = 0.15,
     .answer =
         "By 1: weights are not negative, so it follows one of the tokens and misses the other.",
     .misconception =
         "0 assumes that W_o can give one token a minus sign; but it multiplies what is already "
         "averaged. 2 would be saying nothing at all."},
    {.row = 26,
     .claim = "setting the scores of hidden keys to 0",
     .question =
         "The scores of hidden keys are set to 0 in place of -infinity. With 8 tokens, which "
         "share of the weight lies on the future then?",
     .within = 0.2,
     .answer = "More than a third: exp(0) = 1 is the weight of a middling score. Hidden scores "
               "must be -infinity.",
     .misconception =
         "0 takes the score for the weight: a score of 0 is an average score, not a weight of 0."},
    {.row = 26,
     .claim = "without the mask a language",
     .question =
         "Each training step draws fresh symbols at random from eight. A language model without "
         "a causal mask has a loss of 0.002 nats at all positions but the last. What has it "
         "learned?",
     .choices = {{"the distribution of the symbols",
                  "that is worth log 8 = 2.08 nats and no less: they are "
                  "independent."},
                 {"the training set by heart",
                  "no sequence comes twice; on a training set that repeats, this would be right."},
                 {"to copy the next symbol from its input",
                  "it sees the answer; a loss below the entropy is a leak."}},
     .right = 3,
     .answer =
         "To read the answer: at the last position, where the next symbol is not in its input, its "
         "loss is above log 8. On fresh data a loss below the entropy is a leak; on data that "
         "repeats it may "
         "be memory."},
    {.row = 26,
     .claim = "weights that are masked",
     .question = "The weights of later keys are set to 0 after the softmax. Does the future still "
                 "reach the present?",
     .choices = {{"no, its weights are 0",
                  "the later values have no part, but the later scores are in the sum that all "
                  "weights were divided by."},
                 {"yes, through the denominator", "the softmax has summed over all keys."},
                 {"only in training", "the forward pass is the same in training and after it."}},
     .right = 2,
     .answer =
         "Yes: the sum in the denominator runs over all keys. The mask belongs on the scores; or "
         "the weights that are kept have to be divided by their sum."},
    {.row = 27,
     .claim = "with V's query, taken",
     .question =
         "Cross-attention of layer l takes its queries from y^ of layer l - 1, not of its own. "
         "Which part of the last layer would then learn nothing?",
     .choices = {{"its cross-attention",
                  "its result goes to the feed-forward layer and to the loss."},
                 {"its masked self-attention",
                  "its result y^ of layer L would be read by layer L + 1, which does not "
                  "exist."},
                 {"nothing: every part has a gradient", "a result that nobody reads has none."}},
     .right = 2,
     .answer = "Its masked self-attention: its gradient is exactly 0. The query has to be of the "
               "same layer l."},
    {.row = 17,
     .claim = "a single arc of layer 2",
     .question = "In a trained model heads of layer 2 look from \"it\" to the noun that is meant. "
                 "Cut the arc of any one of them: hardly an answer is lost. And if the arcs of all "
                 "heads are cut together?",
     .choices = {{"as few: the answer does not need these arcs",
                  "that follows from no cut of a single one: the others are still there."},
                 {"nearly every answer is lost", "each of them can be spared, all of them cannot."},
                 {"as many as the single cuts have lost, added up",
                  "effects add up where each does something that no other does."}},
     .right = 2,
     .answer =
         "Nearly every answer. What several heads carry shows only where they are cut together."},
    {.row = 25,
     .claim = "a head can have a job",
     .question =
         "A head gives \"animal\" a weight of 1.00 at \"it\". Which further number would show "
         "that the answer \"animal\" needs this head?",
     .choices = {{"its weight moves to \"street\" when \"tired\" becomes \"wide\"",
                  "it knows the answer then; but others may know it as well."},
                 {"the answers that are lost when it is cut", "what fails without it is its job."},
                 {"the entropy of its weights is 0 for each sentence",
                  "it looks at one word; whether anybody reads what it says is not asked."}},
     .right = 2,
     .answer =
         "The answers that are lost without it. In this model a head with a weight of 1.00 costs "
         "few of them."},
    {.row = 16,
     .claim = "if the tokens are reversed",
     .question =
         "Z: \"The representation learned by a transformer will be independent of the input "
         "token ordering.\" Without positional encoding and mask, of what is that true word for "
         "word?",
     .choices = {{"of row 1 of the result",
                  "it goes where its token goes: f(P x) = P f(x), which Z's slide says as well."},
                 {"of the rows as a set, and so of their mean",
                  "the same rows come, in another order."},
                 {"of the matrix of weights A", "its rows and its columns are permuted: P A P^T."}},
     .right = 2,
     .answer =
         "Of the set of rows, and so of their mean. Row by row the result is equivariant, which "
         "the same slide says two sentences before."},
    {.row = 16,
     .claim = "two causal layers see",
     .question =
         "Two causal layers without positional encoding. x_1 and x_2 are exchanged. Does the "
         "context of token 10 "
         "change?",
     .choices = {{"no, it is a mean over the same tokens",
                  "that is true of one layer, as on B's slide."},
                 {"yes",
                  "in layer 1 the token that now is second has seen the other: its row is new."}},
     .right = 2,
     .answer = "Yes: with a causal mask the second layer sees in what order tokens came. B's moral "
               "holds for one layer."},
    {.row = 28,
     .claim = "a window of w keeps n (2",
     .question = "32 tokens, a sliding window of 4 to each side. How many of the 1,024 weights are "
                 "above 0?",
     .measure = pairs_of_a_window,
     .quantity = "weights above 0",
     .within = 0.001,
     .answer = "268 = 32 x 9 - 4 x 5: each token sees 9, less what is missing at the two ends.",
     .misconception = "288 = 32 x 9 forgets the ends, where keys are missing: 1 + 2 + 3 + 4 at "
                      "each of them. 256 = 32 x 8 "
                      "forgets the token itself."},
    {.row = 29,
     .claim = "attention without its projections",
     .question = "By H's table, up to which length does attention (n^2 d) take fewer multiply-adds "
                 "than a recurrent "
                 "layer (n d^2)?",
     .choices = {{"never", "with its four projections, 4 n d^2, that is true against W x + U h; "
                           "the table leaves them "
                           "out."},
                 {"while n < d", "2 n^2 d against 2 n d^2: they meet at n = d."},
                 {"always", "the square in n must win some time."}},
     .right = 2,
     .answer = "While n < d. With the four projections, which the table leaves out, attention is "
               "never cheaper than W x + U h, and cheaper than an LSTM while n < 2 d."},
    {.row = 30,
     .claim = "without the matrix attention",
     .question =
         "FlashAttention never stores the n x n matrix. How many multiply-adds does it save?",
     .choices =
         {{"none", "every query still meets every key."},
          {"half of them",
           "about half under a causal mask: tiles leave hidden pairs out, the matrix does not."},
          {"from n^2 to n", "that is the memory, not the work."}},
     .right = 1,
     .answer =
         "None forward, where no mask hides a pair: 2 n^2 d with and without the matrix. In "
         "training it takes 7 n^2 d instead "
         "of 6, since the weights are computed again. It saves memory and the time to move it."},
    {0},
};

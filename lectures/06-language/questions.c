/* questions.c: what chapter 6 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/06-language/language.h"

/* The last loss of the model that was trained without the mask. */
static double loss_without_mask(Trial *t)
{
    const Writer *w = writer_of(t->seed, NO_MASK);
    return w ? w->loss[CHECKS - 1] : (double)NAN;
}

static double entropy_of_source(Trial *t)
{
    (void)t;
    return source_entropy();
}

/* Multiply-adds of 64 tokens written with a cache, over those of one pass. */
static double work_of_writing(Trial *t)
{
    Talker *k = talker_of(t->seed);
    double many = 0;
    for (int n = 1; k && n <= 64; n++)
        many += (double)talker_count(k, n, true);
    return k ? many / (double)talker_count(k, 64, false) : (double)NAN;
}

/* Two tokens, one twice as probable as the other; how many times as probable it is at T = 0.5. */
static double ratio_at_half(Trial *t)
{
    const real a[] = {(real)log(2), 0};
    Tensor *p = ag_softmax(ag_scale(tape_input(trial_tape(t), a, shape1(2)), 2));
    return (double)p->data[0] / (double)p->data[1];
}

/* H(letter | both neighbours), by the sum over all three letters in a row. */
static double entropy_between(Trial *t)
{
    double h = 0;
    (void)t;
    for (int a = 0; a < LETTERS; a++)
        for (int c = 0; c < LETTERS; c++) {
            double both = 0;
            for (int b = 0; b < LETTERS; b++)
                both += source_step(a, b) * source_step(b, c);
            for (int b = 0; b < LETTERS; b++) {
                double p = source_step(a, b) * source_step(b, c);
                h -= p > 0 ? p * log(p / both) / LETTERS : 0;
            }
        }
    return h;
}

const Question language_questions[] = {
    {.row = 38,
     .claim = "the loss falls to the entropy",
     .question = "Six letters: the first is a, b or c alike; each further one is the next in the "
                 "circle a b c with probability 3/4, the one after that with 1/4. Below which loss "
                 "of a sequence, in nats, is no honest model?",
     .measure = entropy_of_source,
     .quantity = "-sum p log p over all 729 sequences",
     .within = 0.02,
     .answer =
         "3.91 = log 3 + 5 h(1/4), h(1/4) = 0.5623: the entropies of the six conditionals add up.",
     .misconception = "6 log 3 = 6.59 holds for letters without any order; 5 h(1/4) = 2.81 forgets "
                      "the first letter; 0 would need a language without chance."},
    {.row = 38,
     .claim = "models that were trained without",
     .question =
         "The same six letters, and a model trained without the mask: its input is a begin token "
         "and the first five letters. At which loss of a sequence, in nats, does it end?",
     .measure = loss_without_mask,
     .quantity = "expected loss of a sequence after 400 steps",
     .within = 0.15,
     .answer = "Near h(1/4) = 0.56: letters 1 to 5 are in the input, one position later; only the "
               "sixth is not.",
     .misconception = "0 would need the sixth letter in the input; 3.91 is the floor of a model "
                      "that sees earlier letters alone."},
    {.row = 38,
     .claim = "models that were trained without",
     .question = "A model is trained without the shift: each position is given the letter that it "
                 "is to name. What does it write after b?",
     .choices = {{"bbbbbb", "it has learned to repeat what it is given, and gets it back."},
                 {"bcabca", "that needs the order of the letters, of which it learned nothing: its "
                            "loss was 0 without it."},
                 {"letters at random", "it is sure of its answer, and always gives the same."}},
     .right = 1,
     .answer = "bbbbbb: the task it solved is the identity. A loss near 0 said so."},
    {.row = 39,
     .claim = "B's training loop is SGD",
     .question =
         "B's training loop adds -log p up over the T = 12 tokens of a sequence and averages "
         "over the batch. A library's cross-entropy is the mean over all tokens. With which "
         "learning rate does SGD on it take B's steps?",
     .choices = {{"eta / 12",
                  "then a step would be 144 times too short: the mean is smaller already."},
                 {"eta", "the gradient of the mean is a twelfth of that of the sum."},
                 {"12 eta", "the gradient is 12 times smaller, the step the same."},
                 {"12 times the batch's size times eta", "both take the mean over the batch."}},
     .right = 3,
     .answer = "12 eta: then three steps give the same weights to 1e-7. A learning rate means "
               "nothing without what the loss is a mean of."},
    {.row = 40,
     .claim = "one new token after a cache",
     .question = "Tokens are generated with a key-value cache, one in each pass. Which mask does "
                 "the pass need?",
     .choices = {{"the causal one, as in training",
                  "it would hide no pair: the one query is the last token's."},
                 {"none", "all keys in the cache are earlier tokens; only a pass over several new "
                          "tokens, as the prompt's, needs the mask."},
                 {"one that hides the token itself", "a token sees itself in training as well."}},
     .right = 2,
     .answer = "None: one query, and only keys of earlier tokens and its own. What the mask "
               "forbade is not there."},
    {.row = 41,
     .claim = "generation with a cache",
     .question = "64 tokens are generated with a cache. How many times the multiply-adds of one "
                 "training pass (forward), which leaves out the pairs that the mask hides, over 64 "
                 "tokens does that take?",
     .measure = work_of_writing,
     .quantity = "multiply-adds of 64 passes with the cache / of one pass over 64 tokens",
     .within = 0.02,
     .answer = "1: the same projections and the same pairs; 0.88 of a pass that computes all 64^2 "
               "pairs and masks half of them. \"Inherently slow\" is the waiting: 64 times as many "
               "steps one after another.",
     .misconception = "64 counts passes, each of which does a 64th of the work; 32 would be the "
                      "work without a cache."},
    {.row = 41,
     .claim = "a model that errs in one",
     .question = "A phrase is repeated; a model names about 5 % of the letters wrongly after right "
                 "words. How many in the sixth repetition of a text that it writes itself?",
     .choices = {{"about 5 %: it is the same model",
                  "it is, but its input has mistakes now, which it may take for the phrase."},
                 {"about 10 %",
                  "more than after right words, and less than if every mistake stayed."},
                 {"about 23 %: 1 - 0.95^5", "so it would be if no mistake were ever made good."}},
     .right = 2,
     .answer = "About 10 %: its own mistakes lead to more, but not every one of them stays."},
    {.row = 42,
     .claim = "greedy search can miss",
     .question = "A beam of two keeps the most probable beginning at each step, as greedy search "
                 "does, and one more. Can it end with a less probable sequence than greedy search?",
     .choices = {{"no: it keeps all that greedy search keeps",
                  "only as long as greedy's beginning is one of the two most probable."},
                 {"yes: both places may go to extensions of the other beginning",
                  "then greedy's beginning is gone, and with it its end."},
                 {"only where two probabilities are equal", "no ties are needed."}},
     .right = 2,
     .answer = "Yes, in some models: two beginnings that look better push out the one that greedy "
               "search follows."},
    {.row = 42,
     .claim = "beam search that divides",
     .question =
         "A beam compares finished sequences by their probability. Z's divides log p by the "
         "length. What does the division do to the sequence that is chosen?",
     .choices = {{"it is never shorter, and often longer",
                  "log p / n grows with any token that is likelier than the mean so far."},
                 {"it is as long as it may be",
                  "only where a further token is likelier than the mean of those so far."},
                 {"it may be shorter as well: a mean is no sum",
                  "a shorter one with the larger mean would have the larger sum as well."}},
     .right = 1,
     .answer =
         "Never shorter: of the same hypotheses, a shorter one with the larger log p / n would "
         "have the larger log p, too."},
    {.row = 42,
     .claim = "temperature to 0 is greedy",
     .question = "One token is twice as probable as another. How many times as probable is it at "
                 "temperature 0.5?",
     .measure = ratio_at_half,
     .quantity = "p_1 / p_2 at T = 0.5",
     .within = 0.01,
     .answer = "4 = 2^(1/T): ratios of probabilities are exp of differences of logits.",
     .misconception =
         "2 would be T = 1; 1.41 = 2^T multiplies by T where Z divides; 1 is T to infinity."},
    {.row = 42,
     .claim = "the nucleus is the smallest set",
     .question = "Four tokens are equally likely. How many are in the nucleus for p = 0.5, by Z's "
                 "formula, sum >= p?",
     .within = 0.01,
     .answer = "2: 1/4 + 1/4 reaches 0.5. Z's sentence, \"exceeds threshold p\", would ask for 3.",
     .misconception = "3 is the smallest set whose probability exceeds 0.5: the other one of the "
                      "slide's two definitions."},
    {.row = 43,
     .claim = "after 5,000 steps a decoder",
     .question =
         "A decoder is to write eight letters, one of eight kinds each, out of one vector of "
         "16 channels that an encoder made of them. After 500 steps six of ten are wrong; with "
         "cross-attention to each token none. What limits the vector?",
     .choices = {{"its size: eight letters do not fit into 16 floats",
                  "they are 24 bits, the vector has 512."},
                 {"the training: 500 steps are too few",
                  "after 5,000 steps the same vector gives eight or nine of ten."},
                 {"the decoder: it cannot write eight letters", "with cross-attention it does."}},
     .right = 2,
     .answer =
         "The training: to write all letters and their order into one vector and to read them "
         "again is learned more slowly than to look at each of them."},
    {.row = 43,
     .claim = "padding changes neither attention",
     .question = "Texts of 4 and 9 words in one batch: the shorter one gets five padding tokens. "
                 "Where must they be left out?",
     .choices = {{"in attention only", "then the mean over the tokens still counts them."},
                 {"in attention and in the mean",
                  "either of them would let padding move the answer."},
                 {"nowhere: padding is a word like others",
                  "then the answer depends on the batch."}},
     .right = 2,
     .answer = "In both; then the logits are those of the text alone, to 1e-6."},
    {.row = 44,
     .claim = "the excess loss falls more nearly",
     .question = "Excess loss falls as a power of the number of parameters, with an exponent of "
                 "-0.5. How many times the parameters halve it?",
     .choices = {{"twice", "so it would be with an exponent of -1."},
                 {"four times", "4^(-0.5) = 1/2."},
                 {"1.4 times", "that would be an exponent of -2."}},
     .right = 2,
     .answer = "Four times: n^(-0.5) = 1/2 for n = 4; and each halving asks for the same factor "
               "again."},
    {.row = 44,
     .claim = "a pre-trained model continues",
     .question = "A model's texts are chains, in which x is mostly followed by s(x), and lists of "
                 "questions, \"? x ? y ? z\". What does it write after \"? x\"?",
     .choices = {{"s(x): it knows the answer",
                  "it does know it, and in its texts no answer stands there."},
                 {"another question", "that is what follows a question in its texts."},
                 {"a word at random", "it is nearly sure of what comes next."}},
     .right = 2,
     .answer = "Another question. A hundred supervised steps change that, also for words that were "
               "not in them: the model had learned s(x) from its texts already."},
    {.row = 45,
     .claim = "a masked model's loss",
     .question =
         "In the language of section 6.1, what is the entropy in nats of a letter whose two "
         "neighbours are known? (Given the earlier one alone it is 0.56.)",
     .measure = entropy_between,
     .quantity = "H(x_2 | x_1, x_3), by the sum over all three letters in a row",
     .within = 0.03,
     .answer = "0.26 = 3/8 log 2: with probability 3/8 the neighbours are equal, and both ways "
               "between them are alike; else the letter is determined.",
     .misconception = "0.28, half of 0.56, takes the two sides for independent; 0 forgets that the "
                      "neighbours may be equal."},
    {.row = 45,
     .claim = "an encoder that fills",
     .question =
         "Z: \"an encoder model is unable to generate sequences\". It gives q(x_t | all other "
         "tokens). How can texts be drawn from it all the same?",
     .choices =
         {{"multiply the six conditionals",
           "each has seen the other letters: even the exact ones sum to 7.6, not to 1."},
          {"mask all letters and draw them in one pass",
           "that gives each letter's marginal, and letters that do not fit together."},
          {"mask one letter, draw it, and so on with each, many times over",
           "Gibbs sampling: its stationary distribution is p where the conditionals are p's."}},
     .right = 3,
     .answer = "One mask after another, again and again. In one pass it is unable to: there Z is "
               "right."},
    {.row = 46,
     .claim = "if both factors begin",
     .question = "B begins at 0, so that nothing changes at first. Why not A as well?",
     .choices = {{"then no gradient ever arrives at either",
                  "dL/dB is a product with A, dL/dA one with B."},
                 {"then the adapted layer would be 0", "it would still be W."},
                 {"it would learn as well, only slower", "0 times any learning rate is 0."}},
     .right = 1,
     .answer = "With both at 0 both gradients are exactly 0, and remain so."},
    {.row = 47,
     .claim = "24 texts, 80 epochs",
     .question = "24 texts are seen in 80 epochs, the same letter of each masked every time. What "
                 "does the loss on other texts do?",
     .choices =
         {{"it falls to the entropy", "with 24 answers to learn, the model learns these by heart."},
          {"it falls and stays",
           "not even with new masks in every epoch: 24 texts can be learned by heart as well."},
          {"it falls, then grows",
           "24 answers are learned by heart, and sureness about others with them."}},
     .right = 3,
     .answer = "It falls to 1.2 and grows to 2.5 nats; with ten masks a text, or new ones in every "
               "epoch, it falls to 1.1 and grows to 1.3."},
    {.row = 47,
     .claim = "one model does three",
     .question = "One model copies, reverses or shifts five letters, as the first token says. "
                 "Which share of letters is right if the first token is always that of copying?",
     .choices = {{"all: the model knows all three tasks", "it cannot know which one is asked."},
                 {"about 0.43",
                  "all of a copy, 0.3 of a reversed phrase, none of shifted letters."},
                 {"1/8, chance", "a third of the texts are to be copied."}},
     .right = 2,
     .answer = "About (1 + 0.3 + 0) / 3 = 0.43. Of a reversed phrase of five a copy has the middle "
               "letter right, and 1/8 of the others: 1/5 + 4/5 x 1/8 = 0.3."},
    {.row = 0},
};

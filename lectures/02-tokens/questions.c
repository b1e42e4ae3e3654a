/* questions.c: what chapter 2 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/02-tokens/tokens.h"

const Question tokens_questions[] = {
    {.row = 6,
     .claim = "a word that does not occur",
     .question =
         "E has 50,000 rows, and a batch names 2,000 different words. How many rows of dL/dE are "
         "not 0?",
     .choices =
         {{"2,000", "a row gets the sum of the gradients from where its word stands."},
          {"50,000",
           "that is so for the output layer, whose softmax reaches every word, and where E is "
           "tied to it."},
          {"one", "each of the 2,000 words is looked up, and each look-up has its gradient."}},
     .right = 1,
     .answer = "2,000; the others are exactly 0, not small: their one-hot entries are 0."},
    {.row = 6,
     .claim = "Adam goes on moving the vector",
     .question =
         "A word occurs in the first step of training and never again. How far does Adam move "
         "its vector in all, in learning rates?",
     .measure = rare_distance,
     .quantity = "the distance of one number after 400 steps, in rates",
     .within = 0.1,
     .answer =
         "6: the running mean of its gradient is 0.9 of itself after each step, and Adam divides "
         "it by the root of a mean that shrinks more slowly.",
     .misconception = "1 is the first step only, and all that SGD would do. 10 = 1 / (1 - 0.9) is "
                      "momentum without Adam's corrections for the first steps."},
    {.row = 7,
     .claim = "skip-gram with k negatives",
     .question = "A word and a context occur together as often as by chance. What is w.x after "
                 "skip-gram with 5 negatives?",
     .measure = skip_gram_shift,
     .quantity = "mean of w.x - PMI(w, x) over 24 words, 20 contexts",
     .within = 0.05,
     .answer = "-log 5 = -1.61: w.x = PMI - log k, and PMI is 0.",
     .misconception =
         "0 is the PMI alone: of six pairs that are tested five are negative, so that the "
         "odds are 1 : 5."},
    {.row = 7,
     .claim = "skip-gram with its softmax",
     .question = "CBOW predicts a word from its contexts, skip-gram each context from the word. "
                 "With a softmax over all contexts and no negatives, what does skip-gram's "
                 "softmax(w.x) become?",
     .choices =
         {{"p(x | w)", "the cross-entropy is least where the softmax is the share of x beside w."},
          {"p(w | x)", "that is predicted from a context: CBOW with a window of one."},
          {"p(w, x) / (p(w) p(x))",
           "with negatives drawn from p(x) e^(w.x) is k times less than that; no p(x) is divided "
           "out by a softmax."}},
     .right = 1,
     .answer = "p(x | w). So w.x = PMI(w, x) + log p(x) + a number of the word's; the negatives of "
               "word2vec avoid the sum over the whole vocabulary and remove p(x)."},
    {.row = 7,
     .claim = "pre-trained vectors that are tuned with few",
     .question =
         "Vectors were pre-trained on text. Three words of each class have a label; the other "
         "words are to be classified. Which does worst?",
     .choices = {{"freezing the vectors", "99 of 100 of the other words are right."},
                 {"tuning them at the classifier's own rate",
                  "that moves the words with a label and no others: 0.17 fewer are right."},
                 {"tuning them at a hundredth of that rate",
                  "as good as frozen: the vectors have hardly moved."}},
     .right = 2,
     .answer = "Tuning them at the classifier's rate is worse than freezing by about 0.2. At a "
               "hundredth of the rate nothing is lost, and from the labels alone it is chance."},
    {.row = 8,
     .claim = "each merge shortens the text",
     .question = "Peter Piper picked a peck of pickled peppers: 44 bytes. Three times, merge the "
                 "most frequent pair of neighbours within words (a capital is another byte). How "
                 "many tokens are left?",
     .measure = peter_tokens,
     .quantity = "tokens of the sentence after three merges",
     .within = 0.01,
     .answer = "35 = 44 - 4 - 3 - 2: pe occurs four times, ck three, and whichever pair comes next "
               "twice.",
     .misconception = "41 takes one token off for each merge; a merge replaces all of its pairs. "
                      "34 counts pi in Piper, whose P is a capital."},
    {.row = 8,
     .claim = "after 6e9 multiply-adds a small",
     .question = "Three models had the same work. Which has the smallest loss in nats a token?",
     .choices =
         {{"that of characters",
           "a character is one of 25, a word one of 530: there is less to be guessed, and more "
           "often."},
          {"that of byte pairs", "it is the best in nats a character, and only these compare."},
          {"that of words",
           "its tokens are the longest, so that each has the most to be guessed."}},
     .right = 1,
     .answer =
         "That of characters, and it is the worst model: nats a token depend on how long tokens "
         "are. Divide by characters."},
    {.row = 9,
     .claim = "tokens that carry type",
     .question =
         "The 23 tokens after the class token come in another order: amino acids first, patches "
         "mixed. What happens to the answer?",
     .choices = {{"nothing", "type and position are added to each token: they travel with it."},
                 {"the picture cannot be recognised any more",
                  "a patch carries its position in the picture, not in the sequence."},
                 {"the word is not found any more", "it is found by its type, not by its index."}},
     .right = 1,
     .answer = "Nothing: attention reads a set, and what order there was is in the tokens."},
    {.row = 9,
     .claim = "without type embeddings a model",
     .question =
         "\"K?\" is asked of a protein of six letters, and the word K is the same id as the amino "
         "acid K. Without type embedding, which share of the questions can be answered?",
     .choices = {{"all",
                  "the model sees seven letters and does not know which of them is the word."},
                 {"half, by chance",
                  "a letter that occurs once cannot be both asked and there: how often letters are "
                  "repeated says something."},
                 {"about 0.72",
                  "Bayes' rule on the seven letters, and the trained model gets there."}},
     .right = 3,
     .answer = "0.72: whatever the model, for one set of letters stands for several questions."},
    {.row = 0},
};

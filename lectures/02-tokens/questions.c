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
     .question = "Two models had the same work. Which has the smaller loss in nats a token?",
     .choices = {{"that of characters",
                  "a character is one of 25, a token of byte pairs one of 200: "
                  "there is less to be guessed, and more often."},
                 {"that of byte pairs", "it is the better one in nats a character, and only these "
                                        "compare."}},
     .right = 1,
     .answer =
         "That of characters, and it is the worse model: nats a token depend on how long tokens "
         "are. Divide by characters."},
    {.row = 9,
     .claim = "tokens that carry type",
     .question =
         "The 23 tokens after the class token come in another order: amino acids first, patches "
         "mixed. What happens to the class token's result?",
     .choices = {{"nothing", "type and position are added to each token: they travel with it."},
                 {"it does not tell any more what the picture shows",
                  "a patch carries its position in the picture, not in the sequence."},
                 {"it does not tell any more which token was the word",
                  "the word is known by its type, not by its index."}},
     .right = 1,
     .answer = "Nothing: attention reads a set, and what order there was is in the tokens."},
    {.row = 0},
};

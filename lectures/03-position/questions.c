/* questions.c: what chapter 3 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/03-position/position.h"

/* The length of PE_p, sqrt(d / 2), for d = 128. */
static double length_of_code(Trial *t)
{
    enum { D = 128 };
    Tensor *row = ag_slice(code_sinusoids(trial_tape(t), 18, D, 10000), 0, 17, 18);
    double square = (double)tensor_item(ag_sum(ag_mul(row, row)));
    return sqrt(square);
}

const Question position_questions[] = {
    {.row = 10,
     .claim = "without an encoding, the same",
     .question =
         "V: without order, is {I, do, not, like, apples, and, you, like, oranges} the same to a "
         "transformer as {you, like, apples, and, I, do, not, like, oranges}?",
     .choices = {{"yes, its pooled output is the same",
                  "the outputs are permuted as the tokens are, and their mean stays."},
                 {"no, attention sees which words are near each other",
                  "a score q.k depends on the two words alone, not on the words between them."},
                 {"no, the feed-forward layer tells them apart",
                  "it works on each token alone; what it is given is the same."}},
     .right = 1,
     .answer = "Yes: the same up to rounding, 1e-8 here."},
    {.row = 11,
     .claim = "of index, normalised index",
     .question =
         "V's binary codes are vectors of zeros and ones: those of six and seven are one apart. "
         "How far apart are those of seven and eight?",
     .measure = binary_gap,
     .quantity = "Euclidean distance of the bits of 7 and 8",
     .within = 0.01,
     .answer = "2, the root of 4: from 0111 to 1000 all four bits flip. So neighbours are not "
               "equally far apart, as V says.",
     .misconception =
         "4 is the number of bits that flip, and the square of the distance. 1 would be "
         "true of Gray's code, in which each step flips one bit."},
    {.row = 11,
     .claim = "of index, normalised index",
     .question = "V: why not just use the index?",
     .choices = {{"two positions may get the same number", "each has its own: 0, 1, 2, ..."},
                 {"the distance of neighbours depends on the length of the sentence",
                  "that is the normalised index; the index has gaps of 1 everywhere."},
                 {"the numbers grow with the length",
                  "at 1,000 words the last index outweighs all others in a product q.k."}},
     .right = 3,
     .answer = "It is unique, consistent and goes on for longer sentences, but it is not bounded."},
    {.row = 12,
     .claim = "the codes do not repeat",
     .question = "J asks: what does 10000 mean in the positional encoding?",
     .choices = {{"the maximum input length",
                  "position 20,000 has a code as well, which differs from all others."},
                 {"the encoding repeats after the 10000th token",
                  "even the first pair does not: no whole number of tokens is a multiple of 2 pi."},
                 {"the wavelengths go from 2 pi up to about 10000 times that",
                  "the slowest one is 60,611 tokens for d = 512."}},
     .right = 3,
     .answer =
         "It sets the slowest wave, 2 pi 10000^(1 - 2/d) tokens. Among lags of 2 to 20,000 none "
         "comes as near as the neighbour."},
    {.row = 12,
     .claim = "in J's formula i runs",
     .question = "d_model = 512. Up to which i do PE_(pos, 2i) and PE_(pos, 2i+1) exist?",
     .within = 0.001,
     .answer =
         "255 = d_model / 2 - 1: i counts pairs of channels, and 2i + 1 = 511 is the last channel.",
     .misconception =
         "511, as on J's slide, is the last channel, not the last pair: it would need channel "
         "1023."},
    {.row = 13,
     .claim = "PE_p.PE_(p+k) = sum cos",
     .question = "d = 128. How long is the vector PE_17?",
     .measure = length_of_code,
     .quantity = "|PE_17|, d = 128",
     .within = 0.01,
     .answer = "8 = sqrt(d / 2), at each position: each of the 64 pairs has sin^2 + cos^2 = 1.",
     .misconception =
         "sqrt(128) = 11.3 counts each channel as 1; a length that grows with the position "
         "is the index's."},
    {.row = 13,
     .claim = "a head with sinusoids",
     .question =
         "V asks of an encoding that it generalise to longer sentences without any efforts. A "
         "model with sinusoids is trained on up to 16 symbols. How does it do at positions 17 to "
         "32?",
     .choices =
         {{"as well as before: the formula gives a code for each position",
           "the formula does; but the weights have learned from positions 1 to 16 alone."},
          {"far worse, though the codes are there",
           "0.3 to 0.5 right instead of 1; sequences that begin elsewhere in training teach it "
           "these positions."},
          {"no better than without an encoding",
           "it is better than that, 0.39 against 0.22 right; learned codes, whose rows from 17 on "
           "are still random, do worse."}},
     .right = 2,
     .answer =
         "Far worse. A projection that would work everywhere exists (a rotation, times a number), "
         "but training on 16 positions does not find it."},
    {.row = 14,
     .claim = "with base 10000 and d",
     .question =
         "The picture of the encoding, 50 positions, d = 128, base 10000: which share of its "
         "channels, sines and cosines, stays within 0.1?",
     .within = 0.1,
     .answer =
         "0.41. Sines: 50 w < 0.1, where 10000^(2i/d) > 500, 1 - ln 500 / ln 10000 = 0.325 of "
         "them. Cosines: 1 - cos 50 w < 0.1, where 50 w < 0.451, 1 - ln 111 / ln 10000 = 0.489.",
     .misconception =
         "0.325 counts the sines alone: a cosine begins at its top, where it is flat. It is not "
         "one "
         "or two channels at the edge either: the wavelengths are a geometric series, of which as "
         "many lie between 628 and 6,283 as between 6 and 63."},
    {.row = 14,
     .claim = "with frequencies pi /",
     .question =
         "V: sinusoids are the continuous counterpart of bits. Which frequency has the wave whose "
         "sign is the lowest bit, if positions are one apart?",
     .choices = {{"1, the first frequency of the paper",
                  "sin p changes its sign every 3.14 positions; the lowest bit changes at each."},
                 {"pi", "sin((p + 1/2) pi) is 1, -1, 1, -1, ..."},
                 {"2 pi", "then it has the same value at each whole position."}},
     .right = 2,
     .answer = "pi: half a wave a position. Bit j has pi / 2^j, so the base would be 2^(d/2) and "
               "the first "
               "frequency pi."},
    {.row = 15,
     .claim = "adding is concatenating with tied",
     .question = "B: the classical way is to add embd(t). What is it, compared with concatenating?",
     .choices = {{"something else: no layer on [x, p] computes what it computes on x + p",
                  "one with the same weights for both parts does."},
                 {"concatenating, with the same weights for both parts",
                  "(x + p) W^T = [x, p] [W, W]^T."},
                 {"the same: any concatenating layer can be written as a sum",
                  "not with weights W' of their own for positions."}},
     .right = 2,
     .answer = "Concatenating with tied weights: half the channels, half the weights of the first "
               "layer."},
    {0},
};

/* head.c: your matrix product and softmax (homework 1) in the heads of the trained attention
 * example: what "it" takes from the words of a sentence. */
#include "library.h"

#include "hw1.h"

#include "lectures/04-attention/reader.h"

enum { H = 4, D = 8, MOST = DATA_WORDS_MAX };

bool milestone(Params *p, Tape *tape, const char *weights)
{
    static float scores[H * MOST * MOST], maps[H * MOST * MOST];
    Reader r;
    Reading reading;
    (void)p, (void)weights; /* the reader has both */
    reader_begin(&r, true, 1);
    read_sentence(&r, tape, it_sentences[0], false, &reading);
    const Tensor *q = ag_copy(tape_find(tape, "blocks.1.attn.q")); /* (1, H, T, D) */
    const Tensor *columns = ag_copy(ag_transpose(tape_find(tape, "blocks.1.attn.k"), 2, 3));
    int t = reading.sentence.length;
    for (int h = 0; h < H; h++)
        matmul(scores + h * t * t, q->data + h * t * D, columns->data + h * t * D, t, D, t);
    for (int i = 0; i < H * t * t; i++)
        scores[i] /= sqrtf(D);
    softmax(maps, scores, H * t, t);
    printf("what \"it\" takes in the four heads of layer 2, by your softmax:\n");
    for (int j = 0; j < t; j++) {
        for (int h = 0; h < H; h++)
            printf(" %.3f", (double)maps[(h * t + reading.sentence.query) * t + j]);
        printf("  %s\n", reading.words[j]);
    }
    reader_end(&r);
    return agrees(maps, reading.maps[1], 1e-4);
}

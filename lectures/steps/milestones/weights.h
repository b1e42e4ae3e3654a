/* weights.h: the weights of an example, read from a file of --save, and a list of numbers.
 *
 * A file of safetensors is the length of its header in 8 bytes, least first; the header, JSON,
 * which has for each name its data_offsets; and the numbers. Without such a name the program
 * ends. */
#ifndef MILESTONES_WEIGHTS_H
#define MILESTONES_WEIGHTS_H

#ifndef TASK
#define TASK
#endif

typedef struct {
    char *header;
    unsigned char *numbers;
} Weights;

Weights weights_open(const char *path);

/* The numbers of that name, printf-style, to be kept: "blocks.%d.norm1.weight". */
const float *weights_of(const Weights *w, const char *format, ...);

/* The next whole number, number, or word of the input, which argv names; numbers fills x. */
void input_open(const char *path);
int input_int(void);
void input_numbers(float *x, int n);
const char *input_word(char word[64]);

/* max |a - b| of n numbers. */
double farthest(const float *a, const float *b, int n);

#endif

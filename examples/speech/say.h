/* say.h: a text spoken after a recording of its first word, in the voice of that recording. */
#ifndef SPEECH_SAY_H
#define SPEECH_SAY_H

#include "examples/speech/model.h"

/* A recording of four words: the first is the prompt. */
typedef struct {
    Sentence said;
    int prompt;                    /* frames of the first word and of the pause after it   */
    real vectors[FRAMES][NUMBERS]; /* of the recording                                     */
    int codes[FRAMES][STAGES];     /* of the recording, then of the prompt and the GPT     */
    int written;                   /* frames of codes                                      */
} Task;

/* All of these return false after an error. Records the words and codes them. */
bool task_record(Task *k, const Speech *s, Tape *tape, const Speaker *speaker,
                 const int words[WORDS], Rng *rng);
/* The same of a speaker and words at random, which training never had. */
bool task_draw(Task *k, const Speech *s, Tape *tape, Rng *rng);

/* Replaces the codes after the prompt: the GPT speaks this text. */
bool task_say(Task *k, const Speech *s, Tape *tape, const int words[WORDS], Rng *rng);

/* A wave of the codes. */
bool task_wave(const Task *k, const Speech *s, Tape *tape, Rng *rng, real wave[SAMPLES]);

/* The words that the recogniser reads in a wave of the codes after the prompt: how many; -1 after
 * an error. */
int task_read(const Task *k, const Speech *s, Tape *tape, Rng *rng, int words[HEARD_MAX]);

/* The mean over the voiced frames from `first` on: of the bands and, at PITCH, of log2 of the pitch
 * in Hz. */
void mean_voice(real (*v)[NUMBERS], int first, int frames, double mean[NUMBERS]);
/* The same of a wave of the codes after the prompt, as it is heard. */
bool task_voice(const Task *k, const Speech *s, Tape *tape, Rng *rng, double mean[NUMBERS]);

/* Which letters one head attends to while the recording is heard: letter (frames of the recording),
 * each the letter with the largest weight. weight, or NULL: the weights (LETTERS_MAX, FRAMES). */
bool task_letters(const Task *k, const Speech *s, Tape *tape, int head, int letter[FRAMES],
                  real (*weight)[FRAMES]);
/* The share of frames within a word whose letter is one of this word. */
double letters_of_word(const Sentence *said, const int letter[FRAMES]);

#endif

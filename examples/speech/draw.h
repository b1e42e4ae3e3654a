/* draw.h: pictures of speech. */
#ifndef SPEECH_DRAW_H
#define SPEECH_DRAW_H

#include "examples/common/example.h"
#include "examples/speech/say.h"

/* Tokens as a map with the highest band above; token f begins at tokens[f * numbers]. Each band has
 * BAND_ROWS rows. */
enum { BAND_ROWS = 7 };
PlotHeatmap bands_map(Tape *tape, const real *tokens, int frames, int numbers, const char *title);

/* Each draws one picture into --out, in all formats; false after an error. recorded and said:
 * before and after task_say. spoken: the tokens of the recording and of what the GPT says after its
 * first word. letters: which letters a head attends to, frame by frame. voices: the pitch that the
 * GPT speaks at after prompts of 40 speakers. */
bool draw_spoken(const Speech *s, const Task *recorded, const Task *said, const Common *c);
bool draw_letters(const Speech *s, const Task *recorded, int head, const Common *c);
bool draw_voices(const Speech *s, const Common *c);

#endif

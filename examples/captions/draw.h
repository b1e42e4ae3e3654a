/* draw.h: pictures of pictures. */
#ifndef CAPTIONS_DRAW_H
#define CAPTIONS_DRAW_H

#include "examples/captions/exam.h"
#include "examples/common/example.h"

/* Each draws one picture into --out, in all formats; false after an error. both-ways: new pictures,
 * the captions that the model writes, and the pictures that it draws for these. words-attend: which
 * patches the words of a caption attend to, each in the head that looks at its object most.
 * answers: questions about pictures, by what is shown of them. */
bool draw_both_ways(PictureGpt *m, const Common *c);
bool draw_words_attend(PictureGpt *m, const Common *c);
bool draw_answers(PictureGpt *m, const Common *c);

#endif

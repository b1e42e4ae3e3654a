/* questions.c: what chapter 7 asks its reader (runner/questions.h), in the order of its sections. */
#include "lectures/07-vision/vision.h"

const Question vision_questions[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    /* row 51 */
    {.row = 51,
     .claim = &claim_other_picture,
     .question =
         "A model answers questions about pictures. Each question is now asked about another "
         "picture in which it makes sense, too. How often is the answer to the old picture "
         "still right?",
     .choices = {{"never", "two rings drawn at random may well be of one shade."},
                 {"as often as two pictures drawn alike agree: sum_a p(a | question)^2",
                  "it answers rightly about the other picture, whose answer is another draw of p."},
                 {"nearly always: the question says enough",
                  "then it would not look at the picture; the question alone is worth "
                  "max_a p(a | question) at best."}},
     .right = 2,
     .answer =
         "As often as two draws of p(answer | question) are equal, 0.40 here. That is how one "
         "sees that a model looks: a guess from the question alone would not change."},
    {.row = 51,
     .claim = &claim_answers_held_out,
     .question =
         "Training showed white things and triangles, but never a white triangle, and two "
         "objects in each picture. Which answer to \"shade the triangle\" uses what was always "
         "true in training, and is wrong for a white triangle?",
     .choices = {{"white", "that is the right answer; it has never been one in training."},
                 {"the most frequent shade of triangles",
                  "that was right in a third of the pictures: it needs no picture at all."},
                 {"the shade of the other object",
                  "what was white beside a triangle was always the other object: white can be left "
                  "out."}},
     .right = 3,
     .answer =
         "The shade of the other object: if one of two shades cannot be a triangle's, the other "
         "one is. A model trained without word dropout answers so; with it 98 % say white."},
    {.row = 51,
     .claim = &claim_drawing_nats,
     .question =
         "A caption leaves open by 0 or 1 pixel each way where each of two objects lies in its "
         "quadrant. How many nats does a picture cost a good model that is given the caption?",
     .within = 0.4,
     .answer =
         "log 16 = 2.77 at least: 4 offsets of each of two objects; noise that changes codes, and "
         "what is not learned, add 0.4.",
     .misconception =
         "0 would mean that a caption has one picture; 32 codes of log 96 and log 5 nats, "
         "99 in all, are what they cost before anything is learned."},
    {.row = 0},
};

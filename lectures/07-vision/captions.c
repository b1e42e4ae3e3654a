/* captions.c: pictures with words in one sequence (row 51; the model: examples/captions).
 *
 *   w_j = argmax p(w | picture c_1 .. c_32 caption w_1 .. w_(j-1))  Z "Vision and language transformers"
 *
 * The weights were trained once; the seed draws the pictures, none of which the model has seen. */
#include "lectures/07-vision/vision.h"

#include "examples/captions/exam.h"

/* The share of new pictures whose caption is right in all words; NaN after an error. */
static double captions_of(Trial *t, bool held_out)
{
    static Album a;
    static int words[SCENES][CAPTION_WORDS];
    Params *p = trial_params(t);
    PictureGpt m;
    int right = 0, wrong[ATTRIBUTES] = {0};
    bool ok = picture_gpt_init(&m, p, t->seed) && media_load(p, "captions.safetensors");
    m.tape->no_grad = true;
    if (broken(t, "untrained"))
        media_forget(p, "blocks");
    if (ok) {
        album_draw(&a, &m, SCENES, held_out);
        ok = picture_gpt_captions(&m, a.codes, SCENES, words);
    }
    for (int i = 0; ok && i < SCENES; i++) {
        Object named[2] = {{{0}, 0, 0}};
        const Object *there = a.scene[broken(t, "other-picture") ? (i + 1) % SCENES : i].object;
        right += caption_parse(words[i], named) && objects_equal(&named[0], &there[0]) &&
                 objects_equal(&named[1], &there[1]);
        for (int j = 0; j < 2 * ATTRIBUTES; j++)
            wrong[j % ATTRIBUTES] += named[j / ATTRIBUTES].value[j % ATTRIBUTES] !=
                                     there[j / ATTRIBUTES].value[j % ATTRIBUTES];
    }
    explain(t, "%s: all %d words right for %d of %d",
            held_out ? "pictures with a white triangle or a dark ring" : "new pictures",
            CAPTION_WORDS, right, SCENES);
    for (int i = 0; i < ATTRIBUTES; i++)
        explain(t, "  %-5s: wrong for %.4f of the objects; a guess among %d is wrong for %.4f",
                word_text(WORD_ATTRIBUTE + i), wrong[i] / (2.0 * SCENES), value_count[i],
                1 - 1.0 / value_count[i]);
    picture_gpt_end(&m);
    return ok ? (double)right / SCENES : (double)NAN;
}

static double captions_right(Trial *t)
{
    return values_least(captions_of(t, false), captions_of(t, true));
}

const Claim captions_claims[] = {
    {51, captions_right,
     "one GPT over patches and words captions a new picture, also with pairs of shade and form "
     "that no caption of its training had",
     .slides = {"Z: Vision and language transformers"},
     .quantity =
         "share of 400 pictures with all 11 words right, the lesser of both kinds; one training",
     AT_LEAST(0.95, "the words alone never put \"white\" before \"triangle\": 0 of the held-out "
                    "pairs; a guess is right for 1 in 7,248"),
     .faults = {{"other-picture", "each caption is compared with the next picture"},
                {"untrained", "random weights in its blocks"}}},
    {0},
};

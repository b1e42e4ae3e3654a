/* captions.c: from a picture to its caption, a word at a time (row 51; the model: picture_gpt.c).
 *
 *   w_j = argmax p(w | picture c_1 .. c_32 caption w_1 .. w_(j-1))        Z "Vision and language transformers"
 *
 * The weights were trained beforehand; the seed draws the pictures, none of which the model has seen. */
#include "lectures/07-vision/scenes.h"

/* ---- captions ------------------------------------------------------------------------------------------------------ */

typedef enum { OWN_PICTURE, OTHER_PICTURE, UNTRAINED } Damage;

/* How the captions of 400 new pictures fare. NaN where the library failed. */
typedef struct {
    double right;             /* share with all 11 words right                   */
    double wrong[ATTRIBUTES]; /* share of objects whose word is wrong            */
    double pair;              /* share of held-out pairs whose words are right   */
    double invented;          /* share of other objects named as a held-out pair */
} Captions;

/* Compares one object of a caption with the one that is there. */
static void count_object(Captions *c, const Object *named, const Object *there, int pairs,
                         int others)
{
    for (int a = 0; a < ATTRIBUTES; a++)
        c->wrong[a] += (named->value[a] != there->value[a]) / (2.0 * SCENES);
    bool both =
        named->value[FORM] == there->value[FORM] && named->value[SHADE] == there->value[SHADE];
    if (object_held_out(there))
        c->pair += (double)both / pairs;
    else
        c->invented += (double)object_held_out(named) / others;
}

static Captions captions_of(uint64_t seed, bool held_out, Damage damage)
{
    static Album album;
    static int words[SCENES][CAPTION_WORDS];
    PictureGpt m;
    Captions c = {.right = (double)NAN};
    bool ok = damage == UNTRAINED ? picture_gpt_untrained(&m, seed) : picture_gpt_begin(&m, seed);
    if (ok) {
        album_draw(&album, &m, SCENES, held_out);
        ok = picture_gpt_captions(&m, (const int(*)[PICTURE_CODES])album.codes, SCENES, words);
    }
    if (ok)
        c.right = 0;
    for (int i = 0; ok && i < SCENES; i++) {
        Object named[2] = {{{0}, 0, 0}};
        const Scene *s = &album.scene[damage == OTHER_PICTURE ? (i + 1) % SCENES : i];
        bool parsed = caption_parse(words[i], named);
        c.right += (double)(parsed && objects_equal(&named[0], &s->object[0]) &&
                            objects_equal(&named[1], &s->object[1])) /
                   SCENES;
        for (int k = 0; k < 2; k++)
            count_object(&c, &named[k], &s->object[k], SCENES, held_out ? SCENES : 2 * SCENES);
    }
    picture_gpt_end(&m);
    return c;
}

static void explain_words(Trial *t, const Captions *c)
{
    for (int a = 0; a < ATTRIBUTES; a++)
        explain(t, "  %-5s: wrong for %.4f of the objects; a guess among %d is wrong for %.4f",
                word_text(WORD_ATTRIBUTE + a), c->wrong[a], value_count[a],
                1 - 1.0 / value_count[a]);
}

/* How many captions training could show: two of four quadrants, two sizes each, forms and shades that differ. */
static int caption_kinds(void)
{
    int kinds = 0;
    for (int f = 0; f < FORMS * FORMS; f++)
        for (int s = 0; s < SHADES * SHADES; s++)
            kinds += f / FORMS != f % FORMS && s / SHADES != s % SHADES &&
                     !pair_held_out(f / FORMS, s / SHADES) && !pair_held_out(f % FORMS, s % SHADES);
    return kinds * SIZES * SIZES * QUADRANTS * (QUADRANTS - 1) / 2;
}

static double captions_right(Trial *t)
{
    Captions c = captions_of(t->seed, false,
                             broken(t, "untrained")       ? UNTRAINED
                             : broken(t, "other-picture") ? OTHER_PICTURE
                                                          : OWN_PICTURE);
    explain(t,
            "%d new pictures: all %d words right for %.4f; one caption of %d that training shows",
            SCENES, CAPTION_WORDS, c.right, caption_kinds());
    explain_words(t, &c);
    return c.right;
}

const Claim claim_captions = {
    .row = 51,
    .statement = "one GPT over patches and words captions a new picture, word by word",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share of 400 new pictures with all 11 words of the caption right",
    AT_LEAST(0.985),
    .why = "none of 8,000 others was wrong, so fewer than 0.12 % are; 7 of 400 are then rarer than "
           "1e-5",
    .faults = {{"other-picture", "each caption is compared with the next picture"},
               {"untrained", "the weights it began with"}},
    .measure = captions_right,
};

/* ---- a pair that training never showed ------------------------------------------------------------------------------ */

static double pairs_named(Trial *t)
{
    Damage damage = broken(t, "untrained") ? UNTRAINED : OWN_PICTURE;
    Captions new = captions_of(t->seed, !broken(t, "seen-pairs"), damage);
    Captions seen = captions_of(t->seed, false, damage);
    explain(t, "400 pictures with a white triangle or a dark ring: both words right for %.4f",
            new.pair);
    explain_words(t, &new);
    explain(t, "800 objects of other pairs: %.4f are named as a white triangle or a dark ring",
            seen.invented);
    explain(t, "by the words of training alone: \"white\" before \"triangle\" has probability 0");
    return new.pair - seen.invented;
}

const Claim claim_captions_held_out = {
    .row = 51,
    .statement =
        "the captioning GPT names pairs of shade and form that no caption of its training had",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share named where it is there, less the share named where it is not",
    AT_LEAST(0.985),
    .why =
        "none of 8,000 others was wrong; 7 of 400 are then rarer than 1e-5; the words alone give 0",
    .faults = {{"seen-pairs", "pictures without such a pair"},
               {"untrained", "the weights it began with"}},
    .measure = pairs_named,
};

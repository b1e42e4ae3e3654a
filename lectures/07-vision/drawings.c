/* drawings.c: from a caption to a picture, a code at a time (row 51; the codes: patch_codes.c, the model: picture_gpt.c).
 *
 *   c_n ~ p(c | caption w_1 .. w_11 picture c_1 .. c_(n-1))               Z "Vision and language transformers"
 *
 * Whether a picture shows what its caption says is decided by the recogniser of shapes.c, which compares it with all
 * drawings and knows nothing of the model. */
#include "lectures/07-vision/scenes.h"

#include <string.h>

/* Does the recogniser find the two objects, and no other? */
static bool shows(const real *pixels, const Object object[2])
{
    Object found[2];
    return scene_recognise(pixels, found) == 2 && objects_equal(&found[0], &object[0]) &&
           objects_equal(&found[1], &object[1]);
}

/* ---- a picture as codes --------------------------------------------------------------------------------------------- */

static double codes_keep(Trial *t)
{
    PictureGpt m;
    double drawn = 0, decoded = 0;
    bool ok = picture_gpt_begin(&m, t->seed);
    for (int i = 0; ok && i < SCENES; i++) {
        Scene s;
        int codes[PICTURE_CODES];
        real pixels[SCENE_PIXELS];
        scene_draw(&s, &m.rng, i % 2);
        codebook_encode(&m.book, s.pixels, codes);
        for (int n = 0; n < PATCH_COUNT; n++) {
            if (broken(t, "one-level") && codes[2 * n] > 0)
                codes[2 * n] = LEVELS - 1;
            if (broken(t, "few-patterns") && codes[2 * n] > 0)
                codes[2 * n + 1] = LEVELS + 1 + (codes[2 * n + 1] - LEVELS - 1) % 16;
        }
        codebook_decode(&m.book, codes, pixels);
        drawn += (double)shows(s.pixels, s.object) / SCENES;
        decoded += (double)shows(pixels, s.object) / SCENES;
    }
    explain(t, "400 pictures, half with a pair held out: the recogniser reads %.4f of them", drawn);
    explain(t, "the same from their codes, %d ids of %d levels and %d patterns: %.4f",
            PICTURE_CODES, LEVELS, PATTERNS, decoded);
    explain(t, "a picture has %d numbers; its codes are %.0f bits", SCENE_PIXELS,
            PATCH_COUNT * (log2(LEVELS) + log2(PATTERNS)));
    picture_gpt_end(&m);
    return ok ? values_least(drawn, decoded) : (double)NAN;
}

const Claim claim_codes_keep = {
    .row = 51,
    .statement =
        "16 patches coded as 32 ids keep all that a caption says, as a recogniser reads it",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share of 400 pictures read right: as drawn, and from their codes: the lesser",
    AT_LEAST(0.985),
    .why = "none of 8,000 others was wrong, so fewer than 0.12 % are; 7 of 400 are then rarer than "
           "1e-5",
    .faults = {{"one-level", "all codes have the brightest level"},
               {"few-patterns", "patterns are merged into 16"}},
    .measure = codes_keep,
    .holds_on_nan = "no kernel is run: codes and recogniser are plain C",
    .holds_on_zeros = "no kernel is run: codes and recogniser are plain C",
};

/* ---- drawn from captions -------------------------------------------------------------------------------------------- */

typedef enum { OWN_CAPTION, OTHER_CAPTION, UNTRAINED } Damage;

typedef struct {
    double right;    /* share of pictures that show their caption: NaN where the library failed */
    double pictures; /* share that are pictures at all: levels and patterns in turn             */
    double pair;     /* share of the held-out pairs whose form and shade are found              */
    double invented; /* share of other pictures in which such a pair is found                   */
} Drawings;

static void count_drawing(Drawings *d, const real *pixels, const Scene *s, bool held_out)
{
    Object found[2] = {{{0}, 0, 0}};
    int count = scene_recognise(pixels, found);
    bool pair = false;
    for (int k = 0; k < count && k < 2; k++)
        pair = pair ||
               (object_held_out(&found[k]) &&
                (!held_out || object_quadrant(&found[k]) ==
                                  object_quadrant(&s->object[object_held_out(&s->object[1])])));
    d->right += (double)shows(pixels, s->object) / SCENES;
    d->pair += (double)(held_out && pair) / SCENES;
    d->invented += (double)(!held_out && pair) / SCENES;
}

static Drawings drawings_of(uint64_t seed, bool held_out, double top_p, Damage damage)
{
    static Album album;
    static int words[SCENES][CAPTION_WORDS], codes[SCENES][PICTURE_CODES];
    PictureGpt m;
    Drawings d = {.right = (double)NAN};
    bool ok = damage == UNTRAINED ? picture_gpt_untrained(&m, seed) : picture_gpt_begin(&m, seed);
    if (ok) {
        album_draw(&album, &m, SCENES, held_out);
        for (int i = 0; i < SCENES; i++)
            scene_caption(album.scene[i].object, words[i]);
        ok = picture_gpt_pictures(&m, (const int(*)[CAPTION_WORDS])words, SCENES, top_p, codes);
    }
    if (ok)
        d.right = 0;
    for (int i = 0; ok && i < SCENES; i++) {
        real pixels[SCENE_PIXELS];
        if (!codes_in_turn(codes[i]))
            continue;
        d.pictures += 1.0 / SCENES;
        codebook_decode(&m.book, codes[i], pixels);
        count_drawing(&d, pixels, &album.scene[damage == OTHER_CAPTION ? (i + 1) % SCENES : i],
                      held_out);
    }
    picture_gpt_end(&m);
    return d;
}

static double drawings_right(Trial *t)
{
    Damage damage = broken(t, "untrained")       ? UNTRAINED
                    : broken(t, "other-caption") ? OTHER_CAPTION
                                                 : OWN_CAPTION;
    Drawings greedy = drawings_of(t->seed, false, GREEDY, damage);
    Drawings nucleus = drawings_of(t->seed, false, 0.9, damage);
    Drawings sampled = drawings_of(t->seed, false, 1, damage);
    explain(t, "400 captions, the likeliest code each time: %.4f are pictures, %.4f show it",
            greedy.pictures, greedy.right);
    explain(t, "drawn from the nucleus, top-p 0.9: %.4f are pictures, %.4f show it",
            nucleus.pictures, nucleus.right);
    explain(t, "each code drawn from its distribution: %.4f are pictures, %.4f show it",
            sampled.pictures, sampled.right);
    return greedy.right;
}

const Claim claim_drawings = {
    .row = 51,
    .statement = "one GPT over patches and words draws what a caption says, a code at a time",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share of 400 drawings, the likeliest code each time, read as captioned",
    AT_LEAST(0.96),
    .why = "0.99 of 8,000 others, with an error of 0.005 for 400: five of them; one caption of "
           "7,248 is right by chance",
    .faults = {{"other-caption", "each picture is compared with the next caption"},
               {"untrained", "the weights it began with"}},
    .measure = drawings_right,
};

static double held_out_drawings(Trial *t)
{
    Damage damage = broken(t, "untrained") ? UNTRAINED : OWN_CAPTION;
    Drawings new = drawings_of(t->seed, !broken(t, "seen-pairs"), GREEDY, damage);
    Drawings seen = drawings_of(t->seed, false, GREEDY, damage);
    explain(t, "400 captions with a white triangle or a dark ring: %.4f of these are drawn so",
            new.pair);
    explain(t, "400 captions without: one of them is drawn in %.4f", seen.invented);
    return new.pair - seen.invented;
}

const Claim claim_drawings_held_out = {
    .row = 51,
    .statement =
        "the drawing GPT draws pairs of shade and form that no picture of its training had",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share drawn where the caption names them, less the share where it does not",
    AT_LEAST(0.92),
    .why = "0.966 of 8,000 others, with an error of 0.009 for 400: five of them",
    .faults = {{"seen-pairs", "captions without such a pair"},
               {"untrained", "the weights it began with"}},
    .measure = held_out_drawings,
};

/* ---- what a caption leaves open --------------------------------------------------------------------------------------- */

/* One caption, drawn 400 times: in how many of the 16 ways, 4 offsets of each object, is it drawn right? */
static double ways(Trial *t)
{
    static int words[SCENES][CAPTION_WORDS], codes[SCENES][PICTURE_CODES];
    PictureGpt m;
    Scene s;
    int seen[16] = {0}, different = 0, right = 0;
    bool ok = picture_gpt_begin(&m, t->seed);
    if (ok) {
        scene_draw(&s, &m.rng, false);
        for (int i = 0; i < SCENES; i++)
            scene_caption(s.object, words[i]);
        ok = picture_gpt_pictures(&m, (const int(*)[CAPTION_WORDS])words, SCENES,
                                  broken(t, "greedy") ? GREEDY : 1.0, codes);
    }
    for (int i = 0; ok && i < SCENES; i++) {
        real pixels[SCENE_PIXELS];
        Object found[2];
        if (!codes_in_turn(codes[i]))
            continue;
        codebook_decode(&m.book, codes[i], pixels);
        if (!shows(pixels, s.object))
            continue;
        scene_recognise(pixels, found);
        right++;
        seen[found[0].dx + 2 * found[0].dy + 4 * found[1].dx + 8 * found[1].dy]++;
    }
    for (int w = 0; w < 16; w++)
        different += seen[w] > 0;
    for (int w = 0; w < 16; w += 4)
        explain(t, "offsets %2d to %2d of 16: %3d %3d %3d %3d of %d right drawings", w + 1, w + 4,
                seen[w], seen[w + 1], seen[w + 2], seen[w + 3], right);
    picture_gpt_end(&m);
    return ok ? different : (double)NAN;
}

const Claim claim_ways = {
    .row = 51,
    .statement = "drawings of one caption vary in what the caption leaves open: where in its "
                 "quadrant an object lies",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "ways in which one caption is drawn in 400 draws",
    AT_LEAST(12),
    .why = "three quarters of the 16, 4 offsets of each object; the likeliest codes give one way",
    .faults = {{"greedy", "the likeliest code each time"}},
    .measure = ways,
};

/* -log p(codes | caption) of new pictures. No model is below the entropy, and the entropy is at least that of the
 * offsets, which follow from the codes: log 16. */
static double nats_of_pictures(Trial *t)
{
    enum { PICTURES = 100 };
    static Album album;
    static int ids[PICTURES][SEQUENCE], next[PICTURES][SEQUENCE];
    PictureGpt m;
    double nats = (double)NAN;
    bool other = broken(t, "other-caption");
    bool ok = broken(t, "untrained") ? picture_gpt_untrained(&m, t->seed)
                                     : picture_gpt_begin(&m, t->seed);
    if (ok) {
        album_draw(&album, &m, PICTURES, false);
        for (int i = 0; i < PICTURES; i++) {
            sequence_drawing(ids[i], album.codes[i], &album.scene[(i + other) % PICTURES]);
            for (int n = 0; n < SEQUENCE; n++)
                next[i][n] = n > CAPTION_WORDS && n + 1 < SEQUENCE ? ids[i][n + 1] : -1;
        }
        Tensor *y = gpt_logits(&m.gpt, tape_ids(m.tape, ids[0], shape2(PICTURES, SEQUENCE)));
        Tensor *each =
            ag_cross_entropy_ignore(ag_reshape(y, shape2(-1, VOCABULARY)),
                                    tape_ids(m.tape, next[0], shape1(PICTURES * SEQUENCE)), -1);
        if (!tensor_is_poison(each))
            nats = PICTURE_CODES * (double)tensor_item(each);
    }
    explain(t, "-log p(32 codes | caption), mean of %d new pictures: %.3f nats", PICTURES, nats);
    explain(t, "4 offsets for each of two objects: log 16 = %.3f; noise in the codes adds to it",
            log(16));
    picture_gpt_end(&m);
    return nats;
}

const Claim claim_drawing_nats = {
    .row = 51,
    .statement = "given the caption, a picture costs little more than the offsets it leaves open",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "nats of the 32 codes of a picture, given its caption",
    BETWEEN(2.77, 3.47),
    .why = "log 16 is in the pictures, whatever the model; noise and what is not learned: at most "
           "log 2",
    .faults = {{"other-caption", "each picture is given the next caption"},
               {"untrained", "the weights it began with"}},
    .measure = nats_of_pictures,
};

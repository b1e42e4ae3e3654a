/* captions.c: trains one GPT to caption pictures, to answer questions about them, and to draw them.
 *
 *   picture c_1 .. c_32 caption large white ring top left and small dark cross bottom right
 *   caption large white ring ... picture c_1 .. c_32
 *
 * (Z "Vision and language transformers"; Aghajanyan et al. 2022, CM3; Chameleon team 2024.) */
#include "examples/captions/draw.h"
#include "examples/captions/train.h"

#include "examples/common/store.h"

typedef struct {
    Common common;
    double dropped;
} Settings;

static bool train_or_load(const Settings *o, PictureGpt *m, Params *p)
{
    const Common *c = &o->common;
    Store store;
    if (c->load)
        return store_load(&store, store_open(&store, c->load, "captions", NULL, NULL, p) &&
                                      picture_gpt_init(m, p, (uint64_t)c->seed));
    return picture_gpt_init(m, p, (uint64_t)c->seed) && picture_gpt_train(m, p, c, o->dropped) &&
           (!c->save || store_save(c->save, "captions", NULL, NULL, p));
}

/* ---- what is right -------------------------------------------------------------------------- */

/* Captions of new pictures with all words right, and pictures drawn for their captions that show
 * them. */
static bool print_both_ways(PictureGpt *m, bool held_out)
{
    static Album a;
    static int words[SCENES][CAPTION_WORDS], codes[SCENES][PICTURE_CODES];
    int captions = 0, drawings = 0;
    album_draw(&a, m, SCENES, held_out);
    if (!picture_gpt_captions(m, a.codes, SCENES, words))
        return false;
    for (int i = 0; i < SCENES; i++) {
        Object named[2];
        captions += caption_parse(words[i], named) &&
                    objects_equal(&named[0], &a.scene[i].object[0]) &&
                    objects_equal(&named[1], &a.scene[i].object[1]);
        scene_caption(a.scene[i].object, words[i]);
    }
    if (!picture_gpt_pictures(m, words, SCENES, codes))
        return false;
    for (int i = 0; i < SCENES; i++) {
        real pixels[PIXELS];
        drawings +=
            codebook_decode(&m->book, codes[i], pixels) && scene_shows(pixels, a.scene[i].object);
    }
    printf("%s: %.1f %% of captions and %.1f %% of drawings right\n",
           held_out ? "with a pair it never had" : "new pictures", 100.0 * captions / SCENES,
           100.0 * drawings / SCENES);
    return true;
}

static bool print_answers(PictureGpt *m)
{
    static Exam e;
    exam_draw(m, &e);
    if (!exam_ask(m, &e, WHOLE))
        return false;
    printf("questions about new pictures: %.1f %% of answers right\n", 100 * exam_right(&e));
    for (int kind = 0; kind < HELD_OUT_KINDS; kind++) {
        exam_draw_held_out(m, &e, kind);
        if (!exam_ask(m, &e, WHOLE))
            return false;
        printf("  \"%s\" of a pair it never had: %.1f %% right, %.1f %% the other object's\n",
               held_out_names[kind], 100 * exam_right(&e), 100 * exam_others(&e));
    }
    return true;
}

int main(int argc, char **argv)
{
    Settings o = {.common = {.seed = 1,
                             .steps = 6000,
                             .rate = 4e-3,
                             .out = "out/captions",
                             .pages = "tape.html"},
                  .dropped = 0.15};
    const Option own[] = {
        {"blank", OPTION_NUMBER, &o.dropped, "P",
         "word dropout: the share of words and codes left blank in training", 0, 0.9},
        {0},
    };
    example_begin(argc, argv,
                  "Trains one GPT to caption pictures, to answer questions, and to draw.",
                  &o.common, own);
    if (o.common.load && options_given("blank"))
        options_refuse("--blank: found --load, too; expected it in training alone");
    PictureGpt m = {0};
    const Common *c = &o.common;
    Params *p = params_new((uint64_t)c->seed);
    bool ok = p && train_or_load(&o, &m, p);
    if (ok)
        m.tape->no_grad = true;
    ok = ok && print_both_ways(&m, false) && print_both_ways(&m, true) && print_answers(&m) &&
         draw_both_ways(&m, c) && draw_words_attend(&m, c) && draw_answers(&m, c);
    picture_gpt_end(&m);
    params_free(p);
    return ok ? 0 : 1;
}

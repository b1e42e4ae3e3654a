/* tests.c: the tests of the lab on figures. The model's heads are drawn anew in each case, so that
 * what they do has to be measured. Of a figure: is it well formed, do its cells have the weights,
 * is its text large enough and inside, and does it name the right heads? */
#include "lab-plot.h"

#include "lab.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- the model ------------------------------------------------------------------------------- */

/* What the heads of the model do. The last ones are no behaviour of the lab. */
enum { TO_ITSELF = BEHAVIOURS, TO_ALL, TO_TWO_BACK, TO_SAME_LETTER, TO_FIRST_WEAKLY, KINDS };
static int kind_of[LAYERS * HEADS];
static uint64_t noise_seed;

/* Each of the three behaviours once, by the heads `found`. */
static void draw_model(Case *c, Head found[BEHAVIOURS])
{
    for (int h = 0; h < LAYERS * HEADS; h++)
        kind_of[h] = h < KINDS ? h : TO_ALL;
    noise_seed = (uint64_t)(case_random(c) * 1e6);
    rng_shuffle(&(Rng){.seed = noise_seed}, kind_of, LAYERS * HEADS);
    for (int h = 0; h < LAYERS * HEADS; h++)
        if (kind_of[h] < BEHAVIOURS)
            found[kind_of[h]] = (Head){h / HEADS, h % HEADS};
}

static bool attends(int kind, const int *ids, int i, int j)
{
    bool again = j > 0 && ids[j - 1] == ids[i];
    return kind == TO_PREVIOUS                           ? j == i - 1
           : kind == TO_FIRST || kind == TO_FIRST_WEAKLY ? j == 0
           : kind == TO_REPEAT                           ? again && j <= i && j - 1 != i
           : kind == TO_ITSELF                           ? j == i
           : kind == TO_TWO_BACK                         ? j == i - 2
           : kind == TO_SAME_LETTER                      ? ids[j] == ids[i]
                                                         : false;
}

/* The weights are constants; a head's score for its key stands out of noise. */
static void model(Tape *tape, const int *ids)
{
    Rng rng = {.seed = noise_seed, .stream = (uint64_t)ids[0] + 8 * (uint64_t)ids[1]};
    for (int layer = 0; layer < LAYERS; layer++) {
        real scores[HEADS * TOKENS * TOKENS], *to = scores;
        for (int head = 0; head < HEADS; head++)
            for (int i = 0; i < TOKENS; i++)
                for (int j = 0; j < TOKENS; j++) {
                    int kind = kind_of[layer * HEADS + head];
                    int strength = (kind == TO_FIRST_WEAKLY ? 3 : 5) * attends(kind, ids, i, j);
                    *to++ = (real)(0.5 * rng_normal(&rng) + strength);
                }
        Tensor *all = tape_input(tape, scores, shape4(1, HEADS, TOKENS, TOKENS));
        ag_name(ag_masked_softmax(all, (Mask){.causal = true}), "blocks.%d.attn.A", layer);
    }
}

static const Tensor *maps_of(Tape *tape, Head h)
{
    return tape_find(tape, h.layer ? "blocks.1.attn.A" : "blocks.0.attn.A");
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Any weights, on a text in which letters repeat in any way, or not at all. */
static void score_case(Case *c)
{
    const real *x = case_input(c, "x", 3, HEADS, TOKENS, TOKENS);
    int letters = case_choice(c, "letters", 1, 12), *ids = case_given_integers(c, "ids", 1, TOKENS);
    bool different = case_turn(c, "different", 0, 5) == 5;
    for (int i = 0; i < TOKENS; i++)
        ids[i] = different ? i : (int)(case_random(c) * (letters + 1));
    int head = case_choice(c, "head", 0, HEADS - 1),
        b = case_turn(c, "behaviour", 0, BEHAVIOURS - 1);
    Tape *tape = tape_new(1);
    Tensor *scores = tape_input(tape, x, shape4(1, HEADS, TOKENS, TOKENS));
    const Tensor *A = ag_masked_softmax(scores, (Mask){.causal = true});
    *case_output(c, "score", 0) = (real)head_score(A, head, ids, (Behaviour)b);
    tensor_clear_error();
    tape_free(tape);
}

static void find_case(Case *c)
{
    int *heads = case_output_integers(c, "heads", 2, BEHAVIOURS, 2);
    Head drawn[BEHAVIOURS];
    draw_model(c, drawn);
    find_heads(model, (Head *)heads);
    tensor_clear_error();
}

/* ---- reading a figure ------------------------------------------------------------------------ */

static char svg[SVG_SIZE], text[TEXT_SIZE];

/* The number after name=" in a tag; `none` where there is none. */
static double attribute(const char *tag, const char *name, double none)
{
    char wanted[32];
    const char *end = strchr(tag, '>');
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *at = strstr(tag, wanted);
    return at && at < end ? strtod(at + strlen(wanted), NULL) : none;
}

/* Does every tag that opens close, in the right order, and is svg the first of them? */
static bool well_formed(const char *x)
{
    enum { DEEP = 16, LETTERS = 16 };
    char open[DEEP + 1][LETTERS], name[LETTERS];
    int depth = 0, tags = 0;
    for (const char *at = strchr(x, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        bool closes = at[1] == '/';
        if (!end || memchr(at + 1, '<', (size_t)(end - at - 1)) || depth > DEEP)
            return false;
        if (at[1] == '?' || at[1] == '!')
            continue;
        name[0] = 0;
        sscanf(at + 1 + closes, "%15[a-zA-Z]", name);
        if ((tags++ == 0 && strcmp(name, "svg") != 0) ||
            (closes && (depth == 0 || strcmp(open[--depth], name) != 0)))
            return false;
        if (!closes && end[-1] != '/')
            memcpy(open[depth++], name, sizeof name);
    }
    return tags > 0 && depth == 0;
}

/* The text with which the student's figure was drawn is the student's own: the model is asked for
 * it. */
static int seen[TOKENS];

static void watched(Tape *tape, const int *ids)
{
    memcpy(seen, ids, sizeof seen);
    model(tape, ids);
}

enum { CELLS = TOKENS * TOKENS };

/* Cells are the tags with fill-opacity. How many panels of TOKENS x TOKENS, in the order of the
 * behaviours, have the weights row by row (panels[0]), and how many column by column (panels[1])?
 * And is no cell where one was, or outside? */
static void look_at_cells(const Head *found, double width, double height, int panels[2], int *apart)
{
    int off[2][BEHAVIOURS] = {{0}}, cells = 0, wrong = 0;
    double x = -1e9, y = -1e9;
    Tape *tape = tape_new(1);
    model(tape, seen);
    for (const char *at = strstr(svg, "<rect"); at; at = strstr(at + 1, "<rect")) {
        double dark = attribute(at, "fill-opacity", -1);
        if (dark < 0)
            continue;
        double left = attribute(at, "x", 0), top = attribute(at, "y", 0);
        double wide = attribute(at, "width", 0), high = attribute(at, "height", 0);
        int b = cells / CELLS, place = cells % CELLS;
        wrong += wide < 2 || high < 2 || left < 0 || top < 0 || left + wide > width ||
                 top + high > height;
        /* a row begins below the one before it */
        wrong += place % TOKENS ? !(left > x && top == y) : place && !(top > y);
        x = left, y = top;
        if (cells++ >= BEHAVIOURS * CELLS)
            continue;
        const real *want = maps_of(tape, found[b])->data + found[b].head * CELLS;
        off[0][b] += !(fabs(dark - (double)want[place]) < 0.02);
        off[1][b] += !(fabs(dark - (double)want[place % TOKENS * TOKENS + place / TOKENS]) < 0.02);
    }
    tape_free(tape);
    for (int b = 0; b < BEHAVIOURS; b++)
        for (int way = 0; way < 2 && cells >= (b + 1) * CELLS && cells <= BEHAVIOURS * CELLS; way++)
            panels[way] += !off[way][b];
    if (cells != BEHAVIOURS * CELLS || wrong)
        printf(
            "%d cells (rect with fill-opacity); expected %d, and %d are smaller than 2, outside, "
            "or not right of and below others\n",
            cells, BEHAVIOURS * CELLS, wrong);
    *apart = wrong == 0;
}

/* Text of at least 10 units, inside of the viewBox; a letter is about 0.6 of its size wide. */
static bool text_is_readable(double width, double height)
{
    int texts = 0, wrong = 0;
    for (const char *at = strstr(svg, "<text"); at; at = strstr(at + 1, "<text")) {
        const char *words = strchr(at, '>'), *end = words ? strchr(words, '<') : NULL;
        if (!end)
            return false;
        double size = attribute(at, "font-size", 16), x = attribute(at, "x", 0);
        double y = attribute(at, "y", 0), long_ = 0.6 * size * (double)(end - words - 1);
        bool good = size >= 10 && x >= 0 && x + long_ <= width && y >= size && y <= height;
        if (!good)
            printf("text \"%.*s\": size %g at (%g, %g); expected at least 10, in the viewBox\n",
                   (int)(end - words - 1), words + 1, size, x, y);
        wrong += !good;
        texts++;
    }
    return texts > 0 && wrong == 0;
}

/* The next "head L.H", in any case of the first letter; NULL: there is none. */
static const char *next_head(const char *at, Head *h)
{
    for (at = strstr(at, "ead "); at; at = strstr(at + 1, "ead "))
        if (sscanf(at, "ead %d.%d", &h->layer, &h->head) == 2)
            return at;
    return NULL;
}

/* The behaviour of this head whose word stands between; -1: there is none. */
static int named_between(const char *from, const char *end, Head h, const Head *found)
{
    for (int b = 0; b < BEHAVIOURS; b++) {
        const char *word = strstr(from, behaviour_words[b]);
        if (word && word < end && h.layer == found[b].layer && h.head == found[b].head)
            return b;
    }
    return -1;
}

/* How many heads are named beside the word of what they do, in one <text>; others count down. */
static int right_titles(const Head *found)
{
    int right = 0;
    Head h;
    for (const char *at = next_head(svg, &h); at; at = next_head(at + 1, &h)) {
        const char *begin = at;
        while (begin > svg && begin[-1] != '>')
            begin--;
        right += named_between(begin, at + strcspn(at, "<"), h, found) >= 0 ? 1 : -1;
    }
    return right;
}

static bool has_words(const char *word)
{
    for (const char *at = strstr(svg, word); at; at = strstr(at + 1, word))
        if (memchr(at, '<', 60) && strncmp(strchr(at, '<'), "</text", 6) == 0)
            return true;
    return false;
}

static void figure_case(Case *c)
{
    int *well = case_output_integers(c, "well_formed", 0),
        *panels = case_output_integers(c, "panels", 0),
        *transposed = case_output_integers(c, "transposed", 0);
    int *titles = case_output_integers(c, "titles", 0),
        *read = case_output_integers(c, "readable", 0);
    int *axes = case_output_integers(c, "axes", 0), *apart = case_output_integers(c, "apart", 0);
    Head found[BEHAVIOURS];
    double width = 0, height = 0;
    draw_model(c, found);
    memset(svg, 0, sizeof svg);
    bool drawn = figure(watched, found, svg);
    tensor_clear_error();
    svg[sizeof svg - 1] = 0;
    if (!drawn && !svg[0])
        return;
    const char *box = strstr(svg, "viewBox=\"");
    *well = drawn && box && sscanf(box, "viewBox=\"0 0 %lf %lf", &width, &height) == 2 &&
            well_formed(svg);
    int fitting[2] = {0};
    look_at_cells(found, width, height, fitting, apart);
    *panels = fitting[0], *transposed = fitting[1];
    *titles = right_titles(found);
    *read = text_is_readable(width, height);
    *axes = has_words("query") && has_words("key");
}

/* ---- reading sentences ----------------------------------------------------------------------- */

/* The mean score of a head, as find_heads measures it. */
static double measured(Head h, int b)
{
    double sum = 0, texts = 64;
    Rng rng = {.seed = 3};
    Tape *tape = tape_new(1);
    for (int n = 0; n < texts; n++) {
        int ids[TOKENS];
        draw_text(ids, &rng);
        tape_reset(tape);
        model(tape, ids);
        sum += head_score(maps_of(tape, h), h.head, ids, (Behaviour)b) / texts;
    }
    tape_free(tape);
    return sum;
}

/* The number before a percent sign; -1: there is none. */
static double percent(const char *from, const char *end)
{
    const char *sign = memchr(from, '%', (size_t)(end - from)), *at = sign;
    while (at && at > from && (isdigit((unsigned char)at[-1]) || strchr(" .", at[-1])))
        at--;
    return at && at < sign ? strtod(at, NULL) : -1;
}

/* A sentence ends with a full stop before a blank or the end. */
static const char *end_of_sentence(const char *at)
{
    while ((at = strchr(at, '.')) && at[1] && !isspace((unsigned char)at[1]))
        at++;
    return at;
}

/* The behaviour of the head that the sentence names; -1: none. Counts right numbers, too. */
static int behaviour_of(const char *from, const char *end, const Head *found, int *numbers)
{
    Head h;
    const char *named = next_head(from, &h);
    int b = named && named < end ? named_between(from, end, h, found) : -1;
    if (b < 0)
        return b;
    double share = 100 * measured(h, b), said = percent(from, end);
    *numbers += fabs(said - share) < 5;
    if (!(fabs(said - share) < 5))
        printf("head %d.%d: %g %% in the sentence; measured are %.0f %%\n", h.layer, h.head, said,
               share);
    return b;
}

static void sentences_case(Case *c)
{
    int *count = case_output_integers(c, "sentences", 0),
        *heads = case_output_integers(c, "heads", 0);
    int *numbers = case_output_integers(c, "numbers", 0);
    Head found[BEHAVIOURS];
    bool told[BEHAVIOURS + 1] = {false};
    draw_model(c, found);
    memset(text, 0, sizeof text);
    sentences(model, found, text);
    tensor_clear_error();
    text[sizeof text - 1] = 0;
    if (!text[0])
        return;
    *count = *heads = *numbers = 0;
    printf("%s\n", text);
    for (const char *from = text, *end; (end = end_of_sentence(from)); from = end + 1) {
        int b = behaviour_of(from, end, found, numbers);
        *heads += b >= 0 && !told[b + 1];
        told[b + 1] = true;
        ++*count;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"score", "head_score", "the score of a head", POINTS(24), score_case, .cases = 18},
    {"find", "find_heads", "the heads that do it", POINTS(24), find_case, .cases = 4},
    {"figure", "figure", "the figure", POINTS(32), figure_case, .cases = 3},
    {"sentences", "sentences", "the three sentences", POINTS(20), sentences_case, .cases = 3},
    {0},
};

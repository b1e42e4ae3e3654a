/* arcs.c: a sentence in a line, and arcs from one word to those it attends to.
 *
 * The width of an arc is its weight. Words stand at distances that follow their lengths; where a
 * sentence is too long for that they stand upright. An arc from word a to word b is half an
 * ellipse,
 *
 *     x = (a + b) / 2 - (b - a) / 2 cos t,   y = base - height sin t,   0 <= t <= pi
 *
 * and the weight that a word gives to itself is a loop above it, whose line is at most a third of
 * a letter wide. The data file holds, for each
 * sentence, lines "x weight word". */
#include "plot/internal.h"

#include <math.h>

static const double least_weight = 0.01;
enum { SIDE = 40, LARGEST_FONT = 30, LEVEL_FONT = 14, UPRIGHT_FONT = 18, WIDEST_ARC = 26 };

typedef struct {
    AnyPicture d; /* each block of its sheet: one row of weights, the words as column labels */
    const PlotArcs *sentences;
    bool upright; /* the words, evenly; else they are level, as far apart as they are long */
    double font;
    double pitch;              /* between upright words                       */
    double longest;            /* word that is written whole, in fonts        */
    int every;                 /* every so many-th word is written            */
    double widest;             /* width of an arc of weight 1                 */
    double *x[MOST_SENTENCES]; /* of each word of each sentence, in its middle */
    double *memory;            /* where x points into                         */
} Picture;

/* ---- where the words stand ------------------------------------------------------------------- */

/* The width of a horizontal word, in font heights: at least that of the weight below it. */
static double word_ems(const Block *b, int j)
{
    LabelBuffer buffer;
    double ems = fmin(plot_text_ems(plot_label_at(&b->column_labels, j, &buffer)), LABEL_EMS);
    return fmax(ems, 1.9) + 0.55;
}

static double sentence_ems(const Block *b)
{
    double ems = 0;
    for (int j = 0; j < b->columns; j++)
        ems += word_ems(b, j);
    return ems;
}

static double widest_word(const Sheet *s)
{
    double widest = 0;
    for (int k = 0; k < s->count; k++)
        widest = fmax(widest, plot_labels_ems(&s->blocks[k].column_labels));
    return fmin(widest, LABEL_EMS);
}

/* The part of the page that each sentence has. */
static double band_top(const Picture *p, int k)
{
    double top = *p->d.sheet->title ? 2.3 * TITLE_FONT : 16;
    return top + k * (PAGE_HEIGHT - 16 - top) / p->d.sheet->count;
}

static void stand_upright(Picture *p, double pitch)
{
    p->upright = true;
    p->font = fmax(plot_look().least, fmin(pitch / 1.12, UPRIGHT_FONT));
    p->pitch = pitch;
    p->every = (int)ceil(1.1 * p->font / pitch);
    p->widest = fmin(pitch, p->widest);
    /* at least half of the band is for the arcs and weights */
    p->longest = fmin(LABEL_EMS, 0.4 * (band_top(p, 1) - band_top(p, 0)) / p->font);
}

/* One font for all sentences, so that they can be compared. */
static void choose_stand(Picture *p)
{
    double width = PAGE_WIDTH - 2 * SIDE, longest = 1;
    int most = 1;
    for (int k = 0; k < p->d.sheet->count; k++) {
        const Block *b = &p->d.sheet->blocks[k];
        longest = fmax(longest, sentence_ems(b));
        most = b->columns > most ? b->columns : most;
    }
    double band = band_top(p, 1) - band_top(p, 0);
    p->font = fmin(width / longest, fmin(LARGEST_FONT, 0.12 * band));
    p->every = 1;
    p->widest = fmin(WIDEST_ARC, band / 8);
    p->longest = LABEL_EMS;
    if (p->font < LEVEL_FONT)
        stand_upright(p, fmin(width / most, 30));
}

static void place_words_of(Picture *p, int k)
{
    const Block *b = &p->d.sheet->blocks[k];
    double width = p->upright ? b->columns * p->pitch : sentence_ems(b) * p->font;
    double x = (PAGE_WIDTH - width) / 2;
    for (int j = 0; j < b->columns; j++) {
        double word = p->upright ? p->pitch : word_ems(b, j) * p->font;
        p->x[k][j] = x + word / 2;
        x += word;
    }
}

static bool place_words(Picture *p)
{
    int64_t words = 0;
    for (int k = 0; k < p->d.sheet->count; k++)
        words += p->d.sheet->blocks[k].columns;
    p->memory = mem_alloc((size_t)words * sizeof *p->memory);
    if (!p->memory)
        return false;
    double *x = p->memory;
    choose_stand(p);
    for (int k = 0; k < p->d.sheet->count; k++) {
        p->x[k] = x;
        x += p->d.sheet->blocks[k].columns;
        place_words_of(p, k);
    }
    return true;
}

/* ---- a sentence's band of the page ----------------------------------------------------------- */

typedef struct {
    double title;    /* the middle line of the title   */
    double base;     /* where the arcs begin           */
    double height;   /* of the highest                 */
    double words;    /* the middle line of the words   */
    double weights;  /* the middle line of the weights */
    double farthest; /* the longest arc                */
} Band;

static double weight(const Block *b, int j)
{
    double w = (double)b->cells[j];
    return isfinite(w) ? w : 0;
}

static double farthest(const Picture *p, int k)
{
    const Block *b = &p->d.sheet->blocks[k];
    double from = p->x[k][p->sentences[k].from], distance = 1;
    for (int j = 0; j < b->columns; j++)
        if (weight(b, j) >= least_weight)
            distance = fmax(distance, fabs(p->x[k][j] - from));
    return distance;
}

/* The length of "0.12" between arcs and upright words. */
static double upright_weight(void)
{
    return 2.3 * plot_look().least;
}

/* Title, arcs and words stand together in the middle of the band. */
static Band band(const Picture *p, int k)
{
    double width = band_top(p, k + 1) - band_top(p, k);
    double title = *p->d.sheet->blocks[k].title ? 34 : 6;
    double below = p->upright
                       ? fmin(widest_word(p->d.sheet), p->longest) * p->font + 14 + upright_weight()
                       : 2.75 * p->font;
    Band b = {.farthest = farthest(p, k)};
    b.height = fmin(width - title - below - p->widest, 0.48 * b.farthest);
    double top = band_top(p, k) + (width - title - p->widest - b.height - below) / 2;
    b.title = top + 16;
    b.base = top + title + p->widest / 2 + b.height;
    b.words = b.base + (p->upright ? 12 + upright_weight() : 0.85 * p->font);
    b.weights = p->upright ? b.base + 6 : b.words + 1.15 * p->font;
    return b;
}

/* ---- the files ------------------------------------------------------------------------------- */

static void write_data(FILE *out, const void *what)
{
    const Picture *p = what;
    LabelBuffer buffer;
    for (int k = 0; k < p->d.sheet->count; k++) {
        const Block *b = &p->d.sheet->blocks[k];
        for (int j = 0; j < b->columns; j++) {
            const char *word = plot_label_at(&b->column_labels, j, &buffer);
            fprintf(out, "%.5g\t%.6g\t", p->x[k][j], weight(b, j));
            plot_text_fields(out, word, p->longest);
            fputc('\n', out);
        }
        fputs("\n\n", out);
    }
}

/* The farther a word, the higher the arc; a faint arc is more transparent as well as thinner. */
static void write_arc(FILE *out, const Picture *p, const Band *b, double from, double to, double w)
{
    double loop = 0.7 * p->font, height = b->height * pow(fabs(to - from) / b->farthest, 0.75);
    w = fmin(w, 1);
    fputs(", \\\n     ", out);
    if (to == from)
        fprintf(out,
                "[i=0:100] '+' using (%.5g + %.4g * sin(2*pi*$1/100) * sin(pi*$1/100)):"
                "(%.5g - %.4g * (1 - cos(2*pi*$1/100)))",
                from, loop, b->base, loop);
    else
        fprintf(out, "[i=0:100] '+' using (arc_x(%.5g, %.5g, $1)):(arc_y(%.5g, %.4g, $1))", from,
                to, b->base, height);
    double wide = fmin(p->widest * w, to == from ? p->font / 3 : p->widest);
    fprintf(out, " with lines lw %.4g lc rgb '#%02X%s'", fmax(wide, 0.8),
            (unsigned)lround(255 * (0.6 - 0.55 * w)), plot_look().accent + 1);
}

/* The lightest arc after the one with weight w and index j; -1 after the last. */
static int next_arc(const Block *b, double w, int j)
{
    int next = -1;
    for (int i = 0; i < b->columns; i++) {
        double v = weight(b, i);
        bool later = v > w || (v == w && i > j);
        if (later && (next < 0 || v < weight(b, next)))
            next = i;
    }
    return next;
}

/* From light to heavy, so that heavy arcs lie above. */
static void write_arcs(FILE *out, const Picture *p, int k)
{
    const Block *b = &p->d.sheet->blocks[k];
    const double *x = p->x[k];
    Band here = band(p, k);
    double w = least_weight;
    for (int j = -1; (j = next_arc(b, w, j)) >= 0;) {
        w = weight(b, j);
        write_arc(out, p, &here, x[p->sentences[k].from], x[j], w);
    }
}

/* A frame around the query, which says in black and white, too, which word it is. */
static void write_query(FILE *out, const Picture *p, int k)
{
    const Block *b = &p->d.sheet->blocks[k];
    const Band here = band(p, k);
    LabelBuffer buffer;
    const char *word = plot_label_at(&b->column_labels, p->sentences[k].from, &buffer);
    double x = p->x[k][p->sentences[k].from], high = 1.3 * p->font;
    double length = (fmin(plot_text_ems(word), p->longest) + 0.3) * p->font;
    bool upright = p->upright;
    fprintf(out,
            "set object rectangle center %.5g,%.5g size %.5g,%.5g fs empty border lc rgb '%s'\n", x,
            upright ? here.words + length / 2 - 0.15 * p->font : here.words,
            upright ? high : length, upright ? length : high, plot_look().mark);
}

static void write_words(FILE *out, const Picture *p, int k, int field)
{
    Band b = band(p, k);
    const Look look = plot_look();
    const int from = p->sentences[k].from, first = from % p->every; /* the query is written */
    const char *stand = p->upright ? "right rotate by 90" : "center";
    fprintf(out,
            "data index %d every %d::%d using 1:(%.5g):%d:($0 * %d == %d ? 0x%s : 0x%s) with "
            "labels %s font ',%.4g' tc rgb variable noenhanced",
            k, p->every, first, b.words, field, p->every, from - first, look.mark + 1, look.ink + 1,
            stand, p->font);
    fprintf(out,
            ", \\\n     data index %d every %d::%d using 1:(%.5g):($2 < %g ? '' : "
            "sprintf('%%.2f', $2)) with labels %s font ',%.4g' tc rgb '%s' noenhanced",
            k, p->every, first, b.weights, least_weight, stand,
            p->upright ? look.least : fmax(0.62 * p->font, look.least), look.accent);
}

static void write_title(FILE *out, const Picture *p, int k)
{
    const char *title = p->d.sheet->blocks[k].title;
    double width = PAGE_WIDTH - 2 * SIDE, font = plot_text_fit(title, width, 20, 14);
    plot_script_label(out, title, SIDE, band(p, k).title, "left", width / font, font);
}

static void write_body(FILE *out, const void *what)
{
    const Picture *p = what;
    plot_script_title(out, p->d.sheet->title);
    for (int k = 0; k < p->d.sheet->count; k++)
        write_title(out, p, k);
    fputs("unset object\n", out);
    for (int k = 0; k < p->d.sheet->count; k++)
        write_query(out, p, k);
    for (int k = 0; k < p->d.sheet->count; k++) {
        fputs(k == 0 ? "plot " : ", \\\n     ", out);
        write_words(out, p, k, plot_fonts_field(3));
        write_arcs(out, p, k);
    }
    fputc('\n', out);
}

static void write_ellipse(FILE *out, const void *what)
{
    (void)what;
    fputs("\n# Half an ellipse from a to b, in steps i = 0 to 100.\n"
          "set samples 101\n"
          "arc_x(a, b, i) = (a + b) / 2 - (b - a) / 2 * cos(pi * i / 100)\n"
          "arc_y(base, height, i) = base - height * sin(pi * i / 100)\n",
          out);
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* What the picture leaves out. */
static void note_all(const Picture *p)
{
    int faint = 0, above = 0;
    for (int k = 0; k < p->d.sheet->count; k++)
        for (int j = 0; j < p->d.sheet->blocks[k].columns; j++) {
            double w = (double)p->d.sheet->blocks[k].cells[j];
            faint += !(fabs(w) == 0 || w >= least_weight);
            above += w > 1.00001;
        }
    if (faint)
        plot_note("below %g, or not finite: %d weights, which have no arc", least_weight, faint);
    if (above)
        plot_note("above 1: %d weights, which have the arc of 1", above);
    plot_note_every("words", p->every);
}

bool plot_arcs(const char *stem, const PlotArcs *sentences, int count, const char *title,
               unsigned formats)
{
    Sheet sheet;
    if (!plot_formats_check(&formats, "plot_arcs") ||
        !plot_sheet_of_arcs(&sheet, sentences, count, title, "plot_arcs"))
        return false;
    Picture p = {.d = {.who = "plot_arcs",
                       .formats = formats,
                       .body = write_body,
                       .data = write_data,
                       .settings = write_ellipse,
                       .sheet = &sheet},
                 .sentences = sentences};
    bool ok = place_words(&p) && plot_draw(&p.d, stem);
    note_all(&p);
    mem_free(p.memory);
    plot_sheet_free(&sheet);
    return ok;
}

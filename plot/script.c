/* script.c: the beginning and the end of every gnuplot script, and the steps of every picture.
 *
 * A script reads numbers and labels from the data file beside it. Titles are in the script itself,
 * single-quoted, since gnuplot interprets nothing between single quotes. */
#include "plot/internal.h"

const PictureFormat plot_picture_formats[FORMATS] = {
    {PLOT_PNG, ".png"},
    {PLOT_SVG, ".svg"},
    {PLOT_PDF, ".pdf"},
};

static void set_terminal(FILE *out, unsigned format)
{
    const Look l = plot_look();
    const double pixels = 1920.0 / l.width, inch = l.inches / l.width;
    const char *font = "font 'sans-serif,18'";
    fputs("\nset terminal ", out);
    if (format == PLOT_PNG)
        fprintf(out, "pngcairo size 1920,%.0f %s fontscale %.5g linewidth %.4g", l.height * pixels,
                font, 0.75 * pixels, pixels);
    else if (format == PLOT_SVG)
        fprintf(out, "svg size %d,%d %s", l.width, l.height, font);
    else
        fprintf(out, "pdfcairo size %.5gin,%.4gin %s fontscale %.4g linewidth %.4g", l.inches,
                l.height * inch, font, 54 * inch, 144 * inch);
    fprintf(out, " background '%s' noenhanced\n", l.paper);
}

/* A path is kept byte for byte, unlike a text. */
static void quoted_path(FILE *out, const char *base, const char *suffix)
{
    fputs("'./", out);
    for (; *base; base++)
        if (*base == '\'')
            fputs("'.\"\\047\".'", out);
        else
            fputc(*base, out);
    fprintf(out, "%s'", suffix);
}

/* ---- scripts --------------------------------------------------------------------------------- */

static void write_beginning(FILE *out, const char *base)
{
    fputs("# Run by gnuplot in this directory, this file makes its pictures again.\n"
          "if (!exists(\"picture\")) picture = ",
          out);
    quoted_path(out, base, "");
    fputs("\ndata = ", out);
    quoted_path(out, base, ".tsv");
    fputs("\n\nreset\n"
          "set encoding utf8\n"
          "set datafile separator \"\\t\"\n"
          "set datafile commentschars \"\"   # a label may begin with #\n"
          "unset key\n",
          out);
}

/* The plane of the whole page: no axes, y down. */
static void write_page(FILE *out)
{
    fprintf(out,
            "\n# The page: %d x %d points, y down.\n"
            "unset border\nunset tics\n"
            "set lmargin at screen 0\nset rmargin at screen 1\n"
            "set bmargin at screen 0\nset tmargin at screen 1\n"
            "set xrange [0:%d]\nset yrange [%d:0]\n",
            PAGE_WIDTH, PAGE_HEIGHT, PAGE_WIDTH, PAGE_HEIGHT);
}

void plot_script_title(FILE *out, const char *title)
{
    double font = plot_text_fit(title, PAGE_WIDTH - 80, TITLE_FONT, 14);
    if (!*title)
        return;
    fputs("set label ", out);
    plot_text_quoted(out, title, (PAGE_WIDTH - 40) / font);
    fprintf(out, " at screen 0.5, screen %.5g center font ',%.4g' tc rgb '%s' noenhanced\n",
            1 - 32.4 / PAGE_HEIGHT, font, plot_look().ink);
}

void plot_script_label(FILE *out, const char *text, double x, double y, const char *align,
                       double ems, double font)
{
    if (!*text)
        return;
    fputs("set label ", out);
    plot_text_quoted(out, text, ems);
    fprintf(out, " at %.5g,%.5g %s font ',%.4g' tc rgb '%s' noenhanced\n", x, y, align, font,
            plot_look().ink);
}

static void write_pictures(FILE *out, const AnyPicture *d)
{
    bool first = true, lacking = plot_fonts_lacking();
    if (lacking)
        fputs("\n# Some characters are in no font that was found here: PNG and PDF do without "
              "them.\n",
              out);
    for (int i = 0; i < FORMATS; i++) {
        if (!(d->formats & plot_picture_formats[i].bit))
            continue;
        set_terminal(out, plot_picture_formats[i].bit);
        if (d->formulas)
            fputs("set termoption enhanced\n", out);
        fprintf(out, "set output picture.'%s'\n", plot_picture_formats[i].suffix);
        if (!first && !lacking) {
            fputs("replot\n", out);
        } else {
            plot_fonts_literal(plot_picture_formats[i].bit == PLOT_SVG);
            fputs(first ? "\n" : "\nunset label\n", out);
            d->body(out, d);
        }
        first = false;
    }
    plot_fonts_literal(false);
    fputs("unset output\n", out);
}

/* ---- a picture ------------------------------------------------------------------------------- */

static void write_script(FILE *out, const void *drawing)
{
    const AnyPicture *d = drawing;
    write_beginning(out, d->stem.base);
    if (!d->axes)
        write_page(out);
    if (d->settings)
        d->settings(out, d);
    write_pictures(out, d);
}

static bool write_files(const AnyPicture *d)
{
    return (!d->data || plot_file_write(d->stem.path, ".tsv", d->data, d)) &&
           plot_file_write(d->stem.path, ".gp", write_script, d);
}

/* An SVG holds its texts as they are; for the others fc-list is asked which of the characters that
 * were written it lacks. */
static bool replace_lacking(const AnyPicture *d)
{
    if (!(d->formats & (PLOT_PNG | PLOT_PDF)))
        return true;
    return plot_fonts_ask() && (!plot_fonts_lacking() || write_files(d));
}

bool plot_draw(AnyPicture *d, const char *stem)
{
    if (!plot_stem_open(&d->stem, stem, d->who))
        return false;
    bool ok = write_files(d) && replace_lacking(d) &&
              (!d->sheet || plot_tables_write(&d->stem, d->sheet)) &&
              plot_render(&d->stem, d->formats, d->who) && (!d->finish || d->finish(d));
    plot_fonts_free();
    plot_stem_close(&d->stem);
    return ok;
}

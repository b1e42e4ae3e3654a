/* latex.h: a figure whose texts LaTeX sets, in the document's own font.
 *
 * gnuplot's cairolatex writes two files: NAME-latex.pdf, the picture without texts, and
 * NAME-latex.tex, which sets the texts over it: \usepackage{graphicx,color} ... \input{NAME-latex}
 * (16 cm wide: a 16:9 slide of beamer, or a page; 8.4 cm: a column). Its script is made from the
 * one that plot.h writes: what is special to LaTeX is escaped, in titles and labels alike, and each
 * text keeps its size, which cairolatex by itself forgets. */
#ifndef LECTURES_LATEX_H
#define LECTURES_LATEX_H

#include <stdbool.h>

/* From DRAWN/NAME.gp and .tsv, drawn as SVG alone, to FOLDER/NAME-latex.gp, .tsv, .tex and .pdf.
 * Without gnuplot the last two are not made. False after an error. */
bool latex_figure(const char *drawn, const char *folder, const char *name);

/* Draws once more, as SVG alone and in a folder of its own, and makes LaTeX's files of
 * it; stem is FOLDER/NAME. */
bool latex_draw(const char *stem, bool (*draw)(const char *stem, const void *what),
                const void *what);

/* gnuplot on FOLDER/SCRIPT, run in its folder. False, with an error, where it fails. */
bool latex_gnuplot(const char *folder, const char *script);

#endif

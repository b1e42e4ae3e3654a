/* page.h: a chapter as a page for a browser (`./gradus lecture 4 --html`): the text of its
 * README.md with formulas, code, tables and pictures inside, and figures that a reader moves. */
#ifndef LECTURES_PAGE_H
#define LECTURES_PAGE_H

#include "lectures/runner/chapters.h"

/* Writes OUT/04-attention.html, with the figures' numbers of this seed, and says so. */
bool chapter_page(const Chapter *chapter, const char *out, uint64_t seed);

/* Writes a page of Markdown without pictures; links stay as they are. False after an error. */
bool text_page(const char *path, const char *title, const char *markdown);

#endif

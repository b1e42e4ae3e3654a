/* pages.h: texts as pages for a browser: the program gives what it knows of its chapters, and
 * lectures/pages/pages.py writes the pages. */
#ifndef LECTURES_PAGES_H
#define LECTURES_PAGES_H

#include "lectures/runner/chapters.h"

/* The exit status of pages.py where it cannot install what it needs; it has said so. */
enum { PAGES_NO_ENVIRONMENT = 77 };

/* Writes OUT/04-attention.html, or the page of every chapter for NULL, with the figures' numbers of
 * this seed; live: with the library. Returns the exit status; what is wrong was printed. */
int chapter_pages(const Chapter *only, bool live, const char *out, uint64_t seed);

/* Writes NAME.html beside NAME.md, a file or each of a folder. Returns the exit status; what is
 * wrong was printed. */
int text_pages(const char *path);

#endif

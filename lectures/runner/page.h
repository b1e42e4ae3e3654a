/* page.h: a chapter as a page for a browser (`./gradus lecture 4 --html`): the text of its
 * README.md with formulas, code, tables and pictures inside, and figures that a reader moves. */
#ifndef LECTURES_PAGE_H
#define LECTURES_PAGE_H

#include "lectures/runner/chapters.h"

/* What a page among others needs: where a link to a file of the project leads (a text until the
 * next call), and what is done with each page's HTML. */
typedef struct Book {
    void *state;
    const char *(*address)(const struct Book *book, const char *real_path);
    bool (*seen)(void *state, const char *name, const char *html);
} Book;

/* Writes OUT/04-attention.html, with the figures' numbers of this seed, and says so; a page by
 * itself, whose links lead into the project. live: with the library. */
bool chapter_page(const Chapter *chapter, bool live, const char *out, uint64_t seed);

/* Writes OUT/NAME.html, the page of a Markdown file; chapter: whose figures it has, or NULL; book:
 * NULL for a page by itself; live: with the library, where the chapter has a figure for it. */
bool text_page(const Chapter *chapter, const Book *book, bool live, const char *file,
               const char *out, const char *name, uint64_t seed);

/* Writes a page of Markdown without pictures; links stay as they are. False after an error. */
bool markdown_page(const char *path, const char *title, const char *markdown);

#endif

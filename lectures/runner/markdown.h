/* markdown.h: a chapter's README.md as HTML.
 *
 * Read is the part of GitHub's Markdown that the chapters use: headings (with GitHub's anchors),
 * paragraphs, numbered and plain lists, quotes, tables, code in fences and by indentation, ```math
 * blocks and $`formulas`$ within a line (mathml.h), pictures, links, *emphasis*, **strong
 * emphasis**, `code` and \escapes. A comment <!-- code: FILE FUNCTION --> becomes the caption of
 * the code that follows; after the quote that follows <!-- questions: ROW --> the page may write;
 * other comments are left out. Nothing in the text is taken for HTML. */
#ifndef LECTURES_MARKDOWN_H
#define LECTURES_MARKDOWN_H

#include <stdbool.h>
#include <stdio.h>

/* What the page makes of addresses. */
typedef struct {
    void *page;
    /* Writes where a link to `address` leads, escaped. */
    void (*link)(void *page, FILE *out, const char *address);
    /* Writes a picture that stands alone in its paragraph or in a table's cell; false after an
     * error. */
    bool (*picture)(void *page, FILE *out, const char *address, const char *alternative);
    /* Writes what follows the questions of a row, such as their answers; NULL: nothing. */
    void (*answers)(void *page, FILE *out, int row);
} MarkdownPage;

/* False after an error: one of `picture`, a formula that mathml.h refuses, no memory. */
bool markdown_write(FILE *out, const char *text, const MarkdownPage *page);

#endif

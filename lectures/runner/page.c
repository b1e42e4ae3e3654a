/* page.c: see page.h. The text: markdown.h, mathml.h; the page around it and its live figures:
 * plot/pages.h. */
#define _GNU_SOURCE
#include "lectures/runner/page.h"

#include "lectures/runner/markdown.h"
#include "lectures/runner/mathml.h"
#include "lectures/runner/text_stream.h"

#include "examples/common/example.h"
#include "plot/html/own_pages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = PATH_MAX, FIGURES = 32, NUMBERS = 16 };

/* Where the text is, and where its page will be: absolute paths, without links. */
typedef struct {
    const Chapter *chapter; /* NULL: another text */
    const Book *book;       /* NULL: a page by itself */
    bool live;              /* its figures compute */
    char folder[PATH_BYTES], out[PATH_BYTES];
} Place;

/* ---- files ----------------------------------------------------------------------------------- */

/* The bytes of a file, with a 0 after them; to be freed. NULL after an error. */
static char *read_whole(const char *path, size_t *bytes)
{
    char *text = text_read(path, bytes);
    if (!text)
        example_fail("page: %s cannot be read; expected a file of the chapter", path);
    return text;
}

/* RFC 4648 */
static void put_base64(FILE *out, const unsigned char *bytes, size_t count)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t n = count - i < 3 ? count - i : 3;
        unsigned three = (unsigned)bytes[i] << 16 | (n > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (n > 2 ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++)
            fputc(k <= n ? letter[three >> (18 - 6 * k) & 63] : '=', out);
    }
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* From one absolute folder to an absolute path: "../../lectures/04-attention/masks.c". */
static void put_relative(FILE *out, const char *from, const char *to)
{
    size_t same = 0, i = 0; /* same: the length of the folders that both begin with */
    for (; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            same = i;
    if (!from[i] && to[i] == '/')
        same = i;
    for (const char *at = from + same; *at; at++)
        if (*at == '/')
            fputs("../", out);
    html_escape(out, to + same + 1, strlen(to + same + 1));
}

/* A chapter's folder leads to its page; other files of the project, to themselves; the Web and
 * anchors stay. A path that begins with / begins in the project's folder. */
static void put_link(void *page, FILE *out, const char *address)
{
    const Place *p = page;
    char path[PATH_BYTES], real_path[PATH_BYTES];
    size_t n = strcspn(address, "#");
    if (strstr(address, "://") || n == 0) {
        html_escape(out, address, strlen(address));
        return;
    }
    for (int i = 0; chapters[i]; i++) {
        snprintf(path, sizeof path, "../%s/", chapters[i]->folder);
        if (strlen(path) == n && strncmp(path, address, n) == 0) {
            fprintf(out, "%s.html", chapters[i]->folder);
            html_escape(out, address + n, strlen(address + n));
            return;
        }
    }
    int written = *address == '/'
                      ? snprintf(path, sizeof path, "%s/..%.*s", LECTURES_FOLDER, (int)n, address)
                      : snprintf(path, sizeof path, "%s/%.*s", p->folder, (int)n, address);
    if (written < (int)sizeof path && system_full_path(path, real_path, sizeof real_path)) {
        if (p->book)
            fputs(p->book->address(p->book, real_path), out);
        else
            put_relative(out, p->out, real_path);
    }
    html_escape(out, address + n, strlen(address + n));
}

/* The chapter's figure that a file shows, such as masks.png; NULL: none of that name. */
static const Figure *figure_of(const Place *p, const char *file)
{
    const Figure *const *f = p->chapter ? chapter_figures(p->chapter) : NULL;
    const size_t length = strcspn(file, ".");
    while (f && *f && (strlen((*f)->name) != length || strncmp((*f)->name, file, length) != 0))
        f++;
    return f ? *f : NULL;
}

/* A picture of the chapter, as data, in a figure whose id is that of its file: figure-masks. The
 * text of the notes is the caption, and what the figure shows, if it says more, the picture's. */
static bool put_picture(void *page, FILE *out, const char *address, const char *alternative)
{
    const Place *p = page;
    const char *name = strrchr(address, '/');
    char path[PATH_BYTES];
    size_t bytes;
    name = name ? name + 1 : address;
    char *data = snprintf(path, sizeof path, "%s/%s", p->folder, address) < (int)sizeof path
                     ? read_whole(path, &bytes)
                     : NULL;
    if (!data)
        return false;
    const Figure *figure = figure_of(p, name);
    const char *what = figure && strcmp(figure->what, alternative) != 0 ? figure->what : "";
    fprintf(out, "<figure id=\"figure-%.*s\"><img alt=\"", (int)strcspn(name, "."), name);
    html_escape(out, what, strlen(what));
    fprintf(out, "\" src=\"data:image/%s;base64,", strstr(name, ".svg") ? "svg+xml" : "png");
    put_base64(out, (const unsigned char *)data, bytes);
    fputs("\"><figcaption>", out);
    html_escape(out, alternative, strlen(alternative));
    if (figure && figure->computed && !p->live) /* how the reader gets the live figure */
        fprintf(out,
                "<br>With controls: <code>./gradus lecture %d --live</code> (needs clang, lld and "
                "wasi-libc).",
                p->chapter->number);
    fputs("</figcaption></figure>\n", out);
    free(data);
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    html_escape(out, text, strlen(text));
    fputs(after, out);
}

/* The answers to a row's questions, folded, each with what is wrong about the other choices. */
static void put_answers(void *page, FILE *out, int row)
{
    const Place *p = page;
    if (!p->chapter)
        return;
    fputs("<details><summary>Answers</summary>\n", out);
    for (const Question *q = p->chapter->questions; q && q->row; q++) {
        if (q->row != row)
            continue;
        put_text(out, "<p>", q->question, " <strong>");
        put_text(out, "", q->answer, "</strong></p>\n<ul>");
        if (q->misconception)
            put_text(out, "<li>Usual mistake: ", q->misconception, "</li>");
        for (int i = 0; i < QUESTION_CHOICES && q->choices[i].text; i++) {
            put_text(out, i + 1 == q->right ? "<li>Right: " : "<li>", q->choices[i].text, ": ");
            put_text(out, "", q->choices[i].reason, "</li>");
        }
        fputs("</ul>\n", out);
    }
    fputs("</details>\n", out);
}

/* ---- live figures ---------------------------------------------------------------------------- */

typedef struct {
    char after[64]; /* the id of its picture */
    PlotLiveNumbers numbers[NUMBERS];
    char *texts[2]; /* its first answer, and its controls */
} Live;

static bool live_figure(const ComputedFigure *f, Live *l, PlotLiveFigure *figure)
{
    int count = 0;
    while (count < NUMBERS &&
           computed_numbers(f, count, &l->numbers[count].name, &l->numbers[count].numbers,
                            &l->numbers[count].count))
        count++;
    const char *first = computed_first(f);
    l->texts[0] = first ? text_copy(first, strlen(first)) : NULL;
    const char *controls = computed_controls(f);
    l->texts[1] = text_copy(controls, strlen(controls));
    snprintf(l->after, sizeof l->after, "figure-%s", f->name);
    *figure = (PlotLiveFigure){.kind = "computed",
                               .after = l->after,
                               .numbers = l->numbers,
                               .count = count,
                               .labels = (const char *const *)l->texts,
                               .label_count = 2};
    return l->texts[0] && l->texts[1];
}

/* All figures of the chapter that the page computes; returns how many, or -1 after an error. */
static int live_figures(const Chapter *c, uint64_t seed, PlotLiveFigure figures[FIGURES],
                        Live lives[FIGURES])
{
    int count = 0;
    for (const Figure *const *f = chapter_figures(c); *f && count < FIGURES; f++)
        if ((*f)->computed) {
            if (((*f)->give && !(*f)->give(seed)) ||
                !live_figure((*f)->computed, &lives[count], &figures[count]))
                return -1;
            count++;
        }
    return count;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* "4 Attention" of "# 4 Attention". */
static const char *title_of(const char *text, char title[128])
{
    snprintf(title, 128, "%.*s", (int)strcspn(text, "\n"), text);
    return title + strspn(title, "# ");
}

static bool write_with_figures(const Place *p, const char *path, const char *title,
                               const char *html, uint64_t seed)
{
    const PlotPageLive library = {.module = GRADUS_LIVE, .model = "computed"};
    static Live lives[FIGURES];
    PlotLiveFigure figures[FIGURES];
    memset(lives, 0, sizeof lives);
    int count = p->live ? live_figures(p->chapter, seed, figures, lives) : 0;
    const PlotPageChapter page = {.title = title,
                                  .html = html,
                                  .figures = figures,
                                  .figure_count = count,
                                  .live = count > 0 ? &library : NULL};
    bool ok = count >= 0 && plot_page_chapter(path, &page);
    for (int i = 0; i < FIGURES; i++) {
        free(lives[i].texts[0]);
        free(lives[i].texts[1]);
    }
    if (ok && p->chapter)
        printf("%s: %s, with %d figures to be moved\n", path, title, count);
    return ok;
}

bool text_page(const Chapter *chapter, const Book *book, bool live, const char *file,
               const char *out, const char *name, uint64_t seed)
{
    Place p = {.chapter = chapter, .book = book, .live = live && chapter};
    char path[PATH_BYTES], title[128];
    size_t bytes;
    TextStream html;
    const MarkdownPage page = {&p, put_link, put_picture, put_answers};
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(file, '/') - file), file);
    if (!tensor_make_directory(out) || !system_full_path(path, p.folder, sizeof p.folder) ||
        !system_full_path(out, p.out, sizeof p.out))
        return example_fail("page: %s or %s is no folder; expected both", path, out);
    char *text = read_whole(file, &bytes);
    FILE *stream = text ? text_open(&html) : NULL;
    bool ok = stream && markdown_write(stream, text, &page);
    char *body = stream ? text_close(&html, NULL) : NULL;
    snprintf(path, sizeof path, "%s/%s.html", out, name);
    ok = ok && body && write_with_figures(&p, path, title_of(text, title), body, seed) &&
         (!book || book->seen(book->state, name, body));
    free(text);
    free(body);
    return ok;
}

bool chapter_page(const Chapter *chapter, bool live, const char *out, uint64_t seed)
{
    char file[PATH_BYTES];
    snprintf(file, sizeof file, "%s/%s/README.md", LECTURES_FOLDER, chapter->folder);
    return text_page(chapter, NULL, live, file, out, chapter->folder, seed);
}

/* ---- a page of text alone -------------------------------------------------------------------- */

static void put_as_is(void *page, FILE *out, const char *address)
{
    (void)page;
    fputs(address, out);
}

static bool put_no_picture(void *page, FILE *out, const char *address, const char *alternative)
{
    (void)page, (void)out, (void)address, (void)alternative;
    return false;
}

bool markdown_page(const char *path, const char *title, const char *markdown)
{
    TextStream html;
    const MarkdownPage page = {NULL, put_as_is, put_no_picture, NULL};
    FILE *stream = text_open(&html);
    bool ok = stream && markdown_write(stream, markdown, &page);
    char *body = stream ? text_close(&html, NULL) : NULL;
    ok = ok && body && plot_page_chapter(path, &(PlotPageChapter){.title = title, .html = body});
    free(body);
    return ok;
}

/* book.c: `./gradus book`: all chapters, and the texts that the command line names, as a folder of
 * pages with an index.
 *
 *   out/book/index.html          all pages in groups, and a search through their sections
 *   out/book/04-attention.html   a chapter;  hw3-attention.html, example-gpt.html, glossary.html
 *   out/book/files/...           the project's files that the pages link to
 *
 * Links between the pages stay in the folder, so that any host of files can serve it. */
#define _GNU_SOURCE
#include "lectures/runner/commands.h"
#include "lectures/runner/page.h"
#include "lectures/runner/text_stream.h"

#include "examples/common/example.h"
#include "lectures/runner/mathml.h"
#include "plot/html/own_pages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 128, NAME = 64, PATH_BYTES = PATH_MAX, SECTIONS = 4096 };

typedef struct {
    char path[PATH_BYTES]; /* of its Markdown, absolute */
    char name[NAME];       /* "hw3-attention"           */
} BookPage;

/* What the index is made of. section: address, heading and text of each, one after the other. */
typedef struct {
    const char *out;
    char project[PATH_BYTES], address[PATH_BYTES + NAME];
    BookPage page[PAGES];
    int pages;
    char *section[3 * SECTIONS];
    int texts; /* in section */
    char title[PAGES][128];
    int titles;
} Shelf;

/* ---- addresses ------------------------------------------------------------------------------- */

/* Copies a file of the project into OUT/files, once; false where it is no file. */
static bool copy_file(const char *path, const char *to)
{
    char folder[PATH_BYTES + NAME], bytes[4096];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(to, '/') - to), to);
    FILE *in = fopen(path, "rb");
    size_t n = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    FILE *copy = n > 0 && tensor_make_directory(folder) ? fopen(to, "wb") : NULL;
    for (; copy && n > 0; n = fread(bytes, 1, sizeof bytes, in))
        fwrite(bytes, 1, n, copy);
    if (in)
        fclose(in);
    return copy && fclose(copy) == 0;
}

/* A page's Markdown or its folder leads to the page, another file to its copy, and what is neither
 * to the index. */
static const char *address_of(const Book *book, const char *real_path)
{
    Shelf *s = book->state;
    char readme[PATH_BYTES + 16], to[2 * PATH_BYTES];
    size_t project = strlen(s->project);
    snprintf(readme, sizeof readme, "%s/README.md", real_path);
    for (int i = 0; i < s->pages; i++)
        if (strcmp(s->page[i].path, real_path) == 0 || strcmp(s->page[i].path, readme) == 0) {
            snprintf(s->address, sizeof s->address, "%s.html", s->page[i].name);
            return s->address;
        }
    if (strncmp(real_path, s->project, project) != 0)
        return "index.html";
    const char *from[] = {real_path, readme};
    for (int i = 0; i < 2; i++) {
        snprintf(to, sizeof to, "%s/files%s", s->out, from[i] + project);
        if (copy_file(from[i], to)) {
            snprintf(s->address, sizeof s->address, "files%s", from[i] + project);
            return s->address;
        }
    }
    return "index.html";
}

/* ---- what is searched ------------------------------------------------------------------------ */

/* The text of HTML up to `end`: without tags, and with & for &amp;. */
static char *plain_text(const char *html, const char *end)
{
    static const struct {
        const char *entity;
        char letter;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}};
    char *text = malloc((size_t)(end - html) + 1), *at = text;
    while (text && html < end) {
        if (*html == '<') {
            const char *close = memchr(html, '>', (size_t)(end - html));
            html = close ? close + 1 : end;
            if (at > text && at[-1] != ' ')
                *at++ = ' ';
            continue;
        }
        char letter = *html == '\n' ? ' ' : *html;
        size_t taken = 1;
        for (size_t i = 0; *html == '&' && i < sizeof entities / sizeof *entities; i++)
            if (strncmp(html, entities[i].entity, strlen(entities[i].entity)) == 0) {
                letter = entities[i].letter;
                taken = strlen(entities[i].entity);
            }
        html += taken;
        if (letter != ' ' || (at > text && at[-1] != ' '))
            *at++ = letter;
    }
    if (text)
        *at = 0;
    return text;
}

/* Where the next heading with an id begins: <h1 to <h3; the text's end without one. */
static const char *next_heading(const char *html)
{
    while ((html = strstr(html, "<h")) != NULL) {
        if (html[2] >= '1' && html[2] <= '3' && strncmp(html + 3, " id=\"", 5) == 0)
            return html;
        html += 2;
    }
    return NULL;
}

static bool add_section(Shelf *s, const char *name, const char *heading, const char *end)
{
    const char *id = heading + 8, *text = strstr(heading, "</h");
    size_t length = strcspn(id, "\"");
    if (s->texts + 3 > 3 * SECTIONS || !text)
        return example_fail("book: %s has one section too many; expected at most %d in all", name,
                            SECTIONS);
    char **section = s->section + s->texts;
    section[0] = malloc(strlen(name) + length + 8);
    section[1] = plain_text(heading, text);
    section[2] = plain_text(text, end);
    s->texts += 3;
    if (!section[0] || !section[1] || !section[2])
        return example_fail("book: no memory for %s; expected some", name);
    sprintf(section[0], "%s.html#%.*s", name, (int)length, id);
    return true;
}

static bool see_page(void *shelf, const char *name, const char *html)
{
    Shelf *s = shelf;
    const char *heading = next_heading(html), *next;
    int first = s->texts;
    for (bool ok = true; heading && ok; heading = next) {
        next = next_heading(heading + 2);
        ok = add_section(s, name, heading, next ? next : heading + strlen(heading));
        if (!ok)
            return false;
    }
    snprintf(s->title[s->titles++], sizeof s->title[0], "%s",
             s->texts > first ? s->section[first + 1] : name);
    return true;
}

/* ---- the index ------------------------------------------------------------------------------- */

static void put_group(FILE *out, const Shelf *s, const char *heading, const char *begins)
{
    fprintf(out, "<h2 id=\"%.4s\">%s</h2>\n<ul>\n", heading, heading);
    for (int i = 0; i < s->titles; i++) {
        bool chapter = s->page[i].name[0] == '0', homework = strstr(s->page[i].path, "/homework/");
        const char *group = chapter                                        ? "0"
                            : homework                                     ? "h"
                            : strncmp(s->page[i].name, "example-", 8) == 0 ? "e"
                                                                           : "o";
        if (*group != *begins)
            continue;
        fprintf(out, "<li><a href=\"%s.html\">", s->page[i].name);
        html_escape(out, s->title[i], strlen(s->title[i]));
        fputs("</a></li>\n", out);
    }
    fputs("</ul>\n", out);
}

static bool write_index(const Shelf *s)
{
    TextStream html;
    char path[PATH_BYTES];
    FILE *out = text_open(&html);
    if (!out)
        return false;
    fputs("<h1 id=\"gradus\">gradus: transformers, measured</h1>\n<div id=\"search\"></div>\n",
          out);
    put_group(out, s, "Chapters", "0");
    put_group(out, s, "Homework", "h");
    put_group(out, s, "Examples", "e");
    put_group(out, s, "More", "o");
    char *body = text_close(&html, NULL);
    const PlotLiveFigure search = {.kind = "search",
                                   .after = "search",
                                   .labels = (const char *const *)s->section,
                                   .label_count = s->texts};
    snprintf(path, sizeof path, "%s/index.html", s->out);
    bool ok = body && plot_page_chapter(path, &(PlotPageChapter){.title = "gradus: the book",
                                                                 .html = body,
                                                                 .figures = &search,
                                                                 .figure_count = 1});
    free(body);
    if (ok)
        printf("%s: %d pages, %d sections to be searched\n", path, s->titles, s->texts / 3);
    return ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void add_page(Shelf *s, const char *file, const char *name)
{
    if (s->pages == PAGES)
        options_refuse("book: found more than %d texts; expected fewer", PAGES);
    BookPage *p = &s->page[s->pages++];
    if (!system_full_path(file, p->path, sizeof p->path))
        options_refuse("book: %s is no file; expected a text in Markdown", file);
    snprintf(p->name, sizeof p->name, "%s", name);
}

/* "hw3-attention" of ".../hw3-attention/README.md", "example-gpt" of ".../examples/gpt/README.md",
 * "glossary" of ".../glossary.md". */
static void name_of(const char *file, char name[NAME])
{
    const char *last = strrchr(file, '/'), *folder = last;
    while (folder && folder > file && folder[-1] != '/')
        folder--;
    if (last && strcmp(last, "/README.md") == 0)
        snprintf(name, NAME, "%s%.*s", strstr(file, "examples/") ? "example-" : "",
                 (int)(last - folder), folder);
    else
        snprintf(name, NAME, "%.*s", (int)strcspn(last ? last + 1 : file, "."),
                 last ? last + 1 : file);
}

static bool write_book(Shelf *s, bool live, int seed)
{
    const Book book = {s, address_of, see_page};
    for (int i = 0; i < s->pages; i++) {
        const Chapter *chapter = chapter_named(s->page[i].name);
        if (!text_page(chapter && strcmp(chapter->folder, s->page[i].name) == 0 ? chapter : NULL,
                       &book, live, s->page[i].path, s->out, s->page[i].name, (uint64_t)seed))
            return false;
    }
    return write_index(s);
}

int lectures_book(int argc, char **argv)
{
    static Shelf shelf;
    int seed = 1;
    bool live = false;
    shelf.out = "out/book";
    const Option table[] = {
        {"out", OPTION_TEXT, &shelf.out, "DIR", "the folder", 0, 0},
        {"seed", OPTION_INT, &seed, "N", "of all random numbers", 0, 1e9},
        {"live", OPTION_FLAG, &live, NULL, "with the library in the chapters that use it", 0, 0},
        {0},
    };
    int texts = 0;
    while (texts + 1 < argc && argv[texts + 1][0] != '-')
        texts++;
    for (int i = 0; chapters[i]; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s/README.md", LECTURES_FOLDER, chapters[i]->folder);
        add_page(&shelf, path, chapters[i]->folder);
    }
    for (int i = 1; i <= texts; i++) {
        char name[NAME];
        name_of(argv[i], name);
        add_page(&shelf, argv[i], name);
    }
    memmove(argv + 1, argv + 1 + texts, sizeof *argv * (size_t)(argc - texts));
    options_parse(argc - texts, argv, "All chapters and texts, as a folder of pages.", table);
    options_need_folder("out", shelf.out);
    if (!system_full_path(LECTURES_FOLDER "/..", shelf.project, sizeof shelf.project))
        options_refuse("book: %s is no folder; expected the project's", LECTURES_FOLDER);
    bool ok = write_book(&shelf, live, seed);
    for (int i = 0; i < shelf.texts; i++)
        free(shelf.section[i]);
    if (!ok)
        fprintf(stderr, "%s\n", tensor_error());
    return ok ? 0 : 1;
}

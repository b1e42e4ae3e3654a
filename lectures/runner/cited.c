/* cited.c: the command `cited`: does every slide and every claim that a text cites exist?
 *
 * A citation of slides is a lecture's letter, or several with commas, and titles in quotes after
 * it. A citation of claims is the word claim or claims and their statements in quotes, which may be
 * cut after some words:
 *
 *     V "Self-Attention", "Multi-Head Self-Attention (MSA)"; Z, J "..."
 *     Claims "the forward algorithm ...", "backward through ..." and "a step back ..."
 *
 * What stands in a block of code, or between backquotes, cites nothing. Lines may end within a
 * citation. */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/slides.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS_MAX = 8, TITLE_MAX = 200 };

static bool is_letter(char c)
{
    for (const Lecture *l = lectures; l->letter; l++)
        if (l->letter == c)
            return true;
    return false;
}

static bool is_slide(char letter, const char *title)
{
    for (const Slide *s = slides; s->title; s++)
        if (s->lecture == letter && strcmp(s->title, title) == 0)
            return true;
    return false;
}

/* The whole file with every white space as one blank, and without code; NULL where it cannot be
 * read. */
static char *read_prose(const char *path)
{
    FILE *from = fopen(path, "r");
    size_t length = 0, capacity = 1;
    char *text = from ? calloc(1, capacity) : NULL, line[4096];
    bool code = false;
    while (text && fgets(line, sizeof line, from)) {
        bool fence = strncmp(line, "```", 3) == 0, quoted = false;
        code ^= fence;
        if (length + sizeof line > capacity) {
            char *larger = realloc(text, capacity += 1 << 16);
            if (!larger)
                free(text);
            text = larger;
        }
        for (const char *p = line; text && *p && !code && !fence; p++) {
            quoted ^= *p == '`';
            if (!quoted && *p != '`' &&
                !(isspace((unsigned char)*p) && length && text[length - 1] == ' '))
                text[length++] = isspace((unsigned char)*p) ? ' ' : *p;
        }
        if (text)
            text[length] = 0;
    }
    if (from)
        fclose(from);
    return text;
}

/* After `"`: the title; NULL where the quote does not end soon. */
static const char *read_title(const char *p, char title[TITLE_MAX])
{
    size_t length = strcspn(p, "\"");
    if (length >= TITLE_MAX || p[length] != '"')
        return NULL;
    snprintf(title, TITLE_MAX, "%.*s", (int)length, p);
    return p + length + 1;
}

/* The citation that may begin at p, a letter; how many of its titles are wrong. *end: where to go
 * on. */
static int check_citation(const char *path, const char *p, const char **end)
{
    char letters[LETTERS_MAX] = {*p}, title[TITLE_MAX];
    int wrong = 0;
    *end = ++p;
    while (strncmp(p, ", ", 2) == 0 && is_letter(p[2]) && !isalnum((unsigned char)p[3]) &&
           strlen(letters) + 1 < LETTERS_MAX) {
        letters[strlen(letters)] = p[2];
        p += 3;
    }
    p += *p == ',';
    while (p && strncmp(p, " \"", 2) == 0 && (p = read_title(p + 2, title))) {
        for (const char *l = letters; *l; l++)
            if (!is_slide(*l, title))
                wrong += fprintf(stderr, "%s: %c has no slide \"%s\"\n", path, *l, title) > 0;
        *end = p;
        p += *p == ',';
    }
    return wrong;
}

/* Does a claim's statement begin with the text, which may end in " ..."? */
static bool is_claim(const char *text)
{
    const size_t length = strlen(text);
    const bool cut = length > 4 && strcmp(text + length - 4, " ...") == 0;
    for (int i = 0; chapters[i]; i++)
        for (const Claim *const *c = chapter_claims(chapters[i]); *c; c++)
            if (cut ? strncmp((*c)->statement, text, length - 4) == 0
                    : strcmp((*c)->statement, text) == 0)
                return true;
    return false;
}

/* The citation of claims that may begin at p, a letter; how many of its statements no claim has. */
static int check_claims(const char *path, const char *p, const char **end)
{
    char text[TITLE_MAX];
    int wrong = 0;
    *end = p + 1;
    if (tolower((unsigned char)*p) != 'c' || strncmp(p + 1, "laim", 4) != 0)
        return 0;
    p += 5;
    p += *p == 's';
    while (p && strncmp(p, " \"", 2) == 0 && (p = read_title(p + 2, text))) {
        if (!is_claim(text))
            wrong += fprintf(stderr, "%s: no claim states \"%s\"\n", path, text) > 0;
        *end = p;
        p += strncmp(p, " and \"", 6) == 0 ? 4 : *p == ',';
    }
    return wrong;
}

/* What a text cites. */
typedef struct {
    int slides, claims;
} Cited;

static int check_file(const char *path, Cited *cited)
{
    char *text = read_prose(path);
    int wrong = 0;
    if (!text) {
        fprintf(stderr, "cited: %s cannot be read; expected a text\n", path);
        return 1;
    }
    for (const char *p = text; *p;) {
        bool begins = p == text || !isalnum((unsigned char)p[-1]);
        const char *from = p++;
        if (begins && is_letter(*from) && (*p == ' ' || *p == ',')) {
            wrong += check_citation(path, from, &p);
            cited->slides += p > from + 1;
        } else if (begins) {
            wrong += check_claims(path, from, &p);
            cited->claims += p > from + 1;
        }
    }
    free(text);
    return wrong;
}

int lectures_cited(int argc, char **argv)
{
    int wrong = 0;
    Cited cited = {0, 0};
    if (argc < 2 || argv[1][0] == '-') {
        printf("usage: cited FILE...\nNames each slide and each claim that the texts cite and that "
               "does not "
               "exist; the status is then 1.\n");
        return argc < 2 ? 2 : 0;
    }
    for (int i = 1; i < argc; i++)
        wrong += check_file(argv[i], &cited);
    printf("%d citations of slides and %d of claims, %d wrong\n", cited.slides, cited.claims,
           wrong);
    return wrong > 0;
}

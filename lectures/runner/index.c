/* index.c: the index of lectures/README.md, both ways, from the list of slides, the claims and the
 * figures.
 *
 *   chapter and row -> slides        for whoever reads a chapter
 *   slide -> row, program, figure    for whoever gives one of the five lectures tomorrow
 *
 * A test holds the README to what is printed here, so that both agree. */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/slides.h"

#include "examples/common/options.h"

#include <string.h>

/* "[masks](04-attention/pictures/masks.png)" for each figure of the row, after a comma where
 * `before` is not 0. Returns how many. */
static int print_figures(const Chapter *c, int row, int before)
{
    int count = before;
    for (const Figure *const *f = chapter_figures(c); *f; f++)
        if ((*f)->row == row)
            printf("%s[%s](%s/pictures/%s.png)", count++ ? ", " : "", (*f)->name, c->folder,
                   (*f)->name);
    return count - before;
}

/* ---- by chapter ------------------------------------------------------------------------------ */

/* V "Self-Attention", "Analogy ..."; H "Q, K, V": each title once. */
static void print_slides_of(int row)
{
    char letter = 0;
    for (const Slide *s = slides; s->title; s++) {
        bool again = false;
        for (const Slide *e = slides; e < s; e++)
            again |=
                e->lecture == s->lecture && strcmp(e->title, s->title) == 0 && slide_shows(e, row);
        if (!slide_shows(s, row) || again)
            continue;
        if (s->lecture == letter)
            printf(", \"%s\"", s->title);
        else
            printf("%s%c \"%s\"", letter ? "; " : "", s->lecture, s->title);
        letter = s->lecture;
    }
}

static void print_row(const Row *row)
{
    const Chapter *c = chapter_with_row(row->number);
    int claims;
    row_claims(row->number, &claims);
    printf("| %d | %s | ", row->number, row->what);
    print_slides_of(row->number);
    printf(" | %d | ", claims);
    print_figures(c, row->number, 0);
    if (row->program)
        printf(" [%s](../%s/)", strchr(row->program, '/') + 1, row->program);
    printf(" |\n");
}

static void print_chapters(void)
{
    int chapter = -1;
    for (const Row *row = rows; row->number; row++) {
        if (row->chapter != chapter) {
            const Chapter *c = chapter_with_row(row->number);
            chapter = row->chapter;
            printf("\n### Chapter %d: [%s](%s/)\n\n", chapter, c->title, c->folder);
            printf("| row | what | slides | claims | figures, examples |\n|---|---|---|---|---|\n");
        }
        print_row(row);
    }
}

/* ---- by lecture ------------------------------------------------------------------------------ */

/* Has an earlier row of the slide the same program as its i-th? */
static bool named_before(const Slide *s, int i)
{
    const char *program = row_with(s->rows[i])->program;
    for (int k = 0; k < i; k++) {
        const char *other = row_with(s->rows[k])->program;
        if (other && strcmp(other, program) == 0)
            return true;
    }
    return false;
}

static void print_where(const Slide *s)
{
    int count = 0;
    const Chapter *last = NULL;
    for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++) {
        const Row *row = row_with(s->rows[i]);
        const Chapter *c = chapter_with_row(row->number);
        if (c != last)
            printf("%s[%s](%s/)", count++ ? ", " : "", c->folder, c->folder);
        if (row->program && !named_before(s, i))
            printf("%s[%s](../%s/)", count++ ? ", " : "", strchr(row->program, '/') + 1,
                   row->program);
        last = c;
    }
    printf(" | ");
    count = 0;
    for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++)
        count += print_figures(chapter_with_row(s->rows[i]), s->rows[i], count);
}

static void print_lectures(void)
{
    for (const Lecture *l = lectures; l->letter; l++) {
        printf("\n### %c: %s\n\n| slide | rows | program | figures |\n|---|---|---|---|\n",
               l->letter, l->name);
        for (const Slide *s = slides; s->title; s++) {
            if (s->lecture != l->letter)
                continue;
            printf("| %s", s->title);
            if (s->pages > 1)
                printf(" (%d slides)", s->pages);
            printf(" | ");
            for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++)
                printf("%s%d", i ? ", " : "", s->rows[i]);
            printf(" | ");
            print_where(s);
            printf(" |\n");
        }
    }
}

/* ---- is it complete? ------------------------------------------------------------------------- */

/* Is each row, also those of the slides, a row of a chapter of chapters.c? The tables above rely on
 * it. */
static bool rows_have_chapters(void)
{
    bool all = true;
    for (const Row *row = rows; row->number; row++)
        if (!chapter_with_row(row->number) ||
            chapter_with_row(row->number)->number != row->chapter) {
            fprintf(stderr, "row %d: found no chapter %d; expected one of chapters.c\n",
                    row->number, row->chapter);
            all = false;
        }
    for (const Slide *s = slides; s->title; s++)
        for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++)
            if (!row_with(s->rows[i])) {
                fprintf(stderr, "%c: \"%s\": found no row %d; expected one of slides.c\n",
                        s->lecture, s->title, s->rows[i]);
                all = false;
            }
    return all;
}

static bool cites_a_slide(const Claim *c, const char *cited)
{
    for (const Slide *s = slides; s->title; s++)
        if (s->lecture == cited[0] && strcmp(s->title, cited + 3) == 0 && slide_shows(s, c->row))
            return true;
    return false;
}

/* A statement that the claim does not confirm has its words, and its slide is one of the
 * claim's. */
static int against_gaps(const Claim *c)
{
    if (c->against.judgement == CONFIRMED && !c->against.slide && !c->against.says)
        return 0;
    for (int k = 0; k < CLAIM_SLIDES && c->slides[k]; k++)
        if (c->against.judgement != CONFIRMED && c->against.says && c->against.slide &&
            strcmp(c->against.slide, c->slides[k]) == 0)
            return 0;
    fprintf(
        stderr,
        "row %d: \"%s\" is against %s; expected a judgement, one of the claim's slides and what "
        "it says\n",
        c->row, c->statement, c->against.slide ? c->against.slide : "no slide");
    return 1;
}

/* Writes a line for each part that a claim lacks; returns how many. */
static int claim_gaps(const Claim *c)
{
    int gaps = 0;
    if (!c->faults[0].name)
        gaps += fprintf(stderr, "row %d: \"%s\" has no fault\n", c->row, c->statement) > 0;
    for (int k = 0; k < CLAIM_SLIDES && c->slides[k]; k++)
        if (!cites_a_slide(c, c->slides[k]))
            gaps += fprintf(stderr, "row %d: \"%s\" is no slide of that row\n", c->row,
                            c->slides[k]) > 0;
    return gaps + against_gaps(c);
}

/* An exercise has its solution, under the fault of that name, and a wrong one after it. */
static int exercise_gaps(const Claim *c)
{
    int gaps = claim_gaps(c);
    if (!claim_has_fault(c, "solved"))
        gaps +=
            fprintf(stderr, "row %d: exercise \"%s\" has no solution\n", c->row, c->statement) > 0;
    if (!c->faults[1].name)
        gaps += fprintf(stderr, "row %d: exercise \"%s\" has no wrong solution\n", c->row,
                        c->statement) > 0;
    return gaps;
}

/* A question has its answer, and a reason for each wrong one. */
static int question_gaps(const Question *q)
{
    int choices = 0, gaps = 0;
    while (choices < QUESTION_CHOICES && q->choices[choices].text) {
        if (!q->choices[choices].reason)
            gaps += fprintf(stderr, "row %d: \"%s\" lacks a reason\n", q->row,
                            q->choices[choices].text) > 0;
        choices++;
    }
    bool has_answer =
        choices ? q->right >= 1 && q->right <= choices : q->within > 0 && q->misconception;
    if (!has_answer || !q->answer)
        gaps += fprintf(stderr, "row %d: \"%s\" lacks its answer\n", q->row, q->question) > 0;
    return gaps;
}

/* Writes a line for each row of a chapter without a claim, and for each part that a claim, an
 * exercise or a question lacks. Returns how many lines. */
static int print_gaps(void)
{
    int gaps = 0;
    for (int i = 0; chapters[i]; i++) {
        const Chapter *chapter = chapters[i];
        for (int row = chapter->first_row, claims; row <= chapter->last_row; row++) {
            row_claims(row, &claims);
            if (claims == 0)
                gaps += fprintf(stderr, "row %d has no claim\n", row) > 0;
        }
        for (const Claim *const *c = chapter_claims(chapter); *c; c++)
            gaps += claim_gaps(*c);
        for (const Claim *const *c = chapter_exercises(chapter); *c; c++)
            gaps += exercise_gaps(*c);
        for (const Question *q = chapter->questions; q && q->row; q++)
            gaps += question_gaps(q);
    }
    return gaps;
}

int lectures_index(int argc, char **argv)
{
    const Option table[] = {{0}};
    options_parse(argc, argv,
                  "Prints the index of lectures/README.md; 1 where a row lacks a claim, or a claim "
                  "its slide.",
                  table);
    if (!rows_have_chapters())
        return 1;
    printf("## Row by row\n");
    print_chapters();
    printf("\n## Slide by slide\n");
    print_lectures();
    return print_gaps() > 0;
}

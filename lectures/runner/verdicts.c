/* verdicts.c: prints lectures/verdicts.md: what the slides state and measurement contradicts,
 * qualifies or corrects.
 *
 * The statements are those of the claims that list one (`against` in claims.h). The numbers are
 * those of the chapters' shares.tsv, which `lectures claims N --seeds 20 --format tsv` writes: the
 * least and the largest value over the seeds. */
#include "lectures/runner/commands.h"
#include "lectures/runner/slides.h"

#include "examples/common/options.h"

#include <string.h>

enum { LINE = 1024 };

/* What shares.tsv says of one claim; the texts point into `line`. */
typedef struct {
    char line[LINE];
    const char *bound, *least, *most, *holds;
} Measured;

/* Columns: row, statement, quantity, bound, least, most, holds. Returns how many were found. */
static int split_columns(char *line, const char *columns[7])
{
    int count = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *c = line; c && count < 7; count++) {
        columns[count] = c;
        c = strchr(c, '\t');
        if (c)
            *c++ = 0;
    }
    return count;
}

/* The claim's line in FOLDER/CHAPTER/shares.tsv; false if there is none. */
static bool find_shares(const char *folder, const Chapter *chapter, const Claim *claim, Measured *m)
{
    char path[LINE];
    const char *columns[7];
    bool found = false;
    snprintf(path, sizeof path, "%s/%s/shares.tsv", folder, chapter->folder);
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(m->line, sizeof m->line, file)) {
        found = split_columns(m->line, columns) == 7 && strcmp(columns[1], claim->statement) == 0;
        m->bound = columns[3], m->least = columns[4], m->most = columns[5], m->holds = columns[6];
    }
    if (file)
        fclose(file);
    if (!found)
        fprintf(stderr,
                "lectures: %s has no line \"%s\"; expected what `claims %d --seeds 20 --format "
                "tsv` prints\n",
                path, claim->statement, chapter->number);
    return found;
}

/* In a table of Markdown a bar would end the cell, and * or _ would begin emphasis. */
static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (strchr("|*_<", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void print_verdict(const Chapter *chapter, const Claim *c, const Measured *m)
{
    printf("| %c, \"", c->against.slide[0]);
    print_cell(c->against.slide + 3);
    printf("\" | ");
    print_cell(c->against.says);
    printf(" | ");
    print_cell(c->statement);
    printf(" | ");
    print_cell(c->quantity);
    if (strcmp(m->least, m->most) == 0)
        printf(": %s", m->least);
    else
        printf(": %s to %s", m->least, m->most);
    printf(" (bound %s, %s seeds) | [%d](%s/) |\n", m->bound, m->holds, c->row, chapter->folder);
}

/* Prints the table of one judgement; returns the number of claims without a share. */
static int print_table(const char *folder, Judgement judgement, int *count)
{
    int missing = 0;
    printf("| slide | it says | measured instead | number | row |\n|---|---|---|---|---|\n");
    for (int i = 0; chapters[i]; i++)
        for (const Claim *const *c = chapter_claims(chapters[i]); *c; c++) {
            Measured m;
            if ((*c)->against.judgement != judgement)
                continue;
            if (find_shares(folder, chapters[i], *c, &m))
                print_verdict(chapters[i], *c, &m);
            else
                missing++;
            ++*count;
        }
    return missing;
}

static int count_all(void)
{
    int count = 0;
    for (int i = 0; chapters[i]; i++)
        for (const Claim *const *c = chapter_claims(chapters[i]); *c; c++)
            count++;
    return count;
}

int lectures_verdicts(int argc, char **argv)
{
    static const struct {
        Judgement judgement;
        const char *title, *text;
    } parts[] = {
        {CONTRADICTED, "Contradicted", "As it stands on the slide, the statement is false."},
        {QUALIFIED, "Qualified",
         "The statement holds under a condition that the slide does not state."},
        {MISPRINTED, "Misprinted",
         "An index, a shape or a symbol cannot be meant as it is printed; the claim measures what "
         "the "
         "correction changes."},
    };
    int count = 0, missing = 0;
    if (argc != 2)
        options_refuse("verdicts: found %d words; expected the folder of the chapters", argc - 1);
    printf(
        "# Verdicts: what measurement does not confirm\n\n"
        "The chapters check the statements of the five lectures by claims. Most claims confirm a "
        "statement. This page lists the others. Each number is that of a claim which "
        "`./gradus claims --row ROW` measures\n"
        "again and `./gradus claims --explain ROW` derives; the values are the least and the "
        "largest "
        "over the seeds. Under \"it says\" the words in quotation marks and the formulas are the "
        "slide's, the words in brackets ours. The letters V, B, H, Z and J are the lectures' "
        "([index](README.md)).\n\n"
        "`lectures verdicts` prints this page from the claims and from the shares.tsv of each "
        "chapter.\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        printf("\n## %s\n\n%s\n\n", parts[i].title, parts[i].text);
        missing += print_table(argv[1], parts[i].judgement, &count);
    }
    printf("\n%d of %d claims concern a statement that they do not confirm.\n", count, count_all());
    return missing > 0;
}

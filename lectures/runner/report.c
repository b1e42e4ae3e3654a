/* report.c: prints the ledger: a table for people, one line a claim for programs. */
#include "lectures/runner/claims.h"
#include "lectures/runner/wrapped.h"

#include <string.h>

const char *const report_formats[REPORT_FORMATS + 1] = {"table", "tsv", "markdown", NULL};

static const char *verdict_of(const Finding *f)
{
    return f->verdict == HOLDS ? "HOLDS" : "FAILS";
}

/* ---- texts as each format wants them --------------------------------------------------------- */

/* "H: What is Attention; V: Self-Attention" */
static void print_slides(const Claim *c)
{
    for (int i = 0; i < CLAIM_SLIDES && c->slides[i]; i++)
        printf("%s%s", i ? "; " : "", c->slides[i]);
}

/* ---- one line -------------------------------------------------------------------------------- */

/* The statement comes last, so that its length moves no column. */
static void table_line(const Finding *f)
{
    char bound[BOUND_TEXT], letters[BOUND_TEXT];
    printf("%3d  %-7s %11.4g  %-18s %7.2f s  %-8s  %s%s%s%s\n", f->claim->row, verdict_of(f),
           f->value, claim_bound(f->claim, bound), f->seconds, claim_letters(f->claim, letters),
           f->fault ? "[" : "", f->fault ? f->fault : "", f->fault ? "] " : "",
           f->claim->statement);
}

static void tsv_line(const Finding *f)
{
    char bound[BOUND_TEXT];
    printf("%d\t%s\t", f->claim->row, f->claim->statement);
    print_slides(f->claim);
    printf("\t%s\t%.9g\t%s\t%s\t%.3f\t%s\n", f->claim->quantity, f->value,
           claim_bound(f->claim, bound), verdict_of(f), f->seconds, f->fault ? f->fault : "-");
}

/* In a table of Markdown a bar would end the cell. */
static void markdown_text(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void markdown_line(const Finding *f)
{
    char bound[BOUND_TEXT];
    printf("| %d | ", f->claim->row);
    markdown_text(f->claim->statement);
    printf(" | ");
    print_slides(f->claim);
    printf(" | ");
    markdown_text(f->claim->quantity);
    printf(" | %.4g | %s | %s | %.2f s |\n", f->value, claim_bound(f->claim, bound), verdict_of(f),
           f->seconds);
}

/* ---- shares over several seeds --------------------------------------------------------------- */

static void shares_begin(ReportFormat format)
{
    if (format == REPORT_TABLE)
        printf("%3s  %-9s %11s %11s  %-18s %9s  %s\n", "row", "holds", "least", "most", "bound",
               "time", "statement");
    if (format == REPORT_TSV)
        printf("row\tstatement\tquantity\tbound\tleast\tmost\tholds\n");
    if (format == REPORT_MARKDOWN)
        printf(
            "| row | statement | quantity | bound | values | holds |\n|---|---|---|---|---|---|\n");
}

/* ---- beginning, lines, end ------------------------------------------------------------------- */

void report_begin(Report *r)
{
    r->count = r->failed = 0;
    r->seconds = 0;
    if (r->shares) {
        shares_begin(r->format);
        return;
    }
    if (r->format == REPORT_TABLE)
        printf("%3s  %-7s %11s  %-18s %9s  %-8s  %s\n", "row", "verdict", "value", "bound", "time",
               "lectures", "statement");
    if (r->format == REPORT_TSV)
        printf("row\tstatement\tslides\tquantity\tvalue\tbound\tverdict\tseconds\tfault\n");
    if (r->format == REPORT_MARKDOWN)
        printf("| row | statement | slides | quantity | value | bound | verdict | time |\n"
               "|---|---|---|---|---|---|---|---|\n");
}

void report_finding(Report *r, const Finding *f)
{
    if (r->format == REPORT_TABLE)
        table_line(f);
    if (r->format == REPORT_TSV)
        tsv_line(f);
    if (r->format == REPORT_MARKDOWN)
        markdown_line(f);
    fflush(stdout); /* a claim may take seconds: its line is to be seen when it is done */
    r->count++;
    r->failed += f->verdict == FAILS;
    r->seconds += f->seconds;
}

void report_end(const Report *r)
{
    if (r->format == REPORT_TABLE && r->shares)
        printf("\n%d claim%s: %d hold for every seed; %.1f s\n", r->count, r->count == 1 ? "" : "s",
               r->count - r->failed, r->seconds);
    else if (r->format == REPORT_TABLE)
        printf("\n%d claim%s: %d hold, %d fail; %.1f s\n", r->count, r->count == 1 ? "" : "s",
               r->count - r->failed, r->failed, r->seconds);
}

void report_share(Report *r, const Share *s)
{
    char bound[BOUND_TEXT];
    const Claim *c = s->claim;
    claim_bound(c, bound);
    if (r->format == REPORT_TABLE)
        printf("%3d  %3d of %-2d %11.4g %11.4g  %-18s %7.2f s  %s\n", c->row, s->held, s->seeds,
               s->least, s->most, bound, s->seconds, c->statement);
    if (r->format == REPORT_TSV)
        printf("%d\t%s\t%s\t%s\t%.4g\t%.4g\t%d of %d\n", c->row, c->statement, c->quantity, bound,
               s->least, s->most, s->held, s->seeds);
    if (r->format == REPORT_MARKDOWN) {
        printf("| %d | ", c->row);
        markdown_text(c->statement);
        printf(" | ");
        markdown_text(c->quantity);
        printf(" | %s | %.3g .. %.3g | %d of %d |\n", bound, s->least, s->most, s->held, s->seeds);
    }
    r->count++;
    r->failed += s->held < s->seeds;
    r->seconds += s->seconds;
}

static const char *judgement_of(const Claim *c)
{
    static const char *const words[] = {"  confirms", "  refutes", "  qualifies", "  corrects"};
    return words[c->against.judgement];
}

/* ---- in words -------------------------------------------------------------------------------- */

Finding report_explained(const Claim *c, uint64_t seed)
{
    char bound[BOUND_TEXT];
    printf("row %2d: ", c->row);
    wrapped_print(c->statement, 8);
    for (int i = 0; i < CLAIM_SLIDES && c->slides[i]; i++)
        wrapped_say(i ? "" : "  slides", 12, "%s", c->slides[i]);
    if (c->against.says)
        wrapped_say(judgement_of(c), 12, "%s: %s", c->against.slide, c->against.says);
    wrapped_say("  measured", 12, "%s\n", c->quantity);
    Finding f = claim_run(c, NULL, seed, stdout);
    printf("\n  value     %.6g, and the bound is %s: %s (%.2f s)\n", f.value, claim_bound(c, bound),
           verdict_of(&f), f.seconds);
    wrapped_say("  because", 12, "%s", c->why);
    for (int i = 0; i < CLAIM_FAULTS && c->faults[i].name; i++)
        wrapped_say(i ? "" : "  broken by", 12, "%s: %s", c->faults[i].name, c->faults[i].what);
    printf("\n");
    return f;
}

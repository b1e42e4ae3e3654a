/* answers.c: the command `answers`: measures what a program in Python asks for, a line each on
 * standard input, until it ends:
 *
 *   claim 4 17 1 FAULT     claim 17, from 0, of chapter 4 with seed 1 (and a fault): what it explains
 *   question 4 3 1         what question 3 of chapter 4 asks for, with the value of its claim
 *   call NAME COUNT ROWS COLUMNS NUMBER...    a function of lectures/exams/library.c
 *
 * The last line of an answer is "= NUMBER ...", after a claim and a question with the verdict, or,
 * after a call, "! ERROR". */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/values.h"

#include "examples/common/options.h"
#include "lectures/exams/exam.h"

#include <stdlib.h>
#include <string.h>

static const char *verdict_of(const Finding *f)
{
    return f->verdict == HOLDS ? "HOLDS" : "FAILS";
}

static const Chapter *chapter_of(const char *line, const char *format, int *index,
                                 unsigned long long *seed, char fault[64])
{
    char number[8];
    *fault = 0;
    if (sscanf(line, format, number, index, seed, fault) < 3)
        options_refuse("answers: found '%.60s'; expected a line of answers.c", line);
    return chapter_named(number);
}

static void answer_claim(const char *line)
{
    int index;
    unsigned long long seed;
    char fault[64];
    const Chapter *c = chapter_of(line, "claim %7s %d %llu %63s", &index, &seed, fault);
    Finding f = claim_run(chapter_claims(c)[index], *fault ? fault : NULL, seed, stdout);
    printf("= %.17g %s\n", f.value, verdict_of(&f));
}

static void answer_question(const char *line)
{
    int index;
    unsigned long long seed;
    char none[64];
    const Chapter *c = chapter_of(line, "question %7s %d %llu %63s", &index, &seed, none);
    const Question *q = &c->questions[index];
    Finding f = claim_run(chapter_asked(c, q), NULL, seed, NULL);
    Trial t = {.claim = f.claim, .seed = seed};
    double measured = q->measure ? q->measure(&t) : f.value;
    trial_free(&t);
    printf("= %.17g %.17g %s\n", measured, f.value, verdict_of(&f));
}

static void answer_call(char *line)
{
    static Value argument[ARGUMENTS_MOST], result;
    char *name = strtok(line + strlen("call "), " "), *word = strtok(NULL, " ");
    const int count = word ? atoi(word) : 0;
    bool ok = count > 0 && count <= ARGUMENTS_MOST;
    for (int i = 0; ok && i < count; i++) {
        Value *v = &argument[i];
        v->rows = (word = strtok(NULL, " ")) ? atoi(word) : 0;
        v->columns = (word = strtok(NULL, " ")) ? atoi(word) : 0;
        ok = v->rows > 0 && v->columns > 0 && v->rows <= VALUE_MOST / v->columns;
        for (int k = 0; ok && k < value_size(v); k++)
            v->x[k] = (ok = (word = strtok(NULL, " ")) != NULL) ? strtod(word, NULL) : 0;
    }
    tensor_on_error(NULL, NULL); /* an error is an answer */
    if (!ok)
        tensor_fail("found '%.40s'; expected 1 to %d arguments of at most %d numbers", name,
                    ARGUMENTS_MOST, VALUE_MOST);
    if (!ok || !library_call(name, argument, count, &result)) {
        printf("! %s\n", tensor_error());
    } else {
        printf("= %d %d", result.rows, result.columns);
        for (int k = 0; k < value_size(&result); k++)
            printf(" %.17g", result.x[k]);
        putchar('\n');
    }
    tensor_clear_error();
    values_exit_on_error();
}

int lectures_answers(int argc, char **argv)
{
    static char line[1 << 16];
    (void)argc, (void)argv;
    values_exit_on_error();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "call ", 5) == 0)
            answer_call(line);
        else if (strncmp(line, "question ", 9) == 0)
            answer_question(line);
        else
            answer_claim(line);
        fflush(stdout);
    }
    return 0;
}

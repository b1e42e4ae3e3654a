/* answers.c: the command `answers`: measures what a program in Python asks for, a line each on
 * standard input, until it ends:
 *
 *   claim 4 17 1 FAULT     claim 17, from 0, of chapter 4 with seed 1 (and a fault): what it explains
 *   exercise 4 2 1 FAULT   the same of an exercise
 *   question 4 3 1         what question 3 of chapter 4 asks for, with the value of its claim
 *   call NAME COUNT ROWS COLUMNS NUMBER...    a function of lectures/exams/library.c
 *
 * The last line of an answer is "= NUMBER ...": of a claim its value, seconds and verdict, of a
 * question also what was measured, before them; or, after a call, "! ERROR". With --poison=nan or
 * zeros the kernels return that (poison.h); with --trace=LETTER the program ends with its first
 * step, op by op. */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/poison.h"
#include "lectures/runner/values.h"

#include "examples/common/example.h"
#include "examples/common/options.h"
#include "lectures/exams/exam.h"

#include <stdlib.h>
#include <string.h>

static const char *verdict_of(const Finding *f)
{
    return f->verdict == HOLDS ? "HOLDS" : "FAILS";
}

static void answer_claim(const Chapter *c, bool exercise, int index, uint64_t seed,
                         const char *fault)
{
    const Claim *const *list = exercise ? chapter_exercises(c) : chapter_claims(c);
    Finding f = claim_run(list[index], *fault ? fault : NULL, seed, stdout);
    if (poison_on())
        tensor_clear_error();
    printf("= %.17g %.3f %s\n", f.value, f.seconds, verdict_of(&f));
}

static void answer_question(const Chapter *c, int index, uint64_t seed)
{
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

static void answer(char *line)
{
    char kind[16] = "", number[8], fault[64] = "";
    int index;
    unsigned long long seed;
    if (strncmp(line, "call ", 5) == 0) {
        answer_call(line);
        return;
    }
    if (sscanf(line, "%15s %7s %d %llu %63s", kind, number, &index, &seed, fault) < 4)
        options_refuse("answers: found '%.60s'; expected a line of answers.c", line);
    if (strcmp(kind, "question") == 0)
        answer_question(chapter_named(number), index, seed);
    else
        answer_claim(chapter_named(number), strcmp(kind, "exercise") == 0, index, seed, fault);
}

int lectures_answers(int argc, char **argv)
{
    static char line[1 << 16];
    const char *poison = NULL, *trace = NULL;
    const Option table[] = {
        {"poison", OPTION_TEXT, &poison, "WHAT", "nan or zeros", 0, 0},
        {"trace", OPTION_TEXT, &trace, "LETTER", "in the symbols of V, B, H, Z or J", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Measures what programs in Python ask for.", table);
    if (poison)
        poison_begin(strcmp(poison, "nan") == 0 ? (double)NAN : 0);
    if (trace)
        example_trace(strcmp(trace, "yes") == 0 ? "" : trace);
    values_exit_on_error();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        answer(line);
        fflush(stdout);
    }
    return 0;
}

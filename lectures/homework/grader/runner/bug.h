/* bug.h: the tests of a homework in which a bug is to be found. The student names the line of
 * program.c that is wrong, and writes a test, `symptom`, that runs on a Program. It must return 1
 * for the program as it was handed out and 0 for the right one, for every seed and at every call,
 * and say what it measured.
 *
 * The submission sees one Program alone, whose functions call those of the program that runs: so it
 * can tell the two apart by what they do. (Their addresses are in memory that is not its own, which
 * the run under the sanitizer watches.) tests.c has
 *
 *   #include "debugN.h"
 *   #include "bug.h"
 *   BUG_CALL(void, begin, (Model *m), (m))                     for each function
 *   BUG_TESTS(begin, ...)
 */
#ifndef BUG_H
#define BUG_H

#include "homework.h"

#include <ctype.h>
#include <stdio.h>

extern const Program wrong_program, right_program; /* of cache.c */
extern const int line_with_bug;

static const Program *running;

enum { NOT_WRITTEN = -9999, SEEDS = 3 };

/* The solution's answers are what a submission's are compared with, so they must be right: a run of
 * the judge that prints a line that begins with "test" is an error of the homework (sound.c). */
static void must(int right, const char *words)
{
#ifdef HOMEWORK_JUDGE
    if (!right)
        printf("test of a program with a bug: the solution %s\n", words);
#endif
    (void)right, (void)words;
}

/* 1: the line; 0: another one. */
static void line_case(Case *c)
{
    int *found = case_output_integers(c, "found", 0), line = wrong_line();
    *found = line == NOT_WRITTEN ? line : line == line_with_bug;
    must(*found == 1, "names another line than the one that is marked in program.c");
}

/* The answer for one program; it is printed, for the report of a test that fails. */
static int answer_of(const Program *shown, const Program *program, int seed, char said[SAID])
{
    snprintf(said, SAID, "%s", "");
    running = program;
    int answer = symptom(shown, (unsigned)seed, said);
    if (answer != NOT_WRITTEN)
        printf("the %s program, seed %d: symptom returns %d and says: %.*s\n",
               program == &wrong_program ? "wrong" : "right", seed, answer, SAID - 1, said);
    return answer;
}

/* 0: right. 1: no symptom in either program. 2: in both. 3: in the right one alone. 4: the answer
 * changes from seed to seed or from call to call. 5: it is neither 0 nor 1. */
static int verdict_of(int calls, int shown_in_wrong, int shown_in_right, int odd)
{
    if (odd)
        return 5;
    if (shown_in_wrong % calls || shown_in_right % calls)
        return 4;
    return shown_in_wrong ? (shown_in_right ? 2 : 0) : (shown_in_right ? 3 : 1);
}

/* Both programs with each seed, and once more with the first, in an order that is drawn; but the
 * second pair stands in the other order than the first, where answers by turns show. */
static void bug_symptom_case(Case *c, const Program *shown)
{
    const int *seed = case_integers(c, "seed", 1, 1000000, 1, SEEDS);
    int *verdict = case_output_integers(c, "verdict", 0), yes[2] = {0}, odd = 0, unwritten = 0;
    int first = 0;
    char said[SAID];
    for (int i = 0; i <= SEEDS; i++) {
        first = i == 1 ? !first : case_random(c) < 0.5;
        for (int turn = 0; turn < 2; turn++) {
            int wrong = first ^ turn;
            int answer =
                answer_of(shown, wrong ? &wrong_program : &right_program, seed[i % SEEDS], said);
            yes[wrong] += answer == 1;
            odd += answer != 0 && answer != 1;
            unwritten += answer == NOT_WRITTEN;
        }
    }
    int calls = SEEDS + 1;
    *verdict = unwritten == 2 * calls ? NOT_WRITTEN : verdict_of(calls, yes[1], yes[0], odd);
    must(*verdict == 0, "does not tell the two programs apart");
}

/* 2: a number stands in what was said of the wrong program; 1: only words; 0: nothing. */
static void bug_said_case(Case *c, const Program *shown)
{
    const int *seed = case_integers(c, "seed", 1, 1000000, 0);
    int *number = case_output_integers(c, "number", 0);
    char said[SAID];
    if (answer_of(shown, &wrong_program, *seed, said) == NOT_WRITTEN)
        return;
    *number = said[0] != 0;
    for (int i = 0; i < SAID && said[i]; i++)
        *number = isdigit((unsigned char)said[i]) ? 2 : *number;
    must(*number == 2, "says no number");
}

/* A function that calls the one of this name of the program that runs. */
#define BUG_CALL(type, name, parameters, arguments) \
    static type name parameters                     \
    {                                               \
        return running->name arguments;             \
    }

#define BUG_TESTS(...)                                                                       \
    static const Program shown = {__VA_ARGS__};                                              \
    static void symptom_case(Case *c)                                                        \
    {                                                                                        \
        bug_symptom_case(c, &shown);                                                         \
    }                                                                                        \
    static void said_case(Case *c)                                                           \
    {                                                                                        \
        bug_said_case(c, &shown);                                                            \
    }                                                                                        \
    const Test tests[] = {                                                                   \
        {"line", "wrong_line", "the line that is wrong", POINTS(30), line_case, .cases = 1}, \
        {"symptom", "symptom", "a test that tells the wrong program from the right one",     \
         POINTS(50), symptom_case, .cases = 2},                                              \
        {"said", "symptom", "what it measured", POINTS(20), said_case, .needs = "symptom",   \
         .cases = 1},                                                                        \
        {0},                                                                                 \
    };

#endif

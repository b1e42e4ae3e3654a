/* mutants.c: runs a homework's tests on each mutant of its solution (mutants.py), a process each.
 *
 *   mutants FOLDER SEED... <NUMBERS
 *
 * reads numbers of mutants; prints of each in how many gradings it keeps all points. A grading has
 * two seeds, as the grader's: the first two numbers are those of the first, and so on. The tests of
 * a function run as the grader runs them: what comes before it in the table is the solution's. What
 * is expected, and how far off a number may be, the grader has written into FOLDER (judge.c). */
#include "lectures/homework/grader/runner/runner.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void choose(int mutant);             /* all functions are the solution's but this one's */
void use_solution(const char *name); /* this function, and what it calls, is the solution's */
int mutants_function(int mutant, const char *name); /* may the mutant change what name does? */

enum { TESTS_MOST = 64, SEEDS_MOST = 16, CASES_MOST = 400 };
#ifndef MILLISECONDS
#define MILLISECONDS 100
#endif

typedef struct {
    int count;
    double *want, *tolerance;
} Expected;

static Expected *expected[TESTS_MOST][SEEDS_MOST][CASES_MOST]; /* an array's, by its place */
static uint64_t seeds[SEEDS_MOST];

static bool in_this_precision(const Test *t)
{
    return (t->forward != NULL) == (sizeof(real) == sizeof(double));
}

static int cases_of(const Test *t)
{
    return t->cases ? t->cases : CASES;
}

static struct Case *run(const Test *t, int seed, int number)
{
    for (const Test *before = tests; before->name && strcmp(before->function, t->function) != 0;
         before++)
        use_solution(before->function);
    struct Case *c = case_new(seeds[seed], number, cases_of(t), NULL);
    int had, has;
    long bytes;
    heap_state(&had, &bytes);
    t->body(c);
    heap_state(&has, &bytes);
    if (had != has) /* memory was not given back */
        _exit(1);
    return c;
}

static void take(FILE *file, void *to, size_t bytes)
{
    if (fread(to, 1, bytes, file) != bytes)
        exit(3);
}

static double *numbers(FILE *file, int count)
{
    double *all = calloc((size_t)count + 1, sizeof *all);
    take(file, all, (size_t)count * sizeof *all);
    return all;
}

/* One case of what judge.c writes: its tolerances allow for the distance to a finite difference. */
static Expected *read_case(FILE *file)
{
    Expected *all = calloc(ARRAYS_MAX, sizeof *all);
    CaseHead head;
    take(file, &head, sizeof head);
    fseek(file, head.sizes * (long)sizeof(CaseSize), SEEK_CUR);
    for (int k = 0; k < head.arrays; k++) {
        CaseArray a;
        take(file, &a, sizeof a);
        all[k] = (Expected){a.count, numbers(file, a.count), numbers(file, a.count)};
        int others = (a.kind == CASE_SUM) + 2 * (a.gradient != 0);
        fseek(file, others * a.count * (long)sizeof(double), SEEK_CUR);
    }
    return all;
}

static void read_expected(const char *folder, const Test *t, int seed)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%llu", folder, t->name, (unsigned long long)seeds[seed]);
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(3);
    for (int i = 0; i < cases_of(t); i++)
        expected[t - tests][seed][i] = read_case(file);
    fclose(file);
}

static bool close_enough(double got, double want, double tolerance)
{
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= tolerance;
}

static bool guards_stand(const struct Case *c, int array)
{
#ifndef HOMEWORK_SANITIZED
    const uint32_t word = GUARD_WORD;
    size_t bytes = (size_t)c->array[array].count * case_element(&c->array[array]);
    for (size_t i = 0; i < GUARD; i += sizeof word)
        if (memcmp(c->memory[array] + i, &word, sizeof word) != 0 ||
            memcmp(c->memory[array] + GUARD + bytes + i, &word, sizeof word) != 0)
            return false;
#endif
    (void)c, (void)array;
    return true;
}

static bool same(const struct Case *got, const Expected *want)
{
#if defined TRAINS && defined HOMEWORK_SANITIZED
    return true; /* in a given time less is learned there */
#endif
    for (int k = 0; k < got->arrays; k++) {
        if (!guards_stand(got, k) || got->array[k].count != want[k].count)
            return false;
        for (int i = 0; i < want[k].count; i++)
            if (!close_enough(case_number(got, k, i), want[k].want[i], want[k].tolerance[i]))
                return false;
    }
    return true;
}

/* Whether a test fails in one of the two seeds of a grading. */
static bool fails(const Test *t, int grading)
{
    for (int seed = 2 * grading; seed < 2 * grading + 2; seed++)
        for (int i = 0; i < cases_of(t); i++) {
            struct Case *c = run(t, seed, i);
            if (!same(c, expected[t - tests][seed][i]))
                return true;
            case_free(c);
        }
    return false;
}

/* In a process of its own, which ends with 1 where the mutant loses points, or crashes. */
static void grade(int mutant, int grading)
{
    const struct itimerval soon = {.it_value.tv_sec = MILLISECONDS / 1000,
                                   .it_value.tv_usec = 1000 * (MILLISECONDS % 1000)};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setitimer(ITIMER_VIRTUAL, &soon, NULL);
    if (!freopen("/dev/null", "w", stderr))
        _exit(2);
    heap_limit((size_t)256 << 20);
    for (const Test *t = tests; t->name; t++) {
        if (!in_this_precision(t) || !mutants_function(mutant, t->function))
            continue;
        choose(mutant);
        if (fails(t, grading))
            _exit(1);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    int mutant, count = argc - 2;
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w"); /* tests print, too */
    if (!answers || !freopen("/dev/null", "w", stdout))
        return 2;
    for (int i = 0; i < count; i++)
        seeds[i] = strtoull(argv[i + 2], NULL, 10);
    for (const Test *t = tests; t->name; t++)
        for (int seed = 0; seed < count && in_this_precision(t); seed++)
            read_expected(argv[1], t, seed);
    while (scanf("%d", &mutant) == 1) {
        int kept = 0;
        for (int grading = 0; grading < count / 2; grading++) {
            int status = 0;
            fflush(answers);
            pid_t child = fork();
            if (child == 0)
                grade(mutant, grading);
            waitpid(child, &status, 0);
            kept += status == 0;
        }
        fprintf(answers, "%d %d\n", mutant, kept);
    }
    return fclose(answers);
}

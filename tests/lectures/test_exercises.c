/* test_exercises.c: what is said of exercises that are done, wrong, or end with an error
 * (lectures/runner/exercises.h). */
#include "tests/harness/test.h"

#include "lectures/runner/exercises.h"
#include "lectures/runner/values.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- exercises: what a student computes, the solution's 0, and two mistakes ------------------ */

static int steps; /* what each explains beside its value */

static double zero(void)
{
    steps = 0;
    return 0;
}
static double halved(void)
{
    steps = 1;
    return 0.1 + 0.2;
}
static double halved_otherwise(void)
{
    steps = 2;
    return 0.1 + 0.2;
}
static double doubled(void)
{
    steps = 3;
    return 2;
}
static double nearly_halved(void)
{
    steps = 1;
    return 0.3; /* one bit less than 0.1 + 0.2 */
}
static double wrong_shape(void)
{
    Tape *tape = tape_new(1);
    Tensor *y = ag_matmul(tape_full(tape, 0, shape2(2, 3)), tape_full(tape, 0, shape2(2, 3)));
    return (double)tensor_item(ag_sum(y));
}
static double not_a_number(void)
{
    return (double)NAN;
}
static double no_address(void)
{
    abort();
}
static double endless(void)
{
    volatile bool going = true;
    while (going)
        steps = 4;
    return 0;
}

#define TRY(name, student)                                                         \
    static double measure_##name(Trial *t)                                         \
    {                                                                              \
        double value = TRIED(t, student, zero_solved, halved_half, doubled_dbl)(); \
        explain(t, "%d steps", steps);                                             \
        return value;                                                              \
    }
static double zero_solved(void)
{
    return zero();
}
static double halved_half(void)
{
    return halved();
}
static double doubled_dbl(void)
{
    return doubled();
}
TRY(done, zero)
TRY(known, halved)
TRY(unknown, nearly_halved)
TRY(chance, halved_otherwise)
TRY(refused, wrong_shape)
TRY(undefined, not_a_number)
TRY(crashed, no_address)
TRY(looping, endless)

#define ROW(name)                                                               \
    EXERCISE(1, #name, "V: Title", "a number", 1e-9, "a bound", measure_##name, \
             {"half", "the half of what is asked"}, {"dbl", "twice what is asked"})
static const Claim exercises[] = {ROW(done),   ROW(refused), ROW(known),     ROW(unknown),
                                  ROW(chance), ROW(looping), ROW(undefined), ROW(crashed)};

/* Tries them all, with what is printed in a file; the text of this file. */
static const char *try_all(ReportFormat format, Report *r, Tries *tries)
{
    const char *path = scratch_path("said");
    int out = dup(STDOUT_FILENO);
    *r = (Report){.format = format};
    *tries = (Tries){.seconds = 1};
    values_exit_on_error();
    fflush(stdout);
    if (out < 0 || !freopen(path, "w", stdout))
        return "";
    report_begin(r);
    for (size_t i = 0; i < sizeof exercises / sizeof *exercises; i++)
        exercise_try(r, tries, &exercises[i], 1);
    exercises_end(r, tries);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    return scratch_text(path);
}

/* The part of the text about one exercise: from its statement to the next line that begins with a
 * row's number. */
static bool tells(const char *text, const char *exercise, const char *words)
{
    char from[64];
    snprintf(from, sizeof from, "  %s\n", exercise);
    const char *at = strstr(text, from), *end = at ? strstr(at, "\n  1  ") : NULL, *found;
    found = at ? strstr(at, words) : NULL;
    return found && (!end || found < end);
}

TEST(an_error_ends_no_other)
{
    Report r;
    Tries tries;
    const char *text = try_all(REPORT_TABLE, &r, &tries);
    CHECK(tries.count == 8 && tries.done == 1 && tries.ended == 3, "%d tried, %d done, %d ended",
          tries.count, tries.done, tries.ended);
    CHECK(r.count == 8 && r.failed == 7, "%d reported, %d failed", r.count, r.failed);
    CHECK(tells(text, "refused", "it ended with the error above"), "%s", text);
    CHECK(tells(text, "crashed", "it ended with signal 6"), "%s", text);
    CHECK(tells(text, "looping", "it did not end within 1 s of processor time"), "%s", text);
    CHECK(tells(text, "undefined", "a NaN, or a wrong shape, in: a number"), "%s", text);
    CHECK(strstr(text, "8 exercises: 1 done, 4 not yet, 3 ended with an error; "), "%s", text);
}

TEST(a_known_mistake_is_named)
{
    Report r;
    Tries tries;
    const char *text = try_all(REPORT_TABLE, &r, &tries), *mistake = "known mistake: the half of";
    CHECK(tells(text, "known", mistake), "%s", text);
    CHECK(!tells(text, "unknown", "known mistake"), "named, though a bit differs: %s", text);
    CHECK(!tells(text, "chance", "known mistake"), "named, though the way differs: %s", text);
    CHECK(!tells(text, "known", "twice"), "another one is named: %s", text);
    CHECK(!tells(text, "done", "known mistake"), "%s", text);
}

TEST(a_table_for_programs_has_a_line_each)
{
    Report r;
    Tries tries;
    const char *text = try_all(REPORT_TSV, &r, &tries);
    int lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    CHECK(lines == 9 && !strstr(text, "mistake"), "%d lines: %s", lines, text);
}

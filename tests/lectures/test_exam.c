/* test_exam.c: the kinds of exam questions: every number is what the library computes, for many
 * draws, and every equation that is printed holds; a wrong solution, and a file that cannot be
 * read, is refused with its line. */
#include "lectures/exams/exam.h"
#include "lectures/runner/text_stream.h"
#include "tests/harness/test.h"
#include "tests/lectures/equations.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 4 };

static Kinds kinds; /* of questions.txt */

static bool read_kinds(void)
{
    return kinds.text || kinds_read(&kinds, LECTURES_FOLDER "/exams/questions.txt");
}

/* A question with its solution, in memory. */
typedef struct {
    char *text, *key; /* to be freed */
    int steps;
} Drawn;

static bool draw(Drawn *d, const Kinds *of, const Kind *k, char course, uint64_t seed)
{
    TextStream text, key;
    const ExamQuestion q = {of, k, course, seed, 7};
    FILE *out = text_open(&text), *answers = text_open(&key);
    bool ok = question_write(&q, out, answers);
    *d = (Drawn){.text = text_close(&text, NULL), .key = text_close(&key, NULL)};
    for (const char *line = d->key; *line; line = strchr(line, '\n') + 1)
        d->steps++;
    return ok;
}

static void release(Drawn *d)
{
    free(d->text);
    free(d->key);
}

static const Kind *named(const char *name)
{
    for (int i = 0; i < kinds.count; i++)
        if (strcmp(kinds.list[i].name, name) == 0)
            return &kinds.list[i];
    return NULL;
}

/* A course that teaches the kind. */
static char course_of(const Kind *k, int first)
{
    for (int c = 0; c < 5; c++)
        if (kind_taught(k, EXAM_COURSES[(first + c) % 5]))
            return EXAM_COURSES[(first + c) % 5];
    return 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

TEST(every_kind_is_drawn)
{
    int count[9] = {0};
    REQUIRE(read_kinds(), "%s", tensor_error());
    for (int i = 0; i < kinds.count; i++) {
        const Kind *k = &kinds.list[i];
        CHECK(course_of(k, 0), "no course teaches %s", k->name);
        CHECK(named(k->name) == k, "two kinds %s", k->name);
        count[k->chapter]++;
        for (int seed = 1; seed <= SEEDS; seed++) {
            Drawn d;
            CHECK(draw(&d, &kinds, k, course_of(k, i + seed), (uint64_t)seed) && d.steps > 0, "%s",
                  tensor_error());
            CHECK(!strchr(d.text, '@'), "%s: %s", k->name, d.text);
            tensor_clear_error();
            release(&d);
        }
    }
    CHECK(kinds.count >= 60, "found %d kinds", kinds.count);
    for (int chapter = 1; chapter <= 8; chapter++)
        CHECK(count[chapter] >= 5, "chapter %d has %d kinds", chapter, count[chapter]);
}

/* ---- the equations of a solution ------------------------------------------------------------- */

TEST(equations_hold)
{
    int count = 0, with = 0;
    REQUIRE(read_kinds(), "%s", tensor_error());
    for (int i = 0; i < kinds.count; i++) {
        int before = count;
        for (uint64_t seed = 11; seed <= 12; seed++) {
            Drawn d;
            REQUIRE(draw(&d, &kinds, &kinds.list[i], 'Z', seed), "%s", tensor_error());
            count += check_equations(kinds.list[i].name, d.text);
            release(&d);
        }
        with += count > before;
    }
    CHECK(with >= 65 && count >= 300, "%d equations in %d of %d kinds", count, with, kinds.count);
    CHECK(check_equations("two",
                          "$`\\frac{1}{3} \\cdot 6 = 2`$ and $`2(1 + 3) \\ln 2 \\approx 5.545`$") ==
              2,
          "two equations");
}

/* ---- what is refused ------------------------------------------------------------------------- */

static const char head[] = "# symbols\n\nkind mine row 21 level 1 minutes 2\n";

static bool read_mine(Kinds *mine, const char *text)
{
    const char *path = "test-exam-mine.txt";
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    bool ok = kinds_read(mine, path);
    remove(path);
    return ok;
}

/* Draws the kind `mine` of a file with these lines after its head. */
static bool draw_mine(const char *lines)
{
    static Kinds mine;
    char text[1024];
    Drawn d;
    snprintf(text, sizeof text, "%s%s", head, lines);
    bool ok = read_mine(&mine, text) && draw(&d, &mine, mine.list, 'V', 1);
    release(&d);
    free(mine.text);
    return ok;
}

TEST(mistakes_are_refused)
{
    static const struct {
        const char *lines, *says;
    } wrong[] = {
        {"draw a = [3]\n  x\nstep 2 s = a^2 + 1\ncheck ag_mul(a, a)\n  x: y\n",
         "mine.txt:7: kind mine: the solution has s = 10, and the library computes 9"},
        {"step 2 s = 9.00003\ncheck ag_mul(3, 3)\n", "the library computes 9"},
        {"step 2 s = 4002001\ncheck weights_up(2000, 2000)\n", "the library computes 4002000"},
        {"draw a = [3]\n  x\nstep 2 s = a^2\n  x: y\n",
         "mine.txt:6: kind mine: found '  x: y'; expected check and NAME: SOLUTION below step s"},
        {"check ag_exp(0)\n", "mine.txt:4: kind mine: found 'check ag_exp(0)'; expected a line of"},
        {"  x\nstep 2 s = 9\ncheck ag_mul(3, 3)\n  x\n", "expected check and NAME: SOLUTION below"},
        {"draw a = [3]\n  x\nstep 2 s = a^2\ncheck a*a\n  x: y\n",
         "mine.txt:7: kind mine: found 'a*a'; expected a call of the library"},
        {"  x\nstep 2 s = ag_exp(1)\ncheck ag_exp(1)\n  x: y\n",
         "mine.txt:5: kind mine: found ag_exp(...); expected a function of arithmetic"},
        {"  @b\nstep 2 s = 1\ncheck ag_exp(0)\n  x: y\n", "found 'b'; expected a number, (, [, or"},
        {"  x\nstep 2 s = 1/0\ncheck ag_exp(0)\n  x: y\n", "is not finite"},
        {"draw a = [1]\nneed a != 1\n  x\nstep 2 s = 1\ncheck ag_exp(0)\n  x: y\n",
         "hold every need"},
        {"draw a = [1]\ndraw a = [2]\nstep 2 s = 1\n",
         "mine.txt:5: kind mine: found 'a = [2]'; expected a new name"},
        {"skipped 1\nstep 2 s = 1\n", "mine.txt:4: kind mine: found 'skipped 1'"},
        {"step 2 s = [1, 2]\n", "found a matrix; expected a number"},
        {"step 2 s = 1 <= 2\n", "found '= 2'; expected a number"},
        {"step 2 s = [1, 2; 3, 4, 5, 6]\n", "as many numbers in each row"},
        {"step 2 s = [1, 2] + [1, 2, 3]\n", "two matrices of one shape"},
        {"step 2 s = [1, 2][3]\n", "an index within the matrix"},
        {"  x\nstep 2 s = 1\ncheck ag_matmul([1, 2], [1, 2])\n", "matmul"},
        {"  x\nstep 2 s = 1\ncheck unknown(1)\n", "found unknown(...) of 1 arguments; expected a"},
        {"  x\nstep 2 s = 1\ncheck nn_sinusoids(99, 99, 3)\n", "that nn_sinusoids does not take"},
        {"  x\nstep 2 s = 1\ncheck beam(1, [1, 1], [1])\n", "that beam does not take"},
        {"  x\n", "found ''; expected a line of"},
        {"  x\nwhy 2\n  because\n", "expected NAME: SOLUTION below why"},
    };
    CHECK(draw_mine("draw a = [3]\n  $@a^2$?\nstep 2 s = a^2\ncheck ag_mul(a, a)\n  x: $@s$.\n"),
          "%s", tensor_error());
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!draw_mine(wrong[i].lines), "drawn: %s", wrong[i].lines);
        CHECK_ERROR(wrong[i].says);
    }
    static const char *const files[][2] = {
        {"# symbols\n\nkind other row 99 level 1 minutes 2\n", "mine.txt:3: found 'kind other row"},
        {"# symbols\n\nkind a row 1 level 1 minutes 2\n\nkimd b\n", "mine.txt:5: found 'kimd b'"},
        {"# symbols\n\nkind a row 1 level 1 minutes 2", "mine.txt: found no lines"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        static Kinds mine;
        CHECK(!read_mine(&mine, files[i][0]), "read: %s", files[i][0]);
        CHECK_ERROR(files[i][1]);
        free(mine.text);
    }
    CHECK(!kinds_read(&(Kinds){0}, "no-such-file.txt"), "no such file");
    CHECK_ERROR("no-such-file.txt: found no lines");
}

TEST(numbers_are_printed)
{
    static const struct {
        double x;
        const char *text;
        bool exact;
    } cases[] = {{7087872, "7087872", true},
                 {-1e-12, "0", true},
                 {-3, "-3", true},
                 {0.25, "0.25", true},
                 {-1.0 / 3, "-\\frac{1}{3}", true},
                 {22.0 / 7, "\\frac{22}{7}", true},
                 {0.6931471805599453, "0.6931", false},
                 {1e-4 / 3, "3.333 \\cdot 10^{-5}", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_BYTES];
        bool exact = number_text(text, cases[i].x);
        CHECK_TEXT(text, cases[i].text);
        CHECK(exact == cases[i].exact, "%s: exact is %d", text, exact);
    }
}

/* test_exam.c: the kinds of exam questions: every number is what the library computes, for many
 * draws; some kinds are computed once more from the printed question, by loops and by integration;
 * a wrong solution, and a file that cannot be read, is refused with its line. */
#include "lectures/exams/exam.h"
#include "tests/harness/runner.h"
#include "tests/lectures/equations.h"

#include "gradus.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 4, NUMBERS = 24 };

static Kinds kinds;

/* ---- all of them ----------------------------------------------------------------------------- */

static void every_kind_is_drawn(void)
{
    REQUIRE(kinds_read(&kinds, NULL), "%s", tensor_error());
    CHECK(kinds.count >= 60, "found %d kinds", kinds.count);
    for (int i = 0; i < kinds.count; i++)
        for (int seed = 1; seed <= SEEDS; seed++) {
            ExamQuestion q;
            const Kind *k = &kinds.list[i];
            char course = "VBHZJ"[(i + seed) % 5];
            for (int n = 0; n < 5 && !kind_taught(k, course); n++)
                course = "VBHZJ"[n];
            if (CHECK(question_draw(&q, &kinds, k, course, (uint64_t)seed), "%s", tensor_error()))
                CHECK(!strchr(q.asked, '@') && q.count > 0, "%s: %s", k->name, q.asked);
            tensor_clear_error();
            question_free(&q);
        }
    kinds_free(&kinds);
}

static void each_chapter_has_some(void)
{
    int count[9] = {0};
    REQUIRE(kinds_read(&kinds, NULL), "%s", tensor_error());
    for (int i = 0; i < kinds.count; i++) {
        bool taught = false;
        for (int c = 0; c < 5; c++)
            taught |= kind_taught(&kinds.list[i], "VBHZJ"[c]);
        CHECK(taught, "no course teaches %s", kinds.list[i].name);
        count[kinds.list[i].chapter]++;
    }
    for (int chapter = 1; chapter <= 8; chapter++)
        CHECK(count[chapter] >= 5, "chapter %d has %d kinds", chapter, count[chapter]);
    kinds_free(&kinds);
}

static void sheets_differ(void)
{
    enum { SHEETS = 30 };
    uint64_t all[5 * SHEETS];
    int n = 0;
    REQUIRE(kinds_read(&kinds, NULL), "%s", tensor_error());
    for (int c = 0; c < 5; c++) {
        const char course = "VBHZJ"[c];
        for (int seed = 1; seed <= SHEETS; seed++) {
            Sheet s;
            uint64_t hash = 1;
            REQUIRE(sheet_draw(&s, &kinds, course, 20, (uint64_t)seed), "%s", tensor_error());
            CHECK(s.minutes <= 20 && s.minutes >= 17, "%d minutes", s.minutes);
            for (int i = 0; i < s.count; i++) {
                CHECK(kind_taught(s.question[i].kind, course), "%c does not teach %s", course,
                      s.question[i].kind->name);
                hash = rng_hash(hash, s.question[i].asked);
            }
            for (int k = 0; k < n; k++)
                CHECK(all[k] != hash, "sheet %d of %c was there before", seed, course);
            all[n++] = hash;
            sheet_free(&s);
        }
    }
    kinds_free(&kinds);
}

/* ---- computed once more, from what is printed ------------------------------------------------ */

/* The numbers of a printed question in their order, without indices such as k_1, and \frac{1}{8} as
 * 1 and 8. */
static int numbers_of(const char *text, double x[NUMBERS])
{
    int n = 0;
    for (const char *at = text; *at && n < NUMBERS;) {
        bool index =
            at > text && (at[-1] == '_' || at[-1] == '^' || isalpha((unsigned char)at[-1]));
        bool minus = *at == '-' && isdigit((unsigned char)at[1]);
        if (!isdigit((unsigned char)*at) && !minus) {
            at++;
            continue;
        }
        char *end;
        double value = strtod(at, &end);
        if (!index)
            x[n++] = value;
        at = end;
    }
    return n;
}

/* Each computes the last answer from the numbers of the question. */
static double causal(const double *x)
{
    return x[0] > 0 ? 1 / x[0] : 0;
}

static double sliding(const double *x)
{
    int n = 0;
    for (int i = 0; i < (int)x[0]; i++)
        for (int j = 0; j < (int)x[0]; j++)
            n += abs(i - j) <= (int)x[1];
    return n;
}

static double padded(const double *x)
{
    int n = 0;
    for (int i = 0; i < (int)x[1]; i++)
        for (int j = 0; j <= i; j++)
            n += j < (int)x[0];
    return n;
}

static double pairs_merged(const double *x) /* low, lot, new: "lo" becomes one letter */
{
    return 2 * x[0] + 2 * x[1] + 3 * x[2];
}

static double three(const double *x)
{
    return (x[1] + x[2]) / (x[0] + x[1] + x[2]);
}

static double cooler(const double *x)
{
    double a = exp(log(x[0]) / 0.5), b = exp(log(x[1]) / 0.5);
    return a / (a + b + 1);
}

static double surprise(const double *x) /* 1, 2^a, 1, 2^b, ...: the geometric mean */
{
    return pow(x[1] * x[3] * x[5] * x[7], 0.25);
}

static double scaled(const double *x) /* q, k1, 2, k2, 2, v1, v2 */
{
    double s1 = 0, s2 = 0;
    for (int i = 0; i < 4; i++) {
        s1 += x[i] * x[4 + i] * log(x[8]) / 2;
        s2 += x[i] * x[9 + i] * log(x[13]) / 2;
    }
    return (exp(s1) * x[14] + exp(s2) * x[15]) / (exp(s1) + exp(s2));
}

static double blocks(const double *x)
{
    double C = x[0], shapes[][2] = {{3 * C, C}, {3 * C, 1}, {C, C}, {C, 1}, {4 * C, C},
                                    {4 * C, 1}, {C, 4 * C}, {C, 1}, {2, C}, {2, C}};
    double n = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        n += shapes[i][0] * shapes[i][1];
    return n;
}

/* KL(N(m, v) || N(0, 1)) as an integral by the midpoint rule. */
static double kl_of(double m, double v)
{
    double sum = 0, step = 1e-3;
    for (double z = -14 + step / 2; z < 14; z += step) {
        double q = exp(-(z - m) * (z - m) / (2 * v)) / sqrt(2 * acos(-1.0) * v);
        double log_ratio = -(z - m) * (z - m) / (2 * v) - log(v) / 2 + z * z / 2;
        sum += q * log_ratio * step;
    }
    return sum;
}

static double divergence(const double *x)
{
    return kl_of(x[0], x[1]) + kl_of(x[2], x[3]);
}

static double responsibility(const double *x) /* p(z = 1) = p, densities a, b */
{
    return x[1] * x[3] / (x[1] * x[3] + (1 - x[1]) * x[5]);
}

/* The gradient of sum g_i w_i with respect to the first score, by a central difference. */
static double through_softmax(const double *x)
{
    double y[2];
    for (int side = 0; side < 2; side++) {
        double e[3] = {x[0] * exp(side ? -1e-5 : 1e-5), x[1], x[2]};
        y[side] = (e[0] * x[3] + e[1] * x[4] + e[2] * x[5]) / (e[0] + e[1] + e[2]);
    }
    return (y[0] - y[1]) / 2e-5;
}

/* The variance of a sum over the 16 keys, divided by 4. */
static double variance(const double *x)
{
    double sum = 0;
    for (int key = 0; key < 16; key++) {
        double s = 0;
        for (int i = 0; i < 4; i++)
            s += (key >> i & 1 ? 1 : -1) * x[i];
        sum += s * s / 16;
    }
    return sum / 4;
}

static void kinds_agree_with_closed_forms(void)
{
    static const struct {
        const char *name;
        double (*of)(const double *x);
        int numbers; /* that the question prints, at least */
    } oracles[] = {
        {"causal-mask", causal, 1},          {"sliding-window", sliding, 2},
        {"padding-mask", padded, 2},         {"byte-pairs", pairs_merged, 3},
        {"softmax-of-three", three, 3},      {"temperature", cooler, 3},
        {"perplexity", surprise, 8},         {"attention-of-two-tokens", scaled, 16},
        {"block-weights", blocks, 1},        {"kl-to-the-prior", divergence, 4},
        {"e-step", responsibility, 6},       {"softmax-gradient", through_softmax, 6},
        {"variance-of-scores", variance, 4},
    };
    REQUIRE(kinds_read(&kinds, NULL), "%s", tensor_error());
    for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            ExamQuestion q;
            double x[NUMBERS] = {0};
            const Kind *k = kind_named(&kinds, oracles[i].name);
            char course = 'V'; /* B's indices are within braces, as fractions are */
            for (int c = 0; k && c < 5 && !kind_taught(k, course); c++)
                course = "VHZJB"[c];
            REQUIRE(k && question_draw(&q, &kinds, k, course, seed), "%s", tensor_error());
            int n = numbers_of(q.asked, x);
            CHECK(n >= oracles[i].numbers, "%s: %d numbers in %s", k->name, n, q.asked);
            /* the central difference and the integral are the least exact of them */
            double right = oracles[i].of(x), found = q.answer[q.count - 1].value;
            CHECK(fabs(right - found) <= 1e-6 * fmax(1, fabs(right)), "%s: %.9g, by hand %.9g: %s",
                  k->name, found, right, q.asked);
            question_free(&q);
        }
    kinds_free(&kinds);
}

/* ---- the equations of a solution ------------------------------------------------------------- */

static void equations_hold(void)
{
    int count = 0, with = 0;
    REQUIRE(kinds_read(&kinds, NULL), "%s", tensor_error());
    for (int i = 0; i < kinds.count; i++) {
        int before = count;
        for (uint64_t seed = 11; seed <= 12; seed++) {
            ExamQuestion q;
            REQUIRE(question_draw(&q, &kinds, &kinds.list[i], 'Z', seed), "%s", tensor_error());
            for (int k = 0; k < q.count; k++)
                count += check_equations(kinds.list[i].name, q.answer[k].worked);
            question_free(&q);
        }
        with += count > before;
    }
    CHECK(with >= 65 && count >= 300, "%d equations in %d of %d kinds", count, with, kinds.count);
    printf("%d equations in %d kinds\n", count, with);
    CHECK(check_equations("two",
                          "$`\\frac{1}{3} \\cdot 6 = 2`$ and $`2(1 + 3) \\ln 2 \\approx 5.545`$") ==
              2,
          "two equations");
    kinds_free(&kinds);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static const char head[] = "kind mine row 21 level 1 minutes 2\n";

/* Draws the kind `mine` of a file with these lines after its head. */
static bool draw_mine(const char *lines)
{
    const char *path = "test-exam-mine.txt";
    ExamQuestion q;
    FILE *file = fopen(path, "w");
    fprintf(file, "%s%s", head, lines);
    fclose(file);
    bool ok = kinds_read(&kinds, path);
    if (ok) {
        ok = question_draw(&q, &kinds, kind_named(&kinds, "mine"), 'V', 1);
        question_free(&q);
    }
    kinds_free(&kinds);
    remove(path);
    return ok;
}

static void ones_own_kind_is_drawn(void)
{
    CHECK(draw_mine(
              "draw a = [3]\nask\n  What is $@a^2$?\nstep 2 s = a^2\ncheck ag_mul(a, a)\nname "
              "$@a^2$\n  $@a \\cdot @a @=s$.\n"),
          "%s", tensor_error());
}

static void mistakes_are_refused(void)
{
    static const struct {
        const char *lines, *says;
    } wrong[] = {
        {"draw a = [3]\nask\n  x\nstep 2 s = a^2 + 1\ncheck ag_mul(a, a)\nname x\n  y\n",
         "mine.txt:6: kind mine: the solution has s = 10, and the library computes 9"},
        {"step 2 s = 9.00003\ncheck ag_mul(3, 3)\n", "the library computes 9"},
        {"step 2 s = 4002001\ncheck weights_linear(2000, 2000)\n", "the library computes 4002000"},
        {"draw a = [3]\nask\n  x\nstep 2 s = a^2\nname x\n  y\n",
         "mine.txt:8: kind mine: found the end of step s; expected check, name"},
        {"check ag_exp(0)\n", "found check; expected a step before it"},
        {"ask\n  x\nstep 2 s = 9\ncheck ag_mul(3, 3)\n", "expected check, name and its text"},
        {"ask\n  x\nstep 2 s = 9\ncheck ag_mul(3, 3)\nname x\n", "expected check, name and its"},
        {"draw a = [3]\nask\n  x\nstep 2 s = a^2\ncheck a*a\nname x\n  y\n",
         "expected a call of the library"},
        {"ask\n  x\nstep 2 s = ag_exp(1)\ncheck ag_exp(1)\nname x\n  y\n",
         "mine.txt:4: kind mine: found ag_exp(...) of 1 arguments; expected a function of "
         "arithmetic"},
        {"ask\n  @b\nstep 2 s = 1\ncheck ag_exp(0)\nname x\n  y\n", "found @b; expected a name"},
        {"ask\n  x\nstep 2 s = 1/0\ncheck ag_exp(0)\nname x\n  y\n", "is not finite"},
        {"draw a = [1]\nneed a != 1\nask\n  x\nstep 2 s = 1\ncheck ag_exp(0)\nname x\n  y\n",
         "hold every need"},
        {"draw a = [1]\ndraw a = [2]\nstep 2 s = 1\n", "found 'a = [2]'; expected a new name"},
        {"skipped 1\nstep 2 s = 1\n", "mine.txt:2: kind mine: found 'skipped 1'"},
        {"step 2 s = [1, 2]\n", "found a matrix, or a further step; expected a number"},
        {"step 2 s = (1 + 2\n", "expected )"},
        {"step 2 s = [1, 2; 3]\n", "as many numbers in each row"},
        {"step 2 s = [1, 2] + [1, 2, 3]\n", "two matrices of one shape"},
        {"step 2 s = [1, 2][3]\n", "an index within the matrix"},
        {"ask\n  x\nstep 2 s = 1\ncheck ag_matmul([1, 2], [1, 2])\n", "matmul"},
        {"ask\n  x\nstep 2 s = 1\ncheck unknown(1)\n", "expected a function of library.c"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!draw_mine(wrong[i].lines), "drawn: %s", wrong[i].lines);
        CHECK_ERROR(wrong[i].says);
    }
    CHECK(!draw_mine(head), "two kinds of one name");
    CHECK_ERROR("mine.txt:2: found a second kind mine");
    CHECK(!draw_mine("kind other row 99 level 1 minutes 2\n"), "no such row");
    CHECK_ERROR("mine.txt:2: found 'kind other row 99");
    CHECK(!draw_mine("ask\n  x\n"), "a kind without a step");
    CHECK_ERROR("found a kind without ask or step");
}

static void numbers_are_printed(void)
{
    static const struct {
        double x;
        const char *text;
        bool exact;
    } cases[] = {{7087872, "7\\,087\\,872", true},
                 {1234, "1234", true},
                 {-3, "-3", true},
                 {0.25, "0.25", true},
                 {-1.0 / 3, "-\\frac{1}{3}", true},
                 {22.0 / 7, "\\frac{22}{7}", true},
                 {0.6931471805599453, "0.6931", false},
                 {1e-4 / 3, "3.333 \\cdot 10^{-5}", false},
                 {0, "0", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_BYTES];
        bool exact = number_text(text, cases[i].x);
        CHECK_TEXT(text, cases[i].text);
        CHECK(exact == cases[i].exact, "%s: exact is %d", text, exact);
    }
}

static const TestCase cases[] = {
    {"every kind is drawn, and the library computes the same", every_kind_is_drawn},
    {"each chapter has kinds that a course teaches", each_chapter_has_some},
    {"no two sheets are alike", sheets_differ},
    {"kinds agree with closed forms", kinds_agree_with_closed_forms},
    {"the equations of a solution hold", equations_hold},
    {"one's own kind is drawn", ones_own_kind_is_drawn},
    {"mistakes are refused", mistakes_are_refused},
    {"numbers are printed", numbers_are_printed},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("exam", cases, argc, argv);
}

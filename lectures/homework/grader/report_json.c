/* report_json.c: a Report as JSON: Gradescope's results.json, GitHub Classroom's, and everything
 * there is. */
#include "grader.h"

#include <stdio.h>
#include <string.h>

/* ---- strings --------------------------------------------------------------------------------- */

/* The report is UTF-8 without other control characters (clean.c). */
static void put_string(Text *to, const char *words)
{
    static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
    text_put(to, "\"");
    for (; *words; words++) {
        const char *at = strchr(special, *words);
        if (at)
            text_print(to, "\\%c", letter[at - special]);
        else
            text_add(to, words, 1);
    }
    text_put(to, "\"");
}

static void put_pair(Text *to, const char *key, const char *value, const char *after)
{
    text_print(to, "\"%s\": ", key);
    put_string(to, value);
    text_put(to, after);
}

static void put_number(Text *to, const char *key, double value, const char *after)
{
    text_print(to, "\"%s\": %.10g%s", key, value, after);
}

/* ---- Gradescope ------------------------------------------------------------------------------ */

/* Nobody outside the course sees a hidden test; "tell" says what the student does. */
static const char *visibility(const Report *r, const TestResult *t)
{
    if (!t->row.hidden)
        return "visible";
    return r->tell == TELL_NOTHING ? "hidden" : r->visibility;
}

static void gradescope_test(const Report *r, const TestResult *t, int number, Text *to)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    text_put(to, "    {");
    put_pair(to, "name", t->row.title, ", ");
    put_pair(to, "number", digits, ", ");
    put_number(to, "score", t->score, ", ");
    put_number(to, "max_score", t->row.points, ", ");
    put_pair(to, "status", t->state == PASSED ? "passed" : "failed", ", ");
    put_pair(to, "output", told(r, t) ? text_of(&t->feedback) : "", ", ");
    put_pair(to, "output_format", "text", ", ");
    put_pair(to, "visibility", visibility(r, t), "}");
}

void report_gradescope(const Report *r, Text *to)
{
    text_put(to, "{\n  ");
    put_number(to, "score", r->score, ",\n  ");
    put_number(to, "execution_time", r->seconds, ",\n  ");
    put_pair(to, "output", text_of(&r->message), ",\n  ");
    put_pair(to, "output_format", "text", ",\n  ");
    put_pair(to, "visibility", "visible", ",\n  ");
    put_pair(to, "stdout_visibility", "hidden", ",\n  \"tests\": [\n");
    for (int i = 0; i < r->count; i++) {
        gradescope_test(r, &r->test[i], i + 1, to);
        text_put(to, i + 1 < r->count ? ",\n" : "\n");
    }
    text_put(to, "  ]\n}\n");
}

/* ---- all there is ---------------------------------------------------------------------------- */

void report_json(const Report *r, Text *to)
{
    text_put(to, "{\n  ");
    put_pair(to, "assignment", r->assignment, ",\n  ");
    put_pair(to, "file", r->file, ",\n  ");
    text_print(to, "\"compiled\": %s,\n  ", r->compiled ? "true" : "false");
    put_pair(to, "message", text_of(&r->message), ",\n  ");
    put_pair(to, "isolation", text_of(&r->isolation), ",\n  ");
    put_number(to, "score", r->score, ",\n  ");
    put_number(to, "max_score", r->max_score, ",\n  ");
    put_number(to, "seconds", r->seconds, ",\n  \"tests\": [\n");
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        text_put(to, "    {");
        put_pair(to, "name", t->row.name, ", ");
        put_pair(to, "title", t->row.title, ", ");
        put_pair(to, "function", t->row.function, ", ");
        put_pair(to, "status", state_word(t->state), ", ");
        put_number(to, "score", t->score, ", ");
        put_number(to, "max_score", t->row.points, ", ");
        text_print(to, "\"hidden\": %s, ", t->row.hidden ? "true" : "false");
        put_pair(to, "diagnosis", t->diagnosis, ", ");
        put_pair(to, "feedback", told(r, t) ? text_of(&t->feedback) : "",
                 i + 1 < r->count ? "},\n" : "}\n");
    }
    text_put(to, "  ]\n}\n");
}

/* ---- GitHub Classroom ------------------------------------------------------------------------ */

static void put_base64(Text *to, const unsigned char *bytes, size_t count)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        unsigned word = (unsigned)bytes[i] << 16;
        word |= i + 1 < count ? (unsigned)bytes[i + 1] << 8 : 0;
        word |= i + 2 < count ? bytes[i + 2] : 0;
        char four[4] = {letters[word >> 18], letters[word >> 12 & 63],
                        i + 1 < count ? letters[word >> 6 & 63] : '=',
                        i + 2 < count ? letters[word & 63] : '='};
        text_add(to, four, 4);
    }
}

/* One line of base64, which a step of a workflow hands on as its result. */
void report_classroom(const Report *r, Text *to)
{
    Text json = {0};
    bool all = r->score == r->max_score;
    text_put(&json, "{\"version\": 1, ");
    put_pair(&json, "status", all ? "pass" : r->compiled ? "fail" : "error", ", ");
    put_number(&json, "max_score", r->max_score, ", \"tests\": [");
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        text_put(&json, i ? ", {" : "{");
        put_pair(&json, "name", t->row.title, ", ");
        put_pair(&json, "status", t->state == PASSED ? "pass" : "fail", ", ");
        put_number(&json, "score", t->score, ", ");
        put_number(&json, "max_score", t->row.points, ", ");
        put_pair(&json, "message", told(r, t) ? text_of(&t->feedback) : "", "}");
    }
    text_put(&json, "]}");
    put_base64(to, (const unsigned char *)json.data, json.length);
    text_put(to, "\n");
    text_free(&json);
}

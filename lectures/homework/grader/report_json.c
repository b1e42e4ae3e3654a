/* report_json.c: a Report as JSON: Gradescope's results.json, GitHub Classroom's, and everything
 * there is. */
#include "grader.h"
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* The form with ' for ", and for each $ the next string in quotes, for each # the next number. */
static void put_json(Text *to, const char *form, ...)
{
    va_list values;
    va_start(values, form);
    for (; *form; form++)
        if (*form == '$')
            put_string(to, va_arg(values, const char *));
        else if (*form == '#')
            text_print(to, "%.10g", va_arg(values, double));
        else
            text_add(to, *form == '\'' ? "\"" : form, 1);
    va_end(values);
}

static const char *told_feedback(const Report *r, const TestResult *t)
{
    return told(r, t) ? text_of(&t->feedback) : "";
}

/* Nobody outside the course sees a hidden test; "tell" says what the student does. */
static const char *visibility(const Report *r, const TestResult *t)
{
    if (!t->row.hidden)
        return "visible";
    return r->tell == TELL_NOTHING ? "hidden" : r->visibility;
}

void report_gradescope(const Report *r, Text *to)
{
    char number[16];
    put_json(
        to,
        "{\n  'score': #,\n  'execution_time': #,\n  'output': $,\n  'output_format': 'text',\n"
        "  'visibility': 'visible',\n  'stdout_visibility': 'hidden',\n  'tests': [",
        r->score, r->seconds, text_of(&r->message));
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        snprintf(number, sizeof number, "%d", i + 1);
        put_json(to,
                 "\n    {'name': $, 'number': $, 'score': #, 'max_score': #, 'status': $, "
                 "'output': $, 'output_format': 'text', 'visibility': $}",
                 t->row.title, number, t->score, (double)t->row.points,
                 t->state == PASSED ? "passed" : "failed", told_feedback(r, t), visibility(r, t));
        text_put(to, i + 1 < r->count ? "," : "");
    }
    text_put(to, "\n  ]\n}\n");
}

void report_json(const Report *r, Text *to)
{
    put_json(to,
             "{\n  'assignment': $,\n  'file': $,\n  'message': $,\n  'isolation': $,\n"
             "  'score': #,\n  'max_score': #,\n  'seconds': #,\n",
             r->assignment, r->file, text_of(&r->message), text_of(&r->isolation), r->score,
             r->max_score, r->seconds);
    put_json(to, r->compiled ? "  'compiled': true,\n  'tests': ["
                             : "  'compiled': false,\n  'tests': [");
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        put_json(to,
                 "\n    {'name': $, 'title': $, 'function': $, 'status': $, 'score': #, "
                 "'max_score': #, 'diagnosis': $, 'feedback': $, ",
                 t->row.name, t->row.title, t->row.function, state_word(t->state), t->score,
                 (double)t->row.points, t->diagnosis, told_feedback(r, t));
        put_json(to, t->row.hidden ? "'hidden': true}" : "'hidden': false}");
        text_put(to, i + 1 < r->count ? "," : "");
    }
    text_put(to, "\n  ]\n}\n");
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
    put_json(&json, "{'version': 1, 'status': $, 'max_score': #, 'tests': [",
             all           ? "pass"
             : r->compiled ? "fail"
                           : "error",
             r->max_score);
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        put_json(&json, "{'name': $, 'status': $, 'score': #, 'max_score': #, 'message': $}",
                 t->row.title, t->state == PASSED ? "pass" : "fail", t->score,
                 (double)t->row.points, told_feedback(r, t));
        text_put(&json, i + 1 < r->count ? ", " : "");
    }
    text_put(&json, "]}");
    put_base64(to, (const unsigned char *)json.data, json.length);
    text_put(to, "\n");
    text_free(&json);
}

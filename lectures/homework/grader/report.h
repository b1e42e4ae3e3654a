/* report.h: a Report in the formats of those who read it. */
#ifndef GRADER_REPORT_H
#define GRADER_REPORT_H

#include "grader.h"

typedef struct {
    const char *name;
    void (*write)(const Report *r, Text *to);
} Format;
const Format *format_find(const char *name);
extern const Format formats[];
void report_text(const Report *r, Text *to);
void report_markdown(const Report *r, Text *to);
void report_gradescope(const Report *r, Text *to);
void report_json(const Report *r, Text *to);
void report_classroom(const Report *r, Text *to);
const char *state_word(TestState s);
bool told(const Report *r, const TestResult *t); /* may the student read the feedback? */

#endif

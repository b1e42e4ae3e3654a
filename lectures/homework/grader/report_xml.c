/* report_xml.c: a Report as JUnit's XML, which most build servers read. */
#include "grader.h"

#include <stdio.h>
#include <string.h>

/* The report is clean UTF-8 (clean.c), as XML 1.0 needs it. */
void put_xml(Text *to, const char *words)
{
    static const char special[] = "<>&\"\n\t";
    static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;", " "};
    for (; *words; words++) {
        const char *at = strchr(special, *words);
        text_add(to, at ? entity[at - special] : words, at ? strlen(entity[at - special]) : 1);
    }
}

static void put_attribute(Text *to, const char *name, const char *value)
{
    text_print(to, " %s=\"", name);
    put_xml(to, value);
    text_put(to, "\"");
}

static int count_state(const Report *r, bool skipped)
{
    int count = 0;
    for (int i = 0; i < r->count; i++)
        count += skipped ? r->test[i].state == BLOCKED
                         : r->test[i].state == FAILED || r->test[i].state == MISSING;
    return count;
}

void report_junit(const Report *r, Text *to)
{
    text_put(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite");
    put_attribute(to, "name", r->assignment);
    text_print(to, " tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%.3f\">\n", r->count,
               count_state(r, false), count_state(r, true), r->seconds);
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        text_put(to, "  <testcase");
        put_attribute(to, "classname", r->assignment);
        put_attribute(to, "name", t->row.name);
        if (t->state == PASSED) {
            text_put(to, "/>\n");
            continue;
        }
        text_print(to, ">\n    <%s message=\"%s\">", t->state == BLOCKED ? "skipped" : "failure",
                   state_word(t->state));
        if (told(r, t))
            put_xml(to, text_of(&t->feedback));
        text_print(to, "</%s>\n  </testcase>\n", t->state == BLOCKED ? "skipped" : "failure");
    }
    text_put(to, "  <system-out>");
    put_xml(to, text_of(&r->message));
    text_put(to, "</system-out>\n</testsuite>\n");
}

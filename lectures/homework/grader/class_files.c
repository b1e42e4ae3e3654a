/* class_files.c: what learning management systems import: a table of grades for Moodle and for
 * Canvas, and a zip of the feedback, whose files are named as the system named the submissions. */
#include "all.h"
#include "zip.h"

#include <stdio.h>
#include <string.h>

static bool any_from(const Submission *all, int count, Source_ system)
{
    for (int i = 0; i < count; i++)
        if (all[i].row.origin.system == system)
            return true;
    return false;
}

static bool takes_part(const Submission *s, Source_ system)
{
    return s->row.origin.system == system && s->row.there && s->row.counts;
}

/* Moodle's grading worksheet: "Identifier" finds the participant. */
static void moodle(const Submission *all, int count, Text *to)
{
    text_put(to, "Identifier,Full name,Maximum Grade,Grade,Feedback comments\n");
    for (int i = 0; i < count; i++) {
        const Row *r = &all[i].row;
        if (!takes_part(&all[i], FROM_MOODLE))
            continue;
        text_print(to, "Participant %s,", r->origin.id);
        put_field(to, r->origin.student);
        text_print(to, ",%.10g,%.10g,", r->max_score, r->points);
        put_field(to, r->comment);
        text_put(to, "\n");
    }
}

/* Canvas' gradebook: "ID" finds the student; the second line holds the points possible. */
static void canvas(const Assignment *a, const Submission *all, int count, Text *to)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = takes_part(&all[i], FROM_CANVAS) ? all[i].row.max_score : most;
    text_put(to, "Student,ID,SIS User ID,SIS Login ID,Section,");
    put_field(to, a->title);
    text_print(to, "\n    Points Possible,,,,,%.10g\n", most);
    for (int i = 0; i < count; i++) {
        const Row *r = &all[i].row;
        if (!takes_part(&all[i], FROM_CANVAS))
            continue;
        put_field(to, r->origin.student);
        text_print(to, ",%s,,,,%.10g\n", r->origin.id, r->points);
    }
}

/* The name in feedback.zip. Moodle finds the student by the folder's name, Canvas by the beginning
 * of the file's. */
static void feedback_name(const Submission *s, char name[PATH_SIZE])
{
    const char *file = strstr(s->name, "_assignsubmission_");
    size_t length = strlen(s->name);
    if (s->row.origin.system == FROM_MOODLE && file) {
        const char *kind = file + strlen("_assignsubmission_"); /* file, or onlinetext */
        size_t folder = (size_t)(kind - s->name) + strcspn(kind, "_");
        snprintf(name, PATH_SIZE, "%.*s_/feedback.txt", (int)folder, s->name);
    } else if (s->row.origin.system == FROM_CANVAS && length > 2) {
        snprintf(name, PATH_SIZE, "%.*s.txt", (int)(length - 2), s->name);
    } else {
        snprintf(name, PATH_SIZE, "%s.txt", s->name);
    }
}

static void put_by_hand(Text *to, const Row *r)
{
    if (r->by_hand)
        text_print(to, "\nYour instructor gave %.10g of %.10g points.\n", r->points, r->max_score);
    if (r->comment[0])
        text_print(to, "\nFrom your instructor:\n%s\n", r->comment);
}

static void feedback(const Submission *all, int count, const char *out, Text *archive)
{
    char path[PATH_SIZE], name[PATH_SIZE];
    Zip z = {.count = 0};
    for (int i = 0; i < count; i++) {
        Text text = {0};
        feedback_name(&all[i], name);
        if (all[i].row.counts && !all[i].partner &&
            file_read(result_path(path, out, all[i].name, "txt"), &text)) {
            put_by_hand(&text, &all[i].row);
            zip_add(&z, name, &text, false);
        }
        text_free(&text);
    }
    zip_end(&z, archive);
}

void write_class_files(const Assignment *a, const Submission *all, int count, const char *out)
{
    char path[PATH_SIZE];
    Text table = {0};
    if (any_from(all, count, FROM_MOODLE)) {
        moodle(all, count, &table);
        file_save(path_join(path, out, "moodle.csv"), &table);
    }
    if (any_from(all, count, FROM_CANVAS)) {
        canvas(a, all, count, &table);
        file_save(path_join(path, out, "canvas.csv"), &table);
    }
    feedback(all, count, out, &table);
    file_save(path_join(path, out, "feedback.zip"), &table);
}

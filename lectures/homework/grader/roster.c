/* roster.c: the table of all students, as CSV with a line of names of columns, of which it knows
 *
 *   id, sid, "id number", identifier; name, student, "full name"; email, "email address"; extension
 *
 * as Moodle's, Canvas' and Gradescope's own tables have them. Whoever handed in nothing gets a row.
 * An extension is a number of days, or a time in place of --due. */
#include "all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- times ----------------------------------------------------------------------------------- */

static bool read_zone(const char *text, long *offset)
{
    int hours = 0, minutes = 0, used = 0;
    *offset = 0;
    if (strcmp(text, "Z") == 0)
        return true;
    if ((*text != '+' && *text != '-') || strspn(text + 1, "0123456789:") != strlen(text + 1) ||
        (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &used) != 2 &&
         sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &used) != 2) ||
        used < 4 || text[1 + used] || hours > 14 || minutes > 59)
        return false;
    *offset = (*text == '-' ? -60L : 60L) * (60 * hours + minutes);
    return true;
}

bool time_read(const char *text, long *at, char zone[ZONE_SIZE])
{
    struct tm t = {.tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1};
    int used = 0, clock = 0, second = 0;
    long offset;
    if (sscanf(text, "%4d-%2d-%2d%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &used) != 3)
        return false;
    text += used;
    if (sscanf(text, "%*1[T ]%2d:%2d%n", &t.tm_hour, &t.tm_min, &clock) == 2) {
        t.tm_sec = 0;
        sscanf(text + clock, ":%2d%n", &t.tm_sec, &second);
        text += clock + second;
        text += *text == '.' ? 1 + strspn(text + 1, "0123456789") : 0;
    }
    text += strspn(text, " ");
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    const int day = t.tm_mday;
    if (t.tm_year < 70 || t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60)
        return false;
    if (*text) {
        *at = read_zone(text, &offset) ? (long)timegm(&t) - offset : -1;
    } else {
        *at = (long)mktime(&t);
        offset = t.tm_gmtoff;
    }
    const int size = (int)(labs(offset) / 60) % 6000;
    snprintf(zone, ZONE_SIZE, "%c%02d:%02d%s", offset < 0 ? '-' : '+', size / 60, size % 60,
             *text ? "" : " (this machine's zone)");
    return *at >= 0 && t.tm_mday == day; /* not the 31st of November */
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { ID, NAME, EMAIL, EXTENSION, KNOWN };

typedef struct {
    char text[KNOWN][160];
    bool seen;
} Student;

static int column_of(const char *name)
{
    static const struct {
        const char *name;
        int column;
    } names[] = {{"id", ID},
                 {"sid", ID},
                 {"id number", ID},
                 {"identifier", ID},
                 {"name", NAME},
                 {"student", NAME},
                 {"full name", NAME},
                 {"email", EMAIL},
                 {"email address", EMAIL},
                 {"extension", EXTENSION}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i].name) == 0)
            return names[i].column;
    return KNOWN;
}

/* One line: into the student, or, of the first line, which column is what. */
static const char *read_student(const char *p, Student *to, int *what, bool first)
{
    bool last = false;
    Text field = {0};
    for (int i = 0; !last; i++) {
        p = csv_field(p, &field, &last);
        const char *words = text_of(&field);
        words += strncmp(words, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        words += strspn(words, " ");
        words += strncasecmp(words, "Participant ", 12) == 0 ? 12 : 0; /* Moodle's identifier */
        if (i < SIZES_MAX && first)
            what[i] = column_of(words);
        else if (i < SIZES_MAX && what[i] < KNOWN)
            snprintf(to->text[what[i]], sizeof *to->text, "%s", words);
    }
    text_free(&field);
    return p;
}

static Student *read_roster(const char *path, int *count)
{
    Text table = {0};
    Student *all = NULL, none;
    int what[SIZES_MAX], known = 0;
    for (int i = 0; i < SIZES_MAX; i++)
        what[i] = KNOWN;
    file_load(path, &table);
    const char *p = read_student(text_of(&table), &none, what, true);
    for (int i = 0; i < SIZES_MAX; i++)
        known += what[i] < EXTENSION;
    if (!known)
        quit("--roster: %s: found no column id, name or email in the first line; expected one",
             path);
    for (*count = 0; *p;) {
        all = memory_grown(all, (size_t)*count + 1, sizeof *all);
        Student *s = &all[*count];
        *s = (Student){.seen = false};
        p = read_student(p, s, what, false);
        bool person = s->text[ID][0] || s->text[NAME][0] || s->text[EMAIL][0];
        *count += person && strcmp(s->text[NAME], "Points Possible") != 0; /* Canvas' second line */
    }
    text_free(&table);
    return all;
}

/* ---- the class ------------------------------------------------------------------------------- */

static bool same(const char *one, const char *other)
{
    return *one && strcasecmp(one, other) == 0;
}

static bool is_of(const Student *s, const Submission *of)
{
    const Origin *o = &of->row.origin;
    char own[sizeof of->name];
    snprintf(own, sizeof own, "%.*s", (int)strcspn(of->name, "."), of->name);
    for (int i = ID; i < EXTENSION && o->system == FROM_FOLDER; i++)
        if (same(s->text[i], own) || same(s->text[i], of->name))
            return true;
    if (s->text[ID][0] && same(s->text[ID], o->id))
        return true;
    if (same(s->text[EMAIL], o->email) || same(s->text[EMAIL], o->id))
        return true;
    return !(s->text[ID][0] && o->id[0]) && same(s->text[NAME], o->student);
}

static void extend(const Student *s, Row *r, const ClassOptions *class)
{
    char zone[ZONE_SIZE], *end;
    const char *text = s->text[EXTENSION];
    long days = strtol(text, &end, 10);
    if (!*text || time_read(text, &r->due, zone))
        return;
    if (*end || end == text || days < 0 || days > 365 || !class->due)
        quit("--roster: %s: found the extension '%s'%s; expected a number of days from 0 to 365 "
             "(with --due), or a time such as 2026-11-27T23:59+01:00",
             s->text[s->text[NAME][0] ? NAME : ID], text, class->due ? "" : " without --due");
    r->due = class->due + 86400 * days;
}

static void take_names(const Student *s, Origin *o)
{
    if (!o->id[0])
        snprintf(o->id, sizeof o->id, "%.63s", s->text[s->text[ID][0] ? ID : EMAIL]);
    if (!o->student[0])
        snprintf(o->student, sizeof o->student, "%s", s->text[NAME]);
    name_clean(o->id, sizeof o->id);
    name_clean(o->student, sizeof o->student);
}

static Submission absent(const Assignment *a, const Student *s, Source_ system)
{
    Submission of = {.row = {.there = true, .compiled = NOTHING, .comment = ""}};
    of.row.origin.system = system;
    take_names(s, &of.row.origin);
    snprintf(of.name, sizeof of.name, "%s",
             of.row.origin.id[0] ? of.row.origin.id : of.row.origin.student);
    for (int t = 0; t < a->count; t++)
        of.row.max_score += a->test[t].points;
    snprintf(of.row.note, sizeof of.row.note, "nothing was handed in");
    return of;
}

void roster_apply(const Assignment *a, Submission **all, int *count, const ClassOptions *class)
{
    int students = 0, found = *count;
    Student *roster = class->roster ? read_roster(class->roster, &students) : NULL;
    Source_ system = FROM_FOLDER;
    for (int i = 0; i < found; i++) {
        Submission *of = &(*all)[i];
        Student *s = roster;
        system = of->row.origin.system != FROM_FOLDER ? of->row.origin.system : system;
        while (s < roster + students && !is_of(s, of))
            s++;
        if (s < roster + students) {
            s->seen = true;
            take_names(s, &of->row.origin);
            extend(s, &of->row, class);
        } else if (roster) {
            fprintf(stderr, "grader: --roster: nobody in it has handed in %.200s\n", of->name);
        }
    }
    for (int i = 0; i < students; i++) {
        if (roster[i].seen)
            continue;
        *all = memory_grown(*all, (size_t)*count + 1, sizeof **all);
        (*all)[(*count)++] = absent(a, &roster[i], system);
    }
    free(roster);
}

/* by_hand.c: what an instructor adds to the grades: by_hand.csv in the folder of results, with a
 * line for each submission,
 *
 *   name,points,comment
 *   ann.c,92.5,"The proof of (b), on paper, is right."
 *
 * The first run writes it with empty fields. Later runs read it and never write it, so what is
 * typed there stays; an empty field changes nothing. */
#include "all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIELDS = 3 };

/* ---- CSV (RFC 4180) -------------------------------------------------------------------------- */

/* The next field; returns what follows it and its comma. `last`: it ends its line. */
static const char *read_field(const char *p, Text *field, bool *last)
{
    bool quoted = *p == '"';
    text_cut(field, 0);
    for (p += quoted; *p; p++) {
        if (quoted && *p == '"' && p[1] != '"') {
            quoted = false;
            continue;
        }
        if (!quoted && strchr(",\n", *p))
            break;
        if (!quoted && *p == '\r')
            continue;
        text_add(field, p, 1);
        p += quoted && *p == '"';
    }
    *last = *p != ',';
    return *p ? p + 1 : p;
}

/* The next line's first three fields; returns what follows the line. */
static const char *read_line(const char *p, Text field[FIELDS])
{
    Text rest = {0};
    bool last = false;
    for (int i = 0; i < FIELDS; i++)
        text_cut(&field[i], 0);
    for (int i = 0; !last; i++)
        p = read_field(p, i < FIELDS ? &field[i] : &rest, &last);
    text_free(&rest);
    return p;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A name as grades.csv has it: a spreadsheet's formula is written with ' before it. */
static bool is_name(const char *written, const char *name)
{
    return strcmp(written + (written[0] == '\''), name) == 0 || strcmp(written, name) == 0;
}

static void take(Row *row, int count, const Text field[FIELDS])
{
    char *end;
    const char *name = text_of(&field[0]), *points = text_of(&field[1]);
    Row *r = NULL;
    for (int i = 0; i < count; i++)
        r = is_name(name, row[i].name) ? &row[i] : r;
    double value = strtod(points, &end);
    if (!r)
        fprintf(stderr, "grader: by_hand.csv: there is no submission \"%.200s\"\n", name);
    else if (*points && (*end || !isfinite(value)))
        quit("by_hand.csv: %.200s: found points '%.40s'; expected a number, or nothing", name,
             points);
    else {
        r->by_hand = *points;
        r->points = r->by_hand ? value : r->points;
        r->comment = strdup(text_of(&field[2])); /* until the program ends */
    }
}

static void write_empty(const Row *row, int count, const char *path)
{
    Text table = {0};
    text_put(&table, "name,points,comment\n");
    for (int i = 0; i < count; i++) {
        put_field(&table, row[i].name);
        text_put(&table, ",,\n");
    }
    file_save(path, &table);
}

void by_hand(Row *row, int count, const char *out)
{
    char path[PATH_SIZE];
    Text table = {0}, field[FIELDS] = {{0}};
    path_join(path, out, "by_hand.csv");
    if (!file_read(path, &table)) {
        write_empty(row, count, path);
        return;
    }
    const char *p = read_line(text_of(&table), field); /* the names of the columns */
    while (*p) {
        p = read_line(p, field);
        if (field[0].length)
            take(row, count, field);
    }
    for (int i = 0; i < FIELDS; i++)
        text_free(&field[i]);
    text_free(&table);
}

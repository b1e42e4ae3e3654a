/* by_hand.c: what an instructor adds to the grades: by_hand.csv in the folder of results, with a
 * line for each submission,
 *
 *   name,points,comment
 *   ann.c,92.5,"The proof of (b), on paper, is right."
 *
 * The first run writes it with empty fields. Later runs read it and never write it, so what is
 * typed there stays; an empty field changes nothing. */
#include "all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIELDS = 3 };

/* ---- CSV (RFC 4180) -------------------------------------------------------------------------- */

const char *csv_field(const char *p, Text *field, bool *last)
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
        p = csv_field(p, i < FIELDS ? &field[i] : &rest, &last);
    text_free(&rest);
    return p;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A name as grades.csv has it: a spreadsheet's formula is written with ' before it. */
static bool is_name(const char *written, const char *name)
{
    return strcmp(written + (written[0] == '\''), name) == 0 || strcmp(written, name) == 0;
}

/* What every gradebook takes: 92, 92.5, 92.25. */
static bool is_points(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    size_t decimals = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    return whole > 0 && whole < 7 && decimals < 3 &&
           !text[whole + (text[whole] == '.' ? decimals + 1 : 0)];
}

static void take(Row *row, int count, const Text field[FIELDS])
{
    const char *name = text_of(&field[0]), *points = text_of(&field[1]);
    bool found = false;
    if (*points && !is_points(points))
        quit("by_hand.csv: %.200s: found points '%.40s'; expected a number from 0 on, with at most "
             "two decimals, or nothing",
             name, points);
    for (Row *r = row; r < row + count; r++) {
        if (!is_name(name, r->name))
            continue;
        found = true; /* of a group each has a row */
        r->by_hand = *points;
        r->points = r->by_hand ? strtod(points, NULL) : r->points;
        if (field[2].length)
            r->comment = strdup(text_of(&field[2])); /* write_class frees it */
    }
    if (!found)
        fprintf(stderr, "grader: by_hand.csv: there is no submission \"%.200s\"\n", name);
}

static void write_empty(const Row *row, int count, const char *path)
{
    Text table = {0};
    text_put(&table, "name,points,comment\n");
    for (int i = 0; i < count; i++) {
        if (i && strcmp(row[i].name, row[i - 1].name) == 0)
            continue; /* of a group */
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

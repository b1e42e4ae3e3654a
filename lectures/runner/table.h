/* table.h: numbers and labels that a user brings along in text files: .csv, .tsv, and a text with a
 * label a line. */
#ifndef LECTURES_TABLE_H
#define LECTURES_TABLE_H

#include "gradus.h"

/* A label for each row or column, a line each. */
typedef struct {
    char *text; /* that the labels point into */
    const char **label;
    int count;
} LabelFile;
bool labels_read(LabelFile *l, const char *path);
void labels_free(LabelFile *l);

/* Fails, with an error, unless there are as many labels as expected, one for each `what`. */
bool labels_fit(const LabelFile *l, const char *path, int64_t expected, const char *what);

/* A table as it is read: numbers in row-major order, and the labels where it has them. Column
 * labels are a first line with a field that is no number; row labels are a first column of which
 * the first two fields are no numbers. An empty field, NA and the like are NaN; lines that begin
 * with # and have not the fields of the table are remarks. Columns lie between commas, semicolons
 * or tabs (always, where the path ends in .tsv); where commas do not separate them, they may be
 * decimal. What can be read in two ways is refused. UTF-8, or UTF-16 with a mark. */
typedef struct {
    char *text;
    double *x;
    const char **row, **column; /* NULL where there are none */
    int rows, columns;
    char separator;
    bool comma; /* decimals come after one */
} Csv;

/* False, with an error. Call csv_free even then. */
bool csv_read(Csv *csv, const char *path);
void csv_free(Csv *csv);

/* The text of a whole file, which free releases; NULL, with an error. */
char *table_text(const char *path);
bool ends_in(const char *path, const char *end);

/* Takes the field at *at apart, within the line: its text, and whether another field follows. */
char *table_field(char **at, char separator, bool *more);

#endif

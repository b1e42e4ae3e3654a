/* table.h: numbers and labels that a user brings along in files: .npy, .csv, and a text with a
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

/* A table as it is read: numbers in row-major order, and the labels where it has them. */
typedef struct {
    char *text;
    real *x;
    const char **row, **column; /* PLOT_LONGEST at most; NULL where there are none */
    int rows, columns;
} Csv;

/* The numbers of a .npy or .csv file as a tensor of the caller's; csv keeps the labels of a .csv
 * file, and is {0}, after which it may be freed, for a .npy file. NULL, with an error, where the
 * file cannot be read. */
Tensor *table_read(const char *path, Csv *csv);
void csv_free(Csv *csv);

#endif

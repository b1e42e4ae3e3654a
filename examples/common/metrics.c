/* metrics.c: see metrics.h. */
#include "examples/common/metrics.h"

#include "gradus.h"
#include "tensor/files.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024, FIELDS = 16 };

static bool fail(const char *function, const char *path)
{
    return tensor_fail("%s: %s: opening failed with \"%s\"; expected a file", function, path,
                       strerror(errno));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_header(FILE *out, const Common *c, const char *const *also, const char *unit)
{
    fprintf(out, "# gradus %s, example %s, seed %d, %d threads, %s kernels\n", GRADUS_VERSION,
            c->name, c->seed, tensor_threads(), tensor_kernels());
    fprintf(out, "step\tsplit\tloss\t");
    for (int i = 0; also[i]; i++)
        fprintf(out, "%s\t", also[i]);
    fprintf(out, "lr\tgrad_norm\t%s/s\tseconds\n", unit);
}

/* Copies the header and the rows up to `step`; the count of seconds continues from the last one. */
static void copy_rows(FILE *from, FILE *to, int64_t step, double *seconds)
{
    char line[LINE];
    while (fgets(line, sizeof line, from)) {
        char *end;
        long long at = strtoll(line, &end, 10);
        const char *last = strrchr(line, '\t');
        if (end != line && at > step)
            continue;
        fputs(line, to);
        if (end != line && last)
            *seconds = strtod(last, NULL);
    }
}

/* Keeps the old table up to `step`. */
static bool shorten(Metrics *m, const char *path, int64_t step)
{
    FILE *old = fopen(path, "r");
    AtomicFile *kept = old ? tensor_file_open(path) : NULL;
    if (kept)
        copy_rows(old, tensor_file_stream(kept), step, &m->before);
    if (old)
        fclose(old);
    return kept && tensor_file_commit(kept);
}

static bool exists(const char *path)
{
    FileStatus found;
    return disk_look(path, &found);
}

/* A pipe would wait for a reader, and a device would lose the table. */
static bool is_regular(const char *path)
{
    FileStatus found;
    return !disk_look(path, &found) || found.kind == FILE_REGULAR ||
           tensor_fail("metrics_open: %s: found no regular file; expected one, or none yet", path);
}

bool metrics_open(Metrics *m, const char *path, const Common *c, const char *const *also,
                  const char *unit, int64_t step)
{
    *m = (Metrics){.also = also};
    bool continues = step > 0 && exists(path);
    if (!tensor_make_directory(c->out) || !is_regular(path) ||
        (continues && !shorten(m, path, step)))
        return false;
    m->file = fopen(path, continues ? "a" : "w");
    if (!m->file)
        return fail("metrics_open", path);
    setvbuf(m->file, NULL, _IOLBF,
            BUFSIZ); /* line by line, so that the file can be followed during the run */
    if (!continues)
        write_header(m->file, c, also, unit);
    return true;
}

/* Writes a field and a tab. */
static void number(FILE *out, const char *format, double x)
{
    if (isnan(x))
        fputc('-', out);
    else
        fprintf(out, format, x);
    fputc('\t', out);
}

void metrics_row(Metrics *m, const MetricsRow *row)
{
    if (!m->file)
        return;
    fprintf(m->file, "%lld\t%s\t", (long long)row->step, row->split);
    number(m->file, "%.9g", row->loss);
    for (int i = 0; m->also[i]; i++)
        number(m->file, "%.9g", row->also ? row->also[i] : (double)NAN);
    number(m->file, "%.9g", row->rate);
    number(m->file, "%.9g", row->grad_norm);
    number(m->file, "%.0f", row->speed);
    fprintf(m->file, "%.3f\n", m->before + row->seconds);
}

bool metrics_close(Metrics *m)
{
    bool ok = !m->file || !ferror(m->file);
    if (m->file && fclose(m->file) != 0)
        ok = false;
    m->file = NULL;
    return ok || tensor_fail("metrics_close: writing failed with \"%s\"; expected a complete table",
                             strerror(errno));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Cuts a line into its fields, which tabs separate; returns how many. */
static int cut(char *line, char *field[FIELDS])
{
    int n = 0;
    for (char *at = strtok(line, "\t\n"); at && n < FIELDS; at = strtok(NULL, "\t\n"))
        field[n++] = at;
    return n;
}

/* Reads the file and returns the number of rows; if s is given, its points are the means of
 * `stretch` rows each. */
static int64_t scan(FILE *file, const char *split, const char *name, int64_t stretch,
                    MetricsSeries *s)
{
    char line[LINE], *field[FIELDS], *end;
    int column = 0;
    int64_t rows = 0;
    double steps = 0, values = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        const int n = line[0] == '#' ? 0 : cut(line, field);
        if (n > 0 && strcmp(field[0], "step") == 0)
            for (column = n - 1; column > 0 && strcmp(field[column], name) != 0;)
                column--;
        if (column < 2 || n <= column || strcmp(field[1], split) != 0)
            continue;
        double value = strtod(field[column], &end);
        if (end == field[column]) /* "-": no number */
            continue;
        steps += strtod(field[0], NULL);
        values += value;
        if (++rows % stretch || !s || s->count == METRICS_POINTS)
            continue;
        s->step[s->count] = steps / (double)stretch;
        s->value[s->count++] = values / (double)stretch;
        steps = values = 0;
    }
    return rows;
}

bool metrics_read(const char *path, const char *split, const char *column, MetricsSeries *s)
{
    FILE *file = fopen(path, "r");
    s->count = 0;
    if (!file)
        return fail("metrics_read", path);
    int64_t rows = scan(file, split, column, 1, NULL);
    scan(file, split, column, (rows + METRICS_POINTS - 1) / METRICS_POINTS + (rows == 0), s);
    fclose(file);
    return true;
}

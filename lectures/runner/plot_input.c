/* plot_input.c: the files of the command `plot`; see plot_command.h. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/plot_command.h"
#include "data/array.h"
#include "tensor/memory.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

void words_split(WordList *w, const char *option, const char *list)
{
    *w = (WordList){.count = 0};
    if (!list)
        return;
    if (strlen(list) >= sizeof w->text)
        options_refuse("--%s: found %zu bytes; expected fewer than %zu", option, strlen(list),
                       sizeof w->text);
    strcpy(w->text, list);
    for (char *at = w->text; at;) {
        char *comma = strchr(at, ',');
        if (w->count == WORDS_MAX)
            options_refuse("--%s: found more than %d words; expected no more", option, WORDS_MAX);
        w->word[w->count++] = at;
        if (comma)
            *comma = 0;
        at = comma ? comma + 1 : NULL;
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Takes leading axes of length 1 away, as of one sequence, while more than `rank` are left. */
static void squeeze(Tensor *t, int rank)
{
    while (t->shape.rank > rank) {
        int i = 0;
        while (i < t->shape.rank - 2 && t->shape.dim[i] != 1)
            i++;
        if (i == t->shape.rank - 2)
            return;
        for (; i + 1 < t->shape.rank; i++)
            t->shape.dim[i] = t->shape.dim[i + 1];
        t->shape.rank--;
        tensor_set_contiguous(t, t->shape);
    }
}

/* What is drawn as cells or bars; curves take the numbers of the file. */
static Tensor *to_tensor(const double *x, Shape shape)
{
    Tensor *t = tensor_new(shape);
    for (int64_t i = 0; t && i < tensor_size(t); i++)
        t->data[i] = (real)x[i];
    return t;
}

static bool source_read(Source *s, const char *file, const char *name)
{
    bool text = ends_in(file, ".csv") || ends_in(file, ".tsv");
    const char *slash = system_last_slash(file);
    Shape shape;
    snprintf(s->name, sizeof s->name, "%s", name ? name : slash ? slash + 1 : file);
    if (!text && !ends_in(file, ".npy") && !ends_in(file, ".npz") && !ends_in(file, ".safetensors"))
        return tensor_fail(
            "%s: expected a file that ends in .npy, .npz, .safetensors, .csv or .tsv", file);
    if (text && name)
        return tensor_fail("%s: --name: a table has no arrays with names", file);
    if (text && csv_read(&s->csv, file))
        s->numbers = to_tensor(s->csv.x, shape2(s->csv.rows, s->csv.columns));
    else if (!text && (s->exact = array_read(file, name, &shape)))
        s->numbers = to_tensor(s->exact, shape);
    if (!s->numbers)
        return false;
    if (shape_size(s->numbers->shape) == 0)
        return tensor_fail("%s: found an array %s without numbers; expected some", file,
                           shape_str(s->numbers->shape));
    squeeze(s->numbers, 2);
    return true;
}

bool sources_open(Sources *s, const Wish *w)
{
    WordList names;
    *s = (Sources){.count = 0};
    words_split(&names, "name", w->name);
    if ((w->labels && !labels_read(&s->labels, w->labels)) ||
        (w->rows && !labels_read(&s->rows, w->rows)) ||
        (w->columns && !labels_read(&s->columns, w->columns)))
        return false;
    for (int i = 0; i < w->files; i++)
        for (int j = 0; j < (names.count ? names.count : 1); j++) {
            if (s->count == SOURCES_MAX)
                return tensor_fail("found more than %d arrays; expected no more", SOURCES_MAX);
            Source *one = &s->source[s->count++];
            if (!source_read(one, w->file[i], names.count ? names.word[j] : NULL))
                return false;
            if (names.count && w->files > 1)
                snprintf(one->name, sizeof one->name, "%.90s: %.60s", w->file[i], names.word[j]);
        }
    return true;
}

void sources_close(Sources *s)
{
    for (int i = 0; i < s->count; i++) {
        tensor_free(s->source[i].numbers);
        mem_free(s->source[i].exact);
        csv_free(&s->source[i].csv);
        free((void *)s->source[i].counted);
    }
    labels_free(&s->labels);
    labels_free(&s->rows);
    labels_free(&s->columns);
}

/* --labels are for rows and for columns, wherever they fit one of them in number. */
bool source_labels(Sources *s, Source *from, const Wish *w, int64_t rows, int64_t columns)
{
    bool to_rows = w->labels && !w->rows, to_columns = w->labels && !w->columns && rows == columns;
    from->rows = from->csv.row;
    from->columns = from->csv.column;
    if (to_rows && rows != columns && s->labels.count != rows && s->labels.count == columns)
        to_columns = true, to_rows = false;
    if ((to_rows && !labels_fit(&s->labels, w->labels, rows, "row")) ||
        (w->rows && !labels_fit(&s->rows, w->rows, rows, "row")) ||
        (w->columns && !labels_fit(&s->columns, w->columns, columns, "column")))
        return false;
    if (w->rows || to_rows)
        from->rows = w->rows ? s->rows.label : s->labels.label;
    if (w->columns || to_columns)
        from->columns = w->columns ? s->columns.label : s->labels.label;
    return true;
}

const char *const *source_counted(Source *from, int64_t count)
{
    enum { DIGITS = 12 };
    const char **word = from->counted = malloc((size_t)count * (sizeof *word + DIGITS));
    char *text = word ? (char *)(word + count) : NULL;
    for (int64_t i = 0; word && i < count; i++) {
        snprintf(text + DIGITS * i, DIGITS, "%d", (int)i + 1);
        word[i] = text + DIGITS * i;
    }
    if (!word)
        tensor_fail("%s: no memory for %lld numbers", from->name, (long long)count);
    return word;
}

/* ---- parts of arrays ------------------------------------------------------------------------- */

/* One of the indices 1 to `count` of an axis, or 0 where that means all of them. */
static bool in_axis(const char *option, int index, const char *all, int64_t count,
                    const Source *from)
{
    return (index >= (all ? 0 : 1) && index <= count) ||
           tensor_fail("--%s: found %d; expected 1 to %lld%s, since %s is %s", option, index,
                       (long long)count, all ? all : "", from->name,
                       shape_str(from->numbers->shape));
}

bool source_part(const Source *from, const Wish *w, int *item, int *head)
{
    const Shape *s = &from->numbers->shape;
    int64_t items = s->rank == 4 ? s->dim[0] : 1, heads = s->rank >= 3 ? s->dim[s->rank - 3] : 1;
    if (s->rank < 1 || s->rank > 4)
        return tensor_fail("%s: found an array %s; expected (T, S), (H, T, S) or (B, H, T, S)",
                           from->name, shape_str(*s));
    if (!in_axis("item", w->item, NULL, items, from) ||
        !in_axis("head", w->head, " (or 0, their mean)", heads, from))
        return false;
    *item = w->item - 1;
    *head = w->head == 0 ? PLOT_MEAN : w->head - 1;
    if (items > 1 && !options_given("item"))
        printf("%s: the first of %lld; --item 1 to %lld\n", from->name, (long long)items,
               (long long)items);
    if (heads > 1 && !options_given("head"))
        printf("%s: head 1 of %lld; --head 1 to %lld, or 0, their mean; plot heads draws all\n",
               from->name, (long long)heads, (long long)heads);
    return true;
}

int source_layers(const Source *from, Tensor layer[LAYERS_MAX])
{
    const Tensor *t = from->numbers;
    const Shape s = t->shape, one = s.rank == 4 ? shape3(s.dim[1], s.dim[2], s.dim[3]) : s;
    const int64_t layers = s.rank == 4 ? s.dim[0] : 1;
    if (s.rank < 2 || s.rank > 4 || layers > LAYERS_MAX)
        return tensor_fail("%s: found %s; expected (T, S), (H, T, S), or (L, H, T, S) of at most "
                           "%d layers",
                           from->name, shape_str(s), LAYERS_MAX),
               0;
    for (int64_t l = 0; l < layers; l++) {
        layer[l] = (Tensor){.data = t->data + l * shape_size(one)};
        tensor_set_contiguous(&layer[l], one);
    }
    return (int)layers;
}

PlotScale wish_scale(const Wish *w, WordList *classes)
{
    PlotScale scale = {.numbers = !w->ranged,
                       .diverging = w->diverging,
                       .low = w->low,
                       .high = w->high,
                       .name = ""};
    words_split(classes, "legend", w->legend);
    if (classes->count == 1)
        scale.name = classes->word[0];
    else if (classes->count > 1)
        scale.legend = classes->word;
    if (scale.legend && (w->ranged || w->diverging))
        options_refuse("--legend: several names are those of classes, which have no %s",
                       w->ranged ? "--range" : "--diverging");
    return scale;
}

/* faults.c: reads faults.txt. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "examples/common/options.h"

#include <string.h>

/* "no-scale language 21" */
static Fault read_name(const char *line)
{
    static const Learner *const learners[] = {&language, &deep, &pictures, NULL};
    const Learner *const *l = learners;
    char model[16];
    Fault f = {.row = 0};
    int fields = sscanf(line, "%31s %15s %d", f.name, model, &f.row);
    while (fields == 3 && *l && strcmp((*l)->name, model) != 0)
        l++;
    if (fields != 3 || !*l)
        options_refuse("faults.txt: found '%s'; expected a name, a model and a row", line);
    f.learner = *l;
    return f;
}

const Fault *mystery_faults(void)
{
    static const char path[] = LECTURES_FOLDER "/mystery/faults.txt";
    static Fault list[FAULTS_MOST + 1];
    static char text[1 << 14]; /* which the list points into */
    int count = 0;
    if (*list[0].name)
        return list;
    FILE *file = fopen(path, "r");
    for (char *line = text; file && fgets(line, (int)(text + sizeof text - line), file);) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line && *line != ' ' && *line != '#' && count < FAULTS_MOST)
            list[count++] = read_name(line);
        else if (count && *line == ' ' && !list[count - 1].what)
            list[count - 1].what = line + 2;
        else if (count && *line == ' ')
            list[count - 1].clue = line + 2;
        line += strlen(line) + 1;
    }
    if (!file || !feof(file))
        options_refuse("%s cannot be read; expected at most %zu bytes", path, sizeof text);
    fclose(file);
    return list;
}

const Fault *fault_named(const char *name)
{
    for (const Fault *f = mystery_faults(); f->row; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const Fault *sound_run(const Learner *learner)
{
    const Fault *f = mystery_faults();
    while (f->row || f->learner != learner)
        f++;
    return f;
}

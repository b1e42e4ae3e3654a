/* faults.c: reads faults.txt. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/text_stream.h"

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
    static Fault list[FAULTS_MOST + 1]; /* into a text that stays until the program ends */
    int count = 0;
    if (*list[0].name)
        return list;
    char *line = text_read(LECTURES_FOLDER "/mystery/faults.txt", NULL);
    if (!line)
        options_refuse("%s/mystery/faults.txt cannot be read", LECTURES_FOLDER);
    for (char *next; line; line = next) {
        next = text_cut(line);
        if (*line && *line != ' ' && *line != '#' && count < FAULTS_MOST)
            list[count++] = read_name(line);
        else if (count && *line == ' ' && !list[count - 1].what)
            list[count - 1].what = line + 2;
        else if (count && *line == ' ')
            list[count - 1].clue = line + 2;
    }
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

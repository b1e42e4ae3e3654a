/* faults.c: reads faults.txt. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/text_stream.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

static const char *const models[] = {"language", "deep", "pictures"};

/* "no-scale language 21" */
static Fault read_name(const char *line)
{
    Fault f = {.model = 0};
    char model[16];
    int fields = sscanf(line, "%31s %15s %d", f.name, model, &f.row);
    while (fields == 3 && f.model < MODELS && strcmp(models[f.model], model) != 0)
        f.model++;
    if (fields != 3 || f.model == MODELS)
        options_refuse("faults.txt: found '%s'; expected a name, a model and a row", line);
    return f;
}

const Fault *mystery_faults(void)
{
    static Fault list[FAULTS_MOST + 1]; /* into a text that stays until the program ends */
    int count = 0;
    char *text = *list[0].name ? NULL : text_read(LECTURES_FOLDER "/mystery/faults.txt", NULL);
    if (!text && !*list[0].name)
        options_refuse("%s/mystery/faults.txt cannot be read", LECTURES_FOLDER);
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        if (*line == '#')
            continue;
        if (*line != ' ' && count < FAULTS_MOST)
            list[count++] = read_name(line);
        else if (count && !list[count - 1].what)
            list[count - 1].what = line + 2;
        else if (count)
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

const Fault *sound_run(Model model)
{
    const Fault *f = mystery_faults();
    while (f->row || f->model != model)
        f++;
    return f;
}

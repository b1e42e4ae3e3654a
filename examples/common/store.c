/* store.c: see store.h. */
#include "examples/common/store.h"

#include <stdlib.h>
#include <string.h>

#define NAME "example" /* the metadata key; its value is "gradus vit" */

static int count_facts(const Fact *facts)
{
    int n = 0;
    while (facts && facts[n].name)
        n++;
    return n;
}

/* The number of a configuration, or, where the fact is a text, NULL. */
static int *number_of(const Fact *f, void *config)
{
    return f->low || f->high ? (int *)(void *)((char *)config + f->at) : NULL;
}

static const char **text_of(const Fact *f, void *config)
{
    return (const char **)(void *)((char *)config + f->at);
}

bool store_save(const char *path, const char *example, const Fact *facts, const void *config,
                const Params *p)
{
    void *read = (void *)(uintptr_t)config; /* nothing of it is written */
    const char *pair[2 * (STORE_FACTS + 1)];
    char text[STORE_FACTS][16], whose[64];
    int n = 0, count = count_facts(facts);
    if (count > STORE_FACTS)
        return tensor_fail("store_save: %s: %d entries of configuration; expected at most %d", path,
                           count, STORE_FACTS);
    snprintf(whose, sizeof whose, "gradus %s", example);
    pair[n++] = NAME;
    pair[n++] = whose;
    for (int i = 0; i < count; i++) {
        const int *number = number_of(&facts[i], read);
        if (!number && !*text_of(&facts[i], read))
            continue;
        if (number)
            snprintf(text[i], sizeof text[i], "%d", *number);
        pair[n++] = facts[i].name;
        pair[n++] = number ? text[i] : *text_of(&facts[i], read);
    }
    return params_save(path, p, pair, n / 2);
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *find(const Safetensors *file, const char *key)
{
    for (int i = 0; i < file->metadata_count; i++)
        if (strcmp(file->metadata[2 * i], key) == 0)
            return file->metadata[2 * i + 1];
    return NULL;
}

static bool is_of(const Store *s, const char *example)
{
    const char *found = find(&s->file, NAME);
    if (!found || strncmp(found, "gradus ", 7) != 0)
        return tensor_fail("store_open: %s: found a file without the metadata \"%s\"; expected one "
                           "written by --save of the "
                           "example %s",
                           s->path, NAME, example);
    return strcmp(found + 7, example) == 0 ||
           tensor_fail("store_open: %s: found weights of the example %.40s; expected those of %s",
                       s->path, found + 7, example);
}

static bool number(const Store *s, const Fact *f, int *value)
{
    const char *text = find(&s->file, f->name);
    char *end = NULL;
    long found = text ? strtol(text, &end, 10) : 0;
    *value = (int)found;
    return (text && end != text && !*end && found >= f->low && found <= f->high) ||
           tensor_fail("store_open: %s: found %s \"%.20s\"; expected a whole number from %d to %d",
                       s->path, f->name, text ? text : "", f->low, f->high);
}

/* All numbers are checked before any is set. */
static bool take(const Store *s, const Fact *facts, void *config)
{
    int value[STORE_FACTS], count = count_facts(facts);
    for (int i = 0; i < count; i++)
        if (number_of(&facts[i], config) && !number(s, &facts[i], &value[i]))
            return false;
    for (int i = 0; i < count; i++) {
        if (number_of(&facts[i], config))
            *number_of(&facts[i], config) = value[i];
        else
            *text_of(&facts[i], config) = find(&s->file, facts[i].name);
    }
    return true;
}

bool store_open(Store *s, const char *path, const char *example, const Fact *facts, void *config,
                Params *p)
{
    *s = (Store){.path = path, .params = p};
    if (count_facts(facts) > STORE_FACTS)
        return tensor_fail("store_open: %s: %d entries of configuration; expected at most %d", path,
                           count_facts(facts), STORE_FACTS);
    if (!safetensors_read(path, &s->file) || !is_of(s, example) || !take(s, facts, config))
        return false;
    p->expected = &s->file;
    return true;
}

bool store_load(Store *s, bool ok)
{
    s->params->expected = NULL;
    ok = ok && params_load(s->path, s->params);
    safetensors_free(&s->file);
    *s = (Store){0};
    return ok;
}

/* ---- vocabularies ---------------------------------------------------------------------------- */

char *vocabulary_line(const Vocab *v)
{
    size_t bytes = 1, used = 0;
    for (int i = 0; i < v->count; i++)
        bytes += strlen(v->words[i]) + 1;
    char *line = example_alloc(bytes);
    if (line)
        *line = 0;
    for (int i = 0; line && i < v->count; i++)
        used += (size_t)sprintf(line + used, "%s%s", i ? "\t" : "", v->words[i]);
    return line;
}

bool vocabulary_from(Vocab *v, const char *line)
{
    char *copy = example_alloc(strlen(line) + 1), *word = copy;
    bool ok = copy != NULL;
    if (ok)
        strcpy(copy, line);
    while (ok && word) {
        char *tab = strchr(word, '\t');
        if (tab)
            *tab = 0;
        ok = data_vocab_add(v, word) >= 0;
        word = tab ? tab + 1 : NULL;
    }
    free(copy);
    return ok;
}

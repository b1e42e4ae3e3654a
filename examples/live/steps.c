/* steps.c: a sentence that a reader types, on the tape, op by op. See live.h. */
#include "examples/live/live.h"

#include "plot/tape/tape_page.h"
#include "tensor/memory.h"

#include <string.h>

/* ---- files: in place of plot/tape/tape_files.c ----------------------------------------------- */

/* The module reads no files: the page has their texts, and finds them by their paths. */
int tape_source_file(TapeFiles *files, const char *compiled)
{
    int i = 0;
    while (compiled && i < files->count && strcmp(files->file[i].path, compiled) != 0)
        i++;
    if (!compiled || i == TAPE_FILES)
        return -1;
    if (i == files->count &&
        (files->file[i].path = arena_copy(files->arena, compiled, strlen(compiled) + 1)) != NULL)
        files->count++;
    return i < files->count ? i : -1;
}

int tape_rule_file(TapeFiles *files, const char *op)
{
    char path[TENSOR_NAME_MAX + 32];
    snprintf(path, sizeof path, "autograd/ops/%s.c", op);
    return tape_source_file(files, path);
}

/* ---- the step -------------------------------------------------------------------------------- */

static size_t write_steps(char *text, size_t size, void *unused)
{
    (void)unused;
    return tape_page_data(text, size);
}

int live_steps(void)
{
    Question q;
    Tape *tape = tape_new(0);
    Page *answer = page_data_new("live_steps");
    tape_page_record();
    LiveRun run = sentence_run(&q, tape, answer);
    int length = sentence_answer(run, &q, answer, write_steps, NULL);
    tape_page_end();
    tape_free(tape);
    return length;
}

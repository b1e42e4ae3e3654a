/* pages.c: the commands that programs in Python carry out; see pages.h. */
#include "lectures/runner/pages.h"

#include "lectures/runner/commands.h"
#include "lectures/runner/facts.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"
#include "tensor/system/system.h"

#include <limits.h>

static const char pages[] = LECTURES_FOLDER "/pages/pages.py",
                  commands[] = LECTURES_FOLDER "/runner/commands.py";

/* Runs a program with these words, closed by NULL, after the first three, which are for the
 * interpreter, which leaves no files beside it. */
static int run(const char *script, const char **words)
{
    char python[PATH_MAX];
    SystemProcess p;
    if (!system_find_program("python3", python, sizeof python)) {
        fprintf(stderr, "lectures: found no python3; expected one, which runs %s\n", script);
        return PAGES_NO_ENVIRONMENT;
    }
    words[0] = python;
    words[1] = "-B";
    words[2] = script;
    fflush(stdout);
    return system_start(&p, (char *const *)words, 0) == 0 ? system_wait(&p) : 1;
}

int python_command(const char *lectures, int argc, char **argv)
{
    const char *words[PYTHON_WORDS + 5] = {NULL, NULL, NULL, lectures};
    if (argc > PYTHON_WORDS)
        options_refuse("found %d words; expected at most %d", argc, PYTHON_WORDS);
    for (int i = 0; i < argc; i++)
        words[4 + i] = argv[i];
    return run(commands, words);
}

/* Runs pages.py with the chapters' data: words[5] becomes their file, which is in the folder
 * words[4] until the program has ended. */
static int write_pages(const char **words, const Chapter *only, bool live, uint64_t seed)
{
    char data[PATH_MAX];
    snprintf(data, sizeof data, "%s/pages-%ld.json", words[4], system_process_id());
    words[5] = data;
    FILE *out = fopen(data, "w");
    bool ok = out ? facts_write(out, only, live, seed)
                  : tensor_fail("pages: %s cannot be written; expected a folder to write to", data);
    if (out && fclose(out) != 0)
        ok = tensor_fail("pages: the disk of %s is full", data);
    if (!ok)
        fprintf(stderr, "%s\n", tensor_error());
    const int status = ok ? run(pages, words) : 1;
    disk_remove(data);
    return status;
}

int chapter_pages(const Chapter *only, bool live, const char *out, uint64_t seed)
{
    const char *words[] = {NULL, NULL, NULL, "chapters", out, NULL, live ? GRADUS_LIVE : NULL,
                           NULL};
    return write_pages(words, only, live, seed);
}

int lectures_book(int argc, char **argv)
{
    const char *out = "out/book";
    int seed = 1;
    bool live = false;
    const Option table[] = {
        {"out", OPTION_TEXT, &out, "DIR", "the folder", 0, 0},
        {"seed", OPTION_INT, &seed, "N", "of all random numbers", 0, 1e9},
        {"live", OPTION_FLAG, &live, NULL, "with the library in the chapters that use it", 0, 0},
        {0},
    };
    options_parse(argc, argv, "All chapters and other texts, as a site.", table);
    options_need_folder("out", out);
    const char *words[] = {NULL, NULL, NULL, "book", out, NULL, live ? GRADUS_LIVE : NULL, NULL};
    return write_pages(words, NULL, live, (uint64_t)seed);
}

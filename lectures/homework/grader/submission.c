/* submission.c: from a submission's text to a library.
 *
 * The text goes through the compiler step by step, behind the walls of walls.h, and what each step
 * leaves is judged before the next one reads it:
 *
 *   x.c  --preprocess-->  x.i  (preprocessed.c)  --compile-->  x.o  (object.c)
 *        --link-->  x.so  (object.c: what it calls)
 *
 * Its functions are weak, so that the reference can stand in for those of earlier tasks, and only
 * the assignment's functions leave the library: a malloc or a main of the student's own is nobody
 * else's. */
#include "compile.h"
#include "walls.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

enum {
    COMPILE_SECONDS = 10,  /* of processor time, for each step */
    COMPILE_PATIENCE = 60, /* of anybody's time                */
    DISK_NEEDED = 4 << 20, /* bytes that compiling one submission takes at most */
};

/* ---- one step -------------------------------------------------------------------------- */

/* A compiler that fails where hardly anything can be written has failed for that reason. */
static bool disk_is_full(const char *folder)
{
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 &&
           ((double)disk.f_bavail * (double)disk.f_frsize < DISK_NEEDED ||
            (disk.f_files && disk.f_favail == 0));
}

/* The machine's failures, in the words of the compiler and of those that it starts. */
static bool machine_failed(const Text *said, size_t from, const char *folder)
{
    const char *words = from < said->length ? said->data + from : "";
    return disk_is_full(folder) || strstr(words, "Resource temporarily unavailable") ||
           strstr(words, "Too many open files");
}

static Built finish(const Build *b, Ending ending, int status, size_t from, Text *said)
{
    if (ending == ENDED && status == 0)
        return BUILD_GOOD;
    if (ending == ENDED_TIME)
        text_print(said, "the compiler did not come to an end in %d seconds\n", COMPILE_SECONDS);
    if (ending == ENDED_OUTPUT)
        text_print(said,
                   "with all macros expanded and headers included the file has more than %d MB\n",
                   PREPROCESSED_MAX >> 20);
    if (ending == ENDED && WIFSIGNALED(status))
        text_print(said, "the compiler was ended by signal %d\n", WTERMSIG(status));
    if (ending == MACHINE_HUNG && !(walls_hold() & HELD_FILES)) {
        text_put(said,
                 "the compiler waited and did nothing: does the file include what has no end?\n");
        return BUILD_REFUSED;
    }
    if ((ending == ENDED && !machine_failed(said, from, b->folder)) || ending == ENDED_TIME ||
        ending == ENDED_OUTPUT)
        return BUILD_REFUSED;
    text_cut(said, from);
    text_put(said, disk_is_full(b->folder)    ? "the disk is full"
                   : ending == MACHINE_HUNG   ? "the compiler waited and did nothing"
                   : ending == MACHINE_KILLED ? "the compiler was killed"
                   : ending == MACHINE_START  ? "the compiler could not be started"
                                              : "the system has no processes or files left");
    return BUILD_MACHINE;
}

static Built step(Arguments *l, const Build *b, Text *output, Text *said)
{
    int status;
    size_t from = said->length;
    Run r = {.folder = b->folder,
             .empty = b->empty,
             .seconds = COMPILE_SECONDS,
             .patience = COMPILE_PATIENCE,
             .output = output,
             .most = PREPROCESSED_MAX};
    l->word[l->count] = NULL;
    Ending ending = process_wait(l->word, &r, &status, said);
    return finish(b, ending, status, from, said);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static Built put_file(const Build *b, const char *name, const Text *text, Text *said)
{
    if (walls_put(b->folder, name, text))
        return BUILD_GOOD;
    text_put(said, "the folder to work in cannot be written to");
    return BUILD_MACHINE;
}

/* Does the compiler say that it could not open a file? */
static bool missing_file(const Text *words)
{
    static const char *const said[] = {"No such file", "not found", "Permission denied"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strstr(text_of(words), said[i]))
            return true;
    return false;
}

/* The sanitizer's build begins with the float build's preprocessed text, so that no #ifdef shows it
 * another. */
static Built preprocess(const Assignment *a, const Build *b, const char *output, Text *said)
{
    Arguments l;
    Text text = {0}, words = {0};
    char path[PATH_SIZE];
    if (file_exists(path_join(path, b->folder, output)))
        return BUILD_GOOD;
    words_begin(&l, a, b->variant == SANITIZED ? FLOAT : b->variant);
    words_add(&l, "-E", "-g0", "-I."); /* -g0: no marker with the current folder */
    words_add_source(&l, a, b->file);
    Built built = step(&l, b, &text, &words);
    /* The compiler's words may show lines of the files that it read: they are told only if it may
     * read these. */
    if (built != BUILD_MACHINE &&
        !preprocessed_allowed(a, text_of(&text), b->file, overlay_allows(a, "asm"), said))
        built = BUILD_REFUSED;
    else
        text_put(said, text_of(&words));
    if (built == BUILD_REFUSED && missing_file(&words))
        text_print(said, "only \"%s.h\" and the headers of the C standard can be included: %s\n",
                   a->id, headers_allowed());
    if (built == BUILD_GOOD)
        built = put_file(b, output, &text, said);
    text_free(&text);
    text_free(&words);
    return built;
}

/* Warnings of the assembler mean nothing to a student. */
static Built compile_judged(const Assignment *a, const Build *b, const char *from, const char *to,
                            Text *said)
{
    Arguments l;
    Object o;
    char path[PATH_SIZE];
    words_begin(&l, a, b->variant);
    if (b->variant == FLOAT)
        words_add_warnings(&l);
    else
        words_add(&l, "-w");
    words_add(&l, "-Wa,--no-warn", "-c", from, "-o", to);
    Built built = step(&l, b, NULL, said);
    if (built != BUILD_GOOD)
        return built;
    object_read(&o, path_join(path, b->folder, to), a, b->variant == SANITIZED);
    text_put(said, text_of(&o.refused));
    built = o.refused.length ? BUILD_REFUSED : BUILD_GOOD;
    text_free(&o.refused);
    return built;
}

static Built link_judged(const Assignment *a, const Build *b, const char *object, Text *said)
{
    Arguments l;
    Text map = {0};
    char exports[PATH_SIZE], path[PATH_SIZE];
    snprintf(exports, sizeof exports, "%.200s.map", b->output);
    exports_print(&map, a, a->functions);
    Built built = put_file(b, exports, &map, said);
    text_free(&map);
    words_begin(&l, a, b->variant);
    words_add_linking(&l, object, b->output, exports);
    words_add(&l, "-nostartfiles", "-Wl,--defsym=__dso_handle=0", "-lm");
    if (b->variant != SANITIZED) /* which has its own malloc: runner/heap.c */
        words_add(&l, "-Wl,--wrap=malloc", "-Wl,--wrap=calloc", "-Wl,--wrap=realloc",
                  "-Wl,--wrap=free", "-Wl,--wrap=aligned_alloc");
    /* A name that no file may have: _init and _fini are plain ones. */
    words_add(&l, "-Wl,-init=__real_init", "-Wl,-fini=__real_fini");
    built = built == BUILD_GOOD ? step(&l, b, NULL, said) : built;
    if (built == BUILD_GOOD &&
        !library_allowed(path_join(path, b->folder, b->output), a, b->variant == SANITIZED, said))
        built = BUILD_REFUSED;
    return built;
}

Built build_submission(const Assignment *a, const Build *b, Text *said)
{
    char object[PATH_SIZE], text[PATH_SIZE];
    if (!submissions_are_held())
        return build_library(a, b, said) ? BUILD_GOOD : BUILD_REFUSED;
    snprintf(object, sizeof object, "%.200s.o", b->output);
    snprintf(text, sizeof text, "%.200s.%s.i", b->file, b->variant == DOUBLE ? "double" : "float");
    Built built = preprocess(a, b, text, said);
    built = built == BUILD_GOOD ? compile_judged(a, b, text, object, said) : built;
    return built == BUILD_GOOD ? link_judged(a, b, object, said) : built;
}

/* compile.h: the words of a compiler's command line (compile.c), and what is judged between its
 * steps (preprocessed.c, object.c). */
#ifndef GRADER_COMPILE_H
#define GRADER_COMPILE_H

#include "grader.h"

enum { ARGUMENTS_MAX = 64, OWN_MAX = 12 };

typedef struct {
    const char *word[ARGUMENTS_MAX];
    int count;
    char own[OWN_MAX][PATH_SIZE + 32]; /* words that are put together here */
    int owned;
} Arguments;

/* Any number of words. */
#define words_add(l, ...) words_add_all(l, (const char *const[]){__VA_ARGS__, NULL})
void words_add_all(Arguments *l, const char *const *words); /* NULL at the end */
/* -Ipath, or another flag that is stuck to its value. */
void words_add_joined(Arguments *l, const char *flag, const char *value);

/* The compiler, and what all of a variant's files are compiled with. */
void words_begin(Arguments *l, const Assignment *a, Variant v);
/* Runs the compiler in a folder. What it says goes to `said`. */
bool words_run(Arguments *l, const char *folder, Text *said);
/* A homework's source, with functions that are weak and visible. */
void words_add_source(Arguments *l, const Assignment *a, const char *file);
void words_add_warnings(Arguments *l);
/* An object file becomes a library, without what no exported function uses. */
void words_add_linking(Arguments *l, const char *object, const char *output, const char *exports);

/* The linker's list: the first `count` functions of the homework leave the library. */
void exports_print(Text *map, const Assignment *a, int count);

/* ---- what is judged between the steps of the compiler ---------------------------------------- */

/* The preprocessed text may be so long. The headers of the C standard together have about 300
 * KB. */
enum { PREPROCESSED_MAX = 8 << 20 };

/* Does all of it come from `file`, from hwN.h and from headers that may be included? Does `file`
 * itself hold no line marker of its own, no unknown pragma and, unless that is allowed, no
 * assembly? If not, `said` has the reasons, one a line. A text that does not compile is judged,
 * too: its end may be missing. */
bool preprocessed_allowed(const Assignment *a, const char *text, const char *file, bool assembly,
                          Text *said);

/* The headers that a submission may include, one after the other with blanks between. */
const char *headers_allowed(void);

#endif

/* runner.h: what a test program is.
 *
 * A file with a table of cases and one line of main:
 *
 *   static void add_commutes(void) { CHECK(a == b, "a is %d, b is %d", a, b); }
 *   static const TestCase cases[] = {{"add commutes", add_commutes}, {NULL, NULL}};
 *   int main(int argc, char **argv) { return run_tests("tensor", cases, argc, argv); }
 *
 * It runs on CUnit and reports in TAP (testanything.org) on the real standard output, where nothing
 * else can write: what tests and library print goes to standard error. Arguments: any part of a
 * case's name runs only the cases that contain it. A case that checks nothing has failed. The exit
 * status is 0 when at least one case ran and none failed. */
#ifndef GRADUS_TESTS_RUNNER_H
#define GRADUS_TESTS_RUNNER_H

#include "tensor/tensor.h"

typedef struct {
    const char *name;
    void (*function)(void);
} TestCase;

/* The table ends with {NULL, NULL}. It may be made at run time, one function under many names: each
 * then asks which it is. Before a case the pending error is cleared and the handler and the
 * allocator are the library's own. */
int run_tests(const char *suite, const TestCase *cases, int argc, char **argv);
int test_index(void);           /* the running case's place in the table */
const char *test_name(void);    /* and its name                          */
const char *test_program(void); /* the path this program was started by  */

/* All checks return whether they passed, and the case goes on. The message tells the values. */
#define CHECK(condition, ...) \
    check_that((condition) ? true : false, __FILE__, __LINE__, #condition, __VA_ARGS__)

/* As CHECK, but a failure ends the case: for what the rest cannot do without. */
#define REQUIRE(condition, ...)             \
    do {                                    \
        if (!CHECK(condition, __VA_ARGS__)) \
            return;                         \
    } while (0)

/* |got - want| <= tolerance. NaN is close to nothing. */
#define CHECK_CLOSE(got, want, tolerance) \
    check_close(got, want, tolerance, __FILE__, __LINE__, #got, #want)

/* The same text; NULL is the same as nothing. */
#define CHECK_TEXT(got, want) check_text(got, want, __FILE__, __LINE__, #got)

/* Two tensors agree: tensor_difference is NULL. */
#define CHECK_TENSOR(got, want, relative, absolute) \
    check_tensor(got, want, relative, absolute, __FILE__, __LINE__, #got)

/* There is a pending error that contains this text. Clears it. */
#define CHECK_ERROR(part) check_error(part, __FILE__, __LINE__)

/* There is no pending error. Clears one that there is. */
#define CHECK_NO_ERROR() check_error(NULL, __FILE__, __LINE__)

/* Ends the case as skipped, with the reason. */
#define SKIP(...)               \
    do {                        \
        test_skip(__VA_ARGS__); \
        return;                 \
    } while (0)

bool check_that(bool passed, const char *file, int line, const char *condition, const char *format,
                ...) GRADUS_PRINTF(5, 6);
bool check_close(double got, double want, double tolerance, const char *file, int line,
                 const char *got_text, const char *want_text);
bool check_text(const char *got, const char *want, const char *file, int line,
                const char *got_text);
bool check_tensor(const Tensor *got, const Tensor *want, double relative, double absolute,
                  const char *file, int line, const char *got_text);
bool check_error(const char *part, const char *file, int line);
void test_skip(const char *format, ...) GRADUS_PRINTF(1, 2);

/* ---- a memory that counts, and fails when it is told to -------------------------------------- */

/* Between memory_watch and memory_unwatch the library's memory comes from here. Watch only while
 * the library holds no memory, and give everything back before the end. */
typedef struct {
    long calls;         /* allocations asked for                                     */
    long blocks;        /* given out and not yet given back                          */
    size_t bytes, peak; /* the same in bytes, and the most there ever were           */
    long fail_at;       /* this call fails (counted from 1); 0: none                 */
    bool fail_on;       /* and all those after it                                    */
} Memory;

void memory_watch(Memory *m);
void memory_unwatch(void);

/* ---- everything that can fail, one after the other ------------------------------------------- */

/* Something that takes memory and uses files. */
typedef struct {
    bool (*attempt)(void *context); /* what is tried; whether it succeeded                     */
    void (*prepare)(void *context); /* before every attempt; may be NULL                       */
    /* After every attempt, when nothing fails any more: gives back what attempt has kept, and tells whether
     * all is as it should be. May be NULL. */
    bool (*finish)(void *context, bool ok);
    void *context;
    const char *file; /* the name that is part of every error about a file, or NULL */
} Trial;

/* Tries it with its 1st, 2nd, ... allocation failing, once alone and once with all that follow, until it
 * gets through without a failure. Checks that it never crashes, leaks, or fails without an error. */
#define CHECK_TRIAL_MEMORY(trial) check_trial_memory(trial, __FILE__, __LINE__, #trial)

/* The same for its 1st, 2nd, ... use of a file: an error (EIO), a full disk (ENOSPC), which are errors with
 * this reason and the file's name; a read or write of a part, an interruption, which are none. Checks also
 * that no file stays open. */
#define CHECK_TRIAL_DISK(trial) check_trial_disk(trial, __FILE__, __LINE__, #trial)

/* Did the disk refuse to remove a file in this attempt, which is then still there? For finish. */
bool trial_kept_a_file(void);

/* A trial that is nothing but an attempt. */
#define CHECK_OUT_OF_MEMORY(attempt, context) \
    check_trial_memory(&(Trial){attempt, NULL, NULL, context, NULL}, __FILE__, __LINE__, #attempt)

bool check_trial_memory(const Trial *trial, const char *file, int line, const char *text);
bool check_trial_disk(const Trial *trial, const char *file, int line, const char *text);

/* ---- files to play with ---------------------------------------------------------------------- */

/* A path of this name in a directory that is made for this run and removed after it, with all that
 * is in it. The text lives until four further calls. */
const char *scratch_path(const char *name);

/* Whole files. Reading returns the length, or -1; at most size bytes are kept. */
bool scratch_write(const char *path, const void *bytes, size_t count);
long scratch_read(const char *path, void *bytes, size_t size);

/* How many names there are in a directory, or -1; removes a directory with all that is in it. */
int scratch_files(const char *path);
void scratch_clear(const char *path);

void scratch_remove(void); /* run_tests does this */

#endif

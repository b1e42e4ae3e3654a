/* runner.h: checks, and the runner of cases.
 *
 * A test program is a file with cases (test.h). The runner executes the cases with CUnit and
 * reports them in TAP (testanything.org) on standard output. Whatever the tests and the library
 * print is redirected to standard error. An argument selects the cases whose names contain it. A
 * case without a single check counts as failed. The exit status is 0 if at least one case ran and
 * none failed. */
#ifndef GRADUS_TESTS_RUNNER_H
#define GRADUS_TESTS_RUNNER_H

#include "tensor/tensor.h"

/* For test.h: runs the cases that were registered, each by its function's name and line, with
 * underscores as blanks; count and name as TEST_EACH has them, or NULL. Returns the exit status.
 * Before each case, the pending error is cleared, and the library's own error handler and allocator
 * are set. */
int run_registered(int argc, char **argv);
void test_register(const char *name, void (*function)(void), int line, int (*count)(void),
                   const char *(*of)(int index));
int test_index(void);           /* of the running case, among those of its function */
const char *test_program(void); /* the path of this program                         */

/* Checks return whether they passed; the case continues either way. The message states the
 * values. */
#define CHECK(condition, ...) \
    check_that((condition) ? true : false, __FILE__, __LINE__, #condition, __VA_ARGS__)

/* As CHECK, but a failure ends the case: for conditions that the rest of the case depends on. */
#define REQUIRE(condition, ...)             \
    do {                                    \
        if (!CHECK(condition, __VA_ARGS__)) \
            return;                         \
    } while (0)

/* Checks |got - want| <= tolerance, which is false if either is NaN. */
#define CHECK_CLOSE(got, want, tolerance) \
    check_close(got, want, tolerance, __FILE__, __LINE__, #got, #want)

/* Checks that two texts are equal. NULL counts as the empty text. */
#define CHECK_TEXT(got, want) check_text(got, want, __FILE__, __LINE__, #got)

/* Checks that two tensors agree: tensor_difference returns NULL. */
#define CHECK_TENSOR(got, want, relative, absolute) \
    check_tensor(got, want, relative, absolute, __FILE__, __LINE__, #got)

/* Checks that an error is pending that contains this text, and clears it. */
#define CHECK_ERROR(part) check_error(part, __FILE__, __LINE__)

/* As CHECK_ERROR, for a call or a file that this public function refuses: the message, one line,
 * begins with the function's name and states what was expected. */
#define CHECK_REFUSAL(function, part) check_refusal(function, part, __FILE__, __LINE__)

/* The function returns its failure value (false, NULL, poison, -1 or NaN) for these arguments, with
 * an error that has these words. REFUSES_ON resets the tape before that: the last refusal ended its
 * step. */
#define REFUSES(function, words, ...)                                                     \
    do {                                                                                  \
        CHECK(FAILED(function(__VA_ARGS__)), "%s(%s) succeeds", #function, #__VA_ARGS__); \
        CHECK_REFUSAL(#function, words);                                                  \
    } while (0)
#define REFUSES_ON(tape, function, words, ...) \
    do {                                       \
        tape_reset(tape);                      \
        REFUSES(function, words, __VA_ARGS__); \
    } while (0)
#define FAILED(result)               \
    _Generic((result), Tensor *      \
             : tensor_is_poison, int \
             : is_minus_1, double    \
             : is_nan, default       \
             : is_false)(result)

/* Checks that no error is pending, and clears one that is. */
#define CHECK_NO_ERROR() check_error(NULL, __FILE__, __LINE__)

/* The larger number; NaN if either is. (C's fmax would drop a NaN from the largest of several
 * errors.) */
double larger_or_nan(double a, double b);

/* Ends the case as skipped, with the reason. */
#define SKIP(...)               \
    do {                        \
        test_skip(__VA_ARGS__); \
        return;                 \
    } while (0)

bool is_minus_1(int number);
bool is_nan(double number);
bool is_false(bool value);
bool check_that(bool passed, const char *file, int line, const char *condition, const char *format,
                ...) GRADUS_PRINTF(5, 6);
bool check_close(double got, double want, double tolerance, const char *file, int line,
                 const char *got_text, const char *want_text);
bool check_text(const char *got, const char *want, const char *file, int line,
                const char *got_text);
bool check_tensor(const Tensor *got, const Tensor *want, double relative, double absolute,
                  const char *file, int line, const char *got_text);
bool check_error(const char *part, const char *file, int line);
bool check_refusal(const char *function, const char *part, const char *file, int line);
void test_skip(const char *format, ...) GRADUS_PRINTF(1, 2);

/* ---- an allocator that counts, and fails on request ------------------------------------------ */

/* Between memory_watch and memory_unwatch the library allocates from here. Call both only while the
 * library holds no memory. */
typedef struct {
    long calls;         /* allocations asked for                                     */
    long blocks;        /* given out and not yet given back                          */
    size_t bytes, peak; /* the same in bytes, and the most there ever were           */
    long fail_at;       /* this call fails (counted from 1); 0: none                 */
    bool fail_on;       /* and all those after it                                    */
} Memory;

void memory_watch(Memory *m);
void memory_unwatch(void);

/* ---- making every allocation and every use of a file fail, one at a time --------------------- */

/* Code under test that allocates memory and uses files. */
typedef struct {
    bool (*attempt)(void *context); /* what is tried; whether it succeeded                     */
    void (*prepare)(void *context); /* before every attempt; may be NULL                       */
    /* Called after every attempt, when nothing fails any more: frees what attempt has kept, and
     * returns whether the state is as it should be. May be NULL. */
    bool (*finish)(void *context, bool ok);
    void *context;
    const char *file; /* the name that is part of every error about a file, or NULL */
} Attempt;

/* Runs an attempt with its 1st, 2nd, ... allocation failing, once that one alone and once all from
 * it on, until an attempt has no such allocation. Checks that no attempt crashes, leaks, or fails
 * without an error. */
#define CHECK_TRIAL_MEMORY(trial) check_trial_memory(trial, __FILE__, __LINE__, #trial)

/* The same for its 1st, 2nd, ... use of a file. An input error (EIO) and a full disk (ENOSPC) have
 * to be reported with the reason and the file's name; a partial read or write and an interruption
 * (EINTR) must not be errors. Also checks that no file stays open. */
#define CHECK_TRIAL_DISK(trial) check_trial_disk(trial, __FILE__, __LINE__, #trial)

/* Did the removal of a file fail in this attempt, so that the file still exists? For Attempt's
 * finish. */
bool trial_kept_a_file(void);

/* A trial that consists of an attempt alone. */
#define CHECK_OUT_OF_MEMORY(attempt, context) \
    check_trial_memory(&(Attempt){attempt, NULL, NULL, context, NULL}, __FILE__, __LINE__, #attempt)

bool check_trial_memory(const Attempt *trial, const char *file, int line, const char *text);
bool check_trial_disk(const Attempt *trial, const char *file, int line, const char *text);

/* ---- files ----------------------------------------------------------------------------------- */

/* The path of a file of the project (printf-style), in the folder that the environment variable
 * GRADUS_SOURCE names, or else beside the current directory. The text remains valid for four
 * further calls. */
const char *source_path(const char *format, ...) GRADUS_PRINTF(1, 2);

/* A path of this name in a directory that is created for this run and removed after it with
 * everything in it. The text remains valid for four further calls. */
const char *scratch_path(const char *name);

/* Write and read whole files. Reading returns the file's length, or -1; at most `size` bytes are
 * stored. */
bool scratch_write(const char *path, const void *bytes, size_t count);
long scratch_read(const char *path, void *bytes, size_t size);

/* The contents of a file as a text, or "" if there is no such file. At most 4 MiB are read; the
 * text remains valid until the next call. */
const char *scratch_text(const char *path);

/* The number of entries of a directory, or -1. scratch_clear removes a directory with everything in
 * it. */
int scratch_files(const char *path);
void scratch_clear(const char *path);

void scratch_remove(void); /* called by run_tests */

#endif

/* fuzz.h: what the fuzz targets share. A target is a file NAME.c with the function below, which
 * libFuzzer calls with inputs that it invents; replay.c calls it with the seeds. A target reads its
 * input in every way in which the library reads such data, and checks with FUZZ_REQUIRE what must
 * then hold: the sanitizers find the other faults. */
#ifndef GRADUS_TESTS_FUZZ_H
#define GRADUS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The path of a file in memory with these bytes, for functions that read a path. It lives until the
 * next call. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

/* A folder in memory for functions that read several files; the program's end removes it. */
const char *fuzz_folder(void);
/* Writes the folder's file of this name anew; size 0: an empty file. */
void fuzz_write(const char *name, const void *bytes, size_t size);
/* The folder's file of this name is this file of tests/golden. */
void fuzz_link(const char *name, const char *golden);

/* Checks what must hold whatever the input is; a failure ends the program, which libFuzzer
 * reports. */
#define FUZZ_REQUIRE(condition, ...)                                                      \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                                 \
            fputc('\n', stderr);                                                          \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

/* A function that failed has left an error of one line that begins with its name, and one that
 * succeeded none. Clears the error. */
void fuzz_outcome(int succeeded, const char *function);

#endif

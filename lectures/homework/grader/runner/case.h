/* case.h: a case from inside, and what travels between the grader and the program that runs it.
 *
 * Both ends are built by one compiler on one machine, so structs travel as they are. What comes
 * from a submission is never trusted: the grader knows beforehand how long each part must be. */
#ifndef GRADER_CASE_H
#define GRADER_CASE_H

#include "kind.h"

#include <stddef.h>
#include <stdint.h>

enum {
    ARRAYS_MAX = 24,       /* of a case                                       */
    SIZES_MAX = 16,        /* of a case                                       */
    RANK_MAX = 4,          /* of an array                                     */
    NAME_MAX_ = 24,        /* bytes of a size's or an array's name            */
    CASES = 12,            /* of a test, unless it says otherwise             */
    GUARD = 256,           /* bytes before and after an array, of GUARD_WORD  */
    HOLDS_NOTHING = -9999, /* in outputs before the call */
};

/* 32-bit words that are a NaN in float, and twice in a row in double. Their low bits survive
 * arithmetic, so a result that is NaN tells which memory was read. */
#define GUARD_WORD 0x7FFDA5A5u /* outside of an array of the test       */
#define UNSET_WORD 0xFFFFFFFFu /* in a block of malloc before it is set */
#define FREED_WORD 0x7FFDF4EEu /* in a block after free                 */
/* In a local variable before it is set (gcc; clang: UNSET_WORD). No NaN: -1.7e38 or -5e303. */
#define FILLED_WORD 0xFEFEFEFEu

typedef struct {
    char name[NAME_MAX_];
    int value;
} CaseSize;

typedef struct {
    char name[NAME_MAX_];
    int kind;  /* a CaseKind                */
    int whole; /* of int instead of real    */
    int rank, dims[RANK_MAX];
    int count;
    int gradient; /* finite differences come with it */
} CaseArray;

/* ---- what the grader asks -------------------------------------------------------------------- */

typedef enum {
    RUN_CASES,  /* as a submission, inside the sandbox: answers with Records                   */
    RUN_JUDGE,  /* trusted: all that is known of each case                                     */
    RUN_VALUES, /* the same without finite differences                                         */
    RUN_LIST,   /* trusted: the table of tests                                                 */
} RunMode;

typedef struct {
    int mode;
    int test;    /* its index in the table, hidden tests after the others */
    int visible; /* how many tests are before the hidden ones             */
    /* Its index among the functions: those before it are the reference's; -1: none are. */
    int function;
    int first, count;
    int total; /* cases of this test: sizes grow from the first to the last of them */
    uint64_t seed;
    int rounding; /* trusted: the direction in which each operation rounds, as in ROUNDINGS */
    int cpu_seconds, memory_mb;
    unsigned user; /* who root becomes */
    int without;   /* walls to leave out, to see what the others hold: WITHOUT_ bits */
} Request;

enum { WITHOUT_NAMESPACES = 1, WITHOUT_LANDLOCK = 2, WITHOUT_FILTER = 4 };

/* ---- what is answered ------------------------------------------------------------------------ */

enum { MAGIC = 0x47524144 };

typedef enum {
    RECORD_READY,   /* libraries are loaded, the sandbox is closed         */
    RECORD_START,   /* a case begins                                       */
    RECORD_DONE,    /* it ended; its arrays follow, guards and all         */
    RECORD_END,     /* no more cases                                       */
    RECORD_SYSCALL, /* value: the system call that was stopped             */
    RECORD_SIGNAL,  /* value: the signal; offset: where, in the submission */
    RECORD_LOAD,    /* the submission did not load; `value` bytes of text follow */
} RecordType;

typedef struct {
    int magic, type, number; /* number: of the case */
    int value;
    int blocks;          /* of memory that the function took and did not give back */
    long leaked, offset; /* bytes in those blocks; place in the library            */
} Record;

/* A trusted answer to RUN_JUDGE and RUN_VALUES: for each case a CaseHead, its sizes, and for each
 * array a CaseArray with its numbers after the call, how sensitive each is to the inputs, what
 * stood there before (CASE_SUM), and its two finite differences. */
typedef struct {
    int magic, number, sizes, arrays;
} CaseHead;

/* One line of the table, as an answer to RUN_LIST. */
typedef struct {
    int magic, points, cases, gradient, hidden, seconds;
    char name[48], function[48], title[128], needs[48];
} TestRow;

/* The server's own messages, on a pipe that a submission never has. */
typedef struct {
    int magic;
    int hello;   /* the first one: which promises hold */
    int status;  /* as of waitpid */
    int stopped; /* why the server ended the test's process; 0: it did not */
    int held;    /* HELD_ bits, in the first one */
    double cpu;  /* seconds */
} Status;

enum { STOPPED_MEMORY = 1, STOPPED_NO_PROCESS };

/* What a process that runs a submission cannot do, as tried out on this machine. */
enum {
    HELD_PIDS = 1,       /* see any process but its own: a PID namespace       */
    HELD_CALLS = 2,      /* make a system call that is not on the list         */
    HELD_USER = 4,       /* be the same user as another submission's           */
    HELD_NETWORK = 8,    /* use the network                                    */
    HELD_FILES = 16,     /* open, make or remove a file                        */
    HELD_PROCESSES = 32, /* start a process                                    */
    HELD_SIGNALS = 64,   /* send a signal to another process                   */
    HELD_SLEEP = 128,    /* sleep                                              */
    HELD_LANDLOCK = 256, /* Landlock stands                                    */
};

/* The status of a runner's process that could not do its own part. Before RECORD_READY no
 * submission has it. */
enum { RUNNER_FAILED = 97 };

enum { ROUNDINGS = 4 }; /* to the nearest, up, down, towards 0 */

/* ---- in the program that runs it only -------------------------------------------------------- */

/* One number of an input, times a factor near 1. */
typedef struct {
    int array, element;
    double factor;
} Nudge;

struct Case {
    uint64_t seed, random;
    int number, total;
    int sizes, arrays;
    CaseSize size[SIZES_MAX];
    CaseArray array[ARRAYS_MAX];
    unsigned char *memory[ARRAYS_MAX]; /* guard, numbers, guard            */
    double *before[ARRAYS_MAX];        /* of CASE_SUM, as the call found it */
    const struct Case *like;           /* sizes and inputs are copied from it by name */
    const Nudge *nudge;                /* NULL: none */
    double nudged;                     /* what it made of the number                 */
    char wrong[160];                   /* what the author of the test did wrong      */
};

struct Case *case_new(uint64_t seed, int number, int total, const struct Case *like);
void case_free(struct Case *c);
int case_find(const struct Case *c, const char *name); /* an array's place, or -1 */
size_t case_element(const CaseArray *a);               /* bytes of one number     */
void *case_numbers(const struct Case *c, int array);
double case_number(const struct Case *c, int array, int i);

#endif

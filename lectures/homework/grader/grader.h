/* grader.h: the grader's own model: an assignment, a submission, what became of each test, and the
 * parts that get from one to the next.
 *
 *   assignment.c  finds the folder, reads its table of tests     cache.c  keeps what was built of it
 *   source.c  what a text says before it is compiled             handout.c  one text, two texts
 *   compile.c     makes the submission into libraries, after object.c has looked at it
 *   server.c      runs a test in a process of its own                    (the other side: runner.c)
 *   judge.c       the expected numbers       compare.c   what a test found
 *   mistakes.c    the known mistakes         diagnose.c  which of them it is
 *   grade.c       all of it, into a Report   report.c    the Report as text and as JSON */
#ifndef GRADER_H
#define GRADER_H

#include "process.h"
#include "runner/case.h"
#include "text.h"

#include <stdbool.h>
#include <sys/types.h>

enum { TESTS_MAX = 64, FUNCTIONS_MAX = 32, ALLOWED_MAX = 64 };
enum { LEAK_POINTS = 2 }; /* what memory that is not given back costs, once for each function */

/* ---- an assignment --------------------------------------------------------------------------- */

/* How a submission is compiled. The judge is the trusted side: double, with points. */
typedef enum { FLOAT, DOUBLE, SANITIZED, JUDGE, VARIANTS } Variant;

typedef enum { TELL_ALL, TELL_NAME, TELL_NOTHING } Tell;

/* What an instructor's overlay folder says (settings), and where it is. */
typedef struct {
    char folder[PATH_SIZE]; /* empty: there is none */
    uint64_t seed;          /* of the second inputs; 0: the homework's */
    Tell tell;              /* about hidden failures */
    char visibility[48];    /* of hidden tests on Gradescope */
    int allowed_count;
    char allowed[ALLOWED_MAX][48]; /* further functions that may be called */
} Overlay;

typedef struct {
    char id[32];                 /* hw1                        */
    char name[64];               /* hw1-tensor-ops             */
    char source[40], header[40]; /* hw1.c, hw1.h        */
    char called[PATH_SIZE];      /* what "grade" finds it by: its id, or its folder */
    char title[128];             /* the first heading          */
    char folder[PATH_SIZE];      /* where its files are        */
    char grader[PATH_SIZE];      /* where the runner's are     */
    char cache[PATH_SIZE];       /* where what was built is    */
    char runners[PATH_SIZE];     /* where the programs are in which tests run, of all homeworks */
    char compiler[PATH_SIZE];    /* its path */
    char project[PATH_SIZE];     /* of a lab: the folder of gradus; else empty */
    char library[PATH_SIZE];     /* of a lab: where the library is that was built of it */
    char launcher[128];          /* what the student types before "grade" */
    bool sanitizer;              /* the compiler has it        */
    bool fills; /* it fills local variables: one never set is the same number in every run */
    bool zeros; /* with 0, too: where the sanitizer watches */
    bool kit;   /* expected cases are in files, and there is no solution (kit.c) */
    int count, functions;
    TestRow test[TESTS_MAX];
    char function[FUNCTIONS_MAX][48];
    Overlay overlay;
} Assignment;

/* Finds hw (hw1, hw1-tensor-ops, or a folder's path) under `root`, builds what is not built yet,
 * and reads the table. Ends the program where the assignment itself is wrong. */
void assignment_open(Assignment *a, const char *root, const char *cache, const char *hw,
                     const char *overlay);
void assignment_read_table(Assignment *a);
/* cache.c: builds what is not built yet, and sets where it is. */
void cache_open(Assignment *a, const char *cache);
/* The folders there are, each on a line of standard error. */
void assignment_list(const char *root);
/* The folder and the names only, without building; hw NULL: of the first there is. */
void assignment_find(Assignment *a, const char *root, const char *hw);
int assignment_function(const Assignment *a, const char *name); /* its place, or -1 */
int assignment_test(const Assignment *a, const char *name);
bool assignment_has_hidden(const Assignment *a);
/* cache.c: where a library is that was built: "tests", "hidden", "reference", or "before-3" of the
 * functions before number 3; and the program in which it runs. */
const char *cached(const Assignment *a, const char *what, Variant v, char path[PATH_SIZE]);
const char *cached_runner(const Assignment *a, Variant v, char path[PATH_SIZE]);
/* Of the inputs that are not shown: the overlay's or the class's; else it follows from the
 * homework's name. */
uint64_t second_seed(const Assignment *a);
/* A secret seed is written as 0x and digits, of which a spreadsheet, too, rounds none. */
#define SEED_FORMAT "0x%llx"
uint64_t seed_read(const char *text); /* a line: decimal, or 0x and hexadecimal; 0: it is no seed */
bool overlay_allows(const Assignment *a, const char *name); /* a line "allow NAME" */

/* ---- source texts ---------------------------------------------------------------------------- */

/* What a submission's text says before anything compiles it. */
typedef struct {
    Text text;    /* without byte-order mark and carriage returns, NUL closed */
    Text notes;   /* what was found and put right */
    Text refused; /* why it is not compiled; empty: it is */
} Source;

/* of_student: a file that is not named .c is refused. */
void source_read(Source *s, const char *path, const Assignment *a, bool of_student);
void source_free(Source *s);

/* The homework's marked source as it is handed out, solved, or with the parts of one function
 * solved; ends the program where it has none. */
typedef enum { STUB, SOLUTION, ONE_SOLVED } Written;
void homework_text(const Assignment *a, Written written, const char *one, Text *to);
/* The program of a homework in which a bug is to be found (program.c), wrong as it is handed out,
 * or right. False: this homework has none. */
bool bug_program(const Assignment *a, bool right, Text *to);
int handout(const Assignment *a, const char *folder, bool solution);

/* ---- building -------------------------------------------------------------------------------- */

typedef struct {
    const char *folder; /* the work folder: hwN.c, and what becomes of it         */
    const char *empty;  /* of a submission: an empty folder beside it (walls.h)   */
    const char *file;   /* the source's name in it                                */
    Variant variant;
    const char *output; /* the library's name in it                               */
    int after;          /* if > 0: only functions before this one are in it       */
    const char *object; /* compiled before, under this name: it is only linked    */
    bool all_float;     /* each double in it is a float                           */
} Build;

/* compile.c: compiles and links what is trusted. Messages go to `said`. */
bool build_library(const Assignment *a, const Build *b, Text *said);

/* submission.c: the same for a submission, behind walls, and judged. Only BUILD_REFUSED is the
 * submission's doing; of BUILD_MACHINE `said` ends with the reason. */
typedef enum { BUILD_GOOD, BUILD_REFUSED, BUILD_MACHINE } Built;
Built build_submission(const Assignment *a, const Build *b, Text *said);

bool build_program(const Assignment *a, Variant v, const char *output, Text *said);
/* The tests of one file as a library: with the expected points where the variant is JUDGE. */
typedef enum { TESTS_VISIBLE, TESTS_HIDDEN, TESTS_BOTH } WhichTests;
bool build_tests(const Assignment *a, Variant v, WhichTests which, const char *output, Text *said);
void compiler_find(Assignment *a);
/* Does it make a program as for this variant? The program is beside the runners. */
bool compiler_makes(const Assignment *a, Variant v, const char *program);

/* library.c: a lab, which is written with gradus itself. */
void lab_find(Assignment *a);                                              /* sets a->project */
unsigned long long lab_hash(const Assignment *a, unsigned long long hash); /* of the sources */
const char *lab_folder(int i); /* of the library's sources: a path, an empty one, or NULL */
void whole_header(const Assignment *a, Text *to);         /* with what it includes in it */
bool lab_declares(const Assignment *a, const char *name); /* may a submission call it? */
bool lab_build(const Assignment *a, Variant v, Text *said);
const char *lab_object(const Assignment *a, Variant v, char path[PATH_SIZE]);

/* Does this system hold a submission in: rules about its compiled file, and walls around it?
 * Elsewhere than on Linux only a student's own file is graded. object.c */
bool submissions_are_held(void);

/* What object.c read of an object file. */
typedef struct {
    Text refused;                /* functions and sections that may not be there, in sentences */
    bool defines[FUNCTIONS_MAX]; /* the assignment's functions */
    bool has_main;
} Object;
void object_read(Object *o, const char *path, const Assignment *a, bool sanitized);
/* The functions that may be called: those of math.h and complex.h, which also exist with f and l,
 * and others. */
void allowed_functions(Text *mathematical, Text *other);
/* Does a submission's library call only what it may? If not, the reasons are added to `refused`. */
bool library_allowed(const char *path, const Assignment *a, bool sanitized, Text *refused);

/* ---- running --------------------------------------------------------------------------------- */

typedef struct {
    pid_t pid;
    int control, status, results, output;
    int held; /* HELD_ bits */
} Server;

/* What came back of one test. */
typedef struct {
    bool answered;       /* false: the server had to be killed */
    bool timed_out;      /* it took too long by the wall clock */
    bool flooded;        /* it sent more than an honest run has */
    int status;          /* of its process, as of waitpid */
    int stopped;         /* STOPPED_: the server ended the process */
    const char *machine; /* why this says nothing about the submission; NULL: it does */
    double cpu;
    Text results, output;
} Outcome;

typedef struct {
    const Assignment *assignment;
    Variant variant;
    char library[PATH_SIZE]; /* the submission, or what stands for it */
    Server server;
    int held; /* of the last server */
    double wall_limit;
} Bench;

bool bench_open(Bench *b);
void bench_close(Bench *b);
/* Starts the server when it has to. `expected`: results may be so long, no longer. */
void bench_run(Bench *b, const Request *q, size_t expected, Outcome *o);
void outcome_free(Outcome *o);
double machine_slowness(void); /* 1 on the author's machine, more on slower ones */

/* ---- expected numbers ------------------------------------------------------------------------ */

typedef struct {
    CaseArray a;
    double *after, *tolerance, *before, *difference[2];
    size_t place; /* of the tolerances, in the text that the case was read from */
} Expected;

typedef struct {
    CaseHead head;
    CaseSize size[SIZES_MAX];
    Expected array[ARRAYS_MAX];
} ExpectedCase;

typedef struct {
    int count;
    ExpectedCase *at;
} Cases;

/* For a library that is trusted: "reference", or "tests", which know their own table. */
Bench bench_trusted(const Assignment *a, const char *what);
/* All cases of a test, for what is trusted: it has no limits but the bench's. */
Request request_all(const Assignment *a, int test, uint64_t seed);
/* The cases of q as the library leaves them. False if there are not as many; o says why. */
bool bench_cases(Bench *b, const Request *q, Cases *cases, Outcome *o);
bool is_output(const CaseArray *a);
/* What is expected in the cases of q, with tolerances: from a file in the cache or a kit; where
 * there is none, the judge computes it, and keeps it there. False: `why` says why not. */
bool cases_expect(Cases *c, const Assignment *a, const Request *q, Text *why);
void cases_free(Cases *c);
size_t element_bytes(const CaseArray *a, Variant v);
size_t cases_bytes(const Cases *c, Variant v); /* of the Records of an honest run */

/* ---- verdicts -------------------------------------------------------------------------------- */

typedef enum { PASSED, FAILED, BLOCKED, MISSING } TestState;

typedef enum {
    WRONG_NOTHING,
    WRONG_VALUE,
    WRONG_GUARD,
    WRONG_INPUT,
    WRONG_LEAK,
    WRONG_CRASH,
    WRONG_EXIT,
    WRONG_TIME,
    WRONG_MEMORY,
    WRONG_CALL,
    WRONG_FORGED,
    WRONG_LOAD,
    WRONG_ENDED, /* it killed the server, where no wall prevents that */
    WRONG_MACHINE,
} Wrong;

/* The numbers that a submission left in the cases it got through: as doubles, in the order of
 * Expected. */
typedef struct {
    int done;        /* cases */
    double **number; /* [case * ARRAYS_MAX + array][element] */
} Numbers;

/* Memory that was taken and not given back, in the first case in which there was any. */
typedef struct {
    int at; /* case */
    long blocks, bytes;
} Leak;

typedef struct {
    Wrong what;
    int at;             /* case */
    int array, element; /* of the first wrong number */
    int wrong_cases;    /* of those that were run */
    long value, offset;
    double got, want;
    long calls;       /* of earlier functions, where they are counted */
    Leak leak;        /* told beside whatever else is wrong      */
    const char *said; /* what a process that crashed had printed */
    char text[256];
    Numbers numbers;
} Verdict;

void verdict_of(Verdict *v, const Cases *cases, const Outcome *o, Variant variant);
void verdict_free(Verdict *v);
double expected_number(const Expected *e, int i); /* the finite difference's, where there is one */
int wrong_elements(const Verdict *v, const Cases *cases, int at, int array);

/* ---- known mistakes -------------------------------------------------------------------------- */

typedef struct {
    char id[48];
    char function[48];
    bool in_float;             /* it shows in float alone: a range or a rounding */
    Text says, see, old, new_; /* hunks are separated by "\1" */
} Mistake;

typedef struct {
    int count;
    Mistake *at;
} Mistakes;

bool mistakes_read(Mistakes *m, const Assignment *a, Text *why);
void mistakes_free(Mistakes *m);
bool mistake_apply(const Mistake *m, const char *solution, Text *changed, Text *why);
/* The library of a mistake for JUDGE (double) or FLOAT, built where it does not exist yet. */
bool mistake_library(const Assignment *a, const Mistake *m, Variant v, char path[PATH_SIZE],
                     Text *why);

/* ---- a report -------------------------------------------------------------------------------- */

typedef struct {
    TestRow row;
    TestState state;
    double score;
    Text feedback;       /* what the student is told */
    char diagnosis[200]; /* ids of known mistakes, one or several with commas, or empty */
    bool suspect;        /* its failure may come from memory: the sanitizer is asked    */
    bool leaks;          /* right but for memory that is not given back */
} TestResult;

typedef struct {
    char assignment[64], title[128], file[PATH_SIZE];
    bool compiled;
    bool no_c;      /* what was handed in is not C, or not there */
    bool whole;     /* all tests were asked for */
    Text message;   /* what is said before the tests: compiler's words, notes */
    Text isolation; /* what did not hold the submission in; empty: all did */
    Text failure;   /* why it could not be graded; empty: it was */
    double score, max_score, seconds;
    int count;
    TestResult test[TESTS_MAX];
    char visibility[48]; /* of hidden tests */
    Tell tell;
    bool colour; /* of the words on a terminal */
} Report;

typedef struct {
    const char *only;     /* one test's name, or NULL */
    const char *function; /* the tests of this function alone, or NULL */
    uint64_t seed;        /* the shown one */
    int only_case;        /* or -1 */
    bool shown_only;      /* no hidden inputs and no sanitizer: every run has the same report */
    bool of_student;  /* another one reads the report: it names the file without the folders here */
    const char *note; /* which files were not graded, or NULL */
} GradeOptions;

void grade(Report *r, const Assignment *a, const char *file, const GradeOptions *o);
void report_free(Report *r);
void report_text(const Report *r, Text *to);
void report_json(const Report *r, Text *to);
void assignment_json(const Assignment *a, Text *to); /* report.c: for the instructors' program */

/* explain.c: what a failed test tells. `alone`: the case fails without the calls before it, too. */
void explain(Text *to, const Assignment *a, const TestRow *t, const Cases *cases, const Verdict *v,
             uint64_t seed, const char *file, bool alone);
void print_element(Text *to, const CaseArray *a, int i); /* dx[1][2]          */
void print_sizes(Text *to, const ExpectedCase *c);       /* m=2, n=3          */

/* diagnose.c: sentences about wrong numbers n of a run in double, and the ids of the mistakes that
 * are named. `shown`: the numbers of the run that failed, which may be in float. False if nothing
 * is known that fits. */
bool diagnose(Text *to, char *ids, size_t size, const Assignment *a, const Request *q,
              const Cases *cases, const Numbers *n, const Numbers *shown);
/* The same where the run in double is right: n is that of float. */
void diagnose_float(Text *to, char *ids, size_t size, const Assignment *a, const Request *q,
                    const Cases *cases, const Numbers *n);

/* ---- commands -------------------------------------------------------------------------------- */

bool homework_sound(const Assignment *a); /* sound.c: does nothing switch a check off? */
/* confusion.c: is the assignment itself right? Quickly: do its mistakes find their lines? */
int confusion(const Assignment *a, bool quick);
int isolation_print(const Assignment *a);
void quit(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif

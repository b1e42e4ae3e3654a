/* CUnit.h: as much of CUnit as tests/harness/runner.c uses, for a machine that has no CUnit
 * (tests/kernels/neon.sh).
 *
 * One suite, whose cases run one after another; a check that fails is kept for the handler of its
 * case. */
#ifndef GRADUS_TESTS_CUNIT_H
#define GRADUS_TESTS_CUNIT_H

#include <stdio.h>
#include <stdlib.h>

enum { CU_FALSE, CU_TRUE, CUE_SUCCESS = 0, CU_CASES = 1024, CU_KEPT = 32, CU_TEXT = 512 };

typedef struct {
    char *pName;
    void (*run)(void);
} CU_Test, *CU_pTest;

typedef struct {
    CU_Test tests[CU_CASES];
    unsigned count;
} CU_Suite, *CU_pSuite;

typedef struct CU_FailureRecord {
    unsigned uiLineNumber;
    char *strCondition, *strFileName;
    struct CU_FailureRecord *pNext;
} CU_FailureRecord, *CU_pFailureRecord;

static CU_Suite cu_suite;
static CU_FailureRecord cu_failures[CU_KEPT];
static char cu_texts[CU_KEPT][2][CU_TEXT];
static unsigned cu_failed, cu_ran;
static void (*cu_before)(const CU_pTest, const CU_pSuite);
static void (*cu_after)(const CU_pTest, const CU_pSuite, const CU_pFailureRecord);

static inline int CU_assertImplementation(int passed, unsigned line, const char *text,
                                          const char *file, const char *function, int fatal)
{
    (void)function;
    (void)fatal;
    if (!passed && cu_failed < CU_KEPT) {
        char(*texts)[CU_TEXT] = cu_texts[cu_failed];
        snprintf(texts[0], CU_TEXT, "%s", text);
        snprintf(texts[1], CU_TEXT, "%s", file);
        cu_failures[cu_failed] = (CU_FailureRecord){line, texts[0], texts[1], NULL};
        if (cu_failed > 0)
            cu_failures[cu_failed - 1].pNext = &cu_failures[cu_failed];
        cu_failed++;
    }
    return passed;
}

static inline int CU_initialize_registry(void)
{
    return CUE_SUCCESS;
}

static inline void CU_cleanup_registry(void) {}

static inline const char *CU_get_error_msg(void)
{
    return "too many cases";
}

static inline CU_pSuite CU_add_suite(const char *name, int (*begin)(void), int (*end)(void))
{
    (void)name;
    (void)begin;
    (void)end;
    return &cu_suite;
}

static inline CU_pTest CU_add_test(CU_pSuite suite, const char *name, void (*function)(void))
{
    if (suite->count == CU_CASES)
        return NULL;
    suite->tests[suite->count] = (CU_Test){(char *)name, function};
    return &suite->tests[suite->count++];
}

static inline void CU_set_test_start_handler(void (*f)(const CU_pTest, const CU_pSuite))
{
    cu_before = f;
}

static inline void CU_set_test_complete_handler(void (*f)(const CU_pTest, const CU_pSuite,
                                                          const CU_pFailureRecord))
{
    cu_after = f;
}

static inline int CU_run_all_tests(void)
{
    for (cu_ran = 0; cu_ran < cu_suite.count; cu_ran++) {
        CU_pTest test = &cu_suite.tests[cu_ran];
        cu_failed = 0;
        cu_before(test, &cu_suite);
        test->run();
        cu_after(test, &cu_suite, cu_failed ? cu_failures : NULL);
    }
    return CUE_SUCCESS;
}

static inline unsigned CU_get_number_of_tests_run(void)
{
    return cu_ran;
}

#endif

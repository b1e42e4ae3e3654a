/* kind.h: what an array of a case is, for both homework.h and case.h. */
#ifndef GRADER_KIND_H
#define GRADER_KIND_H

typedef enum { CASE_INPUT, CASE_GIVEN, CASE_OUTPUT, CASE_SUM } CaseKind;

#endif

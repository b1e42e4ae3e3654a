/* judged.h: what is judged of a submission between the steps of the compiler: the preprocessed text
 * (preprocessed.c), the assembly (assembly.c), the object file and the library (object.c). */
#ifndef GRADER_JUDGED_H
#define GRADER_JUDGED_H

#include "grader.h"

/* The preprocessed text may be so long. The headers of the C standard together have about 300
 * KB. */
enum { PREPROCESSED_MAX = 8 << 20 };

/* Does all of it come from `file`, from hwN.h and from headers that may be included? Does `file`
 * itself hold no line marker of its own, no unknown pragma and, unless that is allowed, no
 * assembly? If not, `said` has the reasons, one a line. A text that does not compile is judged,
 * too: its end may be missing. */
bool preprocessed_allowed(const Assignment *a, const char *text, const char *file, bool assembly,
                          Text *said);

/* Has the compiler written only directives of its own, and is there no inline assembly? */
bool assembly_allowed(const char *text, Text *said);

/* The headers that a submission may include, one after the other with blanks between. */
const char *headers_allowed(void);

#endif

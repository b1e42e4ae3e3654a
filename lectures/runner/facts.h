/* facts.h: what the program knows of its chapters, as JSON, for the programs in Python: those of
 * this folder, of lectures/steps, lectures/exams and lectures/pages. */
#ifndef LECTURES_FACTS_H
#define LECTURES_FACTS_H

#include "lectures/runner/chapters.h"

/* Writes an object of
 *
 *   "chapters": [{"number", "folder", "title", "first", "last", "claims", "exercises",
 *                 "figures": [{"row", "name", "what", "computed"}], "questions",
 *                 "live": [{"kind", "after", "numbers": {NAME: [...]}, "labels"}]}]
 *   "rows":     [{"number", "chapter", "what", "program"}]
 *   "slides":   [{"lecture", "title", "pages", "rows"}]
 *   "lectures": [{"letter", "name"}], "module": the file of the library for pages
 *
 * Claims and questions have the members of claims.h and questions.h; a question's "claim" is the
 * place of its claim in the list. only: of this chapter alone; NULL: of all. live: with what the
 * figures that compute show first, and their controls, of this seed. False with an error. */
bool facts_write(FILE *out, const Chapter *only, bool live, uint64_t seed);

#endif

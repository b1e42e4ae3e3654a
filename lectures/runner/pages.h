/* pages.h: programs in Python that the program calls. It gives them what it knows of its chapters
 * (facts.h), and measures for them (answers.c). */
#ifndef LECTURES_PAGES_H
#define LECTURES_PAGES_H

#include "lectures/runner/chapters.h"

/* The exit status of pages.py where it cannot install what it needs; it has said so. */
enum { PAGES_NO_ENVIRONMENT = 77, PYTHON_WORDS = 64 };

/* Writes OUT/04-attention.html, or the page of every chapter for NULL, with the figures' numbers of
 * this seed; live: with the library. Returns the exit status; what is wrong was printed. */
int chapter_pages(const Chapter *only, bool live, const char *out, uint64_t seed);

/* Runs a command of commands.py, argv[0], with the path of the program of the lectures. Returns the
 * exit status. */
int python_command(const char *lectures, int argc, char **argv);

#endif

/* commands.h: the commands of the program `lectures` that have a file of their own, and what they
 * share. */
#ifndef LECTURES_COMMANDS_H
#define LECTURES_COMMANDS_H

#include "lectures/runner/chapters.h"

/* ledger.c: runs claims: as they are, in words, under their faults, over several seeds, with
 * poisoned kernels; and the exercises. */
int lectures_claims(int argc, char **argv);

/* ledger.c: a chapter, claim by claim, in words. */
int lectures_lecture(int argc, char **argv);

/* answers.c: measures what a program in Python asks for. */
int lectures_answers(int argc, char **argv);

/* pages.c: all chapters and other texts as a site with a search. */
int lectures_book(int argc, char **argv);

/* lectures/mystery/mystery.c: a small model with a hidden fault, which is to be named. */
int lectures_mystery(int argc, char **argv);

/* lectures.c: argv[1], taken out of the words, unless it is an option or missing: then NULL. */
char *take_word(int *argc, char **argv);

/* The chapter that this word names; NULL where there is none. Ends the program at an unknown
 * one. */
const Chapter *take_chapter(int *argc, char **argv);

#endif

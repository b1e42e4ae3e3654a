/* commands.h: the commands of the program `lectures` that have a file of their own, and what they
 * share. */
#ifndef LECTURES_COMMANDS_H
#define LECTURES_COMMANDS_H

#include "lectures/runner/chapters.h"

/* answers.c: measures what a program in Python asks for. */
int lectures_answers(int argc, char **argv);

/* lectures/mystery/mystery.c: a small model with a hidden fault, which is to be named. */
int lectures_mystery(int argc, char **argv);

/* lectures.c: argv[1], taken out of the words, unless it is an option or missing: then NULL. */
char *take_word(int *argc, char **argv);

/* The chapter that this word names; NULL where there is none. Ends the program at an unknown
 * one. */
const Chapter *take_chapter(int *argc, char **argv);

#endif

/* walls.h: the walls around a compiler that reads a submission (walls.c). Those around the process
 * in which the submission runs are in runner/sandbox.c. */
#ifndef GRADER_WALLS_H
#define GRADER_WALLS_H

#include "grader.h"

/* Which walls the person who starts the grader wants to leave out, as WITHOUT_ bits of case.h. The
 * variable GRADER_ISOLATION is "none", or names among no-namespaces, no-landlock and no-filter: to
 * see on one machine what holds on another. Root becomes another user in any case. */
int walls_left_out(void);

/* A user number for a process of a submission, that no other grader, runner or compiler uses
 * now. */
unsigned walls_user(int of);

/* Finds out which walls hold for the compiler: what walls_hold then tells. Ends the program where
 * the compiler cannot be started at all. */
void walls_find(const Assignment *a);

/* What a compiler that reads a submission cannot reach: HELD_FILES if it can open its own folder
 * and the compiler's alone, HELD_PIDS if it sees no other process and nothing of it survives,
 * HELD_USER if root becomes another user. */
int walls_hold(void);

/* Of the compiler's folders, the one that has this path (a file that is there); NULL if none
 * has. */
const char *walls_tree_of(const char *path);

/* A new scratch folder with two folders in it: the compiler's own, and an empty one for its
 * root. */
bool walls_open(Scratch *s, char folder[PATH_SIZE], char empty[PATH_SIZE]);

/* A file for the compiler, which may be another user. */
bool walls_put(const char *folder, const char *name, const Text *text);

/* As fork, for a compiler; -1 where there is no process. */
pid_t walls_fork(void);

/* In the new process: no way out of `folder`, which becomes the current one, and of the compiler's
 * own folders. `empty`: a folder beside it, in which a new root is set up. False: a wall that
 * should stand does not. */
bool walls_enter(const char *folder, const char *empty);

#endif

/* bad_disk.h: replacements for the library's file functions that count their calls and fail on
 * request. For trial.c. */
#ifndef GRADUS_TESTS_BAD_DISK_H
#define GRADUS_TESTS_BAD_DISK_H

#include <stdbool.h>

typedef enum {
    DISK_ERROR,       /* any call: EIO                                          */
    DISK_FULL,        /* a call that writes: ENOSPC, half of it is written      */
    DISK_PART,        /* a read or a write: half of the requested bytes         */
    DISK_INTERRUPTED, /* any call: EINTR                                        */
    DISK_TROUBLES
} DiskTrouble;

typedef struct {
    DiskTrouble trouble;
    long calls;    /* that this trouble can befall                               */
    long fail_at;  /* this one fails (counted from 1); 0: none                   */
    bool fail_on;  /* and those after it; interrupted is only every second       */
    int open;      /* files opened and not yet closed                            */
    int kept;      /* files that it refused to remove                            */
    int lost;      /* writes, flushes, renames refused: saving must not succeed  */
    bool unsynced; /* something was written since the last fsync */
    int early;     /* files that were given their name before their bytes were on the disk */
} BadDisk;

void bad_disk_watch(BadDisk *d);
void bad_disk_unwatch(void);

#endif

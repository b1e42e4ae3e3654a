/* trial.c: runs an attempt again and again, and makes one allocation or one use of a file fail each
 * time.
 *
 * A round is one attempt in which the n-th allocation or use of a file fails, alone or with all
 * later ones. Rounds follow for n = 1, 2, 3, ... until an attempt has no n-th allocation or use of
 * a file. */
#include "tests/harness/bad_disk.h"
#include "tests/harness/runner.h"

#include <errno.h>
#include <string.h>

enum { MOST = 2000 };

typedef struct {
    bool memory; /* what fails is memory; else the disk, in this way */
    DiskTrouble trouble;
    long n;
    bool on; /* and all that follow */
    int failed, lost;
    char wrong[700]; /* the first thing that was not right */
} Round;

static int files_kept;

bool trial_kept_a_file(void)
{
    return files_kept > 0;
}

/* What is wrong with the outcome, or NULL. */
static const char *against(const Round *r, const Attempt *t, bool ok, bool reached,
                           const char *error)
{
    if (ok)
        return r->lost ? "succeeds, although what it wrote is lost" : NULL;
    if (!*error)
        return "fails without an error";
    if (!reached)
        return "fails although no call failed";
    if (r->memory)
        return strstr(error, "memory") ? NULL : "does not say that memory ran out";
    if (r->trouble == DISK_PART || r->trouble == DISK_INTERRUPTED)
        return "fails after a partial or interrupted call";
    if (t->file && !strstr(error, t->file))
        return "does not name the file";
    return strstr(error, strerror(r->trouble == DISK_FULL ? ENOSPC : EIO))
               ? NULL
               : "does not state the reason";
}

static void write_down(Round *r, const char *what, const char *error)
{
    static const char *const troubles[] = {"an error", "a full disk", "a part", "an interruption"};
    snprintf(r->wrong, sizeof r->wrong, "%s; %s at %s %ld%s; the error: \"%.300s\"", what,
             r->memory ? "no memory" : troubles[r->trouble], r->memory ? "allocation" : "file call",
             r->n, r->on ? " and later" : "", error);
}

/* Returns true if nothing was left that could fail. */
static bool one_round(Round *r, const Attempt *t)
{
    Memory m = {.fail_at = r->memory ? r->n : 0, .fail_on = r->on};
    BadDisk d = {.trouble = r->trouble, .fail_at = r->memory ? 0 : r->n, .fail_on = r->on};
    char error[600];
    if (t->prepare)
        t->prepare(t->context);
    tensor_clear_error();
    memory_watch(&m);
    bad_disk_watch(&d);
    bool ok = t->attempt(t->context), reached = (r->memory ? m.calls : d.calls) >= r->n;
    snprintf(error, sizeof error, "%s", tensor_error());
    tensor_clear_error();
    m.fail_at = d.fail_at = 0;
    files_kept = d.kept;
    r->lost = d.lost;
    const char *what = against(r, t, ok, reached, error);
    if (t->finish && !t->finish(t->context, ok) && !what)
        what = "leaves a wrong state";
    bad_disk_unwatch();
    memory_unwatch();
    if (!what && d.early)
        what = "names a file before its bytes are on the disk";
    if (!what && (m.blocks != 0 || d.open != 0))
        what = m.blocks ? "leaks memory" : "leaves a file open";
    if (what)
        write_down(r, what, error);
    r->failed += !ok;
    tensor_clear_error();
    return !reached;
}

/* Each failure once alone, and once with all later ones. */
static void all_rounds(Round *r, const Attempt *t)
{
    for (int on = 0; on < 2 && !*r->wrong; on++) {
        bool through = false;
        r->on = on != 0;
        for (r->n = 1; r->n <= MOST && !through && !*r->wrong; r->n++)
            through = one_round(r, t);
        if (!through && !*r->wrong)
            write_down(r, "has more than the largest number of rounds", "");
    }
}

bool check_trial_memory(const Attempt *trial, const char *file, int line, const char *text)
{
    Round r = {.memory = true};
    all_rounds(&r, trial);
    return check_that(!*r.wrong, file, line, text, "%s", r.wrong) &&
           check_that(r.failed > 0, file, line, text, "no attempt failed: none allocates memory");
}

bool check_trial_disk(const Attempt *trial, const char *file, int line, const char *text)
{
    bool passed = true;
    for (int trouble = 0; trouble < DISK_TROUBLES; trouble++) {
        Round r = {.trouble = (DiskTrouble)trouble};
        all_rounds(&r, trial);
        passed &= check_that(!*r.wrong, file, line, text, "%s", r.wrong);
        if (trouble == DISK_ERROR)
            passed &= check_that(r.failed > 0, file, line, text, "no attempt failed");
    }
    return passed;
}

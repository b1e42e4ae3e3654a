/* all.c: every submission of a folder. Each is graded by a process of its own, several at a time; whatever
 * happens in it, the others go on. What is graded is not graded again unless its text, or the homework,
 * changed.
 *
 * A submission is a file, or a folder with a .c file in it (hwN.c, or the first one). Into the folder of
 * results go NAME.txt (what the student is told), NAME.json and NAME.row. */
#include "all.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* grade() keeps a submission's own time far below this: what reaches it is the machine's failure. */
enum { MOST_SECONDS = 1200, JOBS_MAX = 64, NAME_BYTES = 200 };

typedef struct {
    char name[256], file[PATH_SIZE];
    Row row;
} Submission;

/* ---- which submissions ----------------------------------------------------------------------------- */

static bool is_c(const struct dirent *e)
{
    size_t length = strlen(e->d_name);
    return length > 2 && e->d_name[0] != '.' && strcmp(e->d_name + length - 2, ".c") == 0;
}

static int is_shown(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int only_c(const struct dirent *e)
{
    return is_c(e);
}

/* In a folder: hwN.c if there is one, else the first .c; if there is none, the folder, which is refused. */
static void choose_file(Submission *s, const Assignment *a)
{
    char path[PATH_SIZE], own[48];
    struct stat info;
    struct dirent **entry;
    if (lstat(s->file, &info) != 0 || !S_ISDIR(info.st_mode)) /* a link is not followed */
        return;
    snprintf(own, sizeof own, "%s.c", a->id);
    path_join(path, s->file, own);
    if (!file_exists(path)) {
        int count = scandir(s->file, &entry, only_c, alphasort);
        if (count > 0)
            path_join(path, s->file, entry[0]->d_name);
        else
            snprintf(path, sizeof path, "%s", s->file);
        for (int i = 0; i < count; i++)
            free(entry[i]);
        if (count >= 0)
            free(entry);
    }
    snprintf(s->file, sizeof s->file, "%s", path);
}

static int list_submissions(const Assignment *a, const char *folder, Submission **all)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_shown, alphasort), kept = 0;
    if (count < 0)
        quit("--all: %s cannot be opened", folder);
    *all = calloc((size_t)count + 1, sizeof **all);
    if (!*all)
        quit("out of memory");
    for (int i = 0; i < count; i++) {
        Submission *s = &(*all)[kept++];
        snprintf(s->name, sizeof s->name, "%s", entry[i]->d_name);
        path_join(s->file, folder, entry[i]->d_name);
        choose_file(s, a);
        free(entry[i]);
    }
    free(entry);
    return kept;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static void make_key(const Submission *s, const Assignment *a, char key[HASH_BYTES])
{
    char path[PATH_SIZE];
    Text text = {0};
    unsigned long long hash =
        hash_add(HASH_BEGIN, path_last(a->cache), strlen(path_last(a->cache)));
    if (file_read(s->file, &text))
        hash = hash_add(hash, text.data, text.length);
    text_free(&text);
    if (file_read(path_join(path, a->folder, "mistakes.txt"), &text))
        hash = hash_add(hash, text.data, text.length);
    text_free(&text);
    snprintf(key, HASH_BYTES, "%016llx", hash);
}

/* NAME.kind. A file system has no longer names than 255 bytes: a long one ends with a hash of the whole. */
static const char *result_path(char path[PATH_SIZE], const char *out, const char *name,
                               const char *kind)
{
    char file[NAME_BYTES + 64];
    size_t length = strlen(name);
    if (length <= NAME_BYTES)
        snprintf(file, sizeof file, "%s.%s", name, kind);
    else
        snprintf(file, sizeof file, "%.*s~%016llx.%s", NAME_BYTES, name,
                 hash_add(HASH_BEGIN, name, length), kind);
    return path_join(path, out, file);
}

static bool read_row(Submission *s, const char *out)
{
    char path[PATH_SIZE], key[HASH_BYTES];
    int compiled;
    Text text = {0};
    Row *r = &s->row;
    snprintf(key, sizeof key, "%s", r->key);
    r->mistakes[0] = 0;
    bool good = file_read(result_path(path, out, s->name, "row"), &text) &&
                sscanf(text_of(&text), "%16s %lf %lf %d %64s %511s", r->key, &r->score,
                       &r->max_score, &compiled, r->state, r->mistakes) >= 5;
    r->compiled = good && compiled;
    r->there = good && strcmp(key, r->key) == 0;
    if (strcmp(r->mistakes, "-") == 0)
        r->mistakes[0] = 0;
    memcpy(r->key, key, sizeof key);
    text_free(&text);
    return r->there;
}

/* Is it one of the ids, as a whole? */
static bool has_id(const char *ids, const char *one)
{
    size_t length = strlen(one);
    for (const char *at = ids; (at = strstr(at, one)); at++)
        if ((at == ids || at[-1] == ',') && (at[length] == 0 || at[length] == ','))
            return true;
    return false;
}

static void add_mistakes(char *to, size_t size, const char *ids)
{
    char one[64];
    for (int used = 0; sscanf(ids, "%63[^,]%n", one, &used) == 1; ids += used, ids += *ids == ',') {
        if (has_id(to, one))
            continue;
        size_t length = strlen(to);
        snprintf(to + length, size - length, "%s%s", length ? "," : "", one);
    }
}

static void write_results(const Report *r, const Submission *s, const char *out)
{
    char path[PATH_SIZE], mistakes[512] = "", states[TESTS_MAX + 1] = "";
    Text text = {0}, json = {0}, row = {0};
    report_text(r, &text, false);
    report_gradescope(r, &json, false);
    for (int i = 0; i < r->count; i++) {
        states[i] = "pfbn"[r->test[i].state];
        add_mistakes(mistakes, sizeof mistakes, r->test[i].diagnosis);
    }
    text_print(&row, "%s %.10g %.10g %d %s %s\n", s->row.key, r->score, r->max_score, r->compiled,
               states, mistakes[0] ? mistakes : "-");
    bool good = file_write(result_path(path, out, s->name, "txt"), text.data, text.length) &&
                file_write(result_path(path, out, s->name, "json"), json.data, json.length) &&
                file_write(result_path(path, out, s->name, "row"), row.data, row.length);
    if (!good)
        quit("%s cannot be written", path);
    text_free(&text);
    text_free(&json);
    text_free(&row);
}

/* ---- in parallel --------------------------------------------------------------------------------- */

typedef struct {
    pid_t pid;
    Submission *s;
    double until;
} Job;

typedef struct {
    const Assignment *a;
    const char *out;
    const GradeOptions *options;
    Job job[JOBS_MAX];
    int jobs, done, total, failed;
} Batch;

/* It has no grade: the reason is in NAME.txt, and there is no row, so that the next run tries again. */
static void write_failure(const Report *r, const Submission *s, const char *out)
{
    char path[PATH_SIZE];
    Text text = {0};
    text_print(&text, "%.200s could not be graded: %s\nThe next run tries again.\n", s->name,
               text_of(&r->failure));
    fprintf(stderr, "grader: %.200s could not be graded: %s\n", s->name, text_of(&r->failure));
    if (!file_write(result_path(path, out, s->name, "txt"), text.data, text.length))
        fprintf(stderr, "grader: %s cannot be written\n", path);
    unlink(result_path(path, out, s->name, "json"));
    unlink(result_path(path, out, s->name, "row"));
    text_free(&text);
}

/* In a process of its own, which ends with this one. */
static void grade_one(const Batch *b, const Submission *s)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
    Report *r = malloc(sizeof *r);
    if (!r)
        quit("%s could not be graded: out of memory", s->name);
    grade(r, b->a, s->file, b->options);
    if (r->failure.length) {
        write_failure(r, s, b->out);
        _exit(2);
    }
    write_results(r, s, b->out);
    _exit(0);
}

static void start(Batch *b, Submission *s)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        grade_one(b, s);
    if (child > 0) {
        b->job[b->jobs++] = (Job){child, s, seconds_now() + MOST_SECONDS};
        return;
    }
    fprintf(stderr, "grader: %.200s could not be graded: there is no process left\n", s->name);
    b->failed++;
    usleep(10000);
}

static void finish(Batch *b, int i, int status)
{
    Job *j = &b->job[i];
    bool said = WIFEXITED(status) && WEXITSTATUS(status) == 2; /* the process told why itself */
    bool there = read_row(j->s, b->out);
    b->failed += !there;
    if (!there && !said)
        fprintf(stderr, "grader: %.200s could not be graded: the process that did it %s\n",
                j->s->name, seconds_now() > j->until ? "took too long" : "was killed, or failed");
    *j = b->job[--b->jobs];
    b->done++;
    int step = b->total > 10 ? b->total / 10 : 1;
    if (b->done % step == 0)
        fprintf(stderr, "graded %d of %d\n", b->done, b->total);
}

/* Until one has ended. */
static void wait_for_one(Batch *b)
{
    for (;;) {
        for (int i = 0; i < b->jobs; i++) {
            if (seconds_now() > b->job[i].until)
                kill(b->job[i].pid, SIGKILL);
            int status = 0;
            pid_t ended = waitpid(b->job[i].pid, &status, WNOHANG);
            if (ended == b->job[i].pid || (ended < 0 && errno == ECHILD)) {
                finish(b, i, status);
                return;
            }
        }
        usleep(2000);
    }
}

int grade_all(const Assignment *a, const char *folder, const char *out, const GradeOptions *o,
              int workers)
{
    Submission *all;
    Batch b = {.a = a, .out = out, .options = o};
    int count = list_submissions(a, folder, &all);
    if (!folder_make(out))
        quit("--out: %s: the folder cannot be made", out);
    workers = workers > JOBS_MAX ? JOBS_MAX : workers;
    for (int i = 0; i < count; i++) {
        make_key(&all[i], a, all[i].row.key);
        b.total += !read_row(&all[i], out);
    }
    if (b.total < count)
        fprintf(stderr, "%d of %d are graded already\n", count - b.total, count);
    for (int i = 0; i < count; i++) {
        if (all[i].row.there)
            continue;
        while (b.jobs >= workers)
            wait_for_one(&b);
        start(&b, &all[i]);
    }
    while (b.jobs > 0)
        wait_for_one(&b);
    Row *rows = calloc((size_t)count + 1, sizeof *rows);
    if (!rows)
        quit("out of memory");
    for (int i = 0; i < count; i++) {
        rows[i] = all[i].row;
        snprintf(rows[i].name, sizeof rows[i].name, "%s", all[i].name);
    }
    write_summary(a, rows, count, out);
    free(rows);
    free(all);
    return b.failed ? 2 : 0;
}

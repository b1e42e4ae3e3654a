/* all.c: grades every submission of a folder (submissions.c finds them). Each is graded by a
 * process of its own, several at a time; whatever happens in one, the others go on. A submission is
 * graded again only if its text, the homework, the overlay or the options changed.
 *
 * The folder of results gets NAME.txt (what the student is told), NAME.json and NAME.row of
 * each. */
#include "all.h"
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* grade() keeps a submission's own time far below this: what reaches it is the machine's
 * failure. */
enum { MOST_SECONDS = 1200, JOBS_MAX = 64, NAME_BYTES = 200 };

/* ---- rows ------------------------------------------------------------------------------------ */

static unsigned long long hash_word(unsigned long long hash, const char *word)
{
    return hash_add(hash_add(hash, word ? word : "", word ? strlen(word) : 0), "|", 1);
}

/* Of everything that decides the result: the text, the homework (the cache's name stands for it),
 * its mistakes, the overlay, the options and the grader. */
static void make_key(Submission *s, const Assignment *a, const GradeOptions *o,
                     unsigned long long grader)
{
    char numbers[96];
    Text text = {0};
    unsigned long long hash = hash_word(HASH_BEGIN, path_last(a->cache)), own = HASH_BEGIN;
    if (file_read(s->file, &text))
        own = hash_add(own, text.data, text.length);
    text_free(&text);
    snprintf(s->row.text, HASH_BYTES, "%016llx", own);
    hash = hash_word(hash_word(hash, s->row.text), s->row.note);
    hash = hash_file(hash, a->folder, "mistakes.txt");
    hash = hash_file(hash, a->grader, "../../mistakes_debug.txt");
    hash = hash_file(hash, a->overlay.folder, "settings");
    hash = hash_file(hash, a->overlay.folder, "hidden.c");
    hash = hash_word(hash_word(hash, o->only), o->function);
    snprintf(numbers, sizeof numbers, "%llu %llu %d %016llx", (unsigned long long)o->seed,
             (unsigned long long)a->overlay.seed, o->only_case, grader);
    snprintf(s->row.key, HASH_BYTES, "%016llx", hash_word(hash, numbers));
}

/* The names of the class's own texts (summary.c, similar.c), which no submission may overwrite. */
static bool is_reserved(const char *name)
{
    return strcasecmp(name, "summary") == 0 || strcasecmp(name, "similar") == 0;
}

/* NAME.kind. A file system has no longer names than 255 bytes: a long one ends with a hash of the
 * whole. A submission with a reserved name has results with "~" added; no submission's own name
 * ends so (submissions.c ignores those). */
const char *result_path(char path[PATH_SIZE], const char *out, const char *name, const char *kind)
{
    char file[NAME_BYTES + 64];
    size_t length = strlen(name);
    if (length <= NAME_BYTES)
        snprintf(file, sizeof file, "%s%s.%s", name, is_reserved(name) ? "~" : "", kind);
    else
        snprintf(file, sizeof file, "%.*s~%016llx.%s", NAME_BYTES, name,
                 hash_add(HASH_BEGIN, name, length), kind);
    return path_join(path, out, file);
}

bool row_read(Submission *s, const char *out)
{
    char path[PATH_SIZE];
    int compiled;
    Text text = {0};
    Row *r = &s->row, had = {.score = 0};
    bool good = file_read(result_path(path, out, s->name, "row"), &text) &&
                sscanf(text_of(&text), "%16s %16s %d %lf %lf %lf %d %64s %511s", had.key, had.text,
                       &had.attempts, &had.score, &had.max_score, &had.seconds, &compiled,
                       had.state, had.mistakes) >= 8;
    text_free(&text);
    r->there = good && strcmp(had.key, r->key) == 0;
    r->attempts = !good ? 1 : had.attempts + (strcmp(had.text, r->text) != 0);
    if (!r->there)
        return false;
    r->score = had.score;
    r->max_score = had.max_score;
    r->seconds = had.seconds;
    r->compiled = (Compiled)compiled;
    snprintf(r->state, sizeof r->state, "%s", had.state);
    snprintf(r->mistakes, sizeof r->mistakes, "%s",
             strcmp(had.mistakes, "-") == 0 ? "" : had.mistakes);
    return true;
}

/* Adds the ids that are not there yet; there is a comma around each. */
static void add_mistakes(Text *to, const char *ids)
{
    char one[66] = ",";
    for (int used = 0; sscanf(ids, "%63[^,]%n", one + 1, &used) == 1;
         ids += used, ids += *ids == ',') {
        strcat(one, ",");
        text_put(to, to->length ? "" : ",");
        if (!strstr(text_of(to), one))
            text_put(to, one + 1);
    }
}

static void write_results(const Report *r, const Assignment *a, const Submission *s,
                          const char *out)
{
    char path[PATH_SIZE], states[TESTS_MAX + 1] = "";
    Text text = {0}, json = {0}, row = {0}, mistakes = {0};
    report_text(r, &text);
    report_gradescope(r, &json);
    memset(states, '-', (size_t)a->count);
    for (int i = 0; i < r->count; i++) {
        int place = assignment_test(a, r->test[i].row.name);
        if (place >= 0)
            states[place] = r->test[i].score < r->test[i].row.points && r->test[i].state == PASSED
                                ? 'l'
                                : "pfbn"[r->test[i].state];
        add_mistakes(&mistakes, r->test[i].diagnosis);
    }
    if (mistakes.length == 0)
        text_put(&mistakes, ",-,");
    text_print(&row, "%s %s %d %.10g %.10g %.2f %d %s %.*s\n", s->row.key, s->row.text,
               s->row.attempts, r->score, r->max_score, r->seconds,
               r->no_c       ? NO_C_FILE
               : r->compiled ? COMPILED
                             : NOT_COMPILED,
               states, (int)mistakes.length - 2, text_of(&mistakes) + 1);
    text_free(&mistakes);
    file_save(result_path(path, out, s->name, "txt"), &text);
    file_save(result_path(path, out, s->name, "json"), &json);
    file_save(result_path(path, out, s->name, "row"), &row); /* last: where it is, the others are */
}

/* Of two shards that begin at once, the first one's seed is both's. */
uint64_t class_seed(const char *out, uint64_t given)
{
    char path[PATH_SIZE], own[PATH_SIZE], words[32], name[48];
    Text kept = {0};
    snprintf(name, sizeof name, "seed.part-%d", (int)getpid());
    snprintf(words, sizeof words, SEED_FORMAT "\n",
             (unsigned long long)(given ? given : secret_seed()));
    path_join(path, out, "seed");
    if (!folder_make(out) || !file_write(path_join(own, out, name), words, strlen(words)))
        quit("--out: %s: the folder cannot be written to", out);
    if ((given ? rename(own, path) : link(own, path)) && errno != EEXIST)
        quit("%s cannot be written", path);
    unlink(own);
    file_load(path, &kept);
    given = seed_read(text_of(&kept));
    if (!given)
        quit("%s: found '%.*s'; expected a seed", path, (int)strcspn(text_of(&kept), "\n"),
             text_of(&kept));
    text_free(&kept);
    return given;
}

/* ---- in parallel ----------------------------------------------------------------------------- */

typedef struct {
    pid_t pid;
    Submission *s;
    double began;
} Job;

typedef struct {
    const Assignment *a;
    const char *out;
    const GradeOptions *options;
    Job job[JOBS_MAX];
    int jobs, done, total, failed;
} Batch;

/* It has no grade: the reason is in NAME.txt, and there is no row, so that the next run tries
 * again. */
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
    Report *r = memory(1, sizeof *r);
    GradeOptions options = *b->options;
    options.note = s->row.note;
    grade(r, b->a, s->file, &options);
    if (r->failure.length) {
        write_failure(r, s, b->out);
        _exit(2);
    }
    write_results(r, b->a, s, b->out);
    _exit(0);
}

static void start(Batch *b, Submission *s)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        grade_one(b, s);
    if (child > 0) {
        b->job[b->jobs++] = (Job){child, s, seconds_now()};
        return;
    }
    fprintf(stderr, "grader: %.200s could not be graded: there is no process left\n", s->name);
    b->failed++;
    usleep(10000);
}

static bool took_long(const Job *j)
{
    return seconds_now() - j->began > MOST_SECONDS * machine_load();
}

static void finish(Batch *b, int i, int status)
{
    Job *j = &b->job[i];
    bool said = WIFEXITED(status) && WEXITSTATUS(status) == 2; /* the process told why itself */
    bool there = row_read(j->s, b->out);
    b->failed += !there;
    if (!there && !said)
        fprintf(stderr, "grader: %.200s could not be graded: the process that did it %s\n",
                j->s->name, took_long(j) ? "took too long" : "was killed, or failed");
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
            if (took_long(&b->job[i]))
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

/* ---- the class ------------------------------------------------------------------------------- */

/* Frees `all`. */
static void write_class(const Assignment *a, Submission *all, int count, const char *out,
                        const ClassOptions *class)
{
    all = with_partners(all, &count);
    roster_apply(a, &all, &count, class);
    Row *rows = memory((size_t)count, sizeof *rows);
    choose_attempts(all, count);
    for (int i = 0; i < count; i++) {
        set_points(&all[i].row, class);
        rows[i] = all[i].row;
        snprintf(rows[i].name, sizeof rows[i].name, "%s", all[i].name);
        name_clean(rows[i].name, sizeof rows[i].name);
    }
    by_hand(rows, count, out);
    for (int i = 0; i < count; i++)
        all[i].row = rows[i];
    write_class_files(a, all, count, out);
    write_similar(a, all, rows, count, out);
    write_summary(a, rows, count, out, class);
    for (int i = 0; i < count; i++)
        if (*rows[i].comment)
            free((char *)rows[i].comment);
    free(rows);
    free(all);
}

/* The submissions of a folder that this machine grades, with their keys. */
static int open_class(const Assignment *a, const char *folder, const GradeOptions *o,
                      const Shard *shard, Submission **all)
{
    char path[PATH_SIZE];
    const unsigned long long grader = hash_sources(HASH_BEGIN, path_join(path, a->grader, ".."));
    int count = 0, found = submissions_list(a, folder, all);
    for (int i = shard->own - 1; i < found; i += shard->all) {
        Submission *s = &(*all)[count++];
        *s = (*all)[i];
        s->row.comment = "";
        make_key(s, a, o, grader);
    }
    return count;
}

/* No shard has graded submission i, or not as it is now. A shard of `count` has it alone. */
static void refuse(const Submission *s, const char *out, int i, int count)
{
    char path[PATH_SIZE];
    bool there = file_exists(result_path(path, out, s->name, "row"));
    quit("--merge: %s is %s; expected each submission's result: run its shard again, or --shard "
         "%d/%d, which is this one alone",
         path,
         there ? "of another version of the submission, the homework, its overlay or the grader"
               : "not there",
         i + 1, count);
}

int grade_all(const Assignment *a, const char *folder, const char *out, const GradeOptions *o,
              const ClassOptions *class, int workers)
{
    Submission *all;
    Batch b = {.a = a, .out = out, .options = o};
    int count = open_class(a, folder, o, &class->shard, &all);
    if (!folder_make(out))
        quit("--out: %s: the folder cannot be made", out);
    workers = workers > JOBS_MAX ? JOBS_MAX : workers;
    for (int i = 0; i < count; i++)
        b.total += !row_read(&all[i], out);
    if (b.total < count)
        fprintf(stderr, "%d of %d are graded already\n", count - b.total, count);
    for (int i = 0; i < count; i++) {
        if (all[i].row.there)
            continue;
        if (class->merge)
            refuse(&all[i], out, i, count);
        while (b.jobs >= workers)
            wait_for_one(&b);
        start(&b, &all[i]);
    }
    while (b.jobs > 0)
        wait_for_one(&b);
    if (class->shard.all == 1)
        write_class(a, all, count, out, class);
    else
        free(all);
    return b.failed ? 2 : 0;
}

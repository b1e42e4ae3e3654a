/* test_run.c: what surrounds the examples' training loops. A small network learns a line with
 * dropout; the run is stopped by a signal after any number of steps and resumed, and nobody can
 * tell. Programs that end are children. */
#include "examples/common/progress.h"
#include "examples/common/run.h"
#include "tests/harness/test.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 12, B = 4, IN = 3, SPEED_AND_SECONDS = 2 };

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct {
    Params *params;
    Linear up, down;
    Adam adam;
    Tape *tape;
    Rng rng;
    Run run;
    Common common;
    char out[256];
    char *argv[2];
} Job;

static bool prepare(Job *j, const char *out, const char *from)
{
    *j = (Job){.rng = {.seed = 5}, .argv = {(char *)"example-line", NULL}};
    snprintf(j->out, sizeof j->out, "%s", scratch_path(out));
    j->common = (Common){.seed = 3,
                         .steps = STEPS,
                         .rate = 0.01,
                         .out = j->out,
                         .resume = from,
                         .quiet = true,
                         .name = "line",
                         .argc = 1,
                         .argv = j->argv};
    j->params = params_new(3);
    j->tape = tape_new(3);
    return j->params && j->tape && nn_linear_init(&j->up, j->params, "up", IN, 8, true) &&
           nn_linear_init(&j->down, j->params, "down", 8, 1, true) &&
           adamw_init(&j->adam, j->params, 0.01, 0.01);
}

static void done(Job *j)
{
    adam_free(&j->adam);
    tape_free(j->tape);
    params_free(j->params);
}

static double step(Job *j, double *norm)
{
    real x[B * IN], y[B];
    for (int b = 0; b < B; b++) {
        y[b] = 0;
        for (int i = 0; i < IN; i++) {
            x[b * IN + i] = (real)rng_normal(&j->rng);
            y[b] += (real)(i + 1) * x[b * IN + i];
        }
    }
    tape_reset(j->tape);
    Tensor *h = ag_relu(nn_linear(&j->up, tape_input(j->tape, x, shape2(B, IN))));
    Tensor *out = nn_linear(&j->down, ag_dropout(h, (real)0.25));
    Tensor *loss = ag_mse(out, tape_input(j->tape, y, shape2(B, 1)));
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(j->params, 1);
    return adam_step(&j->adam, j->params) ? (double)tensor_item(loss) : (double)NAN;
}

/* Trains; after step `stop_at` comes the signal (0: never). Saves the weights at the end. */
static bool train(Job *j, int stop_at, int signal, const char *save)
{
    Run *r = &j->run;
    *r = (Run){.common = &j->common,
               .total = STEPS,
               .also = {"twice"},
               .state = {.params = j->params,
                         .adam = &j->adam,
                         .tape = j->tape,
                         .rng = &j->rng,
                         .rngs = 1}};
    if (!run_begin(r))
        return false;
    j->tape->training = true;
    while (run_more(r)) {
        double norm, loss = step(j, &norm);
        if (isnan(loss))
            break;
        if (r->step + 1 == stop_at)
            raise(signal); /* in the middle of a step */
        run_step(r, loss, norm, NULL);
        if (run_due(r, 4))
            run_measure(r, "test", (double)NAN, (double[]){2 * loss});
    }
    return run_end(r) && params_save(save, j->params, NULL, 0);
}

/* The same in a child, whose standard error goes to a file. Its status as wait gives it. */
static int train_in_child(const char *out, const char *from, int stop_at, int signal,
                          const char *save, const char *said)
{
    pid_t child = fork();
    if (child == 0) {
        Job j;
        if (!freopen(said, "w", stderr) || !freopen("/dev/null", "w", stdout))
            _exit(3);
        bool ok = prepare(&j, out, from) && train(&j, stop_at, signal, save);
        if (!ok)
            fprintf(stderr, "%s\n", tensor_error());
        fflush(stderr);
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/* ---- what files hold ------------------------------------------------------------------------- */

enum { TEXT = 1 << 14 };

static const char *read_text(const char *path, char text[TEXT])
{
    long n = scratch_read(path, text, TEXT - 1);
    text[n > 0 && n < TEXT ? n : 0] = 0;
    return text;
}

/* A table without its last two columns, which are a matter of time. */
static const char *read_numbers(const char *path, char text[TEXT])
{
    char whole[TEXT], *to = text;
    read_text(path, whole);
    for (char *line = strtok(whole, "\n"); line; line = strtok(NULL, "\n")) {
        for (int i = 0; i < SPEED_AND_SECONDS && line[0] != '#'; i++)
            if (strrchr(line, '\t'))
                *strrchr(line, '\t') = 0;
        to += sprintf(to, "%s\n", line);
    }
    *to = 0;
    return text;
}

static bool same_file(const char *a, const char *b)
{
    static char one[TEXT], two[TEXT];
    long n = scratch_read(a, one, TEXT), m = scratch_read(b, two, TEXT);
    return n > 0 && n == m && n <= TEXT && memcmp(one, two, (size_t)n) == 0;
}

static const char *in(const char *out, const char *name)
{
    static char path[4][512];
    static int next;
    char *text = path[next++ % 4];
    snprintf(text, sizeof path[0], "%s/%s", scratch_path(out), name);
    return text;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* An uninterrupted run is "whole"; each case that needs it makes it again. */
static bool make_whole(void)
{
    int status =
        train_in_child("whole", NULL, 0, 0, scratch_path("whole.st"), scratch_path("said"));
    return CHECK(status == 0, "status %d", status);
}

static void resume_after(int k, int signal)
{
    char text[TEXT], whole[TEXT], expected[640], checkpoint[512], save[512], said[512];
    snprintf(save, sizeof save, "%s", scratch_path("parts.st"));
    snprintf(said, sizeof said, "%s", scratch_path("said"));
    snprintf(checkpoint, sizeof checkpoint, "%s", in("parts", "checkpoint.safetensors"));
    int status = train_in_child("parts", NULL, k, signal, save, said);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal, "status %d, step %d", status,
            k);
    snprintf(expected, sizeof expected,
             "stopped after step %d of %d; to continue:\n  example-line --resume %s\n", k, STEPS,
             checkpoint);
    CHECK_TEXT(read_text(said, text), expected);
    status = train_in_child("parts", checkpoint, 0, 0, save, said);
    REQUIRE(status == 0, "status %d, step %d: %s", status, k, read_text(said, text));
    CHECK(same_file(save, scratch_path("whole.st")), "other weights, stopped after step %d", k);
    CHECK_TEXT(read_numbers(in("parts", "metrics.tsv"), text),
               read_numbers(in("whole", "metrics.tsv"), whole));
}

TEST(resumes_bit_for_bit)
{
    REQUIRE(make_whole(), "no run");
    for (int k = 1; k < STEPS; k++)
        resume_after(k, k % 2 ? SIGINT : SIGTERM);
}

/* Rows after the checkpoint's step, such as a killed process leaves them, are made again. */
TEST(later_rows_are_made_again)
{
    char text[TEXT], whole[TEXT], said[512], save[512], table[512];
    REQUIRE(make_whole(), "no run");
    snprintf(said, sizeof said, "%s", scratch_path("said"));
    snprintf(save, sizeof save, "%s", scratch_path("killed.st"));
    snprintf(table, sizeof table, "%s", in("killed", "metrics.tsv"));
    train_in_child("killed", NULL, 5, SIGINT, save, said);
    read_text(table, text);
    strcat(text, "6\ttrain\t77\t-\t1\t1\t1\t1\n");
    REQUIRE(scratch_write(table, text, strlen(text)), "not written");
    int status = train_in_child("killed", in("killed", "checkpoint.safetensors"), 0, 0, save, said);
    CHECK(status == 0, "status %d: %s", status, read_text(said, text));
    CHECK_TEXT(read_numbers(table, text), read_numbers(in("whole", "metrics.tsv"), whole));
}

TEST(table_says_all)
{
    char text[TEXT], expected[256];
    REQUIRE(make_whole(), "no run");
    read_text(in("whole", "metrics.tsv"), text);
    snprintf(expected, sizeof expected,
             "# gradus %s, example line, seed 3, %d threads, %s kernels\n"
             "step\tsplit\tloss\ttwice\tlr\tgrad_norm\tsteps/s\tseconds\n1\ttrain\t",
             GRADUS_VERSION, tensor_threads(), tensor_kernels());
    CHECK(strncmp(text, expected, strlen(expected)) == 0, "%.200s", text);
    for (const char *line = strchr(text, '\n'); line[1]; line = strchr(line + 1, '\n')) {
        int fields = 1;
        for (const char *at = line + 1; *at != '\n'; at++)
            fields += *at == '\t';
        CHECK(fields == 8, "%d fields: %.100s", fields, line);
    }
    MetricsSeries s;
    const char *path = in("whole", "metrics.tsv");
    REQUIRE(metrics_read(path, "train", "lr", &s) && s.count == STEPS, "%d points", s.count);
    CHECK_CLOSE(s.value[7], 0.01, 1e-9); /* written in nine digits */
    REQUIRE(metrics_read(path, "test", "twice", &s) && s.count == 4, "%d points", s.count);
    CHECK_CLOSE(s.step[0], STEPS / 4, 0);
    CHECK(metrics_read(path, "train", "twice", &s) && s.count == 0, "%d points", s.count);
    CHECK(metrics_read(path, "train", "thrice", &s) && s.count == 0, "%d points", s.count);
    CHECK(!metrics_read(in("whole", "none.tsv"), "train", "loss", &s), "read");
    CHECK_ERROR("none.tsv: opening failed with \"No such file or directory\"; expected a file");
}

/* 1000 rows are drawn as 200 points, each the mean of five: of the numbers 1 to 5, 3. */
TEST(long_series_become_means)
{
    Common c = {.name = "line", .out = scratch_path("long")};
    const char *const also[] = {NULL};
    Metrics m;
    MetricsSeries s;
    char path[512];
    snprintf(path, sizeof path, "%s", in("long", "metrics.tsv"));
    REQUIRE(metrics_open(&m, path, &c, also, "steps", 0), "%s", tensor_error());
    for (int i = 1; i <= 1000; i++)
        metrics_row(&m, &(MetricsRow){.step = i, .split = "train", .loss = i});
    CHECK(metrics_close(&m), "%s", tensor_error());
    REQUIRE(metrics_read(path, "train", "loss", &s) && s.count == 200, "%d points", s.count);
    CHECK_CLOSE(s.value[0], 3, 0);
    CHECK_CLOSE(s.value[199], 998, 0);
    CHECK_CLOSE(s.step[199], 998, 0);
}

TEST(bad_checkpoints_are_refused)
{
    char text[TEXT], said[512], save[512];
    snprintf(said, sizeof said, "%s", scratch_path("said"));
    snprintf(save, sizeof save, "%s", scratch_path("whole.st"));
    REQUIRE(make_whole(), "no run");
    int status = train_in_child("bad", save, 0, 0, scratch_path("bad.st"), said);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d", status);
    CHECK(strstr(read_text(said, text), "whole.st: found no metadata 'progress'"), "%s", text);
    status = train_in_child("bad", scratch_path("nothing"), 0, 0, scratch_path("bad.st"), said);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d", status);
    CHECK(strstr(read_text(said, text), "nothing"), "%s", text);
}

/* Once the first steps were seen, a step takes no memory from the library's hook. */
TEST(steps_take_no_memory)
{
    Memory m;
    Job j;
    memory_watch(&m);
    if (CHECK(prepare(&j, "memory", NULL), "%s", tensor_error())) {
        Run *r = &j.run;
        *r = (Run){.common = &j.common,
                   .total = STEPS,
                   .state = {.params = j.params, .adam = &j.adam, .tape = j.tape}};
        CHECK(run_begin(r), "%s", tensor_error());
        long calls = 0;
        while (run_more(r)) {
            double norm, loss = step(&j, &norm);
            run_step(r, loss, norm, NULL);
            if (r->step == 3)
                calls = m.calls;
        }
        CHECK(calls > 0 && m.calls == calls, "%ld allocations, then %ld", calls, m.calls);
        CHECK(run_end(r), "%s", tensor_error());
    }
    done(&j);
    memory_unwatch();
}

TEST(measured_evenly)
{
    Run r = {.total = 10};
    int due[10], n = 0;
    for (r.step = 1; r.step <= 10; r.step++)
        if (run_due(&r, 4))
            due[n++] = (int)r.step;
    CHECK(n == 4 && due[0] == 3 && due[1] == 5 && due[2] == 8 && due[3] == 10, "%d: %d %d %d %d", n,
          due[0], due[1], due[2], due[3]);
}

static const char *command_of(const Common *c, const char *checkpoint)
{
    const char *path = scratch_path("command");
    FILE *out = fopen(path, "w");
    if (CHECK(out, "%s: not opened", path)) {
        example_resume_command(out, c, checkpoint);
        fclose(out);
    }
    return scratch_text(path);
}

TEST(command_is_quoted)
{
    char *argv[] = {(char *)"./build/example-x",
                    (char *)"--text",
                    (char *)"it's a \"bank\"",
                    (char *)"--resume",
                    (char *)"old file",
                    (char *)"--resume=older",
                    (char *)"--lr",
                    (char *)"1e-3",
                    NULL};
    Common c = {.argc = 8, .argv = argv};
    unsetenv("GRADUS_COMMAND");
    CHECK_TEXT(
        command_of(&c, "out/my run/c.st"),
        "./build/example-x --text 'it'\\''s a \"bank\"' --lr 1e-3 --resume 'out/my run/c.st'\n");
    setenv("GRADUS_COMMAND", "./gradus example x", 1);
    CHECK_TEXT(command_of(&c, "c.st"),
               "./gradus example x --text 'it'\\''s a \"bank\"' --lr 1e-3 --resume c.st\n");
    unsetenv("GRADUS_COMMAND");
}

/* Of 1000 steps the first two are within the first tenth; before the second, 4 s pass. */
TEST(a_log_is_not_silent)
{
    char text[TEXT];
    const char *said = scratch_path("said");
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(said, "w", stderr))
            _exit(3);
        Progress p = progress_begin("training", 1000, false);
        progress_show(&p, 1, "soon");
        p.began -= 4;
        progress_show(&p, 2, "late");
        progress_show(&p, 3, "again");
        fflush(stderr);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    CHECK(strstr(read_text(said, text), "training 2/1000  late") == text, "%s", text);
    CHECK(!strstr(text, "again"), "%s", text);
}

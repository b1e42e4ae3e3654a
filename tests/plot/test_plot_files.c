/* test_plot_files.c: which files plot writes and when it writes none: formats, stems, a gnuplot
 * that fails (a script stands in for it) or is missing. */
#define _GNU_SOURCE
#include "tensor/system/system.h"
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PICTURE_MAX = 4 << 20 };

/* The value of PATH during a test. */
static char *old_path;

static void path_begin(const char *path)
{
    old_path = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
}

static void path_end(void)
{
    setenv("PATH", old_path, 1);
    free(old_path);
}

/* ---- formats --------------------------------------------------------------------------------- */

TEST(pictures_are_valid_files_of_the_right_size)
{
    NEED_GNUPLOT();
    unsigned char png[32] = {0};
    Tensor *map = map_of(12, 12);
    PlotHeatmap h = {.map = map, .title = "one head"};
    CHECK(plot_heatmap(scratch_path("formats/head"), &h, ALL), "%s", tensor_error());
    scratch_read(scratch_path("formats/head.png"), png, sizeof png);
    CHECK(memcmp(png, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) == 0, "no PNG signature");
    CHECK(png[18] * 256 + png[19] == 1920 && png[22] * 256 + png[23] == 1080, "%d x %d",
          png[18] * 256 + png[19], png[22] * 256 + png[23]);
    const char *svg = scratch_text(scratch_path("formats/head.svg"));
    CHECK(well_formed(svg) && strstr(svg, "width=\"1280\" height=\"720\""), "%.300s", svg);
    static char pdf[PICTURE_MAX];
    long n = scratch_read(scratch_path("formats/head.pdf"), pdf, sizeof pdf);
    REQUIRE(n > 1000, "a PDF of %ld bytes", n);
    void *box = memmem(pdf, (size_t)n, "/MediaBox [ 0 0 960 540 ]", 25);
    /* PDF 1.5 and later may keep the page's size in a compressed stream */
    CHECK(memcmp(pdf, "%PDF-", 5) == 0 && (box || memmem(pdf, (size_t)n, "/ObjStm", 7)), "%.20s",
          pdf);
    CHECK(memmem(pdf + n - 10, 10, "%%EOF", 5), "the PDF has no end");
    CHECK(scratch_files(scratch_path("formats")) == 7,
          "%d files; expected png svg pdf gp tsv csv npy", scratch_files(scratch_path("formats")));
}

/* ---- stems ----------------------------------------------------------------------------------- */

/* gnuplot takes '<' and '|' at the beginning of a file's name for a command. */
TEST(nothing_in_a_stem_is_executed)
{
    NEED_GNUPLOT();
    const char *stems[] = {"<touch trap", "|touch trap", "it's `touch trap`", "-e", "~",
                           "a%d",         "a\\"};
    char before[1024];
    Tensor *map = map_of(2, 2);
    PlotHeatmap h = {.map = map};
    REQUIRE(getcwd(before, sizeof before) && disk_system.mkdir(scratch_path("here")) == 0 &&
                chdir(scratch_path("here")) == 0,
            "no directory");
    for (int i = 0; i < 7; i++) {
        char picture[64];
        snprintf(picture, sizeof picture, "%s.png", stems[i]);
        CHECK(plot_heatmap(stems[i], &h, PLOT_PNG), "%s: %s", stems[i], tensor_error());
        CHECK(exists(picture) || stems[i][0] == '~', "no picture '%s'", picture);
        tensor_clear_error();
    }
    CHECK(!exists("trap"), "a stem was executed");
    CHECK(exists("./~.png"), "no picture '~.png'");
    CHECK(chdir(before) == 0, "cannot go back");
}

/* ---- the script ------------------------------------------------------------------------------ */

TEST(the_script_makes_the_picture_again)
{
    NEED_GNUPLOT();
    static char first[PICTURE_MAX], again[PICTURE_MAX];
    char command[1200];
    Tensor *map = map_of(12, 12);
    PlotHeatmap h = {.map = map, .title = "again"};
    CHECK(plot_heatmap(scratch_path("again/it's"), &h, ALL), "%s", tensor_error());
    snprintf(command, sizeof command, "cd '%s' && gnuplot \"it's.gp\"", scratch_path("again"));
    for (int i = 0; i < 2; i++) { /* a PDF contains its creation time */
        const char *path = scratch_path(i ? "again/it's.svg" : "again/it's.png");
        long n = scratch_read(path, first, sizeof first);
        CHECK(remove(path) == 0, "cannot remove %s", path);
        CHECK(system(command) == 0, "%s", command);
        long m = scratch_read(path, again, sizeof again);
        CHECK(n > 1000 && n == m && memcmp(first, again, (size_t)n) == 0, "%ld and %ld bytes", n,
              m);
    }
}

/* ---- gnuplot fails, or is not there ---------------------------------------------------------- */

/* A gnuplot that begins a picture and then does what `rest` says. */
static void fake_gnuplot(const char *rest)
{
    char script[1000];
    disk_system.mkdir(scratch_path("bin"));
    snprintf(script, sizeof script,
             "#!/bin/sh\n"
             "directory=$(echo \"$3\" | sed \"s/^cd '\\([^']*\\)'.*/\\1/\")\n"
             "picture=$(echo \"$3\" | sed \"s/.*picture = '\\(.*\\)'/\\1/\")\n"
             "file=$directory/$picture.png\n: >\"$file\"\n%s\n",
             rest);
    scratch_write(scratch_path("bin/gnuplot"), script, strlen(script));
    chmod(scratch_path("bin/gnuplot"), 0755);
}

TEST(a_failure_of_gnuplot_is_an_error_and_keeps_the_old_picture)
{
    char path[2000];
    Tensor *map = map_of(2, 2);
    PlotHeatmap h = {.map = map};
    snprintf(path, sizeof path, "%s:%s", scratch_path("bin"), getenv("PATH"));
    path_begin(path);
    fake_gnuplot("echo old >\"$file\"");
    if (!plot_has_gnuplot()) {
        path_end();
        SKIP("scripts are no programs here");
    }
    CHECK(plot_heatmap(scratch_path("fail/p"), &h, PLOT_PNG), "%s", tensor_error());
    CHECK_TEXT(scratch_text(scratch_path("fail/p.png")), "old\n");
    fake_gnuplot(
        "echo new >\"$file\"; echo plot x >&2; echo '\"p.gp\" line 7: out of paper' >&2; exit 1");
    CHECK(!plot_heatmap(scratch_path("fail/p"), &h, PLOT_PNG), "a failure went unseen");
    CHECK_ERROR("plot_heatmap: gnuplot failed: \"p.gp\" line 7: out of paper");
    fake_gnuplot("echo 'nothing to see' >&2");
    CHECK(!plot_heatmap(scratch_path("fail/p"), &h, PLOT_PNG), "an empty picture went unseen");
    CHECK_ERROR("gnuplot made no png: nothing to see");
    fake_gnuplot("echo new >\"$file\"; kill -9 $$");
    CHECK(!plot_heatmap(scratch_path("fail/p"), &h, PLOT_PNG), "a killed gnuplot went unseen");
    CHECK_ERROR("gnuplot failed");
    CHECK_TEXT(scratch_text(scratch_path("fail/p.png")), "old\n");
    CHECK(scratch_files(scratch_path("fail")) == 5, "%d files; expected png gp tsv csv npy",
          scratch_files(scratch_path("fail")));
    path_end();
}

TEST(without_gnuplot_all_but_the_picture_is_written)
{
    Tensor *map = map_of(2, 2);
    PlotHeatmap h = {.map = map};
    path_begin("/nowhere");
    CHECK(!plot_has_gnuplot(), "a gnuplot in /nowhere");
    CHECK(plot_heatmap(scratch_path("without/p"), &h, ALL), "%s", tensor_error());
    CHECK(scratch_files(scratch_path("without")) == 4, "%d files; expected gp tsv csv npy",
          scratch_files(scratch_path("without")));
    path_end();
}

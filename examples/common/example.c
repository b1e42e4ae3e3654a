/* example.c: see example.h. */
#include "examples/common/example.h"

#include "gradus.h"
#include "plot/tape/trace.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 56, TRAINING_OPTIONS = 7, COMMON_OPTIONS = 11 + LOOK_COUNT };

static unsigned formats; /* of pictures */

/* Copies the example's own options and then the common ones into all[], which {0} ends; returns
 * their number. Those of training come first: an example that trains nothing lacks them. */
static int join(Option *all, const Option *own, Common *c)
{
    const Option common[COMMON_OPTIONS] = {
        {"epochs", OPTION_INT, &c->epochs, "N", "passes over the training data", 1, 1e6},
        {"steps", OPTION_INT, &c->steps, "N",
         c->epochs > 0 ? "number of training steps; 0: those of --epochs"
                       : "number of training steps",
         c->epochs > 0 ? 0 : 1, 1e9},
        {"lr", OPTION_NUMBER, &c->rate, "X", "peak learning rate", 1e-8, 10},
        {"save", OPTION_TEXT, &c->save, "FILE", "save the trained weights (safetensors)", 0, 0},
        {"load", OPTION_TEXT, &c->load, "FILE", "load these weights instead of training", 0, 0},
        {"resume", OPTION_TEXT, &c->resume, "FILE", "continue from a checkpoint", 0, 0},
        {"checkpoint", OPTION_INT, &c->checkpoint, "N",
         "also save a checkpoint after every N steps; 0: only after Ctrl-C", 0, 1e9},
        {"seed", OPTION_INT, &c->seed, "N", "seed of weights and data", 0, 1e9},
        {"threads", OPTION_INT, &c->threads, "N", "number of threads; 0: one for each processor", 0,
         1024},
        {"out", OPTION_TEXT, &c->out, "DIR", "folder for pictures and tables", 0, 0},
        {"trace", OPTION_MAYBE, &c->trace, "V",
         "print the first step op by op, in the symbols of lecture V, B, H, Z or J, and end", 0, 0},
        LOOK_OPTIONS(c->look),
    };
    int n = 0;
    while (own[n].name && n < OPTIONS_MAX - COMMON_OPTIONS - 3) {
        all[n] = own[n];
        n++;
    }
    int first = !(c->rate > 0) ? TRAINING_OPTIONS : c->epochs > 0 ? 0 : 1;
    for (int i = first; i < COMMON_OPTIONS - (c->no_pictures ? LOOK_COUNT : 0); i++)
        all[n++] = common[i];
    static char help[128];
    snprintf(help, sizeof help, "also write pages for a browser into DIR: %s",
             c->pages ? c->pages : "");
    if (c->pages)
        all[n++] = (Option){"html", OPTION_FLAG, &c->html, NULL, help, 0, 0};
    all[n++] = (Option){"quiet", OPTION_FLAG, &c->quiet, NULL, "print no progress bar", 0, 0};
    all[n] = (Option){0};
    return n;
}

void example_begin(int argc, char **argv, const char *about, Common *c, const Option *own)
{
    Option all[OPTIONS_MAX];
    const char *slash = system_last_slash(argv[0]), *name = slash ? slash + 1 : argv[0];
    c->name = strncmp(name, "example-", 8) == 0 ? name + 8 : name;
    c->argc = argc;
    c->argv = argv;
    const char *default_out = c->out;
    join(all, own, c);
    options_parse(argc, argv, about, all);
    if (getenv("GRADUS_GDB") && !options_given("steps") && !options_given("epochs"))
        c->steps = 3; /* ./gradus gdb: a debug build trains slowly */
    if (c->load && c->resume)
        options_refuse(
            "--load: found --resume as well; expected one of them, since --load does not train");
    if (c->save && !c->trace)
        options_need_file("save", c->save);
    if (c->out != default_out && !c->trace)
        options_need_folder("out", c->out);
    if (c->trace)
        example_trace(c->trace);
    example_exit_on_error();
    formats = look_set(&c->look);
    tensor_set_threads(c->threads);
}

int64_t example_steps(const Common *c, int64_t per_epoch)
{
    return c->steps > 0 ? c->steps : c->epochs * per_epoch;
}

const char *example_path(const Common *c, const char *name, char *path)
{
    int length = snprintf(path, EXAMPLE_PATH, "%s/%s", c->out, name);
    if (length >= EXAMPLE_PATH)
        options_refuse("--out: the path has %d bytes with '%s'; expected fewer than %d", length,
                       name, EXAMPLE_PATH);
    return path;
}

const char *example_written(void)
{
    static char text[64];
    if (!plot_has_gnuplot())
        return "scripts and tables (no pictures, since gnuplot is missing)";
    snprintf(text, sizeof text, "pictures (%s%s%s", formats & PLOT_PNG ? "png, " : "",
             formats & PLOT_SVG ? "svg, " : "", formats & PLOT_PDF ? "pdf, " : "");
    snprintf(text + strlen(text) - 2, 32, "), scripts and tables");
    return text;
}

/* ---- the command that continues -------------------------------------------------------------- */

/* Writes a word as a shell reads it: unquoted if no character is special, else in single quotes. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+";
    const char *quote = !*word || word[strspn(word, plain)] ? "'" : "";
    fputs(quote, out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    fputs(quote, out);
}

void example_resume_command(FILE *out, const Common *c, const char *checkpoint)
{
    const char *command = getenv("GRADUS_COMMAND"); /* how the launcher was called */
    if (command && *command)
        fputs(command, out);
    else
        put_word(out, c->argv[0]);
    for (int i = 1; i < c->argc; i++) {
        if (strcmp(c->argv[i], "--resume") == 0) {
            i++;
        } else if (strncmp(c->argv[i], "--resume=", 9) != 0) {
            putc(' ', out);
            put_word(out, c->argv[i]);
        }
    }
    fputs(" --resume ", out);
    put_word(out, checkpoint);
    putc('\n', out);
}

static void exit_after_trace(void)
{
    exit(0);
}

void example_trace(const char *lecture)
{
    if (!trace_to(stdout, lecture, exit_after_trace))
        options_refuse("--trace: found '%s'; expected nothing, or =V, =B, =H, =Z or =J", lecture);
}

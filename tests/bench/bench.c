/* bench.c: ./gradus bench, which measures the speed of gradus.
 *
 * torch_bench.py does the same work in PyTorch, with the same names, sizes, losses and columns;
 * compare.py runs both in turn. The program uses gradus through gradus.h, as any other program
 * does. */
#include "examples/common/options.h"
#include "tests/bench/bench.h"

#include <string.h>

static const Row *const tables[] = {op_rows,          train_rows,  decode_rows,
                                    named_train_rows, folder_rows, limit_rows};
enum { TABLES = sizeof tables / sizeof *tables };

static const char about[] =
    "Measures the speed of gradus. Each row is a line of columns separated by tabs: name, median "
    "and\n"
    "least milliseconds of a step, GFLOP/s where operations are counted, and peak memory in MB. A "
    "step of\n"
    "a train_... row is forward, backward and Adam. The first row, import, is the start of a "
    "process and\n"
    "its memory.\n"
    "\n"
    "  peak_fma, peak_read  the machine's limits: GFLOP/s of multiply-adds; GB/s of reading\n"
    "  op_overhead          adding two tensors of one element, in ns instead of ms\n"
    "  fork_join            starting and joining the threads of a loop, in ns\n"
    "  startup              from the start of a process to train_tiny's first loss\n"
    "Only if named (--only train_gpt2):\n"
    "  train_gpt2_...       GPT-2 with 124 million weights: a step takes seconds\n"
    "  train_grow           a language model of two layers, as large as --size says\n"
    "  decode_...           one token after that many, in ms a token\n"
    "  encode_minilm_...    a pretrained encoder (with --models)\n"
    "  write_gpt2_..., load_gpt2_...  GPT-2 with 124 million weights: 256 tokens read, 64 written; "
    "loading";

/* ---- choosing rows --------------------------------------------------------------------------- */

/* Does the row's name begin with one of the words of --only? */
static bool is_named(const Row *r, const char *only)
{
    for (const char *word = only; *word; word += strspn(word, ",")) {
        size_t length = strcspn(word, ",");
        if (length > 0 && strncmp(r->name, word, length) == 0)
            return true;
        word += length;
    }
    return false;
}

static bool is_chosen(const Row *r, const char *only)
{
    bool named = is_named(r, only);
    return *only ? named : !r->named_only || named;
}

/* Reports the row whose name is nearest to the requested one, and exits with status 2. */
static void refuse(const char *word, size_t length)
{
    Vocab names = {0};
    char asked[64];
    snprintf(asked, sizeof asked, "%.*s", (int)length, word);
    data_vocab_specials(&names);
    for (int t = 0; t < TABLES; t++)
        for (const Row *r = tables[t]; r->name; r++)
            data_vocab_add(&names, r->name);
    const char *near = options_near(&names, asked);
    options_refuse("--only: no row begins with '%s'%s%s%s (--list shows all)", asked,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static void check_words(const char *only)
{
    for (const char *word = only; *word; word += strspn(word, ",")) {
        size_t length = strcspn(word, ",");
        bool found = length == 0;
        for (int t = 0; t < TABLES; t++)
            for (const Row *r = tables[t]; r->name; r++)
                found |= strncmp(r->name, word, length) == 0;
        if (!found)
            refuse(word, length);
        word += length;
    }
}

/* ---- the command line ------------------------------------------------------------------------ */

static void list(const char *only)
{
    for (int t = 0; t < TABLES; t++)
        for (const Row *r = tables[t]; r->name; r++)
            if (!*only || is_named(r, only))
                printf("%s\n", r->name);
}

static void run(const char *only)
{
    if (!settings.check) {
        print_header();
        print_import();
    }
    for (int t = 0; t < TABLES; t++)
        for (const Row *r = tables[t]; r->name; r++)
            if (is_chosen(r, only) &&
                (!settings.check || tables[t] == folder_rows || strstr(r->name, "train_")))
                r->run(r);
}

/* Runs this program as a child process that prints the time at which it reaches a point. */
static bool is_probe(int argc, char **argv)
{
    if (argc != 2 || (strcmp(argv[1], "idle") != 0 && strcmp(argv[1], "first-loss") != 0))
        return false;
    if (strcmp(argv[1], "first-loss") == 0)
        first_loss();
    printf("%.9f\n", now());
    return true;
}

static void read_size(const char *text, const char *only)
{
    int *size = settings.size;
    char end;
    if (strcmp(text, "64,128,1") != 0 && strcmp(only, "train_grow") != 0)
        options_refuse("--size: found without --only train_grow, which alone has this option");
    if (sscanf(text, "%d,%d,%d%c", &size[0], &size[1], &size[2], &end) != 3 || size[0] < 1 ||
        size[0] > 1 << 16 || size[1] < 4 || size[1] > 1 << 14 || size[1] % 4 != 0 || size[2] < 1 ||
        size[2] > 1 << 16)
        options_refuse("--size: found '%s'; expected tokens, channels (divisible by 4) and batch, "
                       "as in 64,128,1",
                       text);
}

int main(int argc, char **argv)
{
    if (is_probe(argc, argv))
        return 0;
    const char *only = "", *size = "64,128,1";
    bool listing = false, kernels = false;
    settings.program = argv[0];
    const Option table[] = {
        {"only", OPTION_TEXT, &only, "NAME,...", "the rows whose names begin with these words", 0,
         0},
        {"threads", OPTION_INT, &settings.threads, "N", "0: as many as there are", 0, 1024},
        {"seconds", OPTION_NUMBER, &settings.seconds, "S", "time for each row, at least 5 steps", 0,
         1e6},
        {"list", OPTION_FLAG, &listing, NULL, "print the rows' names", 0, 0},
        {"kernels", OPTION_FLAG, &kernels, NULL, "print the name of the kernels in use", 0, 0},
        {"check", OPTION_FLAG, &settings.check, NULL,
         "loss before and after ten steps from given weights; two results of a pretrained model", 0,
         0},
        {"detail", OPTION_FLAG, &settings.detail, NULL,
         "more columns: calls for memory and page faults a step, percent of the peak (* above it)",
         0, 0},
        {"models", OPTION_TEXT, &settings.models, "DIR",
         "pretrained models, made by torch_pretrained.py", 0, 0},
        {"size", OPTION_TEXT, &size, "T,C,B",
         "tokens, channels and batch of train_grow, which --only names", 0, 0},
        {0},
    };
    options_parse(argc, argv, about, table);
    check_words(only);
    read_size(size, only);
    if (listing) {
        list(only);
        return 0;
    }
    if (kernels) {
        puts(tensor_kernels());
        return 0;
    }
    example_exit_on_error();
    tensor_set_threads(settings.threads);
    settings.threads = tensor_threads();
    run(only);
    return 0;
}

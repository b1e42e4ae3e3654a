/* bench.c: ./gradus bench, which measures the speed of gradus.
 *
 * torch_bench.py does the same work in PyTorch, with the same names, sizes, losses and columns;
 * compare.py runs both in turn. The program uses gradus through gradus.h, as any other program
 * does. */
#include "tests/bench/bench.h"

#include "examples/common/options.h"

#include <time.h>

static const char about[] =
    "Measures the speed of gradus. Each row is a line of columns separated by tabs: name, median\n"
    "and least milliseconds of a step, GFLOP/s where operations are counted, and peak memory in\n"
    "MB. A step of a train_... row is forward, backward and Adam. The first row, import, is the\n"
    "processor time and the memory of the process before anything is computed.\n"
    "\n"
    "The row train_grow_V65_T64_d128_h4_L2_B1 is a language model of V words, T tokens, d\n"
    "channels, h heads, L layers and B sequences, as many as --only says, which names it alone.";

/* Every row. The sizes of the rows that the table of README.md compares stand in their names. */
static const struct Row {
    const char *name;
    void (*run)(const char *name);
} rows[] = {
    {"gemm_64", run_product},
    {"gemm_128", run_product},
    {"gemm_256", run_product},
    {"gemm_512", run_product},
    {"gemm_1024", run_product},
    {"gemm_2048", run_product},
    {"gemm_512x256x1024", run_product},
    {"bmm_64x64x32x64", run_product},
    {"softmax_4096x256", run_forward},
    {"layernorm_4096x512", run_forward},
    {"gelu_4096x512", run_forward},
    {"crossentropy_fwdbwd_4096x1024", run_cross_entropy},
    {"attention_causal_fwdbwd_T64", run_attention},
    {"attention_causal_fwdbwd_T256", run_attention},
    {"attention_causal_fwdbwd_T1024", run_attention},
    {"attention_causal_fwdbwd_T4096", run_attention},
    {"train_tiny_V64_T32_d64_h4_L2_B8", run_training},
    {"train_nanogptcpu_V65_T64_d128_h4_L4_B12", run_training},
    {"train_bertmini_V2048_T64_d256_h4_L4_B16", run_training},
    {"train_babygpt_V65_T256_d384_h6_L6_B4", run_training},
    {"train_vit_28p7_d64_h4_L4_B64", run_training},
    {"train_vit_32p4_d192_h3_L6_B16", run_training},
    {"train_vae_784_400_20_B128", run_training},
    {"train_mlp_2_16_1_B16", run_training},
    {"generate_babygpt_255tok_kvcache", run_generate},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const char any_size[] = "train_grow_"; /* begins the name of a row that is in no table */

/* Ends with status 2 at a word with which no row begins, and proposes the nearest row. */
static void refuse(const char *word, size_t length)
{
    Vocab names = {0};
    char asked[64];
    snprintf(asked, sizeof asked, "%.*s", (int)length, word);
    data_vocab_specials(&names);
    for (int i = 0; i < ROWS; i++)
        data_vocab_add(&names, rows[i].name);
    const char *near = options_near(&names, asked);
    options_refuse("--only: no row begins with '%s'%s%s%s (--list shows all)", asked,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* The rows that begin with a word of --only; all where there is none. */
static void choose(const char *only, bool chosen[ROWS])
{
    for (int i = 0; i < ROWS; i++)
        chosen[i] = !*only;
    for (const char *word = only; *word; word += strspn(word, ",")) {
        size_t length = strcspn(word, ",");
        bool found = length == 0;
        for (int i = 0; length > 0 && i < ROWS; i++)
            if (strncmp(rows[i].name, word, length) == 0)
                found = chosen[i] = true;
        if (!found)
            refuse(word, length);
        word += length;
    }
}

/* The name of a model of any size names all its sizes, and nothing else. */
static void check_any_size(const char *only)
{
    char name[128];
    snprintf(name, sizeof name, "%sV%d_T%d_d%d_h%d_L%d_B%d", any_size, size_in(only, "_V"),
             size_in(only, "_T"), size_in(only, "_d"), size_in(only, "_h"), size_in(only, "_L"),
             size_in(only, "_B"));
    if (strcmp(name, only) != 0)
        options_refuse("--only: found '%s'; expected %sV65_T64_d128_h4_L2_B1, or other sizes", only,
                       any_size);
}

static void run(const char *only, const bool chosen[ROWS])
{
    if (!settings.check) {
        double ms = 1e3 * (double)clock() / CLOCKS_PER_SEC;
        printf("name\tmedian_ms\tmin_ms\tgflops\tpeak_rss_mb%s\n",
               settings.detail ? "\tpercent_of_peak" : "");
        print_row("import", ms, ms, -1, peak_memory(), "-");
    }
    if (strncmp(only, any_size, strlen(any_size)) == 0)
        run_training(only);
    for (int i = 0; i < ROWS; i++)
        if (chosen[i] && (!settings.check || rows[i].run == run_training))
            rows[i].run(rows[i].name);
}

int main(int argc, char **argv)
{
    const char *only = "";
    bool listing = false, kernels = false, chosen[ROWS] = {false};
    const Option table[] = {
        {"only", OPTION_TEXT, &only, "NAME,...", "the rows whose names begin with these words", 0,
         0},
        {"threads", OPTION_INT, &settings.threads, "N", "0: as many as there are", 0, 1024},
        {"seconds", OPTION_NUMBER, &settings.seconds, "S", "time for each row, at least 5 steps", 0,
         1e6},
        {"list", OPTION_FLAG, &listing, NULL, "print the rows' names", 0, 0},
        {"kernels", OPTION_FLAG, &kernels, NULL, "print the name of the kernels in use", 0, 0},
        {"check", OPTION_FLAG, &settings.check, NULL,
         "loss before and after ten steps from given weights", 0, 0},
        {"detail", OPTION_FLAG, &settings.detail, NULL,
         "one more column: percent of the machine's peak (* above it)", 0, 0},
        {0},
    };
    options_parse(argc, argv, about, table);
    if (strncmp(only, any_size, strlen(any_size)) == 0)
        check_any_size(only);
    else
        choose(only, chosen);
    for (int i = 0; listing && i < ROWS; i++)
        if (chosen[i])
            puts(rows[i].name);
    if (kernels)
        puts(tensor_kernels());
    if (listing || kernels)
        return 0;
    example_exit_on_error();
    tensor_set_threads(settings.threads);
    settings.threads = tensor_threads();
    run(only, chosen);
    return 0;
}

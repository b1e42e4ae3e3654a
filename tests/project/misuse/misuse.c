/* misuse.c: every public function, called wrongly in every way that the types of its parameters
 * allow.
 *
 *   misuse [--all] [--list] [BEGINNING...]      of functions' names; none: all functions
 *
 * cases.py reads the public headers and writes cases.inc: one call for each parameter and each
 * wrong value of its type. Each call runs in a process of its own, which has a copy of the fixture
 * below. What it may not do:
 *
 *   crash        end by a signal, by a sanitizer's report, or not end within LIMIT seconds
 *   silence      give a result where the wrong value must be an error, or fail without an error
 *   namelessness report an error that does not begin with the name of the function that was called
 *   vagueness    report an error that does not say what was expected
 *
 * GRADUS_SOURCE names the project's folder, whose tests/golden has a model.
 *
 * Without --all every STRIDE-th case runs, and every case with a NULL. The output is TAP, a test
 * for each function; the last line counts the calls and what was found. */
#include "gradus.h"
#include "autograd/inspect.h"
#include "plot/pages.h"
#include "tensor/files.h"
#include "tests/harness/runner.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 20, STRIDE = 5, NUMBERS = 4096, MEMORY = 256 << 20, LONG_TEXT = 300 };

/* ---- what every call starts from ------------------------------------------------------------- */

static struct {
    Tape *tape, *other;
    Params *params;
    Tensor *x, *ids, *ids2, *stale, *older, *foreign, *weight, *scalar, *deep, *empty, *wide, *view,
        *loss, *own, *bits;
    Tensor *short_ids, *states;
    Tokeniser *tokeniser;
    char model[4096]; /* a folder */
    Tensor *row, *turned, *cube, *image, *kernel1, *kernel2;
    Tensor *list[8], *nulls[8];
    Op no_op;
    FILE *file;
    Rng rng;
    int numbers[NUMBERS], order[8];
    int64_t zeros[NUMBERS];
    real reals[NUMBERS];
    double doubles[NUMBERS];
    size_t sizes[8];
    uint32_t bits32[8];
    char chars[NUMBERS], bytes[NUMBERS], long_text[NUMBERS];
    const char *texts[4];
#define FIXTURE(type) type type##_;
#include "cases.inc"
#undef FIXTURE
} f;

/* An op without attributes, so that none of any size is right. */
static const Op *f_op(void)
{
    const Op *const *op = ag_ops;
    while (strcmp((*op)->name, "relu") != 0)
        op++;
    return *op;
}

static Tensor *f_function(Tensor **x, void *context)
{
    (void)context;
    return ag_scale(x[0], 2);
}

static AtomicFile *f_atomic(void)
{
    return tensor_file_open("misuse.tmp");
}

static Tokeniser *f_tokeniser(void)
{
    return data_tokeniser_open(".");
}

static Pretrained f_pretrained; /* not loaded */

/* The library's memory: never more than MEMORY bytes at once, so that sizes beyond that are an
 * error here, too. */
static size_t taken;

static void *limited_alloc(size_t bytes, void *context)
{
    (void)context;
    size_t *block = bytes > MEMORY || taken > MEMORY - bytes ? NULL : malloc(bytes + 16);
    if (!block)
        return NULL;
    *block = bytes;
    taken += bytes;
    return (char *)block + 16;
}

static void limited_free(void *block, void *context)
{
    (void)context;
    size_t *start = block ? (size_t *)(void *)((char *)block - 16) : NULL;
    taken -= start ? *start : 0;
    free(start);
}

static void fixture_tensors(void)
{
    f.tape = tape_new(1);
    f.other = tape_new(2);
    f.older = tape_full(f.tape, 1, shape2(4, 8));
    tape_reset(f.tape);
    tape_reset(f.tape);
    f.stale = tape_full(f.tape, 1, shape2(4, 8));
    tape_reset(f.tape);
    f.foreign = tape_full(f.other, 1, shape2(4, 8));
    f.x = ag_name(tape_leaf(f.tape, f.reals, shape2(4, 8)), "x");
    f.ids = tape_ids(f.tape, f.numbers, shape1(4));
    f.ids2 = tape_ids(f.tape, f.numbers, shape2(4, 8));
    f.bits = tape_full(f.tape, 1, shape2(4, 8));
    f.row = tape_full(f.tape, 1, shape1(8));
    f.scalar = tape_full(f.tape, 1, shape0());
    f.deep = tape_full(f.tape, 1, (Shape)SHAPE(1, 1, 1, 1, 4, 8));
    f.empty = tape_full(f.tape, 1, shape2(0, 8));
    f.wide = tape_full(f.tape, 1, shape3(3, 5, 7));
    f.cube = tape_leaf(f.tape, f.reals, shape3(1, 4, 8));
    f.image = tape_leaf(f.tape, f.reals, shape4(1, 2, 4, 4));
    f.kernel1 = tape_full(f.tape, 1, shape3(3, 4, 2));
    f.kernel2 = tape_full(f.tape, 1, shape4(3, 2, 2, 2));
    f.turned = ag_copy(ag_transpose(f.x, 0, 1));
    f.view = ag_slice(ag_transpose(tape_leaf(f.tape, f.reals, shape2(8, 8)), 0, 1), 0, 0, 4);
    f.loss = ag_sum(f.x);
    f.weight = params_add(f.params, "w", shape2(4, 8), nn_normal(1));
    f.own = tensor_new(shape2(4, 8));
    for (int i = 0; i < 8; i++)
        f.list[i] = f.x;
}

static void fixture_modules(void)
{
    Params *p = f.params;
    BlockConfig block = {.channels = 8, .heads = 2};
    nn_linear_init(&f.Linear_, p, "linear", 8, 8, true);
    nn_embedding_init(&f.Embedding_, p, "embedding", 8, 8);
    nn_layernorm_init(&f.Norm_, p, "norm", 8);
    nn_attention_init(&f.MultiHeadAttention_, p, "attention", 8, 2, 0);
    nn_additive_attention_init(&f.AdditiveAttention_, p, "additive", 8, 8, 8);
    nn_position_init(&f.PositionalEncoding_, p, "position", POSITION_LEARNED, 8, 8);
    nn_feedforward_init(&f.FeedForward_, p, "feedforward", 8, 8, ACTIVATION_GELU, 0);
    nn_transformer_block_init(&f.TransformerBlock_, p, "block", block);
    nn_decoder_block_init(&f.DecoderBlock_, p, "decoder", block);
    nn_encoder_init(
        &f.Encoder_, p, "encoder",
        (EncoderConfig){.longest = 8, .position = POSITION_NONE, .layers = 1, .block = block});
    nn_gpt_init(&f.Gpt_, p, "gpt",
                (GptConfig){.words = 8, .longest = 8, .channels = 8, .heads = 2, .layers = 1});
    nn_rnn_cell_init(&f.RNNCell_, p, "cell", RNN_GRU, 8, 8);
    nn_rnn_init(&f.RNN_, p, "rnn", RNN_GRU, 8, 8, 1);
    nn_lora_init(&f.Lora_, p, "lora", f.Linear_, 2, 1);
    nn_cache_init(&f.KVCache_, 1, 1, 8, 2, 8);
    nn_candidates_init(&f.Candidates_, 8);
    adam_init(&f.Adam_, p, 0.1);
    sgd_init(&f.Sgd_, p, 0.1, 0, 0);
    f.Checkpoint_ = (Checkpoint){.params = p};
}

/* A model that tests/pretrained/make_models.py made, and the least vocab.txt, BERT's. */
static void fixture_pretrained(void)
{
    FILE *vocabulary = fopen("vocab.txt", "w");
    if (vocabulary && fputs("[UNK]\n[CLS]\n[SEP]\nthe\n", vocabulary) != EOF)
        fclose(vocabulary);
    FILE *class = fopen("tokenizer_config.json", "w");
    if (class && fputs("{\"tokenizer_class\": \"BertTokenizer\"}", class) != EOF)
        fclose(class);
    f.tokeniser = f_tokeniser();
    snprintf(f.model, sizeof f.model, "%s", source_path("tests/golden/pretrained/bert-classes"));
    nn_pretrained_load(f.model, &f.Pretrained_);
    f.short_ids = tape_ids(f.tape, f.numbers, shape2(1, 4));
    f.states = tape_full(f.tape, 1, shape3(1, 4, f.Pretrained_.config.channels));
    data_tokens(f.tokeniser, (TokenInput){.text = "the"}, &f.Tokens_);
}

static bool fixture_open(void)
{
    static const TensorAllocator limited = {limited_alloc, limited_free, NULL};
    tensor_set_allocator(&limited);
    tensor_set_threads(1);
    for (int i = 0; i < NUMBERS; i++)
        f.reals[i] = (real)(i % 7) / 4, f.doubles[i] = i;
    memset(f.long_text, 'a', LONG_TEXT);
    memcpy(f.bytes, "some text", 10);
    f.order[0] = 1;
    f.texts[0] = "key", f.texts[1] = "value";
    f.file = fopen("/dev/null", "w");
    f.params = params_new(1);
    fixture_tensors();
    fixture_modules();
    fixture_pretrained();
    if (tensor_failed())
        printf("Bail out! the fixture fails: %s\n", tensor_error());
    return !tensor_failed();
}

/* ---- one call -------------------------------------------------------------------------------- */

typedef enum { WORKS, FAILS, NOTHING } Result;

typedef struct {
    const char *function, *parameter, *wrong;
    const char *must; /* "error", "failure" or ""; see TENSORS in cases.py */
    Result (*call)(void);
} Case;

#define FIXTURE(type)
#define CASES
#include "cases.inc"
#undef CASES
#undef FIXTURE
enum { COUNT = sizeof cases / sizeof *cases };

typedef enum { FINE, SILENT, NAMELESS, VAGUE, CRASHED } Verdict;
enum { TOLD = 100 }; /* a child exits with TOLD + its verdict: a sanitizer's report exits with 1 */
static const char *const verdict_name[] = {"fine", "silent", "nameless", "vague", "crashed"};

/* The error after "file:line: ". */
static const char *message(void)
{
    const char *text = tensor_error(), *end = strstr(text, ".inc:");
    const char *space = end ? strchr(end, ' ') : NULL;
    return space ? space + 1 : text;
}

static Verdict judge(const Case *c, Result result)
{
    size_t length = strlen(c->function);
    bool result_tells = result != NOTHING;
    if (!tensor_failed()) {
        bool error = strcmp(c->must, "error") == 0 && result_tells;
        bool failure = strcmp(c->must, "failure") == 0 && result == WORKS;
        return error || failure ? SILENT : FINE;
    }
    /* shape_check begins with the name that it is given. */
    bool named = strncmp(message(), c->function, length) == 0 && message()[length] == ':';
    if (!named && strcmp(c->function, "shape_check") != 0)
        return NAMELESS;
    /* What the system refuses says why in the system's words. */
    bool system = strstr(message(), "out of memory: ") || strstr(message(), ": cannot ");
    return system || strstr(message(), "; expected ") ? FINE : VAGUE;
}

/* Runs the case in a process of its own, which writes the error to `text`. */
static Verdict run(const Case *c, char *text, size_t size)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return CRASHED;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT);
        close(ends[0]);
        if (!freopen("/dev/null", "w", stdout))
            _exit(TOLD + CRASHED);
        Verdict v = judge(c, c->call());
        ssize_t written = write(ends[1], tensor_error(), strlen(tensor_error()));
        _exit(TOLD + (written >= 0 ? (int)v : CRASHED));
    }
    close(ends[1]);
    ssize_t got, used = 0;
    while ((got = read(ends[0], text + used, size - 1 - (size_t)used)) > 0)
        used += got;
    text[used] = 0;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return CRASHED;
    int v = WEXITSTATUS(status) - TOLD;
    return v >= FINE && v <= VAGUE ? (Verdict)v : CRASHED;
}

/* Does the function's name begin with one of the words? Without words every function is wanted. */
static bool wanted(int argc, char **argv, const char *function)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        any |= argv[i][0] != '-';
        if (strncmp(argv[i], function, strlen(argv[i])) == 0)
            return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    bool all = false, list = false;
    for (int i = 1; i < argc; i++) {
        all |= strcmp(argv[i], "--all") == 0;
        list |= strcmp(argv[i], "--list") == 0;
    }
    if (chdir(scratch_path(".")) != 0)
        return 1;
    setenv("PATH", "", 1); /* no gnuplot: what it draws is not looked at */
    if (!fixture_open())
        return 1;
    int tests = 0, failed = 0, calls = 0, found[5] = {0};
    for (int i = 0; i < COUNT;) {
        const char *function = cases[i].function;
        bool good = true;
        int first = i;
        for (; i < COUNT && strcmp(cases[i].function, function) == 0; i++) {
            const Case *c = &cases[i];
            char text[2048];
            if (!wanted(argc, argv, function) ||
                (!all && strcmp(c->wrong, "NULL") != 0 && i % STRIDE != 0))
                continue;
            Verdict v = run(c, text, sizeof text);
            calls++;
            found[v]++;
            good &= v == FINE;
            if (v != FINE || list)
                printf("# %s: %s, %s is %s: \"%s\"\n", verdict_name[v], function, c->parameter,
                       c->wrong, text);
        }
        if (i > first && wanted(argc, argv, function)) {
            failed += !good;
            printf("%sok %d - %s\n", good ? "" : "not ", ++tests, function);
        }
        fflush(stdout);
    }
    printf("1..%d\n# calls %d, crashes %d, silent %d, unnamed %d, without expectation %d\n", tests,
           calls, found[CRASHED], found[SILENT], found[NAMELESS], found[VAGUE]);
    int status = chdir("/");
    scratch_remove();
    return status != 0 || failed > 0;
}

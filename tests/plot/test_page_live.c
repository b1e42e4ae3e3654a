/* test_page_live.c: pages that compute: where the module and the model stand, the data without a
 * file, and what makes them fail. */
#include "nn/nn.h"
#include "plot/html/own_pages.h"
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <string.h>

/* 44 characters, as a SHA-256 in base64 has; a test in a browser has a real one. */
#define HASH "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ="

static real weights[] = {(real)0.25, (real)0.75, 1, 0};
static Tensor map = {.shape = SHAPE(2, 2), .stride = {2, 1}, .data = weights};
static PlotPageLayer layer = {.map = &map};
static PlotPageAttention attention = {.layers = &layer, .layer_count = 1};
static PlotPageInput input = {.title = "a <b>", .attentions = &attention, .attention_count = 1};
static PlotPage page = {.inputs = &input, .input_count = 1};

static const char *module_of(const char *text)
{
    scratch_write(scratch_path("live.js"), text, strlen(text));
    return scratch_path("live.js");
}

/* The policy names the module's hash and allows WebAssembly; the script stands before the
 * page's. */
TEST(a_module_stands_in_the_page)
{
    Params *p = params_new(1);
    Norm norm;
    CHECK(p && nn_layernorm_init(&norm, p, "norm", 4), "%s", tensor_error());
    const PlotPageLive live = {.module = module_of("/* gradus module sha256-" HASH
                                                   " */\nconst MODULE = \"x\";"),
                               .model = "attention layers=1",
                               .weights = p};
    char module[512]; /* scratch_path's own text changes */
    snprintf(module, sizeof module, "%s", live.module);
    page.live = &live;
    CHECK(plot_page_attention(scratch_path("live.html"), &page), "%s", tensor_error());
    const char *text = scratch_text(scratch_path("live.html"));
    CHECK(strstr(text, "' 'sha256-" HASH "' 'wasm-unsafe-eval'; style-src"), "no hash");
    const char *script =
        strstr(text, "</script>\n<script>const MODULE = \"x\";</script>\n<script>");
    CHECK(script && strstr(text, "id=\"data\"") < script, "no script after the data");
    CHECK(strstr(text, "\"live\":{\"model\":\"attention layers=1\",\"weights\":[{\"name\":\"norm."
                       "weight\",\"numbers\":{\"shape\":[4],\"bits\":16,"),
          "no weights");
    CHECK(plot_page_model(scratch_path("model.html"), live.module, NULL), "%s", tensor_error());
    CHECK(strstr(scratch_text(scratch_path("model.html")), "{\"kind\":\"model\","), "no model");
    char folder[512], file[540];
    snprintf(folder, sizeof folder, "%s", scratch_path("folder"));
    snprintf(file, sizeof file, "%s/model.safetensors", folder);
    REFUSES(plot_page_model, "model.safetensors; expected the weights in one file",
            scratch_path("own.html"), module, folder);
    CHECK(tensor_make_directory(folder) && params_save(file, p, NULL, 0), "%s", tensor_error());
    CHECK(plot_page_model(scratch_path("own.html"), module, folder), "%s", tensor_error());
    CHECK(strstr(scratch_text(scratch_path("own.html")),
                 "\"files\":[{\"name\":\"model.safetensors\",\"base64\":\""),
          "no weights");
    page.live = NULL;
    CHECK(plot_page_attention(scratch_path("plain.html"), &page), "%s", tensor_error());
    text = scratch_text(scratch_path("plain.html"));
    CHECK(!strstr(text, "wasm-unsafe-eval';") && !strstr(text, "worker-src"), "a plain page");
    params_free(p);
}

/* The data are the page's member: its text is in the file of the page. */
TEST(data_are_those_of_the_page)
{
    char text[2048], part[20];
    size_t length = plot_page_attention_data(NULL, 0, &page);
    CHECK(length > 50 && length < sizeof text, "%zu", length);
    CHECK(plot_page_attention_data(text, sizeof text, &page) == length && strlen(text) == length,
          "%zu", length);
    CHECK(strncmp(text, "{\"inputs\":[{\"title\":\"a \\u003cb>\"", 32) == 0, "%.40s", text);
    CHECK(plot_page_attention(scratch_path("plain.html"), &page), "%s", tensor_error());
    text[length - 1] = 0; /* without the brace that closes the object */
    CHECK(strstr(scratch_text(scratch_path("plain.html")), text + 1), "another text");
    CHECK(plot_page_attention_data(part, sizeof part, &page) == length && strlen(part) == 19 &&
              strncmp(part, text, 19) == 0,
          "%s", part);
}

TEST(what_is_no_module_is_refused)
{
    static const char *const wrong[] = {"", "const MODULE = 1;",
                                        "/* gradus module sha256-" HASH " */\n",
                                        "/* gradus module sha256-abc */\nconst MODULE = 1;",
                                        "/* gradus module sha256-" HASH
                                        " */\nconst MODULE = \"</script><script>\";"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSES(plot_page_train,
                "live.js is no module; expected the file that ./gradus build live.js writes",
                scratch_path("no.html"), module_of(wrong[i]));
    }
    REFUSES(plot_page_train, "NULL is no module", scratch_path("no.html"), NULL);
    CHECK(!plot_page_model(scratch_path("no.html"), scratch_path("missing.js"), NULL), "missing");
    CHECK_ERROR("missing.js: cannot open");
    REFUSES(plot_page_train, "path is NULL or empty", NULL,
            module_of("/* gradus module sha256-" HASH " */\nlet a;"));
    const PlotPageLive live = {.module = scratch_path("live.js")};
    page.live = &live;
    REFUSES(plot_page_attention, "the model of the live page is NULL", scratch_path("no.html"),
            &page);
    page.live = NULL;
    CHECK(plot_page_attention_data(NULL, 0, NULL) == 0, "NULL");
    CHECK_ERROR("plot_page_attention_data: plot_page_attention: no input");
    CHECK(!exists(scratch_path("no.html")), "a page was written");
}

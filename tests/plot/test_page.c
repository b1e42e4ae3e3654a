/* test_page.c: the file of a page: numbers in 8 and 16 bits, texts in JSON and HTML, and what makes
 * it fail. The expected codes follow from the rule in pack.c by hand; base64 is RFC 4648's. */
#include "plot/html/page.h"
#include "plot/pages.h"
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

/* No number is further from its code's than half a step; at 40000 numbers some come close to
 * that. */
TEST(errors_stay_below_half_a_step)
{
    enum { N = 40000 };
    static real x[N];
    Rng rng = {.seed = 5};
    for (int i = 0; i < N; i++)
        x[i] = (real)(rng_uniform(&rng) * 7 - 3);
    for (int bits = 8; bits <= 16; bits += 8) {
        Packing p = pack_range(x, N, bits);
        double half = (p.high - p.low) / (2.0 * pack_last(bits)), largest = 0;
        for (int i = 0; i < N; i++)
            largest = larger_or_nan(largest, fabs((double)x[i] -
                                                  pack_value(&p, pack_code(&p, (double)x[i]))));
        /* the sum low + span * share rounds once more, relative to the largest number */
        CHECK(largest <= half + 4 * 2.2e-16 && largest > half * 0.99, "%d bits: %g of %g", bits,
              largest, half);
    }
}

/* A gradient has a code for 0, and ranges are symmetric; numbers that are not finite have codes of
 * their own. */
TEST(zero_and_infinities_are_exact)
{
    const real x[] = {(real)-0.3, 0, (real)0.1, (real)NAN, (real)INFINITY, (real)-INFINITY};
    for (int bits = 8; bits <= 16; bits += 8) {
        Packing p = pack_range(x, 6, bits);
        CHECK(p.low == (double)x[0] && p.high == -p.low, "%g to %g", p.low, p.high);
        CHECK(pack_code(&p, 0) == pack_last(bits) / 2, "code %d", pack_code(&p, 0));
        CHECK(pack_value(&p, pack_code(&p, 0)) == 0, "0 is %g", pack_value(&p, pack_code(&p, 0)));
        CHECK(isnan(pack_value(&p, pack_code(&p, (double)x[3]))), "NaN is a number");
        for (int i = 4; i < 6; i++)
            CHECK(pack_value(&p, pack_code(&p, (double)x[i])) == (double)x[i], "infinity %d", i);
        CHECK(pack_code(&p, (double)x[3]) < 1 << bits, "code %d of NaN", pack_code(&p, NAN));
    }
    const real tiny[] = {(real)1e-9, 1};
    CHECK(pack_range(tiny, 2, 8).low == 0, "1e-9 is no number of 8 bits between 0 and 1");
    const real same[] = {2, 2};
    Packing p = pack_range(same, 2, 8);
    CHECK(pack_value(&p, pack_code(&p, 2)) == 2, "%g", pack_value(&p, pack_code(&p, 2)));
}

/* The text of a page with what `put` has added. */
static const char *page_with(void (*put)(Page *))
{
    Page *p = page_new("attention", "test", "test");
    page_key(p, "x");
    put(p);
    CHECK(page_write(p, scratch_path("page.html")), "%s", tensor_error());
    return scratch_text(scratch_path("page.html"));
}

static void put_packed(Page *p)
{
    page_packed(p, (const real[]){0, (real)0.25, (real)0.5, 1}, shape2(2, 2), 8, false);
}

static void put_wide(Page *p)
{
    page_packed(p, (const real[]){0, 1}, shape1(2), 16, false);
}

static void put_causal(Page *p)
{
    page_packed(p, (const real[]){1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1}, shape3(2, 2, 3), 8, true);
}

/* Codes 0, 63, 126, 252 are the bytes 00 3f 7e fc, in base64 "AD9+/A=="; 0 and 65532 are 00 00 fc
 * ff, "AAD8/w==". Of a causal (2, 3) map, row 0 has two columns and row 1 three: fc 00 fc 00 00, 00
 * fc fc fc fc. */
TEST(arrays_are_base64)
{
    CHECK(strstr(page_with(put_packed), "\"x\":{\"shape\":[2,2],\"bits\":8,\"low\":0,\"high\":1,"
                                        "\"causal\":false,\"base64\":\"AD9+/A==\",\"error\":0}"),
          "8 bits");
    CHECK(strstr(page_with(put_wide), "\"base64\":\"AAD8/w==\""), "16 bits");
    CHECK(strstr(page_with(put_causal),
                 "\"shape\":[2,2,3],\"bits\":8,\"low\":0,\"high\":1,\"causal\":true,"
                 "\"base64\":\"/AD8AAAA/Pz8/A==\""),
          "causal");
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void put_hostile(Page *p)
{
    page_array(p);
    page_text(p, "</script><script>alert(1)</script>");
    page_text(p, "\"\\\n\x01\xe2\x80\xa8");
    page_text(p, "a\xff\xc3z\xed\xa0\x80");
    page_text(p, "\xe7\x8c\xab");
    page_text(p, NULL);
    page_end(p);
}

TEST(texts_cannot_leave_the_data)
{
    const char *text = page_with(put_hostile);
    CHECK(strstr(text, "\"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\""), "markup");
    CHECK(strstr(text, "\"\\\"\\\\\\u000a\\u0001\xe2\x80\xa8\""), "escapes");
    CHECK(strstr(text, "\"a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""),
          "invalid");
    CHECK(strstr(text, "\"\xe7\x8c\xab\",null]"), "a cat, and NULL");
    CHECK(count_of(text, "</script") == 2 && count_of(text, "<script") == 2, "%d ends of scripts",
          count_of(text, "</script"));
}

TEST(titles_are_escaped)
{
    Page *p = page_new("attention", "a</title><b> & c", "test");
    CHECK(page_write(p, scratch_path("page.html")), "%s", tensor_error());
    const char *text = scratch_text(scratch_path("page.html"));
    CHECK(strstr(text, "<title>a&lt;/title>&lt;b> &amp; c</title>"), "title");
    CHECK(strstr(text, "\"title\":\"a\\u003c/title>\\u003cb> & c\""), "title in the data");
}

static void put_numbers(Page *p)
{
    page_object(p);
    page_key_number(p, "half", 0.5);
    page_key_number(p, "nan", NAN);
    page_key_number(p, "low", -INFINITY);
    page_key_exact(p, "third", 1.0 / 3);
    page_key_count(p, "n", -7);
    page_key_bool(p, "b", true);
    page_texts(p, "none", NULL, 3);
    page_end(p);
}

TEST(numbers_have_a_point)
{
    bool set = comma_locale(LC_ALL);
    const char *text = page_with(put_numbers);
    setlocale(LC_ALL, "C");
    CHECK(strstr(text,
                 "{\"half\":0.5,\"nan\":null,\"low\":-1e999,\"third\":0.33333333333333331,\"n\":-7,"
                 "\"b\":true,\"none\":null}"),
          "%.300s", strstr(text, "\"half\""));
    if (!set)
        SKIP("no locale with a decimal comma here");
}

/* ---- hashes ---------------------------------------------------------------------------------- */

/* openssl computes SHA-256, too, of what stands between the tags; the policy must name that. */
TEST(policy_names_the_hashes)
{
    char command[2400];
    const char *path = scratch_path("page.html");
    (void)page_with(put_packed);
    snprintf(command, sizeof command,
             "command -v python3 >/dev/null || exit 77; python3 - '%s' <<'END'\n"
             "import base64, hashlib, re, sys\n"
             "text = open(sys.argv[1], encoding='utf-8').read()\n"
             "for tag in 'style', 'script':\n"
             "    body = re.findall('<%%s>(.*?)</%%s>' %% (tag, tag), text, re.S)\n"
             "    assert len(body) == 1, tag\n"
             "    digest = base64.b64encode(hashlib.sha256(body[0].encode()).digest()).decode()\n"
             "    assert \"%%s-src 'sha256-%%s'\" %% (tag, digest) in text, tag\n"
             "END\n",
             path);
    int status = system(command);
    if (status == 77 * 256 || status == 9009) /* the second from Windows' own shell */
        SKIP("there is no python3");
    CHECK(status == 0, "status %d", status);
}

/* ---- failures -------------------------------------------------------------------------------- */

static Tensor map = {.shape = SHAPE(2, 2, 2), .stride = {4, 2, 1}};
static real weights[] = {1, 0, (real)0.5, (real)0.5, 1, 0, (real)0.25, (real)0.75};
static const char *const words[] = {"a", "b"};

static bool write_page(void *context)
{
    (void)context;
    map.data = weights;
    const PlotPageLayer layer = {.map = &map, .q = &map, .k = &map};
    const PlotPageAttention attention = {.layers = &layer, .layer_count = 1, .rows = words};
    const PlotPageInput input = {.attentions = &attention, .attention_count = 1};
    return plot_page_attention(scratch_path("pages/p.html"),
                               &(PlotPage){.inputs = &input, .input_count = 1});
}

static void put_old_page(void *context)
{
    (void)context;
    scratch_clear(scratch_path("pages"));
    tensor_make_directory(scratch_path("pages"));
    scratch_write(scratch_path("pages/p.html"), "old\n", 4);
}

static bool old_or_new(void *context, bool ok)
{
    (void)context;
    const char *text = scratch_text(scratch_path("pages/p.html"));
    bool right = ok ? count_of(text, "</html>") == 1 : strcmp(text, "old\n") == 0;
    return right && (trial_kept_a_file() || scratch_files(scratch_path("pages")) == 1);
}

TEST(every_failure_keeps_the_old_page)
{
    const Attempt t = {write_page, put_old_page, old_or_new, NULL, "pages"};
    CHECK_TRIAL_MEMORY(&t);
    CHECK_TRIAL_DISK(&t);
}

static void refuses(const PlotPage *page, const char *why)
{
    REFUSES(plot_page_attention, why, scratch_path("no.html"), page);
    CHECK(!exists(scratch_path("no.html")), "a page was written: %s", why);
}

/* Two heads of queries may share one head of keys; two heads cannot share three. */
TEST(heads_may_share_keys)
{
    map.data = weights;
    Tensor *k = tensor_new(shape3(1, 2, 2)), *three = tensor_new(shape3(3, 2, 2));
    PlotPageLayer layer = {.map = &map, .q = &map, .k = k};
    PlotPageAttention attention = {.layers = &layer, .layer_count = 1};
    PlotPageInput input = {.attentions = &attention, .attention_count = 1};
    PlotPage page = {.inputs = &input, .input_count = 1};
    CHECK(plot_page_attention(scratch_path("shared.html"), &page), "%s", tensor_error());
    CHECK(strstr(scratch_text(scratch_path("shared.html")), "\"k\":[{\"shape\":[1,2,2]"),
          "one head of keys");
    layer.k = three;
    refuses(&page, "layer 1 has q (2, 2, 2) and k (3, 2, 2) for a map (2, 2, 2)");
    layer = (PlotPageLayer){.map = &map, .gradient = k};
    refuses(&page, "layer 1 of self-attention has a map (2, 2, 2) and a gradient "
                   "(1, 2, 2)");
    tensor_free(k);
    tensor_free(three);
}

TEST(bad_input_is_an_error)
{
    map.data = weights;
    PlotPageLayer layer = {.map = &map};
    PlotPageAttention attention = {.layers = &layer, .layer_count = 1};
    PlotPageInput input = {.attentions = &attention, .attention_count = 1};
    PlotPage page = {.inputs = &input};
    refuses(&page, "no input; expected at least one");
    page.input_count = 1, input.attention_count = 0;
    refuses(&page, "input 1 has no attention; expected at least one");
    input.attention_count = 1, layer.q = &map;
    refuses(&page, "layer 1 of self-attention has a q and no k; expected both");
    layer.q = NULL, attention.picture = (PlotPagePicture){.image = &map, .patch = 1};
    refuses(&page, "an image (2, 2, 2) in patches of side 1");
    attention.picture.image = NULL;
    PlotPageCut cuts[] = {{-1, -1, -1, -1, "no", 1, 0}, {0, 1, 1, 2, "no", 1, 0}};
    input.cuts = (PlotPageCuts){"no", cuts, 2};
    refuses(&page, "cut 1 is of layer 0, head 1, row 1, column 2; expected");
    input.cuts.count = 0;
    Tensor *large = tensor_new(shape2(PLOT_PAGE_TOKENS + 1, 1));
    layer.map = large;
    refuses(&page, "maps of (2049, 1) tokens; expected at most 2048");
    layer.map = &map;
    REFUSES(plot_page_attention, "path is NULL or empty", "", &page);
    tensor_free(large);
}

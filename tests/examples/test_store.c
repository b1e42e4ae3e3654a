/* test_store.c: a file of weights keeps the facts from which its model is built again, and says
 * whose it is. */
#include "examples/common/store.h"
#include "tests/harness/test.h"

TEST(a_file_of_weights_keeps_the_facts_of_its_model)
{
    int width = 8, kind = 2, got_width = 0, got_kind = 0;
    const char *text = "a \"b\"\n", *none = NULL, *got_text = NULL, *got_none = "x";
    Fact facts[] = {{"width", &width, 1, 9, NULL},
                    {"kind", &kind, 0, 2, NULL},
                    {"text", NULL, 0, 0, &text},
                    {"none", NULL, 0, 0, &none},
                    {0}};
    Fact found[] = {{"width", &got_width, 1, 9, NULL},
                    {"kind", &got_kind, 0, 2, NULL},
                    {"text", NULL, 0, 0, &got_text},
                    {"none", NULL, 0, 0, &got_none},
                    {0}};
    const char *path = scratch_path("facts.st");
    Store s;
    Params *p = params_new(3);
    Linear up;
    REQUIRE(p && nn_linear_init(&up, p, "up", 3, 8, true) && store_save(path, "line", facts, p),
            "%s", tensor_error());
    CHECK(store_open(&s, path, "line", found, p), "%s", tensor_error());
    CHECK(got_width == 8 && got_kind == 2 && !got_none, "%d %d %s", got_width, got_kind, got_none);
    CHECK_TEXT(got_text, text); /* before store_load frees it */
    real kept = up.weight->data[3];
    up.weight->data[3] = 0;
    CHECK(store_load(&s, true) && up.weight->data[3] == kept, "%s", tensor_error());

    CHECK(!store_open(&s, path, "vit", found, p) && !store_load(&s, false), "opened");
    CHECK_ERROR("found weights of the example line; expected those of vit");
    found[0].high = 7;
    got_kind = 0;
    CHECK(!store_open(&s, path, "line", found, p) && !store_load(&s, false) && got_kind == 0,
          "opened, or changed: %d", got_kind);
    CHECK_ERROR("found width \"8\"; expected a whole number from 1 to 7");
    found[0] = (Fact){"depth", &got_width, 1, 9, NULL};
    CHECK(!store_open(&s, path, "line", found, p) && !store_load(&s, false), "opened");
    CHECK_ERROR("found depth \"\"; expected a whole number from 1 to 9");
    CHECK(params_save(path, p, NULL, 0) && !store_open(&s, path, "line", found, p), "opened");
    CHECK_ERROR("found a file without the metadata");
    store_load(&s, false);
    params_free(p);
}

/* A file of 176 bytes may promise a layer of any size: it is refused before memory is taken. The
 * promised layer would fit into memory, so that without the refusal it is made. */
TEST(a_promise_without_weights)
{
    int width = 2048, got = 0;
    Fact facts[] = {{"width", &width, 1, 1 << 20, NULL}, {0}};
    Fact found[] = {{"width", &got, 1, 1 << 20, NULL}, {0}};
    const char *path = scratch_path("promise.st");
    Store s;
    Linear small, large;
    Params *empty = params_new(1), *p = params_new(1);
    REQUIRE(empty && p && store_save(path, "line", facts, empty), "%s", tensor_error());
    REQUIRE(store_open(&s, path, "line", found, p), "%s", tensor_error());
    REQUIRE(!nn_linear_init(&large, p, "up", got, got, true) && p->count == 0, "%d weights",
            p->count);
    CHECK_ERROR("the file has no 'up.weight' (2048, 2048); expected all weights");
    CHECK(!store_load(&s, false), "loaded");
    CHECK(nn_linear_init(&small, p, "up", 2, 3, true), "expected still: %s", tensor_error());

    /* A weight of another shape is refused too, and the right one is loaded. */
    Params *again = params_new(2);
    REQUIRE(again && store_save(path, "line", facts, p) &&
                store_open(&s, path, "line", found, again),
            "%s", tensor_error());
    CHECK(!nn_linear_init(&large, again, "up", 3, 2, false), "another shape");
    CHECK_ERROR("the file has 'up.weight' (3, 2); expected (2, 3)");
    CHECK(nn_linear_init(&large, again, "up", 2, 3, true) && store_load(&s, true), "%s",
          tensor_error());
    CHECK(large.weight->data[5] == small.weight->data[5], "%g", (double)large.weight->data[5]);
    params_free(again);
    params_free(empty);
    params_free(p);
}

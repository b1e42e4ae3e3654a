/* test_store.c: a file of weights keeps the facts from which its model is built again, and says
 * whose it is. */
#include "examples/common/store.h"
#include "tests/harness/test.h"

typedef struct {
    int width, kind;
    const char *text, *none;
} Config;

#define AT(member) #member, offsetof(Config, member)
static const Fact facts[] = {
    {AT(width), 1, 9}, {AT(kind), 0, 2}, {AT(text), 0, 0}, {AT(none), 0, 0}, {0}};

TEST(a_file_of_weights_keeps_the_facts_of_its_model)
{
    const Config c = {8, 2, "a \"b\"\n", NULL};
    const Fact narrow[] = {{AT(width), 1, 7}, {AT(kind), 0, 2}, {0}};
    const Fact other[] = {{"depth", offsetof(Config, width), 1, 7}, {0}};
    Config got = {.none = "x"};
    const char *path = scratch_path("facts.st");
    Store s;
    Params *p = params_new(3);
    Linear up;
    REQUIRE(p && nn_linear_init(&up, p, "up", 3, 8, true) && store_save(path, "line", facts, &c, p),
            "%s", tensor_error());
    CHECK(store_open(&s, path, "line", facts, &got, p), "%s", tensor_error());
    CHECK(got.width == 8 && got.kind == 2 && !got.none, "%d %d %s", got.width, got.kind, got.none);
    CHECK_TEXT(got.text, c.text); /* before store_load frees it */
    real kept = up.weight->data[3];
    up.weight->data[3] = 0;
    CHECK(store_load(&s, true) && up.weight->data[3] == kept, "%s", tensor_error());

    CHECK(!store_open(&s, path, "vit", facts, &got, p) && !store_load(&s, false), "opened");
    CHECK_ERROR("found weights of the example line; expected those of vit");
    got.kind = 0;
    CHECK(!store_open(&s, path, "line", narrow, &got, p) && !store_load(&s, false) && got.kind == 0,
          "opened, or changed: %d", got.kind);
    CHECK_ERROR("found width \"8\"; expected a whole number from 1 to 7");
    CHECK(!store_open(&s, path, "line", other, &got, p) && !store_load(&s, false), "opened");
    CHECK_ERROR("found depth \"\"; expected a whole number from 1 to 7");
    CHECK(params_save(path, p, NULL, 0) && !store_open(&s, path, "line", facts, &got, p), "opened");
    CHECK_ERROR("found a file without the metadata");
    store_load(&s, false);
    params_free(p);
}

/* A file of 176 bytes may promise a layer of any size: it is refused before memory is taken. The
 * promised layer would fit into memory, so that without the refusal it is made. */
TEST(a_promise_without_weights)
{
    const Config c = {.width = 2048};
    const Fact wide[] = {{AT(width), 1, 1 << 20}, {0}};
    Config got;
    const char *path = scratch_path("promise.st");
    Store s;
    Linear small, large;
    Params *empty = params_new(1), *p = params_new(1);
    REQUIRE(empty && p && store_save(path, "line", wide, &c, empty), "%s", tensor_error());
    REQUIRE(store_open(&s, path, "line", wide, &got, p), "%s", tensor_error());
    REQUIRE(!nn_linear_init(&large, p, "up", got.width, got.width, true) && p->count == 0,
            "%d weights", p->count);
    CHECK_ERROR("the file has no 'up.weight' (2048, 2048); expected all weights");
    CHECK(!store_load(&s, false), "loaded");
    CHECK(nn_linear_init(&small, p, "up", 2, 3, true), "expected still: %s", tensor_error());

    /* A weight of another shape is refused too, and the right one is loaded. */
    Params *again = params_new(2);
    REQUIRE(again && store_save(path, "line", wide, &c, p) &&
                store_open(&s, path, "line", wide, &got, again),
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

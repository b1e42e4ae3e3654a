/* test_json.c: whole JSON files as values, and those that are refused, each with its own
 * error. */
#include "tests/harness/test.h"

#include "tensor/io/json.h"

#include <string.h>

static bool read_text(JsonTree *t, const char *text)
{
    const char *path = scratch_path("a.json");
    CHECK(scratch_write(path, text, strlen(text)), "cannot write");
    return json_tree_read(t, "config", path);
}

TEST(values)
{
    JsonTree t;
    REQUIRE(
        read_text(&t,
                  " {\"a\": [1, -2.5e-3, 1e-12, {\"b\": null}], \"c\": \"\\u00e9\\n\", \"d\": true,"
                  "\n\t\"e\": false, \"f\": {}, \"\": 0, \"zero\": 0e999}\n\n"),
        "%s", tensor_error());
    const JsonValue *a = json_get(t.root, "a");
    REQUIRE(a && a->kind == JSON_LIST && a->count == 4, "the list");
    const JsonValue *m = a->first;
    CHECK(m->number == 1 && m->next->number == -2.5e-3 && m->next->next->number == 1e-12,
          "%.17g %.17g %.17g", m->number, m->next->number, m->next->next->number);
    CHECK(json_get(m->next->next->next, "b")->kind == JSON_NULL, "null");
    CHECK_TEXT(json_get_text(t.root, "c"), "\xc3\xa9\n");
    CHECK(json_get(t.root, "d")->kind == JSON_TRUE && json_get(t.root, "e")->kind == JSON_FALSE,
          "true and false");
    CHECK(json_get(t.root, "f")->count == 0 && json_get(t.root, "")->number == 0, "empty");
    CHECK(json_get(t.root, "zero")->number == 0, "0e999 is %g", json_get(t.root, "zero")->number);
    CHECK(!json_get(t.root, "g") && !json_get_text(t.root, "a") && !json_get(m, "b"),
          "what is not there");
    json_tree_free(&t);
}

/* Scores of pieces, floats with up to 17 digits, are the doubles that a C compiler makes of
 * them. */
TEST(digits)
{
    JsonTree t;
    REQUIRE(read_text(&t, "[-9.165295600891113, -9.464680671691895, -1.1263149976730347]"), "%s",
            tensor_error());
    static const double want[] = {-9.165295600891113, -9.464680671691895, -1.1263149976730347};
    const JsonValue *m = t.root->first;
    for (int i = 0; i < 3; i++, m = m->next)
        CHECK(m->number == want[i], "%.17g, not %.17g", m->number, want[i]);
    json_tree_free(&t);
}

static const struct {
    const char *text, *error;
} bad[] = {
    {"", "byte 0: expected a value"},
    {"{\"a\":1", "expected '}' or ','"},
    {"{\"a\":1}x", "more text"},
    {"{\"a\":1}{", "more text"},
    {"{\"a\":01}", "expected a value"},
    {"{\"a\":1.}", "a number without digits after its point or in its exponent"},
    {"{\"a\":1e}", "a number without digits after its point or in its exponent"},
    {"{\"a\":1e999}", "a number beyond a double"},
    {"{\"a\":-}", "expected a value"},
    {"{\"a\":tru}", "expected a value"},
    {"{\"a\":NaN}", "expected a value"},
    {"{\"a\":1,\"a\":2}", "byte 12: a key that the object has already"},
    {"{\"a\" 1}", "expected ':'"},
    {"{a:1}", "expected a string"},
    {"[1,]", "expected a value"},
    {"[1 2]", "expected ']' or ','"},
    {"{\"a\":1,}", "expected a string"},
    {"[\"a]", "a string does not end"},
    {"[\"a\x01\"]", "byte 3: a control character in a string"},
    {"[\"\\x\"]", "unknown escape in a string"},
    {"[\"\\u12g4\"]", "expected four hexadecimal digits"},
    {"[\"\\u12", "expected four hexadecimal digits"},
    {"[\"a\\u0000b\"]", "the character \\u0000 is not allowed"},
    {"[\"\\ud83d\"]", "half a surrogate pair"},
    {"[\"\\ud83d\\u0041\"]", "half a surrogate pair"},
    {"[\"\\ude00\"]", "half a surrogate pair"},
    {"[\"\xff\"]", "a string is not valid UTF-8"},
    {"[\"\xc0\x80\"]", "a string is not valid UTF-8"},         /* longer than needed */
    {"[\"\xe0\x80\x80\"]", "a string is not valid UTF-8"},     /* longer than needed */
    {"[\"\xed\xa0\x80\"]", "a string is not valid UTF-8"},     /* half a pair */
    {"[\"\xf4\x90\x80\x80\"]", "a string is not valid UTF-8"}, /* beyond U+10FFFF */
    {"[\"\xe2\x82\"]", "a string is not valid UTF-8"},         /* cut short */
    {"[\"\xe2", "a string is not valid UTF-8"},                /* by the text's end */
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
     "nested deeper than 32"},
};

TEST(refused)
{
    JsonTree t;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(!read_text(&t, bad[i].text), "%s is taken", bad[i].text);
        CHECK_ERROR("config: ");
        json_tree_free(&t);
        read_text(&t, bad[i].text);
        CHECK_ERROR(bad[i].error);
        json_tree_free(&t);
    }
    CHECK(!json_tree_read(&t, "config", scratch_path("absent.json")), "an absent file");
    CHECK_ERROR("absent.json: cannot open");
    json_tree_free(&t);
}

static bool attempt(void *context)
{
    JsonTree t;
    bool ok = json_tree_read(&t, "config", context);
    json_tree_free(&t);
    return ok;
}

TEST(what_can_fail)
{
    JsonTree t;
    read_text(&t, "{\"a\":[1,2,{\"b\":\"c\"}]}");
    json_tree_free(&t);
    char path[500];
    snprintf(path, sizeof path, "%s", scratch_path("a.json"));
    Attempt trial = {.attempt = attempt, .context = path, .file = "a.json"};
    CHECK_OUT_OF_MEMORY(attempt, path);
    CHECK_TRIAL_DISK(&trial);
}

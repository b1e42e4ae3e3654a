/* test_tokeniser.c: tokenisers of pretrained models against the tokenizers library (golden/tokenisers, made by
 * pretrained/make_tokenisers.py): ids, types, offsets, pairs, truncation, and text again; and files that are refused. */
#include "tests/harness/runner.h"

#include "data/tokeniser.h"
#include "data/unicode.h"

#include <stdlib.h>
#include <string.h>

static const char *path_of(const char *name, const char *file)
{
    static char path[2000];
    const char *source = getenv("GRADUS_SOURCE");
    snprintf(path, sizeof path, "%s/tests/golden/tokenisers/%s%s%s", source ? source : ".", name,
             file ? "/" : "", file ? file : "");
    return path;
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes in place; how many bytes. *end: after the digits. */
static int64_t decode(char *text, char **end)
{
    int64_t n = 0;
    for (; hex(text[2 * n]) >= 0 && hex(text[2 * n + 1]) >= 0; n++)
        ;
    *end = text + 2 * n;
    for (int64_t i = 0; i < n; i++)
        text[i] = (char)(16 * hex(text[2 * i]) + hex(text[2 * i + 1]));
    return n;
}

/* One line of expected.tsv. */
static bool is_expected(const Tokeniser *t, char *line)
{
    char got[8000] = "", text[4000], *end, *tab = strchr(line, '\t');
    TokenInput in = {.longest = atoll(line), .text = tab + 1};
    size_t used = 0;
    Tokens tokens = {0};
    in.bytes = decode(tab + 1, &end);
    if (*end == ' ') {
        in.pair = end + 1;
        in.pair_bytes = decode(end + 1, &end);
    }
    char *want = end + 1, *back = strchr(want, '\t');
    *back++ = 0;
    /* A text of no bytes ends at its closing 0, which the digits have left. */
    static char nothing[] = "";
    in.text = in.bytes ? in.text : nothing;
    in.pair = in.pair && !in.pair_bytes ? nothing : in.pair;
    bool ok = CHECK(data_tokens(t, in, &tokens), "%s", tensor_error());
    int32_t ids[1000];
    for (int i = 0; ok && i < tokens.count && i < 1000; i++) {
        const Token *k = &tokens.token[i];
        ids[i] = k->id;
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%d:%d:%lld:%lld", i ? " " : "",
                                 k->id, k->type, (long long)k->begin, (long long)k->end);
    }
    ok = ok && CHECK_TEXT(got, want);
    size_t n = data_tokens_text(t, ids, tokens.count, false, text, sizeof text);
    if (ok && *back != '-') {
        int64_t bytes = decode(back, &end);
        ok = CHECK((int64_t)n == bytes && memcmp(text, back, n) == 0, "text again: %s", text);
    }
    data_tokens_free(&tokens);
    return ok;
}

/* How many lines of this file of the folder were compared. */
static int compare(const Tokeniser *t, const char *name, const char *file)
{
    static char line[20000];
    FILE *f = fopen(path_of(name, file), "r");
    int lines = 0, right = 0;
    if (!CHECK(f, "%s: no %s", name, file))
        return 0;
    for (; fgets(line, sizeof line, f); lines++) {
        line[strcspn(line, "\n")] = 0;
        right += is_expected(t, line);
    }
    fclose(f);
    CHECK(right == lines, "%s, %s: %d of %d texts", name, file, right, lines);
    return lines;
}

static void as_the_library(void)
{
    static const char *const names[] = {"wordpiece", "accents",     "gpt2",   "roberta",
                                        "llama3",    "whole-words", "unsplit"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        Tokeniser *t = data_tokeniser_open(path_of(names[k], NULL));
        REQUIRE(t, "%s: %s", names[k], tensor_error());
        int lines = compare(t, names[k], "expected.tsv"), edges = compare(t, names[k], "edges.tsv");
        CHECK(lines == 90 && edges == 17, "%s: %d and %d texts", names[k], lines, edges);
        data_tokeniser_free(t);
    }
}

/* vocab.txt, and vocab.json with merges.txt, by hand. */
static void put(const char *name, const char *text)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", scratch_path("tokeniser"), name);
    tensor_make_directory(scratch_path("tokeniser"));
    CHECK(scratch_write(path, text, strlen(text)), "cannot write");
}

static void words_by_hand(void)
{
    put("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nanimal\n##s\n.\nwas\ncafe\n");
    Tokeniser *t = data_tokeniser_open(scratch_path("tokeniser"));
    Tokens k = {0};
    TokenBatch b = {0};
    REQUIRE(t, "%s", tensor_error());
    REQUIRE(data_tokens(t, (TokenInput){.text = "The animals was [MASK] Caf\xc3\xa9 xyz."}, &k),
            "%s", tensor_error());
    static const int32_t want[] = {2, 5, 6, 7, 9, 4, 10, 1, 8, 3};
    CHECK(k.count == 10, "%d tokens", k.count);
    for (int i = 0; i < 10 && i < k.count; i++)
        CHECK(k.token[i].id == want[i], "token %d is %d", i, k.token[i].id);
    CHECK(k.token[6].begin == 23 && k.token[6].end == 28, "Cafe is at %d to %d",
          (int)k.token[6].begin, (int)k.token[6].end);
    Tokens rows[2] = {k, {.count = 2, .token = k.token}};
    CHECK(data_token_batch(&b, rows, 2, 0), "%s", tensor_error());
    CHECK(b.B == 2 && b.T == 10 && b.lengths[1] == 2 && b.ids[12] == 0 && b.ids[11] == 5,
          "the batch");
    CHECK(data_tokens(t, (TokenInput){.text = "the the the", .longest = 4}, &k) && k.count == 4 &&
              k.cut == 1,
          "cut to 4: %d", k.count);
    CHECK(!data_tokens(t, (TokenInput){.text = "the", .longest = 1}, &k), "one token");
    CHECK_ERROR("at most 1 tokens, of which 2 stand around");
    CHECK(data_token_need(t, "dog") < 0, "dog");
    CHECK_ERROR("data_token_need: there is no 'dog'; expected a token of the vocabulary");
    data_token_batch_free(&b);
    data_tokens_free(&k);
    data_tokeniser_free(t);
    scratch_clear(scratch_path("tokeniser"));
}

static const struct {
    const char *file, *text, *error;
} bad[] = {
    {"vocab.txt", "[UNK]\n[CLS]\n[SEP]\nthe\nthe\n",
     "vocab.txt: line 5: the token 'the' is there already"},
    {"vocab.txt", "[UNK]\nthe\n", "vocab.txt: no [UNK], [CLS] or [SEP]"},
    {"tokenizer.json", "{}", "tokenizer.json: model.type is 'missing'"},
    {"tokenizer.json", "{\"model\":{\"type\":\"Unigram\"}}",
     "model.type is 'Unigram'; expected WordPiece or BPE"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"u\",\"vocab\":{\"u\":0,\"v\":0}}}",
     "the token 'v' or its id 0 is there twice"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"u\",\"vocab\":{\"u\":-1}}}",
     "the token 'u' has no id"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"u\",\"vocab\":{\"u\":65538}}}",
     "the largest id is 65538, and there are 1 tokens; expected at most 65537"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"x\",\"vocab\":{\"u\":0}}}",
     "model.unk_token 'x' is not in the vocabulary"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"u\",\"vocab\":{\"u\":0},"
     "\"max_input_chars_per_word\":1e300}}",
     "model.max_input_chars_per_word is 1e+300; expected a whole number from 0"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"u\",\"vocab\":{\"u\":0}},"
     "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"post_processor\":{\"type\":"
     "\"TemplateProcessing\",\"single\":[{\"Sequence\":{\"id\":\"A\",\"type_id\":-1e300}}]}}",
     "post_processor has a part A that is not understood"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1},\"merges\":[\"a b\"]}}",
     "merge 1 joins 'a' and 'b'; the vocabulary has no 'ab'"},
    {"tokenizer.json", "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a\"]}}",
     "merge 1 is not two tokens"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"BPE\",\"byte_fallback\":true,\"vocab\":{\"a\":0},\"merges\":[]}}",
     "model has byte_fallback"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]},\"normalizer\":{\"type\":"
     "\"NFC\"}}",
     "normalizer is NFC"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]},\"pre_tokenizer\":{\"type\":"
     "\"Digits\"}}",
     "pre_tokenizer is Digits"},
    {"tokenizer.json",
     "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]},\"pre_tokenizer\":{\"type\":"
     "\"ByteLevel\"}}",
     "expected one for each byte"},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(bad[i].file, bad[i].text);
        Tokeniser *t = data_tokeniser_open(scratch_path("tokeniser"));
        CHECK(!t, "%s is taken", bad[i].text);
        CHECK_ERROR(bad[i].error);
        data_tokeniser_free(t);
        scratch_clear(scratch_path("tokeniser"));
    }
    CHECK(!data_tokeniser_open(scratch_path("absent")), "no folder");
    CHECK_ERROR("found no tokenizer.json");
}

/* As the tokenizers library's ByteLevel decodes: a token with a character that stands for no byte (here the euro sign) is
 * its own text. */
static void no_byte_characters(void)
{
    static const int32_t ids[] = {'b', 256, ' ', 'c'};
    char file[8000], text[40] = "";
    size_t used = 0;
    for (int b = 0; b < 256; b++)
        used += (size_t)snprintf(file + used, sizeof file - used, "%s\"\\u%04x\":%d",
                                 b ? "," : "{\"model\":{\"type\":\"BPE\",\"vocab\":{",
                                 (unsigned)byte_to_char(b), b);
    snprintf(file + used, sizeof file - used,
             ",\"\\u0120\\u20ac\":256},\"merges\":[]},\"pre_tokenizer\":{\"type\":\"ByteLevel\"}}");
    put("tokenizer.json", file);
    Tokeniser *t = data_tokeniser_open(scratch_path("tokeniser"));
    REQUIRE(t, "%s", tensor_error());
    CHECK(data_tokens_text(t, ids, 4, true, text, sizeof text) == 8, "%s", text);
    CHECK_TEXT(text, "b\xc4\xa0\xe2\x82\xac c");
    data_tokeniser_free(t);
    scratch_clear(scratch_path("tokeniser"));
}

/* The Unicode standard's own examples, and formulas. */
static void characters(void)
{
    int32_t parts[UNICODE_PARTS], c;
    CHECK(unicode_decompose(0xE9, parts) == 2 && parts[0] == 'e' && parts[1] == 0x301, "e acute");
    CHECK(unicode_decompose(0xD4DB, parts) == 3 && parts[0] == 0x1111 && parts[1] == 0x1171 &&
              parts[2] == 0x11B6,
          "Hangul, as in Unicode 3.12");
    CHECK(unicode_decompose('a', parts) == 1 && parts[0] == 'a', "a");
    CHECK(unicode_lower(0x3A3) == 0x3C3 && unicode_lower('Z') == 'z' && unicode_lower('1') == '1',
          "lower case");
    CHECK(unicode_class(' ') == UNICODE_SPACE && unicode_class(0x4E00) == UNICODE_LETTER,
          "classes");
    CHECK(unicode_class('$') & UNICODE_PUNCTUATION && unicode_class(0x200D) & UNICODE_CONTROL,
          "classes");
    /* Table 3-8 of the standard: F1 80 80 | E1 80 | C2 | 62 */
    CHECK(unicode_read((const unsigned char *)"\xf1\x80\x80\xe1\x80\xc2\x62", 7, &c) == 3 &&
              c == 0xFFFD,
          "F1 80 80");
    CHECK(unicode_read((const unsigned char *)"\xe1\x80\xc2\x62", 4, &c) == 2 && c == 0xFFFD,
          "E1 80");
    CHECK(unicode_read((const unsigned char *)"\xed\xa0\x80", 3, &c) == 1 && c == 0xFFFD,
          "a surrogate");
}

static bool attempt(void *context)
{
    Tokens k = {0};
    Tokeniser *t = data_tokeniser_open(context);
    bool ok = t && data_tokens(t, (TokenInput){.text = "The caf\xc3\xa9 it's", .pair = "too"}, &k);
    data_tokens_free(&k);
    data_tokeniser_free(t);
    return ok;
}

static void what_can_fail(void)
{
    char path[2000];
    snprintf(path, sizeof path, "%s", path_of("roberta", NULL));
    CHECK_OUT_OF_MEMORY(attempt, path);
}

static const TestCase cases[] = {
    {"as the library", as_the_library},
    {"words by hand", words_by_hand},
    {"refused", refused},
    {"no byte characters", no_byte_characters},
    {"characters", characters},
    {"what can fail", what_can_fail},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("tokeniser", cases, argc, argv);
}

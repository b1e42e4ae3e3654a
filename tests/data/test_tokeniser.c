/* test_tokeniser.c: tokenisers of pretrained models against the tokenizers library
 * (golden/tokenisers, made by pretrained/make_tokenisers.py, families.py): ids, types, offsets,
 * pairs, truncation, and text again. Files that are refused: test_tokeniser_errors.c. */
#include "tests/data/tokeniser_checks.h"
#include "tests/harness/test.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL                                                                                   \
    ", 'pre_tokenizer': {'type': 'ByteLevel', 'use_regex': false, 'add_prefix_space': false}, " \
    "'decoder': {'type': 'ByteLevel'}"

static const char *path_of(const char *name, const char *file)
{
    return source_path("tests/golden/tokenisers/%s%s%s", name, file ? "/" : "", file ? file : "");
}

/* The folder of a tokeniser. Some share a vocabulary, whose files are stored once, in the folder
 * `vocabulary`: these are put together in the scratch directory with the tokeniser's own. */
static const char *folder_of(const char *name, const char *vocabulary)
{
    static const char *const files[] = {"merges.txt",
                                        "vocab.json",
                                        "vocab.txt",
                                        "config.json",
                                        "added_tokens.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json"};
    enum { SHARED = 3, FILES = sizeof files / sizeof *files };
    if (!vocabulary)
        return path_of(name, NULL);
    scratch_clear(scratch_path("tokeniser"));
    for (int k = 0; k < SHARED + FILES; k++) {
        char first;
        const char *file = files[k < SHARED ? k : k - SHARED];
        const char *path = path_of(k < SHARED ? vocabulary : name, file);
        if (scratch_read(path, &first, 1) > 0)
            tokeniser_folder(file, scratch_text(path));
    }
    return scratch_path("tokeniser");
}

/* One line of expected.tsv. */
static bool is_expected(const Tokeniser *t, char *line)
{
    char got[8000] = "", text[4000], *end, *tab = strchr(line, '\t');
    TokenInput in = {.longest = atoll(line), .text = tab + 1};
    size_t used = 0;
    Tokens tokens = {0};
    in.bytes = tokeniser_hex(tab + 1, &end);
    if (*end == ' ') {
        in.pair = end + 1;
        in.pair_bytes = tokeniser_hex(end + 1, &end);
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
        int64_t bytes = tokeniser_hex(back, &end);
        ok = CHECK((int64_t)n == bytes && memcmp(text, back, n) == 0, "text again: %s", text);
    }
    data_tokens_free(&tokens);
    return ok;
}

/* How many lines of the folder's expected.tsv were compared. */
static int compare(const Tokeniser *t, const char *name)
{
    static char line[20000];
    FILE *f = fopen(path_of(name, "expected.tsv"), "r");
    int lines = 0, right = 0;
    if (!CHECK(f, "%s: no expected.tsv", name))
        return 0;
    for (; fgets(line, sizeof line, f); lines++) {
        line[strcspn(line, "\n")] = 0;
        right += is_expected(t, line);
    }
    fclose(f);
    CHECK(right == lines, "%s: %d of %d texts", name, right, lines);
    return lines;
}

static void check_family(const char *name, const char *vocabulary)
{
    Tokeniser *t = data_tokeniser_open(folder_of(name, vocabulary));
    REQUIRE(t, "%s: %s", name, tensor_error());
    int lines = compare(t, name);
    CHECK(lines >= 12, "%s: %d texts", name, lines);
    data_tokeniser_free(t);
}

/* Of make_tokenisers.py; then tiny tokenisers of each family as transformers saves them
 * (families.py), and folders without a tokenizer.json, which the class reads. */
TEST(as_the_libraries)
{
    static const char *const names[] = {"wordpiece",     "accents",       "gpt2",
                                        "roberta",       "llama3",        "whole-words",
                                        "unsplit",       "unigram",       "unigram-words",
                                        "unigram-whole", "bert",          "distilbert",
                                        "roberta-json",  "bart",          "modernbert",
                                        "gpt2-json",     "gpt_neox",      "llama",
                                        "llama-prepend", "smollm2",       "mistral-tekken",
                                        "gpt4o",         "phi4",          "qwen2",
                                        "qwen3",         "gemma3",        "files-bert",
                                        "files-gpt2",    "files-roberta", "files-t5",
                                        "files-t5-few",  "files-llama",   "files-llama-legacy",
                                        "files-gemma"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        check_family(names[k], NULL);
    check_family("files-distilbert", "files-bert");
    check_family("files-gpt2-map", "files-gpt2");
    check_family("files-qwen2", "files-gpt2");
    check_family("files-neox", "files-gpt2");
    check_family("files-bart", "files-roberta");
    scratch_clear(scratch_path("tokeniser"));
}

static void check_ids(const char *folder, const char *text, const char *want)
{
    char got[400] = "";
    size_t used = 0;
    Tokens k = {0};
    Tokeniser *t = data_tokeniser_open(folder);
    REQUIRE(t && data_tokens(t, (TokenInput){.text = text}, &k), "%s: %s", folder, tensor_error());
    for (int i = 0; i < k.count; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%d ", k.token[i].id);
    CHECK(strcmp(got, want) == 0, "%s: %s, not %s", folder, got, want);
    data_tokens_free(&k);
    data_tokeniser_free(t);
}

/* Files that other libraries read wrongly, as people have reported: the ids are transformers'. */
TEST(as_reported)
{
    static const char *const reports[][4] = {
        {"report-nfc-qwen", "Cafe\xcc\x81 12", "308 221 17 18 "},
        {"report-opt-files", "The cat sat", "2 274 298 303 ", "report-gpt2-bos"},
        {"report-t5-sentinels", "The <extra_id_0> sat", "3 25 7 143 3 10 4 5 1 "},
        {"report-t5-pieces", "The <extra_id_0> sat", "3 25 7 143 3 10 4 5 1 "},
        {"report-gpt2-bos", "The cat sat", "0 271 295 300 "},
        {"report-added-normalized", "the NEWWORD sat", "2 5 10 7 3 "},
        {"report-template-ids", "a", "0 5 65 "},
    };
    for (size_t k = 0; k < sizeof reports / sizeof *reports; k++)
        check_ids(folder_of(reports[k][0], reports[k][3]), reports[k][1], reports[k][2]);
    scratch_clear(scratch_path("tokeniser"));
}

/* What no class of the table says is not guessed. */
TEST(classes)
{
    static const char *const refused[][2] = {
        {"{}",
         "found no tokenizer.json, and the tokenizer_class '' of model_type '', which is not"},
        {"{'tokenizer_class': 'XLNetTokenizer'}", "the tokenizer_class 'XLNetTokenizer' of"},
        {"{'tokenizer_class': 'GPT2Tokenizer'}",
         "of the files of GPT2Tokenizer not vocab.json and merges.txt; expected one or the other"},
        {"{'tokenizer_class': 'T5Tokenizer'}", "of T5Tokenizer not spiece.model or"},
        {"{'tokenizer_class': 'BertTokenizer', 'cls_token': null}",
         "no unk_token, cls_token or sep_token among its 3 tokens"},
        {"{'tokenizer_class': 'BertTokenizer', 'added_tokens_decoder': {'9': {'content': 'new'}}}",
         "the added token 'new' has the id 9; expected 3, its id in the vocabulary, or the next"},
        {"{'tokenizer_class': 'BertTokenizer', 'added_tokens_decoder': ['new']}",
         "the added tokens are no object; expected one"},
        {"{'tokenizer_class': 'BertTokenizer', 'added_tokens_decoder': {'-1': {'content': 'new'}}}",
         "an added token '-1' without content; expected both"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char config[400];
        snprintf(config, sizeof config, "%s", refused[i][0]);
        for (char *c = config; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        tokeniser_folder("tokenizer_config.json", config);
        CHECK(!data_tokeniser_open(tokeniser_folder("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n")), "%s",
              config);
        CHECK_ERROR(refused[i][1]);
    }
    scratch_clear(scratch_path("tokeniser"));
}

/* By hand. NFC: an acute joins its letter over a mark of another class below it, but not over an
 * overline, which is of its own class (Unicode 16.0, annex 15, "blocked"). A run of unknown
 * characters is one unknown token (fuse_unk), or each of them is. */
TEST(steps_by_hand)
{
    static const char *const forms[][2] = {
        {"e\xcc\xb4\xcc\x81", "195 169 204 180 "},
        {"e\xcc\x85\xcc\x81", "101 204 133 204 129 "},
    };
    static const char *const unknown[][2] = {{"true", "1 0 1 "}, {"false", "1 1 0 1 "}};
    char text[400];
    for (int i = 0; i < 2; i++)
        check_ids(tokeniser_of_bytes("", "[]", ", 'normalizer': {'type': 'NFC'}" LEVEL),
                  forms[i][0], forms[i][1]);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "{'model': {'type': 'BPE', 'vocab': {'a': 0, '?': 1}, 'merges': [], 'unk_token': "
                 "'?', 'fuse_unk': %s}}",
                 unknown[i][0]);
        check_ids(tokeniser_quoted(text), "xyaz", unknown[i][1]);
    }
    scratch_clear(scratch_path("tokeniser"));
}

TEST(words_by_hand)
{
    tokeniser_folder("vocab.txt",
                     "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nanimal\n##s\n.\nwas\ncafe\n");
    tokeniser_folder("tokenizer_config.json", "{\"tokenizer_class\": \"BertTokenizer\"}");
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
    CHECK(data_tokens(t, (TokenInput){.text = "the", .longest = 2}, &k) && k.count == 2 &&
              k.token[0].id == 2 && k.token[1].id == 3,
          "two tokens, both around the text: %d", k.count);
    REQUIRE(data_tokens(t, (TokenInput){.text = "the", .pair = "a", .pair_bytes = 1}, &k), "%s",
            tensor_error());
    const int alone = k.count;
    CHECK(data_tokens(t, (TokenInput){.text = "the", .pair = "a cat", .pair_bytes = 1}, &k) &&
              k.count == alone,
          "a pair of one byte has %d tokens, not %d", k.count, alone);
    CHECK(data_token_find(t, "dog") < 0, "dog");
    data_token_batch_free(&b);
    data_tokens_free(&k);
    data_tokeniser_free(t);
    scratch_clear(scratch_path("tokeniser"));
}

/* A merge means the same with the line ends of Windows: "abc" is a b c, then ab c, then abc. An
 * empty line is no merge. */
TEST(merges_by_hand)
{
    static const char *const merges[] = {"#version: 0.2\na b\nab c\n",
                                         "#version: 0.2\r\na b\r\n\r\nab c\r\n", "a b\r\nab c"};
    for (int i = 0; i < 3; i++) {
        tokeniser_vocabulary(", 'ab': 256, 'abc': 257");
        tokeniser_folder("tokenizer_config.json", "{\"tokenizer_class\": \"GPT2TokenizerFast\"}");
        Tokeniser *t = data_tokeniser_open(tokeniser_folder("merges.txt", merges[i]));
        Tokens k = {0};
        REQUIRE(t, "file %d: %s", i, tensor_error());
        CHECK(data_tokens(t, (TokenInput){.text = "abca"}, &k) && k.count == 2 &&
                  k.token[0].id == 257 && k.token[1].id == 'a',
              "file %d: %d tokens, the first %d", i, k.count, k.count ? k.token[0].id : -1);
        data_tokens_free(&k);
        data_tokeniser_free(t);
        scratch_clear(scratch_path("tokeniser"));
    }
}

/* Files of older versions do not give the model's type. */
TEST(older_files)
{
    static char text[100000];
    long n = scratch_read(path_of("gpt2", "tokenizer.json"), text, sizeof text - 1);
    static const char type[] = "\"type\":\"BPE\",";
    char *at = n > 0 ? strstr(text, type) : NULL;
    REQUIRE(at, "no %s in golden/tokenisers/gpt2", type);
    memmove(at, at + strlen(type), strlen(at + strlen(type)) + 1);
    Tokeniser *t = data_tokeniser_open(tokeniser_folder("tokenizer.json", text));
    REQUIRE(t, "%s", tensor_error());
    CHECK(compare(t, "gpt2") == 29, "not every text was compared");
    data_tokeniser_free(t);
    scratch_clear(scratch_path("tokeniser"));
}

/* The tokenizers library keeps the later rank: it makes "a", "bc" of abc. */
TEST(merges_twice)
{
    static const char *const merges[] = {"['a b', 'b c', 'a b']", "['a b', 'b c']"};
    static const int32_t want[2][2] = {{'a', 257}, {256, 'c'}};
    for (int i = 0; i < 2; i++) {
        Tokeniser *t =
            data_tokeniser_open(tokeniser_of_bytes(", 'ab': 256, 'bc': 257", merges[i], LEVEL));
        Tokens k = {0};
        REQUIRE(t && data_tokens(t, (TokenInput){.text = "abc"}, &k), "%s", tensor_error());
        CHECK(k.count == 2 && k.token[0].id == want[i][0] && k.token[1].id == want[i][1],
              "%s: %d tokens, the first %d", merges[i], k.count, k.token[0].id);
        data_tokens_free(&k);
        data_tokeniser_free(t);
        scratch_clear(scratch_path("tokeniser"));
    }
}

/* A token with a character that stands for no byte is text as it is, as in the tokenizers library;
 * of the others each character is a byte. */
TEST(token_without_bytes)
{
    static const int32_t ids[] = {'a', 256, 257};
    char text[32];
    Tokeniser *t = data_tokeniser_open(
        tokeniser_of_bytes(", '\xe6\x97\xa5\xc3\xa9': 256, '\xc4\xa0 b': 257", "[]", LEVEL));
    REQUIRE(t, "%s", tensor_error());
    CHECK(data_tokens_text(t, ids, 3, false, text, sizeof text) == 10, "the length");
    CHECK_TEXT(text, "a\xe6\x97\xa5\xc3\xa9\xc4\xa0 b");
    data_tokeniser_free(t);
    scratch_clear(scratch_path("tokeniser"));
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

TEST(what_can_fail)
{
    char path[2000];
    snprintf(path, sizeof path, "%s", path_of("roberta", NULL));
    CHECK_OUT_OF_MEMORY(attempt, path);
    snprintf(path, sizeof path, "%s", path_of("unigram", NULL));
    CHECK_OUT_OF_MEMORY(attempt, path);
    snprintf(path, sizeof path, "%s", folder_of("files-gpt2-map", "files-gpt2"));
    CHECK_OUT_OF_MEMORY(attempt, path);
    snprintf(path, sizeof path, "%s", path_of("files-t5-few", NULL));
    CHECK_OUT_OF_MEMORY(attempt, path);
}

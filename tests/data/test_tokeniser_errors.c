/* test_tokeniser_errors.c: files of tokenisers that are refused, each with an error that names the
 * file and what was found in it, and calls that are wrong. Nothing of a refused file stays in
 * memory. */
#include "tests/data/tokeniser_checks.h"
#include "tests/harness/test.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

#define WORDS "{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': {'u': 0, '[C]': 1}}"
#define BERT  WORDS ", 'pre_tokenizer': {'type': 'BertPreTokenizer'}"
#define PAIRS "{'model': {'type': 'BPE', 'vocab': {'a': 0, 'b': 1}, 'merges': []}"
#define BEFORE(s) \
    PAIRS ", 'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [" s ", " LAST "]}}"
#define SPLIT(e, more) BEFORE("{'type': 'Split', 'pattern': {'Regex': '" e "'}" more "}")
#define REGEX(e)       SPLIT(e, ", 'behavior': 'Isolated'")
#define LAST           "{'type': 'ByteLevel', 'use_regex': false}"
#define AROUND(p)      BERT ", 'post_processor': " p "}"
#define PARTS(s, p)                                                                              \
    AROUND(                                                                                      \
        "{'type': 'TemplateProcessing', 'special_tokens': {'[C]': {'ids': [1]}, '[D]': {'ids': " \
        "[2]}, '[E]': {}}, 'single': [" s "], 'pair': [" p "]}")
#define FIRST  "{'Sequence': {'id': 'A', 'type_id': 0}}"
#define SECOND "{'Sequence': {'id': 'B', 'type_id': 1}}"
#define TOKEN  "{'SpecialToken': {'id': '[C]', 'type_id': 0}}"
#define TOKENS TOKEN ", " TOKEN ", " TOKEN ", " TOKEN

/* The text of a tokenizer.json, with ' for ", and a part of the error. */
static const char *const model[][2] = {
    {"{}", "model.type is 'missing'; expected WordPiece, BPE or Unigram"},
    {"{'model': {'type': 'WordLevel'}}",
     "model.type is 'WordLevel'; expected WordPiece, BPE or Unigram"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'u'}}",
     "found no vocabulary; expected an object of tokens and ids"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': ['u']}}",
     "found a vocabulary of another form; expected an object of tokens and ids"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': {'u': 0, 'v': 0}}}",
     "the token 'v' or its id 0 is there twice"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': {'u': -1}}}",
     "the token 'u' has no id"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': {'u': 65538}}}",
     "the largest id is 65538, and there are 1 tokens; expected at most 65537"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'x', 'vocab': {'u': 0}}}",
     "model.unk_token 'x' is not in the vocabulary; expected one of its tokens"},
    {"{'model': {'type': 'WordPiece', 'vocab': {'u': 0}}}",
     "model.unk_token 'null' is not in the vocabulary"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': {'u': 0}, "
     "'max_input_chars_per_word': 1e300}}",
     "model.max_input_chars_per_word is 1e+300; expected a whole number from 0"},
    {"{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': {'u': 0}, "
     "'continuing_subword_prefix': '########'}}",
     "model.continuing_subword_prefix is '########'; expected at most 7 bytes"},
    {"{'model': {'type': 'BPE', 'dropout': 0.1, 'vocab': {'a': 0}, 'merges': []}}",
     "model has dropout; expected"},
    {"{'model': {'type': 'BPE', 'continuing_subword_prefix': '#', 'vocab': {'a': 0}, 'merges': "
     "[]}}",
     "model has a continuing_subword_prefix; expected"},
    {"{'model': {'type': 'BPE', 'end_of_word_suffix': '#', 'vocab': {'a': 0}, 'merges': []}}",
     "model has an end_of_word_suffix; expected"},
    {"{'model': {'type': 'BPE', 'vocab': {'a': 0}}}", "model.merges is missing; expected a list"},
    {"{'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': 'a a'}}",
     "model.merges is of another form; expected a list"},
    {"{'model': {'type': 'BPE', 'vocab': {'a': 0, 'b': 1}, 'merges': ['a b']}}",
     "merge 1 joins 'a' and 'b'; expected 'ab' in the vocabulary"},
    {"{'model': {'type': 'BPE', 'vocab': {'a': 0, 'aa': 1}, 'merges': ['a a', 'x aa']}}",
     "merge 2 joins 'x' and 'aa'; expected 'x' in the vocabulary"},
    {"{'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': [['a', 'y']]}}",
     "merge 1 joins 'a' and 'y'; expected 'y' in the vocabulary"},
    {"{'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': ['a']}}",
     "merge 1 is not two tokens; expected two with a blank between them, or a list of two"},
    {"{'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': [['a', 1]]}}",
     "merge 1 is not two tokens"},
};

static const char *const steps[][2] = {
    {PAIRS ", 'normalizer': {}}", "normalizer is of no type; expected NFC, NFD"},
    {PAIRS ", 'normalizer': {'type': 'Sequence', 'normalizers': [{'type': 'NFC'}, {'type': "
           "'Nmt'}]}}",
     "normalizer is Nmt; expected NFC, NFD"},
    {PAIRS ", 'pre_tokenizer': {'type': 'UnicodeScripts'}}",
     "pre_tokenizer is UnicodeScripts; expected ByteLevel, Split"},
    {PAIRS ", 'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [" LAST
           ", {'type': 'Digits'}]}}",
     "pre_tokenizer has Digits after ByteLevel; expected ByteLevel last"},
    {PAIRS ", 'decoder': {'type': 'CTC'}}", "decoder is CTC; expected ByteLevel, WordPiece"},
    {PAIRS ", 'decoder': {'type': 'Sequence', 'decoders': [{'type': 'Strip', 'content': ' ', "
           "'start': 1, 'stop': 0}]}}",
     "decoder has Strip with other settings or in another place; expected"},
    {SPLIT("a", ""), "pre_tokenizer.behavior is 'missing'; expected Removed, Isolated"},
    {SPLIT("a", ", 'behavior': 'Merged'"), "pre_tokenizer.behavior is 'Merged'; expected Removed"},
    {BEFORE("{'type': 'Split', 'behavior': 'Isolated'}"),
     "a step has no pattern; expected a String or a Regex"},
    {REGEX("a|"), "the expression 'a|' has an alternative of nothing at byte 2; expected"},
    {REGEX("(?<a>b)"), "the expression '(?<a>b)' has such a group at byte 2; expected"},
    {REGEX("(a)+"), "the expression '(a)+' has a group that is repeated at byte 4; expected"},
    {REGEX("(a"), "the expression '(a' has a group without an end at byte 2; expected"},
    {REGEX("a)"), "the expression 'a)' has a ) without a group at byte 1; expected"},
    {REGEX("[a"), "the expression '[a' has an end at byte 2; expected"},
    {REGEX("[^]"), "the expression '[^]' has an empty class at byte 2; expected"},
    {REGEX("[a&&b]"), "the expression '[a&&b]' has an intersection, or such a class within a class "
                      "at byte 2; expected"},
    {REGEX("[b-a]"),
     "the expression '[b-a]' has a range that ends before it begins at byte 4; expected"},
    {REGEX("\\\\p{Han}"), "the expression '\\p{Han}' has an unknown property at byte 3; expected"},
    {REGEX("\\\\p{B}"), "the expression '\\p{B}' has an unknown property at byte 3; expected"},
    {REGEX("(?i:\\\\p{L})"),
     "the expression '(?i:\\p{L})' has a property within (?i:...) at byte 7; expected"},
    {REGEX("(?i:\xc3\xa9)"), "the expression '(?i:\xc3\xa9)' has a letter that is not ASCII within "
                             "(?i:...) at byte 6; expected"},
    {REGEX("\\\\bA"), "the expression '\\bA' has an unknown escape at byte 1; expected"},
    {REGEX("\\\\u00zz"), "the expression '\\u00zz' has an unknown escape at byte 4; expected"},
    {REGEX("+a"), "the expression '+a' has such a sign at byte 0; expected"},
    {REGEX("a**"), "the expression 'a**' has a sign after another at byte 2; expected"},
    {REGEX("a{3,2}"), "the expression 'a{3,2}' has such an interval at byte 6; expected"},
    {REGEX("a{2}+"),
     "the expression 'a{2}+' has such a sign after an interval at byte 4; expected"},
    {BERT ", 'added_tokens': [{'content': '[M]'}]}",
     "the added token '[M]' has no id; expected content and id of each"},
    {BERT ", 'added_tokens': [{'id': 2, 'content': ''}]}",
     "an added token has no content; expected content and id of each"},
    {BERT ", 'added_tokens': [{'id': 1, 'content': '[M]'}]}",
     "the added token '[M]' has the id 1 of '[C]'; expected an id of its own"},
    {BERT ", 'added_tokens': [{'id': 2, 'content': '[C]'}]}",
     "the added token '[C]' has the id 2, and 1 in the vocabulary; expected one id"},
};

static const char *const around[][2] = {
    {AROUND("{'type': 'Other'}"), "post_processor is Other; expected BertProcessing"},
    {AROUND("{'type': 'Sequence', 'processors': [{'type': 'ByteLevel'}, {'type': 'Other'}]}"),
     "post_processor is Other; expected BertProcessing"},
    {AROUND("{'type': 'BertProcessing', 'sep': ['[C]', 1]}"),
     "post_processor.cls is none; expected a token and its id"},
    {AROUND("{'type': 'BertProcessing', 'cls': ['[C]', 1], 'sep': ['[C]']}"),
     "post_processor.sep is none; expected a token and its id"},
    {AROUND("{'type': 'RobertaProcessing', 'cls': ['[C]', 1], 'sep': ['[S]', 2]}"),
     "post_processor.sep has the id 2; expected at most 1"},
    {PARTS("{'Sequence': {'id': 'A', 'type_id': -1e300}}", FIRST ", " SECOND),
     "post_processor has a part 'A' without meaning; expected"},
    {PARTS("{'Other': {}}, " FIRST, FIRST ", " SECOND),
     "post_processor has a part '' without meaning; expected"},
    {PARTS("{'SpecialToken': {'id': '[S]', 'type_id': 0}}, " FIRST, FIRST ", " SECOND),
     "post_processor.special_tokens has no ids of '[S]'; expected"},
    {PARTS("{'SpecialToken': {'id': '[E]', 'type_id': 0}}, " FIRST, FIRST ", " SECOND),
     "post_processor.special_tokens has no ids of '[E]'; expected"},
    {PARTS("{'SpecialToken': {'id': '[D]', 'type_id': 0}}, " FIRST, FIRST ", " SECOND),
     "post_processor: an id of '[D]' is too large; expected at most 1"},
    {PARTS(FIRST, FIRST ", {'Sequence': {'id': 'C', 'type_id': 0}}"),
     "post_processor has a part 'C' without meaning; expected"},
    {PARTS(TOKENS ", " TOKENS ", " TOKENS ", " TOKENS ", " FIRST, FIRST ", " SECOND),
     "post_processor has more than 16 parts; expected fewer"},
    {PARTS(TOKEN, FIRST ", " SECOND),
     "post_processor.single has the first text 0 times and the second 0 times"},
    {PARTS(FIRST ", " FIRST, FIRST ", " SECOND),
     "post_processor.single has the first text 2 times"},
    {PARTS(FIRST ", " SECOND, FIRST ", " SECOND),
     "post_processor.single has the first text 1 times and the second 1"},
    {PARTS(FIRST, SECOND),
     "post_processor.pair has the first text 0 times and the second 1 times; expected"},
    {AROUND("{'type': 'TemplateProcessing', 'single': [" FIRST "]}"),
     "post_processor.pair has the first text 0 times and the second 0 times; expected"},
};

TEST(models)
{
    for (size_t i = 0; i < sizeof model / sizeof *model; i++)
        tokeniser_refused(tokeniser_quoted(model[i][0]), "tokenizer.json", model[i][1]);
}

TEST(steps_before_the_model)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        tokeniser_refused(tokeniser_quoted(steps[i][0]), "tokenizer.json", steps[i][1]);
}

TEST(tokens_around_the_texts)
{
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        tokeniser_refused(tokeniser_quoted(around[i][0]), "tokenizer.json", around[i][1]);
}

/* A merge of two tokens that are as long as any vocabulary may have them. */
TEST(long_merges)
{
    static char text[3000];
    char word[1025];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    snprintf(text, sizeof text, "{'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': ['a %s']}}",
             word);
    tokeniser_refused(tokeniser_quoted(text), "tokenizer.json",
                      "merge 1 has 1025 bytes; expected at most 1023");
}

TEST(other_files)
{
    enum { LINES = (1 << 22) + 1 };
    tokeniser_folder("vocab.json", "[]");
    tokeniser_folder("config.json", "{\"model_type\": \"gpt2\"}");
    tokeniser_refused(tokeniser_folder("merges.txt", ""), "vocab.json",
                      "found a vocabulary of another form");
    tokeniser_folder("config.json", "{\"model_type\": \"bert\"}");
    tokeniser_refused(tokeniser_folder("vocab.txt", "[UNK]\n[CLS]\n[SEP]\nthe\nthe\n"), "vocab.txt",
                      "line 5: the token 'the' is there already; expected each once");
    tokeniser_folder("config.json", "{\"model_type\": \"bert\"}");
    tokeniser_refused(
        tokeniser_folder("vocab.txt", "[UNK]\nthe\n"), "vocab.txt",
        "no unk_token, cls_token or sep_token among its 2 tokens; expected all three");
    char *lines = malloc(LINES + 1);
    REQUIRE(lines, "no memory");
    memset(lines, '\n', LINES);
    lines[LINES] = 0;
    tokeniser_folder("config.json", "{\"model_type\": \"bert\"}");
    tokeniser_refused(tokeniser_folder("vocab.txt", lines), "vocab.txt",
                      "4194305 lines; expected at most 4194304");
    free(lines);
    CHECK(!data_tokeniser_open(scratch_path("absent")), "no folder");
    CHECK_REFUSAL("data_tokeniser_open", "absent: found no tokenizer.json");
    char path[5001];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    CHECK(!data_tokeniser_open(path), "a long path");
    CHECK_REFUSAL("data_tokeniser_open", "a path of 5000 bytes; expected at most 4032");
    CHECK(!data_tokeniser_open(NULL), "no path");
    CHECK_REFUSAL("data_tokeniser_open", "the folder is NULL; expected a path");
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void wrong_texts(const Tokeniser *t)
{
    Tokens k = {0};
    int64_t size = DATA_TEXT_MAX_BYTES + (int64_t)1; /* refused before a byte is read */
    CHECK(!data_tokens(NULL, (TokenInput){.text = "a"}, &k), "no tokeniser");
    CHECK_REFUSAL("data_tokens", "the tokeniser is NULL; expected");
    CHECK(!data_tokens(t, (TokenInput){0}, &k), "no text");
    CHECK_REFUSAL("data_tokens", "the text is NULL; expected");
    CHECK(!data_tokens(t, (TokenInput){.text = "a"}, NULL), "no tokens");
    CHECK_REFUSAL("data_tokens", "out is NULL; expected");
    CHECK(!data_tokens(t, (TokenInput){.text = "a", .bytes = size}, &k), "a long text");
    CHECK_REFUSAL("data_tokens", "a text of 134217729 bytes; expected at most 134217728");
    CHECK(!data_tokens(t, (TokenInput){.text = "a", .pair = "a", .pair_bytes = size}, &k),
          "a pair");
    CHECK_REFUSAL("data_tokens", "a text of 134217729 bytes; expected at most 134217728");
    CHECK(!data_tokens(t, (TokenInput){.text = "a", .longest = -1}, &k), "-1 tokens");
    CHECK_REFUSAL("data_tokens", "at most -1 tokens");
    CHECK(k.count == 0 && !k.token, "tokens of refused texts");
}

static void wrong_batches(void)
{
    int32_t id = 3;
    Token token = {.id = id};
    Tokens row = {.count = 1, .token = &token};
    TokenBatch b = {0};
    REQUIRE(data_token_batch(&b, &row, 1, 0), "%s", tensor_error());
    const int32_t *ids = b.ids;
    CHECK(!data_token_batch(NULL, &row, 1, 0), "no batch");
    CHECK_REFUSAL("data_token_batch", "b is NULL, 1 texts; expected");
    CHECK(!data_token_batch(&b, NULL, 1, 0), "no rows");
    CHECK_REFUSAL("data_token_batch", "rows is NULL, 1 texts; expected");
    CHECK(!data_token_batch(&b, &row, 0, 0), "0 rows");
    CHECK_REFUSAL("data_token_batch", "a batch, 0 texts; expected");
    CHECK(b.ids == ids && b.B == 1 && b.T == 1 && b.ids[0] == id, "the earlier batch is changed");
    data_token_batch_free(&b);
}

static void wrong_ids(const Tokeniser *t)
{
    static const int32_t ids[] = {'a', -1, 1000};
    char text[4] = "xyz";
    CHECK(data_tokens_text(NULL, ids, 1, true, text, sizeof text) == 0, "no tokeniser");
    CHECK_REFUSAL("data_tokens_text", "the tokeniser is NULL; expected");
    CHECK_TEXT(text, "");
    snprintf(text, sizeof text, "xyz");
    CHECK(data_tokens_text(t, NULL, 1, true, text, sizeof text) == 0, "no ids");
    CHECK_REFUSAL("data_tokens_text", "ids is NULL; expected");
    CHECK_TEXT(text, "");
    CHECK(data_tokens_text(t, ids, 1, true, NULL, 4) == 0, "no text");
    CHECK_REFUSAL("data_tokens_text", "text is NULL; expected");
    CHECK(data_tokens_text(t, ids, 3, true, text, sizeof text) == 1, "ids that are none");
    CHECK_TEXT(text, "a");
}

TEST(calls)
{
    Tokeniser *t = data_tokeniser_open(tokeniser_of_bytes("", "[]", ", 'pre_tokenizer': " LAST));
    REQUIRE(t, "%s", tensor_error());
    wrong_texts(t);
    wrong_batches();
    wrong_ids(t);
    data_tokeniser_free(t);
    scratch_clear(scratch_path("tokeniser"));
    data_tokeniser_free(NULL);
    data_tokens_free(NULL);
    data_token_batch_free(NULL);
    CHECK_NO_ERROR();
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* More than 64 tokens of each text, after which the list of tokens grows, with an added token
 * between them. */
static bool attempt(void *context)
{
    static const char text[] = "11111111 11111111 11111111 11111111 11111111 11111111 11111111 "
                               "1111111 <mask> 22222222 22222222 22222222 22222222 22222222 "
                               "22222222 22222222 22222222 . . . . . . . . . . . . . . . . . . . ";
    Tokens k = {0};
    TokenBatch b = {0};
    Tokeniser *t = data_tokeniser_open(context);
    bool ok = t && data_tokens(t, (TokenInput){.text = text, .pair = text}, &k) &&
              data_token_batch(&b, &k, 1, 0);
    ok = ok && k.count > 256 && b.T == k.count;
    data_token_batch_free(&b);
    data_tokens_free(&k);
    data_tokeniser_free(t);
    return ok;
}

TEST(memory_runs_out)
{
    CHECK_OUT_OF_MEMORY(
        attempt, (void *)tokeniser_of_bytes(", '<mask>': 256", "[]",
                                            ", 'added_tokens': [{'id': 256, 'content': '<mask>'}], "
                                            "'pre_tokenizer': " LAST));
    scratch_clear(scratch_path("tokeniser"));
    CHECK_OUT_OF_MEMORY(
        attempt, (void *)tokeniser_quoted(
                     "{'model': {'type': 'WordPiece', 'unk_token': 'u', 'vocab': {'u': 0, '1': 1, "
                     "'##1': 2, '2': 3, '##2': 4, '.': 5, '<mask>': 6}}, 'pre_tokenizer': {'type': "
                     "'BertPreTokenizer'}, 'added_tokens': [{'id': 6, 'content': '<mask>'}]}"));
    scratch_clear(scratch_path("tokeniser"));
}

static bool attempt_files(void *context)
{
    Tokeniser *t = data_tokeniser_open(context);
    data_tokeniser_free(t);
    return t != NULL;
}

/* An input error is reported with its reason and the file, not as a file that is missing. */
TEST(files_cannot_be_read)
{
    char folder[1000];
    tokeniser_folder("tokenizer_config.json",
                     "{\"do_lower_case\": false, \"tokenizer_class\": \"BertTokenizer\"}");
    snprintf(folder, sizeof folder, "%s",
             tokeniser_folder("vocab.txt", "[UNK]\n[CLS]\n[SEP]\nthe\n"));
    CHECK_TRIAL_DISK(&((Attempt){attempt_files, NULL, NULL, folder, folder}));
    scratch_clear(folder);
    snprintf(folder, sizeof folder, "%s", tokeniser_of_bytes("", "[]", ", 'pre_tokenizer': " LAST));
    CHECK_TRIAL_DISK(&((Attempt){attempt_files, NULL, NULL, folder, folder}));
    scratch_clear(folder);
}

/* test_pieces.c: SentencePiece models against the sentencepiece library (golden/tokenisers/sp-...,
 * made by pretrained/sentencepieces.py): ids and offsets; models that are refused; and ids as text.
 * 1,000 texts through five models, and the text that ids give: pretrained/sentencepieces.py. */
#include "tests/data/tokeniser_checks.h"
#include "tests/harness/test.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

/* A line of pieces.tsv: the text in hexadecimal digits, a tab, id:begin:end of each token. */
static bool is_expected(const Tokeniser *t, char *line)
{
    char got[8000] = "", *want;
    int64_t n = tokeniser_hex(line, &want);
    size_t used = 0;
    Tokens tokens = {0};
    line[n] = 0; /* at the tab after the digits, or before */
    want++;
    want[strcspn(want, "\n")] = 0;
    if (!CHECK(data_tokens(t, (TokenInput){.text = line, .bytes = n}, &tokens), "%s",
               tensor_error()))
        return false;
    for (int i = 0; i < tokens.count; i++) {
        const Token *k = &tokens.token[i];
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%d:%lld:%lld", i ? " " : "",
                                 k->id, (long long)k->begin, (long long)k->end);
    }
    bool same = CHECK(strcmp(got, want) == 0, "'%s': %s, not %s", line, got, want);
    data_tokens_free(&tokens);
    return same;
}

TEST(as_sentencepiece)
{
    static const char *const models[] = {"sp-unigram", "sp-unigram-bytes", "sp-bpe-bytes"};
    for (int i = 0; i < 3; i++) {
        static char line[20000];
        Tokeniser *t = data_tokeniser_open(source_path("tests/golden/tokenisers/%s", models[i]));
        FILE *in = fopen(source_path("tests/golden/tokenisers/%s/pieces.tsv", models[i]), "r");
        int lines = 0;
        REQUIRE(t && in, "%s: %s", models[i], tensor_error());
        while (fgets(line, sizeof line, in))
            lines += is_expected(t, line);
        CHECK(lines == 28, "%s: %d texts are right", models[i], lines);
        fclose(in);
        data_tokeniser_free(t);
    }
}

/* ---- models by hand -------------------------------------------------------------------------- */

/* A message is put together here field by field: of a number, of bytes, of a float. */
typedef struct {
    char bytes[2000];
    size_t n;
} Bytes;

static void put(Bytes *m, const void *bytes, size_t count)
{
    memcpy(m->bytes + m->n, bytes, count);
    m->n += count;
}

static void put_number(Bytes *m, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(m, (char[]){(char)(value | 0x80)}, 1);
    put(m, (char[]){(char)value}, 1);
}

static void field(Bytes *m, int number, uint64_t value)
{
    put_number(m, (uint64_t)number * 8);
    put_number(m, value);
}

static void part(Bytes *m, int number, const void *bytes, size_t count)
{
    put_number(m, (uint64_t)number * 8 + 2);
    put_number(m, count);
    put(m, bytes, count);
}

static void piece(Bytes *m, const char *text, float score, int type)
{
    Bytes p = {.n = 0};
    part(&p, 1, text, strlen(text));
    put_number(&p, 2 * 8 + 5);
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    for (int i = 0; i < 4; i++)
        put(&p, &(uint8_t){(uint8_t)(bits >> 8 * i)}, 1); /* little-endian on every machine */
    field(&p, 3, (uint64_t)type);
    part(m, 1, p.bytes, p.n);
}

/* The model's folder; type: 1 unigram, 2 BPE. */
static const char *folder_of(const Bytes *pieces, int type, const Bytes *normalizer)
{
    Bytes m = *pieces, trainer = {.n = 0};
    field(&trainer, 3, (uint64_t)type);
    part(&m, 2, trainer.bytes, trainer.n);
    if (normalizer)
        part(&m, 3, normalizer->bytes, normalizer->n);
    const char *folder = tokeniser_folder("tokenizer_config.json", "{\"add_bos_token\": false}");
    static char path[4096];
    snprintf(path, sizeof path, "%s/spiece.model", folder);
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(m.bytes, 1, m.n, out) == m.n && fclose(out) == 0, "cannot write");
    return folder;
}

/* A SentencePiece model of these pieces, all of score -1, as a file of the folder "tokeniser". */
static void write_pieces(const char *name, const char *const *pieces)
{
    Bytes m = {.n = 0};
    piece(&m, "<unk>", 0, 2);
    for (; *pieces; pieces++)
        piece(&m, *pieces, -1, 1);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", tokeniser_folder(name, ""), name);
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(m.bytes, 1, m.n, out) == m.n && fclose(out) == 0, "cannot write");
}

static void check_ids(const Tokeniser *t, const char *text, const char *pair, const char *want)
{
    Tokens tokens = {0};
    char got[400] = "";
    size_t used = 0;
    CHECK(data_tokens(t, (TokenInput){.text = text, .pair = pair}, &tokens), "%s", tensor_error());
    for (int i = 0; i < tokens.count; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%d:%lld ", tokens.token[i].id,
                                 (long long)tokens.token[i].end);
    CHECK_TEXT(got, want);
    data_tokens_free(&tokens);
}

/* By hand: each text is cut by the model of its language, and the ids are those of vocab.json. "c"
 * is unknown to the first language, but the vocabulary has it; "b" is no token of the vocabulary.
 * Where a token ends in its text stands after its id; the blank in front stands for no bytes. */
TEST(a_pair_of_marian_models)
{
    static const char vocabulary[] = "{\"</s>\": 0, \"<unk>\": 1, \"\xe2\x96\x81\": 2, \"a\": 3, "
                                     "\"c\": 4, \">>fra<<\": 5, \"ab\": 6, \"<pad>\": 7}";
    static const char *const one[] = {"\xe2\x96\x81", "a", "b", NULL}, *const two[] = {
                                                                           "\xe2\x96\x81", "ab",
                                                                           "c", NULL};
    write_pieces("source.spm", one);
    write_pieces("target.spm", two);
    tokeniser_folder("tokenizer_config.json", "{\"separate_vocabs\": true}");
    const char *folder = tokeniser_folder("vocab.json", vocabulary);
    CHECK(!data_tokeniser_open(folder), "two vocabularies");
    CHECK_ERROR("tokenizer_config.json: separate_vocabs is true; expected false");
    tokeniser_folder("tokenizer_config.json", "{}");
    Tokeniser *t = data_tokeniser_open(folder);
    REQUIRE(t, "%s", tensor_error());
    check_ids(t, "ab c", NULL, "2:0 3:1 1:2 2:3 4:4 0:0 ");
    check_ids(t, ">>fra<<a", NULL, "5:7 2:7 3:8 0:0 ");
    check_ids(t, ">>x<<", NULL, "1:5 0:0 ");
    check_ids(t, ">>a</s>cd", NULL, "2:0 1:2 3:3 0:7 2:7 1:9 0:0 ");
    check_ids(t, "a", "ab d", "2:0 3:1 2:0 6:2 2:3 1:4 0:0 ");
    char text[40];
    data_tokens_text(t, (int32_t[]){2, 6, 2, 4, 0}, 5, false, text, sizeof text);
    CHECK_TEXT(text, "ab c");
    data_tokeniser_free(t);
    tokeniser_folder("vocab.json", "{\"</s>\": 0, \"<unk>\": 1}");
    CHECK(!data_tokeniser_open(folder), "no <pad>");
    CHECK_ERROR("vocab.json: no token <pad>; expected </s>, <unk> and <pad>");
}

/* "ab" is one piece of score -3, or two of -1 each: the sum -2 is larger. With BPE the merge counts
 * whatever the scores of its parts. */
TEST(scores_decide)
{
    static const int counts[] = {2, 1};
    for (int bpe = 0; bpe < 2; bpe++) {
        Bytes m = {.n = 0}, normal = {.n = 0};
        Tokens tokens = {0};
        piece(&m, "<unk>", 0, 2);
        piece(&m, "ab", bpe ? -1 : -3, 1);
        piece(&m, "a", bpe ? -2 : -1, 1);
        piece(&m, "b", bpe ? -3 : -1, 1);
        field(&normal, 3, 0); /* no blank in front */
        Tokeniser *t = data_tokeniser_open(folder_of(&m, 1 + bpe, &normal));
        REQUIRE(t && data_tokens(t, (TokenInput){.text = "ab"}, &tokens), "%s", tensor_error());
        CHECK(tokens.count == counts[bpe], "%d tokens", tokens.count);
        data_tokens_free(&tokens);
        data_tokeniser_free(t);
    }
}

/* Scores decide, not the order of the pieces: "bc" has the larger one and comes second. As
 * sentencepiece does: a, bc. */
TEST(scores_decide_not_the_order)
{
    Bytes m = {.n = 0}, normal = {.n = 0};
    piece(&m, "<unk>", 0, 2);
    piece(&m, "ab", -2, 1);
    piece(&m, "bc", -1, 1);
    piece(&m, "a", -3, 1);
    piece(&m, "b", -4, 1);
    piece(&m, "c", -3.5F, 1);
    field(&normal, 3, 0);
    Tokeniser *t = data_tokeniser_open(folder_of(&m, 2, &normal));
    REQUIRE(t, "%s", tensor_error());
    check_ids(t, "abc", NULL, "3:1 2:3 ");
    data_tokeniser_free(t);
}

TEST(models_that_are_refused)
{
    static const struct {
        const char *text;
        float score;
        int type, model;
        const char *error;
    } bad[] = {
        {"", 0, 1, 1, "piece 1 has no text, no finite score or no known type"},
        {"a", 0.0F / 0.0F, 1, 1, "piece 1 has no text, no finite score or no known type"},
        {"a", 0, 7, 1, "piece 1 has no text, no finite score or no known type"},
        {"<unk>", 0, 1, 1, "the piece '<unk>' is there twice; expected each once"},
        {"a", 0, 1, 3, "model_type is 3; expected 1, unigram, or 2, BPE"},
        {"a", 0, 5, 2, "the piece 'a' of a BPE model is unused; expected none"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Bytes m = {.n = 0};
        piece(&m, "<unk>", 0, 2);
        piece(&m, bad[i].text, bad[i].score, bad[i].type);
        CHECK(!data_tokeniser_open(folder_of(&m, bad[i].model, NULL)), "%s", bad[i].error);
        CHECK_ERROR(bad[i].error);
    }
    Bytes m = {.n = 0}, map = {.n = 0};
    piece(&m, "a", 0, 1);
    CHECK(!data_tokeniser_open(folder_of(&m, 1, NULL)), "no unknown piece");
    CHECK_ERROR("no unknown piece; expected one");
    piece(&m, "<unk>", 0, 2);
    part(&map, 2, "\x08\0\0\0\1\2\3\4", 8); /* 8 bytes of a trie, of which 4 are there */
    CHECK(!data_tokeniser_open(folder_of(&m, 1, &map)), "a trie that breaks off");
    CHECK_ERROR("precompiled_charsmap has 8 bytes, of which 8 are its trie");
    m.n -= 2; /* the last piece promises more bytes than there are */
    m.bytes[m.n - 2] = 0x7F;
    CHECK(!data_tokeniser_open(folder_of(&m, 1, NULL)), "a message that breaks off");
    CHECK_ERROR("spiece.model: ");
}

/* ---- tokenizer.json of type Unigram ---------------------------------------------------------- */

#define PIECES(v, u) "{'model': {'type': 'Unigram', 'unk_id': " u ", 'vocab': [" v "]"
#define UNIGRAM      PIECES("['u', 0], ['a', -1]", "0") "}"
#define SPACE(s)     UNIGRAM ", 'pre_tokenizer': {'type': 'Metaspace'" s "}}"
#define NORMAL(n)    UNIGRAM ", 'normalizer': " n "}"

static const char *const refused_json[][2] = {
    {"{'model': {'type': 'Unigram'}}", "model.vocab is missing; expected at most 4194304 pieces"},
    {"{'model': {'type': 'Unigram', 'vocab': {'u': 0}}}", "model.vocab is no list; expected"},
    {PIECES("['u', 0]", "1") "}}", "model.unk_id is no id of 1 pieces; expected one of them"},
    {PIECES("['u', 0]", "null") "}}", "model.unk_id is no id of 1 pieces; expected one of them"},
    {PIECES("['u', 0], 'a'", "0") "}}", "model.vocab has no piece and score at 1; expected such"},
    {PIECES("['u', 0], ['a', '1']", "0") "}}", "model.vocab has no piece and score at 1"},
    {PIECES("['u', 0], ['', -1]", "0") "}}", "model.vocab has no piece and score at 1"},
    {PIECES("['u', 0], [1, -1]", "0") "}}", "model.vocab has no piece and score at 1"},
    {PIECES("['u', 0], ['a', -1e31]", "0") "}}", "model.vocab has no piece and score at 1"},
    {PIECES("['u', 0], ['a', -1, 2]", "0") "}}", "model.vocab has no piece and score at 1"},
    {PIECES("['u', 0], ['u', -1]", "0") "}}", "the piece 'u' is there twice; expected each once"},
    {PIECES("['u', 0]", "0") "}, 'added_tokens': [{'id': 65540}]}",
     "the largest id is 65540, and there are 2 tokens; expected at most 65539"},
    {PIECES("['u', 0]", "0") ", 'byte_fallback': true}, 'pre_tokenizer': {'type': 'Metaspace', "
                             "'replacement': '\xe2\x96\x81'}}",
     "byte_fallback without the byte piece <0x00>; expected all 256"},
    {SPACE(""), "pre_tokenizer Metaspace has the replacement '' and the prepend_scheme ''"},
    {SPACE(", 'replacement': '_'"),
     "pre_tokenizer Metaspace has the replacement '_' and the prepend_scheme ''"},
    {SPACE(", 'replacement': '\xe2\x96\x81', 'prepend_scheme': 'second'"),
     "pre_tokenizer Metaspace has the replacement '\xe2\x96\x81' and the prepend_scheme "
     "'second'; expected U+2581 and never, first or always"},
    {NORMAL("{'type': 'NFKC'}"), "normalizer is NFKC; expected NFC, NFD, Lowercase"},
    {NORMAL("{'type': 'Precompiled'}"), "normalizer.precompiled_charsmap is no text; expected"},
    {NORMAL("{'type': 'Precompiled', 'precompiled_charsmap': 'A*=='}"),
     "normalizer.precompiled_charsmap is no base64; expected bytes as base64"},
    {NORMAL("{'type': 'Precompiled', 'precompiled_charsmap': 'CAAAAAECAwQ='}"),
     "precompiled_charsmap has 8 bytes, of which 8 are its trie; expected"},
    {NORMAL("{'type': 'Replace', 'pattern': {'Regex': ' {2,}'}}"),
     "normalizer Replace has no text; expected one"},
    {NORMAL("{'type': 'Replace', 'content': ' '}"),
     "a step has no pattern; expected a String or a Regex"},
};

TEST(unigram_files_that_are_refused)
{
    scratch_clear(scratch_path("tokeniser"));
    for (size_t i = 0; i < sizeof refused_json / sizeof *refused_json; i++)
        tokeniser_refused(tokeniser_quoted(refused_json[i][0]), "tokenizer.json",
                          refused_json[i][1]);
}

/* By hand: -1 - 1 is more than -2.00000001 in double, and as much in float; and a piece with a
 * blank inside is found where nothing is cut before the blank. */
TEST(unigram_by_hand)
{
    static const char *const ids[] = {"2:1 3:2 1:3 2:4 3:5 ", "2:1 6:3 2:4 3:5 "};
    char text[1000];
    for (int whole = 0; whole < 2; whole++) {
        snprintf(text, sizeof text,
                 "{'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['u', 0], ['\xe2\x96\x81', "
                 "-1], ['a', -1], ['b', -1], ['ab', -2.00000001], ['\xe2\x96\x81"
                 "ab', -3.1], ['b\xe2\x96\x81', -1]]}, 'pre_tokenizer': {'type': 'Metaspace', "
                 "'replacement': '\xe2\x96\x81', 'prepend_scheme': 'never', 'split': %s}}",
                 whole ? "false" : "true");
        Tokeniser *t = data_tokeniser_open(tokeniser_quoted(text));
        REQUIRE(t, "%s", tensor_error());
        check_ids(t, "ab ab", NULL, ids[whole]);
        data_tokeniser_free(t);
    }
    scratch_clear(scratch_path("tokeniser"));
}

TEST(ids_as_text)
{
    Tokens tokens = {0};
    Tokeniser *t = data_tokeniser_numbers(20);
    REQUIRE(t && data_tokens(t, (TokenInput){.text = "5, 17,3"}, &tokens), "%s", tensor_error());
    CHECK(tokens.count == 3 && tokens.token[1].id == 17 && tokens.token[1].begin == 3 &&
              tokens.token[1].end == 5,
          "%d tokens", tokens.count);
    char text[40];
    data_tokens_text(t, (int32_t[]){5, 17, 3}, 3, false, text, sizeof text);
    CHECK_TEXT(text, "5 17 3");
    CHECK(!data_tokens(t, (TokenInput){.text = "5,20"}, &tokens), "20 of 20");
    CHECK_ERROR("data_tokens: number 2 of the text is no id; expected 0 to 19");
    CHECK(!data_tokens(t, (TokenInput){.text = "99999999999999999999"}, &tokens), "20 digits");
    CHECK_ERROR("number 1 of the text is no id");
    CHECK(!data_tokens(t, (TokenInput){.text = "-1"}, &tokens), "a sign");
    CHECK_ERROR("number 1 of the text is no id");
    CHECK(!data_tokeniser_numbers(0), "no tokens");
    CHECK_ERROR("data_tokeniser_numbers: 0 tokens; expected 1 to 4194304");
    data_tokens_free(&tokens);
    data_tokeniser_free(t);
}

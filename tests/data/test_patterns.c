/* test_patterns.c: what the expressions of a tokeniser may cost. What they match is compared with
 * the tokenizers library in test_tokeniser.c; which are refused: test_tokeniser_errors.c. */
#include "tests/data/tokeniser_checks.h"
#include "tests/harness/test.h"

#include "data/data.h"
#include "data/unicode.h"

#include <string.h>

/* An expression that goes back again and again is given up: a run of n blanks that no line break
 * follows takes n^2 / 2 steps. */
TEST(steps_run_out)
{
    static char text[6000];
    Tokens k = {0};
    Tokeniser *t = data_tokeniser_open(tokeniser_of_bytes(
        "", "[]",
        ", 'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [{'type': 'Split', 'pattern': "
        "{'Regex': ' *x'}, 'behavior': 'Isolated'}, {'type': 'ByteLevel', 'use_regex': false}]}"));
    REQUIRE(t, "%s", tensor_error());
    memset(text, ' ', sizeof text - 1);
    CHECK(!data_tokens(t, (TokenInput){.text = text}, &k), "%d tokens", k.count);
    CHECK_ERROR("data_tokens: the tokeniser's expressions and replacements take more than 1,024");
    text[100] = 0;
    CHECK(data_tokens(t, (TokenInput){.text = text}, &k) && k.count == 100, "%d tokens", k.count);
    data_tokens_free(&k);
    data_tokeniser_free(t);
    scratch_clear(scratch_path("tokeniser"));
}

/* Each repeated part of an expression costs a call within a call. */
TEST(long_expressions)
{
    static char text[3000], parts[1100];
    for (int i = 0; i < 501; i++)
        memcpy(parts + 2 * i, "a?", 3);
    snprintf(text, sizeof text, "%s%s%s",
             "{'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': []}"
             ", 'pre_tokenizer': {'type': 'Split', 'behavior': 'Isolated', 'pattern': "
             "{'Regex': '",
             parts, "'}}}");
    tokeniser_refused(tokeniser_quoted(text), "tokenizer.json", "the expression 'a?a?");
}

/* The Unicode standard's own examples, and formulas. */
TEST(characters)
{
    int32_t parts[UNICODE_PARTS], c;
    CHECK(unicode_decompose(0xE9, parts) == 2 && parts[0] == 'e' && parts[1] == 0x301, "e acute");
    CHECK(unicode_decompose(0xD4DB, parts) == 3 && parts[0] == 0x1111 && parts[1] == 0x1171 &&
              parts[2] == 0x11B6,
          "Hangul, as in Unicode 3.12");
    CHECK(unicode_decompose('a', parts) == 1 && parts[0] == 'a', "a");
    CHECK(unicode_lower(0x3A3) == 0x3C3 && unicode_lower('Z') == 'z' && unicode_lower('1') == '1',
          "lower case");
    CHECK(unicode_class(0x20) == (UNICODE_SPACE | CATEGORY_ZS) &&
              unicode_class(0x4E00) == CATEGORY_LO,
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

/* stepping_pairs.c: three merges of byte pairs, and a word encoded with them, to be walked through
 * in a debugger:
 * stepping-pairs.md.                                                            Z "Tokenization" */
#include "examples/common/options.h"
#include "gradus.h"

#include <string.h>

enum { MERGES = 3, TOKENS_MAX = 64 };

/* Prints the tokens of a text, with a bar between two: "Pi|per". */
static void print_tokens(const Bpe *b, const int32_t *ids, int64_t n)
{
    char token[DATA_BPE_TOKEN_BYTES];
    for (int64_t i = 0; i < n; i++) {
        data_bpe_token(b, ids[i], token);
        printf("%s%s", i ? "|" : "", token);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static const char text[] = "Peter Piper picked a peck of pickled peppers";
    const Option table[] = {{0}};
    options_parse(argc, argv, "Three merges of byte pairs, to be stepped through.", table);
    example_exit_on_error();
    Bpe b;
    int32_t ids[TOKENS_MAX];
    data_bpe_train(&b, text, strlen(text), MERGES);
    int64_t n = data_bpe_encode(&b, "peppers", strlen("peppers"), ids, TOKENS_MAX);
    print_tokens(&b, ids, n);
    n = data_bpe_encode(&b, text, strlen(text), ids, TOKENS_MAX);
    print_tokens(&b, ids, n);
    data_bpe_free(&b);
    return 0;
}

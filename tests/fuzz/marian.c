/* marian.c: Marian's pair of SentencePiece models and their vocabulary: these bytes are the
 * vocabulary, or the model of the language that is read. */
#include "tests/fuzz/tokenise.h"

#include <stdbool.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint8_t pieces[] =
        "\n\x09\n\x05<unk>\x18\x02\n\x0a\n\x03\xe2\x96\x81\x15\0\0\x80\xbf"
        "\n\x08\n\x01"
        "a\x15\0\0\x80\xbf";
    static const char vocabulary[] = "{\"</s>\": 0, \"<unk>\": 1, \"a\": 2, \"<pad>\": 3}";
    const bool is_vocabulary = size > 0 && bytes[0] == '{';
    fuzz_write("target.spm", pieces, sizeof pieces - 1);
    fuzz_write("source.spm", is_vocabulary ? pieces : bytes,
               is_vocabulary ? sizeof pieces - 1 : size);
    fuzz_write("vocab.json", is_vocabulary ? bytes : (const uint8_t *)vocabulary,
               is_vocabulary ? size : sizeof vocabulary - 1);
    fuzz_tokeniser(bytes, size);
    return 0;
}

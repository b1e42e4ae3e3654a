/* text.c: data_file_text and data_text_from. Decoding the ids of any text gives its bytes back. */
#include "tests/fuzz/fuzz.h"

#include "data/data.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Text t;
    char label[DATA_LABEL_BYTES];
    bool ok = data_text_from("bytes", &t, bytes, size, 1);
    fuzz_outcome(ok, "data_text_from");
    if (ok) {
        char *text = malloc(size + 1);
        FUZZ_REQUIRE(text, "no memory");
        FUZZ_REQUIRE(data_text_decode(&t, t.ids, t.count, text, size + 1) == size,
                     "another length");
        FUZZ_REQUIRE(memcmp(text, bytes, size) == 0, "other bytes");
        free(text);
        for (int i = 0; i < t.symbols; i++)
            FUZZ_REQUIRE(strlen(data_text_label(&t, i, label)) < sizeof label, "symbol %d", i);
    }
    data_text_free(&t);

    size_t count = 0;
    char *text = data_file_text(fuzz_file(bytes, size), &count);
    FUZZ_REQUIRE(!text || (count == size && strlen(text) == size), "%zu bytes of %zu", count, size);
    fuzz_outcome(text != NULL, "data_file_text");
    data_file_free(text);
    return 0;
}

/* json.c: the JSON cursor of the safetensors header, called in an order that the input's first
 * bytes choose. The cursor never leaves the text, and after the first failure every call fails. */
#include "tests/fuzz/fuzz.h"

#include "tensor/io/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 8)
        return 0;
    const char *text = (const char *)bytes + 8;
    Json j = {.start = text, .at = text, .end = text + (size - 8)};
    char out[16];
    size_t length;
    int64_t count;
    bool first = true;
    for (int i = 0; i < 64; i++) {
        bool failed = j.wrong != NULL, ok = false;
        const char *before = j.at;
        switch (bytes[i % 8] % 6) {
        case 0:
            ok = json_accept(&j, '{');
            break;
        case 1:
            ok = json_expect(&j, ':');
            break;
        case 2:
            ok = json_member(&j, '}', &first);
            break;
        case 3:
            ok = json_string(&j, out, sizeof out, &length);
            FUZZ_REQUIRE(!ok || length < sizeof out, "%zu bytes", length);
            break;
        case 4:
            ok = json_count(&j, &count);
            FUZZ_REQUIRE(!ok || count >= 0, "%lld", (long long)count);
            break;
        default:
            ok = json_string(&j, NULL, 0, &length);
        }
        FUZZ_REQUIRE(!failed || !ok, "a call succeeded after a failure");
        FUZZ_REQUIRE(j.at >= before && j.at <= j.end, "the cursor left the text");
    }
    json_end(&j);
    return 0;
}

/* replay.c: runs a fuzz target on its seeds, without libFuzzer, as a test: whole, cut, and with
 * one byte changed. Arguments: folders of seeds. Prints TAP: a line for each seed. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>

enum { SEED_MAX = 1 << 16, DAMAGED_MAX = 1024, DAMAGES = 200 };

/* On a copy of exactly this size, so that the sanitizers see a read beyond it. */
static void try_input(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    FUZZ_REQUIRE(copy, "no memory");
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Cut at every byte, and with each changed in two ways; of a longer seed at 200 of its bytes. */
static void try_damage(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 1 + size / DAMAGES) {
        const uint8_t whole = bytes[i];
        try_input(bytes, i);
        bytes[i] ^= 0xFF;
        try_input(bytes, size);
        bytes[i] = '9';
        try_input(bytes, size);
        bytes[i] = whole;
    }
}

static int replay(const char *folder, const char *name, int number)
{
    static uint8_t bytes[SEED_MAX];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    if (!in)
        return number;
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    try_input(bytes, size);
    if (size <= DAMAGED_MAX)
        try_damage(bytes, size);
    printf("ok %d - %s\n", number + 1, name);
    return number + 1;
}

int main(int argc, char **argv)
{
    int number = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *e; folder && (e = readdir(folder));)
            if (e->d_name[0] != '.')
                number = replay(argv[i], e->d_name, number);
        if (folder)
            closedir(folder);
    }
    if (number == 0)
        printf("not ok 1 - there are no seeds\n");
    printf("1..%d\n", number ? number : 1);
    return number == 0;
}

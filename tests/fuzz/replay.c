/* replay.c: runs a fuzz target on its seeds, without libFuzzer, as a test. Arguments: folders of
 * seeds. Prints TAP: a line for each seed. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>

enum { SEED_MAX = 1 << 16 };

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
    /* A copy of exactly this size, so that the sanitizers see a read beyond it. */
    uint8_t *copy = malloc(size + !size);
    for (size_t i = 0; copy && i < size; i++)
        copy[i] = bytes[i];
    FUZZ_REQUIRE(copy, "no memory");
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
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

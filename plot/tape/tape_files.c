/* tape_files.c: texts of the source tree for the page of a tape. See tape_page.h.
 *
 * The compiler knows a file by a path from the build folder ("../examples/vit/model.c") or by an
 * absolute one. The file is looked for under that name, in the present folder, and in the folder of
 * the sources with which this program was built. */
#include "plot/tape/tape_page.h"

#include "tensor/memory.h"

#include <string.h>

enum { PATH = 1024, LONGEST = 1 << 20 };

/* The whole file; NULL if it cannot be read or is larger than source files are. */
static char *read_text(Arena *arena, const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0) {
        long size = ftell(f);
        rewind(f);
        if (size > 0 && size < LONGEST && (text = arena_alloc(arena, (size_t)size + 1))) {
            text[fread(text, 1, (size_t)size, f)] = 0;
        }
    }
    fclose(f);
    return text;
}

/* Is there such a file in the folder of the sources? */
static bool is_source(const char *name)
{
    char path[PATH];
    FILE *f = snprintf(path, sizeof path, "%s/%s", GRADUS_SOURCE_ROOT, name) < PATH
                  ? fopen(path, "rb")
                  : NULL;
    if (f)
        fclose(f);
    return f != NULL;
}

/* As the page shows it: from the folder of the sources. A build folder elsewhere leads there by the
 * last folders of its path: "../../src/gradus/nn/block.c", with the sources in /src/gradus. */
static const char *shown_path(const char *compiled)
{
    static const char root[] = GRADUS_SOURCE_ROOT;
    while (strncmp(compiled, "../", 3) == 0)
        compiled += 3;
    for (size_t i = 0; root[i] && !is_source(compiled); i++) {
        size_t length = sizeof root - 1 - i;
        bool begins = i == 0 || root[i - 1] == '/';
        if (begins && strncmp(compiled, root + i, length) == 0 && compiled[length] == '/' &&
            is_source(compiled + length + 1))
            return compiled + length + 1;
    }
    return compiled;
}

static char *find_text(Arena *arena, const char *compiled)
{
    char path[PATH];
    const char *shown = shown_path(compiled);
    char *text = read_text(arena, shown);
    if (!text && snprintf(path, sizeof path, "%s/%s", GRADUS_SOURCE_ROOT, shown) < PATH)
        text = read_text(arena, path);
    return text ? text : read_text(arena, compiled);
}

static int find(const TapeFiles *files, const char *path)
{
    for (int i = 0; i < files->count; i++)
        if (strcmp(files->file[i].path, path) == 0)
            return i;
    return -1;
}

/* The index of the new file; -1 if there is no memory for it. */
static int add(TapeFiles *files, const char *path, const char *text)
{
    const char *name = arena_copy(files->arena, path, strlen(path) + 1);
    if (!name || files->count == TAPE_FILES)
        return -1;
    files->file[files->count].path = name;
    files->file[files->count].text = text;
    return files->count++;
}

int tape_source_file(TapeFiles *files, const char *compiled)
{
    if (!compiled)
        return -1;
    int i = find(files, shown_path(compiled));
    if (i >= 0 || files->count == TAPE_FILES)
        return i;
    return add(files, shown_path(compiled), find_text(files->arena, compiled));
}

/* The comment with which the text begins, without its marks; NULL if it begins with none. */
static char *first_comment(Arena *arena, const char *text)
{
    const char *end = text && strncmp(text, "/* ", 3) == 0 ? strstr(text, "*/") : NULL;
    char *comment = end ? arena_copy(arena, text + 3, (size_t)(end - text) - 2) : NULL;
    if (!comment)
        return NULL;
    comment[end - text - 3] = 0;
    char *to = comment;
    for (const char *from = comment; *from;) {
        *to++ = *from;
        if (*from++ == '\n')
            from += strncmp(from, " * ", 3) == 0 ? 3 : strncmp(from, " *", 2) == 0 ? 2 : 0;
    }
    *to = 0;
    return comment;
}

int tape_rule_file(TapeFiles *files, const char *op)
{
    char path[PATH];
    if (snprintf(path, sizeof path, "autograd/ops/%s.c", op) >= PATH)
        return -1;
    int i = find(files, path);
    if (i >= 0 || files->count == TAPE_FILES)
        return i;
    char *comment = first_comment(files->arena, find_text(files->arena, path));
    return comment ? add(files, path, comment) : -1;
}

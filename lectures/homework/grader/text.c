/* text.c: see text.h. */
#include "text.h"
#include "grader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void quit(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "grader: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(2);
}

void *memory(size_t count, size_t size)
{
    void *got = calloc(count + 1, size);
    if (!got)
        quit("out of memory");
    return got;
}

void *memory_grown(void *had, size_t count, size_t size)
{
    had = realloc(had, count * size);
    if (!had)
        quit("out of memory");
    return had;
}

void text_add(Text *t, const void *bytes, size_t count)
{
    if (t->length + count + 1 > t->capacity) {
        t->capacity = 2 * (t->length + count) + 64;
        t->data = memory_grown(t->data, t->capacity, 1);
    }
    if (count)
        memcpy(t->data + t->length, bytes, count);
    t->length += count;
    t->data[t->length] = 0;
}

void text_put(Text *t, const char *words)
{
    text_add(t, words, strlen(words));
}

void text_print(Text *t, const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0)
        text_add(t, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void text_indent(Text *t, const char *indent, const char *words)
{
    while (*words) {
        size_t line = strcspn(words, "\n");
        text_put(t, indent);
        text_add(t, words, line);
        text_put(t, "\n");
        words += line + (words[line] == '\n');
    }
}

void text_cut(Text *t, size_t length)
{
    if (length < t->length) {
        t->length = length;
        t->data[length] = 0;
    }
}

void text_free(Text *t)
{
    free(t->data);
    *t = (Text){0};
}

const char *text_of(const Text *t)
{
    return t->data ? t->data : "";
}

Reader text_reader(const Text *t)
{
    return (Reader){text_of(t), t->length};
}

bool text_take(Reader *r, void *into, size_t count)
{
    if (r->left < count)
        return false;
    memcpy(into, r->at, count);
    r->at += count;
    r->left -= count;
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

bool text_read(int from, Text *into, size_t most)
{
    char part[1 << 14];
    ssize_t got;
    while ((got = read(from, part, sizeof part)) > 0 && into->length < most)
        text_add(into, part, (size_t)got);
    close(from);
    text_add(into, "", 0);
    return got >= 0;
}

bool file_read(const char *path, Text *into)
{
    struct stat info;
    int from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (from < 0 || fstat(from, &info) != 0 || !S_ISREG(info.st_mode)) {
        if (from >= 0)
            close(from);
        return false;
    }
    return text_read(from, into, (size_t)16 << 20);
}

/* Is it a regular file, or not there yet? Anything else would be replaced by the renaming below,
 * /dev/null too. */
static bool is_regular(const char *path)
{
    struct stat info;
    return *path && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

bool file_can_be_written(const char *path)
{
    char part[PATH_SIZE + 32];
    snprintf(part, sizeof part, "%s.part-%d", path, (int)getpid());
    int to = is_regular(path) ? open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (to >= 0)
        close(to);
    unlink(part); /* or another machine's program has done so, whose number is the same */
    return to >= 0;
}

bool folder_can_be_written(const char *path)
{
    char inside[PATH_SIZE + 32];
    snprintf(inside, sizeof inside, "%s/probe", path);
    return *path && folder_make(path) && file_can_be_written(inside);
}

/* Under another name first, so that nobody ever sees half of it. */
bool file_write(const char *path, const void *bytes, size_t count)
{
    char part[PATH_SIZE + 32];
    snprintf(part, sizeof part, "%s.part-%d", path, (int)getpid());
    FILE *to = is_regular(path) ? fopen(part, "wb") : NULL;
    if (!to)
        return false;
    bool whole = fwrite(bytes, 1, count, to) == count;
    whole = fclose(to) == 0 && whole && rename(part, path) == 0;
    if (!whole)
        unlink(part);
    return whole;
}

void file_load(const char *path, Text *into)
{
    if (!file_read(path, into))
        quit("%s cannot be read", path);
}

void file_save(const char *path, Text *text)
{
    if (!file_write(path, text_of(text), text->length))
        quit("%s cannot be written", path);
    text_free(text);
}

bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool folder_make(const char *path)
{
    char part[PATH_SIZE];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(part, 0777);
        *slash = '/';
    }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

bool folder_temporary(char path[PATH_SIZE])
{
    const char *base = getenv("TMPDIR");
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(path, PATH_SIZE, "%.900s/gradus-%d-%u", base && *base ? base : "/tmp",
                 (int)getpid(), attempt);
        if (mkdir(path, 0700) == 0) /* fails where anything of that name is there */
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

bool folder_names(const char *folder, Text *names)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            text_add(names, name, strlen(name) + 1);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return count >= 0;
}

void folder_remove(const char *path)
{
    char inside[PATH_SIZE];
    struct stat info;
    Text names = {0};
    folder_names(path, &names);
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1) {
        path_join(inside, path, name);
        if (lstat(inside, &info) == 0 && S_ISDIR(info.st_mode))
            folder_remove(inside);
        else
            unlink(inside);
    }
    text_free(&names);
    rmdir(path);
}

const char *path_join(char path[PATH_SIZE], const char *folder, const char *name)
{
    if (snprintf(path, PATH_SIZE, "%s/%s", folder, name) >= PATH_SIZE)
        quit("the path is too long: %s/%s", folder, name);
    return path;
}

const char *path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *shell_word(char to[PATH_SIZE], const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
    size_t at = 0;
    const bool quoted = path[strspn(path, plain)];
    for (to[at] = '\'', at += quoted; *path && at < PATH_SIZE - 8; path++)
        at += (size_t)snprintf(to + at, 8, *path == '\'' ? "'\\''" : "%c", *path);
    snprintf(to + at, 2, "%s", quoted ? "'" : "");
    return to;
}

unsigned long long hash_add(unsigned long long hash, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ from[i]) * 1099511628211u;
    return hash;
}

unsigned long long hash_file(unsigned long long hash, const char *folder, const char *name)
{
    char path[PATH_SIZE];
    Text text = {0};
    if (folder[0] && file_read(path_join(path, folder, name), &text))
        hash = hash_add(hash, text.data, text.length);
    text_free(&text);
    return hash_add(hash, "|", 1);
}

bool is_source(const char *name)
{
    size_t length = strlen(name);
    return length > 2 &&
           (strcmp(name + length - 2, ".c") == 0 || strcmp(name + length - 2, ".h") == 0);
}

unsigned long long hash_sources(unsigned long long hash, const char *folder)
{
    Text names = {0};
    folder_names(folder, &names);
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1)
        hash = is_source(name) ? hash_file(hash, folder, name) : hash;
    text_free(&names);
    return hash;
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double machine_load(void)
{
    double load = 1, processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    return getloadavg(&load, 1) == 1 && load > processors ? load / processors : 1;
}

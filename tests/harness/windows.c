/* windows.c: see windows.h. */
#include "tests/harness/windows.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* As on other systems, a line ends in one byte. */
__attribute__((constructor)) static void write_single_bytes(void)
{
    _fmode = _O_BINARY;
    for (int file = 0; file < 3; file++)
        _setmode(file, _O_BINARY);
}

/* The C runtime's tmpfile makes its files in the root of the disk. */
FILE *windows_tmpfile(void)
{
    char *name = _tempnam(NULL, "grd");
    int file =
        name ? _open(name, _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY | _O_TEMPORARY, 0600) : -1;
    free(name);
    return file < 0 ? NULL : _fdopen(file, "w+b");
}

int setenv(const char *name, const char *value, int replace)
{
    return !replace && getenv(name) ? 0 : _putenv_s(name, value);
}

int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

char *mkdtemp(char *pattern)
{
    char *end = pattern + strlen(pattern) - 6;
    for (unsigned i = 0; i < 1000000; i++) {
        snprintf(end, 7, "%06u", ((unsigned)_getpid() * 7919u + i) % 1000000u);
        if (_mkdir(pattern) == 0)
            return pattern;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

void *memmem(const void *bytes, size_t count, const void *part, size_t length)
{
    for (const char *at = bytes; count >= length; at++, count--)
        if (memcmp(at, part, length) == 0)
            return (void *)at;
    return NULL;
}

char *strcasestr(const char *text, const char *part)
{
    for (; *text; text++)
        if (_strnicmp(text, part, strlen(part)) == 0)
            return (char *)text;
    return NULL;
}

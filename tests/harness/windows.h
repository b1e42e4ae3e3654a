/* windows.h: functions of POSIX that the tests use and Windows lacks. The build for Windows
 * includes this header in front of every test (tests/meson.build); windows.c defines them. */
#ifndef GRADUS_TESTS_WINDOWS_H
#define GRADUS_TESTS_WINDOWS_H

#include <stddef.h>
#include <stdio.h>

#define tmpfile() windows_tmpfile()

FILE *windows_tmpfile(void);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
char *mkdtemp(char *pattern);
void *memmem(const void *bytes, size_t count, const void *part, size_t length);
char *strcasestr(const char *text, const char *part);

#endif

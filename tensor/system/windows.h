/* windows.h: what windows.c and windows_files.c share (internal). */
#ifndef GRADUS_SYSTEM_WINDOWS_H
#define GRADUS_SYSTEM_WINDOWS_H

#include "tensor/system/system.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { WINDOWS_PATH = 4096 };

/* The UTF-8 path as Windows' functions take it; false, with the reason in errno, where it is too
 * long or not UTF-8. */
bool windows_path(const char *path, wchar_t wide[WINDOWS_PATH]);

/* Sets errno from GetLastError(). Always -1. */
int windows_failed(void);

#endif

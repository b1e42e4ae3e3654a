/* system_windows.c: see system.h. Windows, through its own functions and MinGW-w64's. */
#include "plot/system.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <psapi.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- other programs -------------------------------------------------------------------------- */

const char system_path_separator[] = ";", system_program_suffix[] = ".exe";

/* In UTF-8, which getenv has in some programs alone. */
const char *system_search_path(void)
{
    static _Thread_local char list[1 << 15];
    const wchar_t *wide = _wgetenv(L"PATH");
    bool fits = wide && WideCharToMultiByte(CP_UTF8, 0, wide, -1, list, sizeof list, NULL, NULL);
    return fits ? list : NULL;
}

/* Appends an argument in quotes, as the C runtime of the program takes them apart: a backslash
 * counts as one unless a quotation mark follows. */
static char *quote(char *to, const char *argument)
{
    size_t slashes = 0;
    *to++ = '"';
    for (; *argument; argument++) {
        if (*argument == '"')
            for (slashes++; slashes > 0; slashes--)
                *to++ = '\\';
        slashes = *argument == '\\' ? slashes + 1 : 0;
        *to++ = *argument;
    }
    for (; slashes > 0; slashes--)
        *to++ = '\\';
    *to++ = '"';
    *to++ = ' ';
    return to;
}

/* The arguments as one text, to be freed; NULL when memory is out. */
static wchar_t *command_line(char *const argv[])
{
    size_t size = 1;
    for (int i = 0; argv[i]; i++)
        size += 2 * strlen(argv[i]) + 3;
    char *text = malloc(size), *at = text;
    wchar_t *wide = malloc(size * sizeof *wide);
    for (int i = 0; text && wide && argv[i]; i++)
        at = quote(at, argv[i]);
    if (text && wide) {
        *at = 0;
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, (int)size);
    }
    free(text);
    return wide;
}

/* The child's streams: the end of the pipe, and nothing. The caller closes both. */
static STARTUPINFOW streams_of(HANDLE end, int read_from)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE none =
        CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                    &inherited, OPEN_EXISTING, 0, NULL);
    SetHandleInformation(end, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return (STARTUPINFOW){.cb = sizeof(STARTUPINFOW),
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdInput = none,
                          .hStdOutput = read_from == 1 ? end : none,
                          .hStdError = read_from == 2 ? end : none};
}

/* One process at a time is started, so that no other inherits the end of its pipe. A program that
 * was found and does not start is one that Windows, or what guards it, does not permit. */
int system_start(Program *p, char *const argv[], int read_from)
{
    static SRWLOCK starting = SRWLOCK_INIT;
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION child = {0};
    HANDLE ends[2] = {NULL, NULL};
    wchar_t *command = command_line(argv);
    if (!command)
        return ENOMEM;
    AcquireSRWLockExclusive(&starting);
    bool piped = read_from > 0 && CreatePipe(&ends[0], &ends[1], NULL, 0);
    if (piped)
        start = streams_of(ends[1], read_from);
    bool runs = piped == (read_from > 0) &&
                CreateProcessW(NULL, command, NULL, NULL, TRUE, piped ? CREATE_NO_WINDOW : 0, NULL,
                               NULL, &start, &child);
    if (piped) {
        CloseHandle(start.hStdInput);
        CloseHandle(ends[1]);
    }
    ReleaseSRWLockExclusive(&starting);
    free(command);
    if (piped && !runs)
        CloseHandle(ends[0]);
    if (!runs)
        return EACCES;
    CloseHandle(child.hThread);
    p->child = (intptr_t)child.hProcess;
    p->stream = piped ? _open_osfhandle((intptr_t)ends[0], _O_RDONLY) : -1;
    return 0;
}

/* A status above 255 is that of an exception, such as an access to memory that is not there. */
int system_wait(intptr_t child)
{
    DWORD status = 0;
    WaitForSingleObject((HANDLE)child, INFINITE);
    bool known = GetExitCodeProcess((HANDLE)child, &status);
    CloseHandle((HANDLE)child);
    return !known ? -1 : status < 256 ? (int)status : 128 + SIGSEGV;
}

/* ---- numbers --------------------------------------------------------------------------------- */

bool system_write_with_points(FILE *out, void (*write)(FILE *out, const void *what),
                              const void *what)
{
    char before[256];
    int per_thread = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    snprintf(before, sizeof before, "%s", setlocale(LC_NUMERIC, NULL));
    setlocale(LC_NUMERIC, "C");
    write(out, what);
    setlocale(LC_NUMERIC, before);
    _configthreadlocale(per_thread);
    return true;
}

/* ---- memory, terminal ------------------------------------------------------------------------ */

int64_t system_peak_memory(void)
{
    PROCESS_MEMORY_COUNTERS use = {.cb = sizeof use};
    K32GetProcessMemoryInfo(GetCurrentProcess(), &use, sizeof use);
    return (int64_t)use.PeakWorkingSetSize;
}

static HANDLE console_of(FILE *stream)
{
    return (HANDLE)_get_osfhandle(_fileno(stream));
}

/* A console of Windows 10 and later understands escape sequences once it is told to; what gradus
 * prints is UTF-8. */
bool system_has_escapes(FILE *stream)
{
    enum { ESCAPES = 4 };
    DWORD mode;
    return GetConsoleMode(console_of(stream), &mode) &&
           SetConsoleMode(console_of(stream), mode | ESCAPES);
}

void system_program_begin(void)
{
    SetConsoleOutputCP(CP_UTF8);
    _fmode = _O_BINARY;
    for (int file = 0; file < 3; file++)
        _setmode(file, _O_BINARY);
}

int system_terminal_width(FILE *stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo(console_of(stream), &info)
               ? info.srWindow.Right - info.srWindow.Left + 1
               : 0;
}

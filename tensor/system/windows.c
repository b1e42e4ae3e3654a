/* windows.c: see system.h. Numbers, processors, threads, processes and the console of Windows. */
#include "tensor/system/windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <psapi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

/* The locale that a thread had before. */
typedef struct {
    int per_thread;
    char name[256];
} Before;

bool system_points_begin(uintptr_t *before)
{
    const char *name = setlocale(LC_NUMERIC, NULL);
    *before = 0;
    if (!name || strcmp(name, "C") == 0)
        return true;
    Before *b = malloc(sizeof *b);
    if (!b)
        return false;
    snprintf(b->name, sizeof b->name, "%s", name);
    b->per_thread = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    setlocale(LC_NUMERIC, "C");
    *before = (uintptr_t)b;
    return true;
}

void system_points_end(uintptr_t before)
{
    Before *b = (Before *)before;
    if (!b)
        return;
    setlocale(LC_NUMERIC, b->name);
    _configthreadlocale(b->per_thread);
    free(b);
}

/* ---- memory, processors, clock --------------------------------------------------------------- */

/* Large pages need a privilege that students' accounts lack. */
void system_advise_large_pages(void *block, size_t bytes)
{
    (void)block, (void)bytes;
}

int system_processors(void)
{
    DWORD_PTR mine, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all))
        return 1;
    int count = __builtin_popcountll(mine);
    return count > 0 ? count : 1;
}

int64_t system_clock(void)
{
    LARGE_INTEGER ticks, a_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&a_second);
    int64_t n = ticks.QuadPart, f = a_second.QuadPart;
    return n / f * 1000000000 + n % f * 1000000000 / f;
}

int64_t system_peak_memory(void)
{
    PROCESS_MEMORY_COUNTERS use = {.cb = sizeof use};
    bool known = K32GetProcessMemoryInfo(GetCurrentProcess(), &use, sizeof use);
    return known ? (int64_t)use.PeakWorkingSetSize : -1;
}

/* ---- threads --------------------------------------------------------------------------------- */

#ifdef GRADUS_THREADS
/* A thread that runs in the library cannot be ended while that is unloaded: the end of a thread
 * waits for the lock that unloading holds. */
void system_before_thread(const void *function)
{
    HMODULE self;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       function, &self);
}

void system_after_thread(void) {}

void system_after_fork(void (*handler)(void))
{
    (void)handler;
}

bool system_has_threads(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    FARPROC ends = ntdll ? GetProcAddress(ntdll, "RtlDllShutdownInProgress") : NULL;
    return !ends || !((BOOLEAN(WINAPI *)(void))(uintptr_t)ends)();
}
#endif

/* ---- processes ------------------------------------------------------------------------------- */

long system_process_id(void)
{
    return (long)GetCurrentProcessId();
}

bool system_find_program(const char *name, char *path, size_t size)
{
    const wchar_t *wide = _wgetenv(L"PATH");
    static _Thread_local char list[1 << 15];
    if (!wide || WideCharToMultiByte(CP_UTF8, 0, wide, -1, list, sizeof list, NULL, NULL) == 0)
        return false;
    for (const char *entry = list; *entry; entry += strcspn(entry, ";"), entry += *entry == ';') {
        int length = (int)strcspn(entry, ";");
        int need = snprintf(path, size, "%.*s\\%s.exe", length, entry, name);
        FileStatus found;
        if (length > 0 && need > 0 && need < (int)size && disk_system.stat(path, &found) == 0 &&
            found.kind == FILE_REGULAR)
            return true;
    }
    return false;
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
    for (int i = 0; text && wide && argv[i]; i++) {
        if (i > 0)
            *at++ = ' ';
        at = quote(at, argv[i]);
    }
    if (text && wide) {
        *at = 0;
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, (int)size);
    }
    free(text);
    return wide;
}

/* Starts the program with the streams; closes what it inherits. */
static bool create(wchar_t *program, wchar_t *command, HANDLE given, int read_from,
                   PROCESS_INFORMATION *child)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    STARTUPINFOW start = {.cb = sizeof start};
    HANDLE none = INVALID_HANDLE_VALUE;
    if (read_from > 0) {
        none = CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                           &inherited, OPEN_EXISTING, 0, NULL);
        start.dwFlags = STARTF_USESTDHANDLES;
        start.hStdInput = none;
        start.hStdOutput = read_from == 1 ? given : none;
        start.hStdError = read_from == 2 ? given : none;
    }
    bool runs = CreateProcessW(program, command, NULL, NULL, TRUE,
                               read_from > 0 ? CREATE_NO_WINDOW : 0, NULL, NULL, &start, child);
    if (none != INVALID_HANDLE_VALUE)
        CloseHandle(none);
    return runs;
}

/* One process at a time is started, so that no other inherits the end of its pipe. */
int system_start(SystemProcess *p, char *const argv[], int read_from)
{
    static SRWLOCK starting = SRWLOCK_INIT;
    wchar_t program[WINDOWS_PATH], *command = NULL;
    HANDLE ends[2] = {NULL, NULL};
    PROCESS_INFORMATION child = {0};
    *p = (SystemProcess){.stream = -1};
    if (!windows_path(argv[0], program))
        return errno;
    if (!(command = command_line(argv)))
        return ENOMEM;
    AcquireSRWLockExclusive(&starting);
    bool piped = read_from == 0 || CreatePipe(&ends[0], &ends[1], NULL, 0);
    if (ends[1])
        SetHandleInformation(ends[1], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    bool runs = piped && create(program, command, ends[1], read_from, &child);
    if (!runs)
        windows_failed();
    if (ends[1])
        CloseHandle(ends[1]);
    ReleaseSRWLockExclusive(&starting);
    free(command);
    if (!runs && ends[0])
        CloseHandle(ends[0]);
    if (!runs)
        return errno;
    CloseHandle(child.hThread);
    p->child = (intptr_t)child.hProcess;
    p->stream = ends[0] ? _open_osfhandle((intptr_t)ends[0], _O_RDONLY) : -1;
    return 0;
}

/* A status above 255 is that of an exception, such as an access to memory that is not there. */
int system_wait(SystemProcess *p)
{
    DWORD status = 0;
    if (p->stream >= 0)
        _close(p->stream);
    WaitForSingleObject((HANDLE)p->child, INFINITE);
    bool known = GetExitCodeProcess((HANDLE)p->child, &status);
    CloseHandle((HANDLE)p->child);
    return !known ? -1 : status < 256 ? (int)status : 128 + SIGSEGV;
}

/* The C runtime restores the default action before it calls the handler. */
void system_on_interrupt(void (*handler)(int signal))
{
    signal(SIGINT, handler ? handler : SIG_DFL);
    signal(SIGTERM, handler ? handler : SIG_DFL);
}

/* ---- terminal -------------------------------------------------------------------------------- */

bool system_is_terminal(FILE *stream)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(_fileno(stream)), &mode);
}

/* A console of Windows 10 and later understands escape sequences once it is told to; what gradus
 * prints is UTF-8. */
bool system_has_escapes(FILE *stream)
{
    enum { ESCAPES = 4 };
    DWORD mode;
    HANDLE console = (HANDLE)_get_osfhandle(_fileno(stream));
    return GetConsoleMode(console, &mode) && SetConsoleMode(console, mode | ESCAPES);
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
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(_fileno(stream)), &info))
        return 0;
    return info.srWindow.Right - info.srWindow.Left + 1;
}

/* windows.c: see system.h. Windows, through its own functions and MinGW-w64's.
 *
 * Files are opened with FILE_SHARE_DELETE, so that another file can be renamed onto one that is
 * open, as on POSIX systems. Windows keeps no permissions of POSIX: a new file has those of its
 * folder. */
#include "tensor/system/system.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_PATH = 4096,
    AT_ONCE = 1 << 30,
    SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
};

/* ---- errors and paths ------------------------------------------------------------------------ */

/* Sets errno from GetLastError(). Always -1. */
static int failed(void)
{
    static const struct {
        DWORD code;
        int reason;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_USER_MAPPED_FILE, EACCES},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    };
    DWORD code = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            errno = known[i].reason;
    return -1;
}

/* The UTF-8 path as Windows' functions take it; false, with the reason in errno, where it is too
 * long or not UTF-8. One of more than about 250 characters needs the prefix \\?\, and then has to
 * be absolute and without '/'. */
static bool to_wide(const char *path, wchar_t wide[LONGEST_PATH])
{
    static const wchar_t prefix[] = L"\\\\?\\";
    enum { PREFIX = 4, LONG = 240 };
    wchar_t given[LONGEST_PATH];
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, LONGEST_PATH) == 0) {
        errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
        return false;
    }
    wchar_t none[1]; /* a short name in a folder with a long one is long, too */
    size_t folder = system_is_absolute(path) ? 0 : GetCurrentDirectoryW(0, none);
    if (folder + wcslen(given) < LONG)
        return wcscpy(wide, given);
    wcscpy(wide, prefix);
    DWORD length = GetFullPathNameW(given, LONGEST_PATH - PREFIX, wide + PREFIX, NULL);
    if (length == 0 || length >= LONGEST_PATH - PREFIX) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (wide[PREFIX] == '\\') /* a path of the network, \\server\..., or a device */
        wcscpy(wide, given);
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* FILE_FLAG_BACKUP_SEMANTICS: directories can be opened, too, and are then found to be some. */
static HANDLE open_handle(const char *path, DWORD access, DWORD creation, DWORD flags)
{
    wchar_t wide[LONGEST_PATH];
    if (!to_wide(path, wide))
        return INVALID_HANDLE_VALUE;
    HANDLE file = CreateFileW(wide, access, SHARED, NULL, creation, flags, NULL);
    if (file == INVALID_HANDLE_VALUE)
        failed();
    return file;
}

static int open_file(const char *path, OpenFor use, unsigned mode)
{
    (void)mode;
    bool is_new = use == OPEN_NEW;
    HANDLE file = open_handle(path, is_new ? GENERIC_WRITE : GENERIC_READ,
                              is_new ? CREATE_NEW : OPEN_EXISTING,
                              is_new ? FILE_ATTRIBUTE_NORMAL : FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    int descriptor = _open_osfhandle((intptr_t)file, is_new ? _O_WRONLY : _O_RDONLY);
    if (descriptor < 0)
        CloseHandle(file);
    return descriptor;
}

static unsigned at_once(size_t count)
{
    return count < AT_ONCE ? (unsigned)count : AT_ONCE;
}

static ssize_t read_at(int file, void *bytes, size_t count, int64_t at)
{
    OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD got = 0;
    if (!ReadFile((HANDLE)_get_osfhandle(file), bytes, at_once(count), &got, &place) &&
        GetLastError() != ERROR_HANDLE_EOF)
        return failed();
    return (ssize_t)got;
}

static ssize_t write_file(int file, const void *bytes, size_t count)
{
    return _write(file, bytes, at_once(count));
}

static int set_mode(int file, unsigned mode)
{
    (void)file, (void)mode;
    return 0;
}

static int status_of(HANDLE file, FileStatus *found)
{
    BY_HANDLE_FILE_INFORMATION i;
    if (GetFileType(file) != FILE_TYPE_DISK) {
        *found = (FileStatus){.kind = FILE_OTHER, .mode = 0666};
        return 0;
    }
    if (!GetFileInformationByHandle(file, &i))
        return failed();
    bool directory = i.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    *found = (FileStatus){
        .kind = directory ? FILE_DIRECTORY : FILE_REGULAR,
        .mode = i.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0555 : 0777,
        .bytes = (int64_t)((uint64_t)i.nFileSizeHigh << 32 | i.nFileSizeLow),
    };
    return 0;
}

static int file_status(int file, FileStatus *found)
{
    return status_of((HANDLE)_get_osfhandle(file), found);
}

static ssize_t read_file(int file, void *bytes, size_t count)
{
    FileStatus found;
    int got = _read(file, bytes, at_once(count));
    if (got < 0 && file_status(file, &found) == 0 && found.kind == FILE_DIRECTORY)
        errno = EISDIR;
    return got;
}

static int path_status(const char *path, FileStatus *found)
{
    HANDLE file = open_handle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    int result = status_of(file, found);
    CloseHandle(file);
    return result;
}

/* The rename of POSIX, onto a file that may be open: Windows 10 of 2018 and later, on NTFS. */
static bool rename_as_posix(const wchar_t *from, const wchar_t *to)
{
    enum { RENAME_INFO_EX = 22, REPLACE = 1, POSIX = 2 };
    struct {
        DWORD flags;
        HANDLE folder;
        DWORD length;
        wchar_t name[LONGEST_PATH];
    } info = {.flags = REPLACE | POSIX, .length = (DWORD)(wcslen(to) * sizeof *to)};
    wcscpy(info.name, to);
    HANDLE file = CreateFileW(from, DELETE | SYNCHRONIZE, SHARED, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool done = SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)RENAME_INFO_EX, &info,
                                           sizeof info);
    CloseHandle(file);
    return done;
}

/* Where the system lacks that rename (older ones, and Wine 8), the open file is renamed to a name
 * beside it, which is removed: for a moment there is no file `to`. */
static bool replace_open(const wchar_t *from, const wchar_t *to)
{
    wchar_t aside[LONGEST_PATH + 32];
    _snwprintf(aside, LONGEST_PATH + 32, L"%ls.old-%lu", to, (unsigned long)GetCurrentProcessId());
    if (!MoveFileExW(to, aside, 0))
        return false;
    bool done = MoveFileExW(from, to, MOVEFILE_WRITE_THROUGH);
    if (done)
        DeleteFileW(aside); /* it is gone when the last program closes it */
    else
        MoveFileExW(aside, to, 0);
    return done;
}

/* A directory is not replaced, whatever is in it. */
static int rename_file(const char *from, const char *to)
{
    wchar_t wide_from[LONGEST_PATH], wide_to[LONGEST_PATH];
    if (!to_wide(from, wide_from) || !to_wide(to, wide_to))
        return -1;
    DWORD old = GetFileAttributesW(wide_to);
    if (old != INVALID_FILE_ATTRIBUTES && (old & FILE_ATTRIBUTE_DIRECTORY)) {
        errno = EISDIR;
        return -1;
    }
    if (rename_as_posix(wide_from, wide_to) ||
        MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ||
        replace_open(wide_from, wide_to))
        return 0;
    return failed();
}

static int remove_file(const char *path)
{
    wchar_t wide[LONGEST_PATH];
    return !to_wide(path, wide) ? -1 : DeleteFileW(wide) ? 0 : failed();
}

static int make_directory(const char *path)
{
    wchar_t wide[LONGEST_PATH];
    return !to_wide(path, wide) ? -1 : CreateDirectoryW(wide, NULL) ? 0 : failed();
}

static void *map_file(int file, size_t bytes)
{
    HANDLE pages =
        CreateFileMappingW((HANDLE)_get_osfhandle(file), NULL, PAGE_WRITECOPY, 0, 0, NULL);
    void *map = pages ? MapViewOfFile(pages, FILE_MAP_COPY, 0, 0, bytes) : NULL;
    if (!map)
        failed();
    if (pages)
        CloseHandle(pages);
    return map;
}

static int unmap_file(void *map, size_t bytes)
{
    (void)bytes;
    return UnmapViewOfFile(map) ? 0 : failed();
}

const Disk disk_system = {
    .open = open_file,
    .close = _close,
    .read = read_file,
    .pread = read_at,
    .write = write_file,
    .fsync = _commit,
    .fchmod = set_mode,
    .fstat = file_status,
    .stat = path_status,
    .rename = rename_file,
    .unlink = remove_file,
    .mkdir = make_directory,
    .map = map_file,
    .unmap = unmap_file,
};

char *system_first_slash(const char *path)
{
    return strpbrk(path, "/\\");
}

char *system_last_slash(const char *path)
{
    char *last = NULL;
    for (char *at = strpbrk(path, "/\\"); at; at = strpbrk(at + 1, "/\\"))
        last = at;
    return last;
}

bool system_is_absolute(const char *path)
{
    const char *root = path[0] && path[1] == ':' ? path + 2 : path;
    return *root == '/' || *root == '\\';
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Windows has no streams with functions of one's own. The bytes are kept in a temporary file, which
 * mostly stays in memory, and go to the sink when the stream is closed. */
FILE *system_stream(ByteSink *sink)
{
    (void)sink;
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    if (GetTempPathW(MAX_PATH, folder) == 0 || GetTempFileNameW(folder, L"grd", 0, path) == 0) {
        failed();
        return NULL;
    }
    return _wfopen(path, L"w+bTDN"); /* temporary, deleted when closed, not inherited */
}

bool system_stream_close(FILE *stream, ByteSink *sink)
{
    char bytes[1 << 14];
    bool whole = fflush(stream) == 0 && !ferror(stream);
    rewind(stream);
    for (size_t n; whole && (n = fread(bytes, 1, sizeof bytes, stream)) > 0;)
        whole = sink->put(sink->context, bytes, n);
    whole &= !ferror(stream);
    sink->failed |= !whole;
    int why = errno;
    fclose(stream);
    errno = why;
    return whole;
}

/* ---- memory, processors, threads, clock ------------------------------------------------------ */

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

#ifdef GRADUS_THREADS
/* A thread that runs in the library cannot be ended while that is unloaded: the end of a thread
 * waits for the lock that unloading holds. */
int system_start_thread(pthread_t *thread, const pthread_attr_t *how, void *(*function)(void *))
{
    HMODULE self;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (const void *)(uintptr_t)function, &self);
    return pthread_create(thread, how, function, NULL);
}

void system_after_fork(void (*handler)(void))
{
    (void)handler;
}

bool system_stops_threads(void)
{
    return false;
}
#endif

long system_process_id(void)
{
    return (long)GetCurrentProcessId();
}

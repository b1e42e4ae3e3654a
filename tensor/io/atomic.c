/* atomic.c: a file that appears as a whole or not at all.
 *
 *   write beside it    "NAME.part-PID-TIME-N", in the same directory and so on the same disk
 *   flush, fsync       the bytes are on the disk before the name is
 *   rename             readers see the old file or the new one, never a part of one; so they do
 *                      after a power failure
 *
 * After a failure the part is removed and the old file is as it was. The new file has the
 * permissions of the old one. Anything but a regular file (/dev/null, a directory) is refused,
 * since the rename would replace it; a symbolic link is replaced by the file. */
#include "tensor/files.h"
#include "tensor/io/disk.h"
#include "tensor/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/* A file that is being written, and its part, which exists as long as f. path and part are texts in
 * the block of f; stream writes through sink to the descriptor, so that every write is a call of
 * disk.h, which a test can make fail. */
struct AtomicFile {
    char *path, *part;
    ByteSink sink;
    FILE *stream;
    int descriptor; /* of the part; -1 when it is closed          */
    int why;        /* errno of the first write that failed, or 0 */
};

/* Records "who: path: what: why" with the reason in errno. Always false. */
static bool failed(const char *who, const char *path, const char *what)
{
    return tensor_fail("%s: %s: %s: %s", who, path, what, strerror(errno));
}

/* The mode of the file that will be replaced, or -1 where there is none. False, with an error,
 * where something else than a regular file has the path, or the mode cannot be read and so not be
 * kept. The rename would otherwise replace a device or a directory by a file. */
static bool old_mode(const char *path, int *mode)
{
    FileStatus old;
    *mode = -1;
    if (!disk_look(path, &old))
        return errno == ENOENT || failed("tensor_file_open", path, "cannot read the permissions");
    if (old.kind != FILE_REGULAR)
        return tensor_fail("tensor_file_open: %s: it is a %s; expected a regular file, or none yet",
                           path, old.kind == FILE_DIRECTORY ? "directory" : "device or pipe");
    *mode = (int)old.mode;
    return true;
}

/* After a write that failed nothing more is written: bytes after a hole are of no use. */
static bool put(void *context, const void *bytes, size_t count)
{
    AtomicFile *f = context;
    if (!f->why && !disk_write(f->descriptor, bytes, count))
        f->why = errno;
    return !f->why;
}

/* Gives the part exactly the old permissions, since the umask restricts those given to open. */
static bool prepare(AtomicFile *f, int mode)
{
    if (mode >= 0 && !disk_chmod(f->descriptor, (unsigned)mode))
        return failed("tensor_file_open", f->path,
                      "cannot give the file beside it the old one's permissions");
    f->stream = system_stream(&f->sink);
    return f->stream || failed("tensor_file_open", f->path, "cannot prepare the file beside it");
}

/* Everything that can be checked is checked before the part is created. The part of a process that
 * was killed is left alone: even one of the same number had it at another time. */
AtomicFile *tensor_file_open(const char *path)
{
    static atomic_uint made;
    int mode;
    if (!path || !*path)
        tensor_fail("tensor_file_open: the path is empty; expected a file's name");
    if (!path || !*path || !old_mode(path, &mode))
        return NULL;
    const size_t n = strlen(path) + 1, most = n + 80;
    AtomicFile *f = mem_alloc(sizeof *f + n + most);
    if (!f)
        return NULL;
    *f = (AtomicFile){.path = (char *)(f + 1), .sink = {.put = put, .context = f}};
    f->part = f->path + n;
    memcpy(f->path, path, n);
    snprintf(f->part, most, "%s.part-%ld-%lld-%u", path, system_process_id(),
             (long long)system_clock(), atomic_fetch_add(&made, 1));
    f->descriptor = disk_open(f->part, OPEN_NEW, mode < 0 ? 0666 : (unsigned)mode & 0777);
    if (f->descriptor < 0) {
        failed("tensor_file_open", path, "cannot create a file beside it");
        mem_free(f);
        return NULL;
    }
    if (prepare(f, mode))
        return f;
    tensor_file_discard(f);
    return NULL;
}

/* The stream belongs to f: tensor_file_commit or tensor_file_discard closes it. */
FILE *tensor_file_stream(AtomicFile *f)
{
    return f ? f->stream : NULL;
}

/* The stream and the descriptor are closed afterwards, whatever the outcome.
 * errno is set to the reason for the message. */
static bool flush_and_close(AtomicFile *f)
{
    bool written = system_stream_close(f->stream, &f->sink); /* also the bytes in its buffer */
    const char *what = !written                    ? "cannot write"
                       : !disk_sync(f->descriptor) ? "cannot flush to the disk"
                                                   : NULL;
    int why = f->why ? f->why : errno;
    if (!disk_close(f->descriptor) && !what) {
        what = "cannot close";
        why = errno;
    }
    f->stream = NULL;
    f->descriptor = -1;
    errno = why;
    return !what || failed("tensor_file_commit", f->path, what);
}

bool tensor_file_commit(AtomicFile *f)
{
    if (!f)
        return tensor_fail(
            "tensor_file_commit: f is NULL, as tensor_file_open failed; expected an open file");
    if (!flush_and_close(f) || (!disk_rename(f->part, f->path) &&
                                !failed("tensor_file_commit", f->path, "cannot rename onto it"))) {
        tensor_file_discard(f);
        return false;
    }
    mem_free(f);
    return true;
}

/* Closes what is open and removes the part; errors no longer matter. */
void tensor_file_discard(AtomicFile *f)
{
    if (!f)
        return;
    f->why = ECANCELED; /* so that put writes nothing */
    if (f->stream)
        system_stream_close(f->stream, &f->sink);
    if (f->descriptor >= 0)
        disk_close(f->descriptor);
    disk_remove(f->part);
    mem_free(f);
}

/* The directories are made from the outermost to the innermost. One that is there is no failure,
 * whatever the system says of it (EEXIST, but also EROFS or EACCES): what counts is whether the
 * innermost is there in the end. */
bool tensor_make_directory(const char *path)
{
    FileStatus found;
    if (!path || !*path)
        return tensor_fail("tensor_make_directory: the path is empty; expected a directory");
    if (disk_look(path, &found) && found.kind == FILE_DIRECTORY) /* most are there */
        return true;
    char *partial = mem_strdup(path);
    int why = 0; /* the first reason but EEXIST */
    for (char *end = partial; end;) {
        end = system_first_slash(end + 1);
        const char separator = end ? *end : 0;
        if (end)
            *end = 0;
        if (!disk_make_directory(partial) && errno != EEXIST && !why)
            why = errno;
        if (end)
            *end = separator;
    }
    bool ok = partial != NULL;
    mem_free(partial);
    if (ok && !disk_look(path, &found)) {
        errno = why ? why : errno;
        return failed("tensor_make_directory", path, "cannot make the directory");
    }
    return ok && (found.kind == FILE_DIRECTORY ||
                  tensor_fail(
                      "tensor_make_directory: %s: it is a file; expected a directory, or none yet",
                      path));
}

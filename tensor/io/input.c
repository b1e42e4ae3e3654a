/* input.c: reading regular files, for every reader of the library except those of texts (data/).
 *
 * Every error names the public function and the path: a reader tells input_open both, and
 * INPUT_FAIL puts them in front of the message. Positions are absolute (pread), so that an Input
 * has no state that a failed read could leave half changed. */
#include "tensor/io/input.h"

#include "tensor/io/disk.h"
#include "tensor/memory.h"

#include <errno.h>
#include <string.h>

/* The length is that of the open descriptor, not of the path, which another process may replace. */
bool input_open(Input *in, const char *who, const char *path)
{
    FileStatus found;
    *in = (Input){.who = who, .path = path, .descriptor = -1};
    in->descriptor = disk_open(path, OPEN_REGULAR, 0);
    if (in->descriptor < 0 || !disk_look_at(in->descriptor, &found))
        return INPUT_FAIL(in, "cannot open: %s", strerror(errno));
    if (found.kind != FILE_REGULAR)
        return INPUT_FAIL(in, "it is a %s; expected a regular file",
                          found.kind == FILE_DIRECTORY ? "directory" : "device or pipe");
    in->bytes = found.bytes;
    return found.bytes <= PTRDIFF_MAX || /* on a processor of 32 bits: less than 2 GB */
           INPUT_FAIL(in, "%lld bytes; expected fewer than fit into memory", (long long)in->bytes);
}

bool input_look(const char *who, const char *path, bool *there)
{
    FileStatus found;
    *there = disk_look(path, &found);
    return *there || errno == ENOENT || errno == ENOTDIR ||
           tensor_fail("%s: %s: cannot look whether it is there: %s", who, path, strerror(errno));
}

/* pread may return a part: the rest is read by further calls. 0 bytes mean that the file became
 * shorter. */
bool input_read(const Input *in, int64_t at, void *bytes, size_t count)
{
    unsigned char *to = bytes;
    while (count > 0) {
        ssize_t n = disk_read_at(in->descriptor, to, count, at);
        if (n < 0)
            return INPUT_FAIL(in, "cannot read: %s", strerror(errno));
        if (n == 0)
            return INPUT_FAIL(
                in,
                "the file ends %zu bytes early; expected that nobody shortens it while it is read",
                count);
        to += n;
        at += n;
        count -= (size_t)n;
    }
    return true;
}

/* May be called twice, and on an Input that input_open refused. */
void input_close(Input *in)
{
    if (in->descriptor >= 0)
        disk_close(in->descriptor);
    in->descriptor = -1;
}

char *input_whole(const char *who, const char *path, int64_t most, size_t *count)
{
    Input in;
    char *bytes = NULL;
    bool ok = input_open(&in, who, path);
    *count = (size_t)in.bytes;
    if (ok && in.bytes > most)
        ok = INPUT_FAIL(&in, "%lld bytes; expected at most %lld", (long long)in.bytes,
                        (long long)most);
    ok = ok && (bytes = mem_alloc(*count + 1)) && input_read(&in, 0, bytes, *count);
    input_close(&in);
    if (ok) {
        bytes[*count] = 0;
        return bytes;
    }
    mem_free(bytes);
    return NULL;
}

/* input.c: reading regular files, for every reader of the library except those of texts (data/).
 *
 * Every error names the public function and the path: a reader tells input_open both, and
 * INPUT_FAIL puts them in front of the message. Positions are absolute (pread), so that an Input
 * has no state that a failed read could leave half changed. */
#include "tensor/io/input.h"

#include "tensor/io/disk.h"

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
static bool read_bytes(const Input *in, int64_t at, unsigned char *to, size_t count)
{
    if (in->memory && at <= in->bytes && count <= (size_t)(in->bytes - at)) {
        memcpy(to, in->memory + at, count);
        return true;
    }
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

bool input_read(const Input *in, int64_t at, void *bytes, size_t count)
{
    const size_t width = (size_t)in->reversed;
    unsigned char *number = bytes;
    if (!read_bytes(in, at, bytes, count))
        return false;
    for (size_t done = 0; width > 1 && done < count; done += width, number += width)
        for (size_t i = 0; i < width / 2; i++) {
            const unsigned char low = number[i];
            number[i] = number[width - 1 - i];
            number[width - 1 - i] = low;
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

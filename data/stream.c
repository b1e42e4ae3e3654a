/* stream.c: see stream.h. The first two bytes of a file, not its name, tell whether it is
 * compressed. */
#include "data/stream.h"

bool stream_open(Stream *s, const char *who, const char *path)
{
    unsigned char magic[2] = {0};
    *s = (Stream){.in.descriptor = -1};
    if (!path)
        return tensor_fail("%s: the path is NULL; expected the name of a file", who);
    if (!input_open(&s->in, who, path))
        return false;
    if (s->in.bytes >= 2 && !input_read(&s->in, 0, magic, sizeof magic))
        return false;
    s->gzip = magic[0] == 0x1F && magic[1] == 0x8B;
    return !s->gzip || gzip_there ||
           INPUT_FAIL(&s->in, "%s",
                      "found a file compressed with gzip, which this build cannot read without "
                      "zlib; expected the output of `gunzip`");
}

bool stream_read(Stream *s, void *bytes, int64_t size, int64_t *got)
{
    if (s->gzip)
        return gzip_read(s, bytes, size, got);
    *got = s->in.bytes - s->at < size ? s->in.bytes - s->at : size;
    s->at += *got;
    return !bytes || input_read(&s->in, s->at - *got, bytes, (size_t)*got);
}

void stream_rewind(Stream *s)
{
    gzip_end(s);
    s->at = 0;
}

void stream_close(Stream *s)
{
    gzip_end(s);
    input_close(&s->in);
}

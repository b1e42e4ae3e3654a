/* zip.c: see zip.h. The form is PKWARE's APPNOTE: for each file a header and its bytes, then a
 * directory of all headers, then where the directory begins. All numbers are little-endian. */
#include "zip.h"
#include "grader.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum { VERSION = 20, MADE_ON_UNIX = 3 << 8, DATE_1980 = 0x21 };

/* CRC-32 as in zip, gzip, PNG: the reflected polynomial, bit by bit. */
static uint32_t checksum(const Text *t)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < t->length; i++) {
        crc ^= (unsigned char)t->data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static void put16(Text *t, unsigned value)
{
    text_add(t, (unsigned char[]){value & 255, value >> 8 & 255}, 2);
}

static void put32(Text *t, uint32_t value)
{
    put16(t, value & 0xFFFF);
    put16(t, value >> 16);
}

/* What the header before a file and its entry in the directory have in common. */
static void put_common(Text *t, const char *name, const Text *content, uint32_t crc)
{
    put16(t, VERSION);
    put16(t, 0); /* flags            */
    put16(t, 0); /* stored           */
    put16(t, 0); /* time             */
    put16(t, DATE_1980);
    put32(t, crc);
    put32(t, (uint32_t)content->length);
    put32(t, (uint32_t)content->length);
    put16(t, (unsigned)strlen(name));
    put16(t, 0); /* further fields   */
}

void zip_add(Zip *z, const char *name, const Text *content, bool program)
{
    uint32_t crc = checksum(content), offset = (uint32_t)z->body.length;
    put32(&z->body, 0x04034b50);
    put_common(&z->body, name, content, crc);
    text_put(&z->body, name);
    text_add(&z->body, text_of(content), content->length);

    put32(&z->directory, 0x02014b50);
    put16(&z->directory, MADE_ON_UNIX | VERSION);
    put_common(&z->directory, name, content, crc);
    put16(&z->directory, 0); /* comment          */
    put16(&z->directory, 0); /* on this disk     */
    put16(&z->directory, 0); /* not known as text */
    put32(&z->directory, (uint32_t)(program ? 0100755 : 0100644) << 16);
    put32(&z->directory, offset);
    text_put(&z->directory, name);
    z->count++;
}

void zip_add_program(Zip *z, const char *name, const char *words)
{
    Text content = {0};
    text_put(&content, words);
    zip_add(z, name, &content, true);
    text_free(&content);
}

void zip_end(Zip *z, Text *archive)
{
    text_add(archive, text_of(&z->body), z->body.length);
    text_add(archive, text_of(&z->directory), z->directory.length);
    put32(archive, 0x06054b50);
    put16(archive, 0);
    put16(archive, 0);
    put16(archive, (unsigned)z->count);
    put16(archive, (unsigned)z->count);
    put32(archive, (uint32_t)z->directory.length);
    put32(archive, (uint32_t)z->body.length);
    put16(archive, 0);
    text_free(&z->body);
    text_free(&z->directory);
    z->count = 0;
}

/* ---- whole folders --------------------------------------------------------------------------- */

void zip_add_file(Zip *z, const char *path, const char *name)
{
    Text content = {0};
    file_load(path, &content);
    zip_add(z, name, &content, false);
    text_free(&content);
}

void zip_add_folder(Zip *z, const char *folder, const char *name)
{
    char path[PATH_SIZE], inside[PATH_SIZE];
    struct stat info;
    Text names = {0};
    if (!folder_names(folder, &names))
        quit("%s cannot be opened", folder);
    for (const char *file = text_of(&names); *file; file += strlen(file) + 1) {
        path_join(path, folder, file);
        if (file[0] != '.' && stat(path, &info) == 0 && S_ISREG(info.st_mode))
            zip_add_file(z, path, path_join(inside, name, file));
    }
    text_free(&names);
}

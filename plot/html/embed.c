/* embed.c: a program of the build that writes scripts and styles as arrays of C, with their
 * SHA-256.
 *
 *     embed OUT.c FRAME.css FRAME.js [KIND.css MORE.js...]...
 *
 * A style begins a kind, to which the scripts after it belong. A kind's page has the frame's style
 * with its own after it in one element, and so for the scripts; the hash, in base64, is that of
 * both together, as a content security policy names it. SHA-256: FIPS 180-4. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- SHA-256 --------------------------------------------------------------------------------- */

typedef struct {
    uint32_t state[8];
    unsigned char block[64];
    uint64_t bytes;
} Sha256;

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t cube_roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* Section 6.2.2: the message schedule, then 64 rounds. */
static void compress(Sha256 *s)
{
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)s->block[4 * t] << 24 | (uint32_t)s->block[4 * t + 1] << 16 |
               (uint32_t)s->block[4 * t + 2] << 8 | s->block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    memcpy(v, s->state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t S1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t first = v[7] + S1 + choice + cube_roots[t] + w[t];
        uint32_t S0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + S0 + majority;
    }
    for (int i = 0; i < 8; i++)
        s->state[i] += v[i];
}

static void sha_begin(Sha256 *s)
{
    *s = (Sha256){{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                   0x1f83d9ab, 0x5be0cd19},
                  {0},
                  0};
}

static void sha_add(Sha256 *s, const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        s->block[s->bytes++ % 64] = data[i];
        if (s->bytes % 64 == 0)
            compress(s);
    }
}

/* Padding: a bit 1, zeros, and the length in bits. */
static void sha_end(Sha256 *s, unsigned char digest[32])
{
    uint64_t bits = 8 * s->bytes;
    sha_add(s, (const unsigned char[]){0x80}, 1);
    while (s->bytes % 64 != 56)
        sha_add(s, (const unsigned char[]){0}, 1);
    for (int i = 7; i >= 0; i--)
        sha_add(s, (const unsigned char[]){(unsigned char)(bits >> (8 * i))}, 1);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct {
    unsigned char *bytes;
    size_t size;
} File;

static void refuse(const char *path, const char *what)
{
    fprintf(stderr, "embed: %s: %s\n", path, what);
    exit(1);
}

static File read_file(const char *path)
{
    enum { LARGEST = 1 << 20 };
    File f = {.bytes = malloc(LARGEST + 1)};
    FILE *in = fopen(path, "rb");
    if (!in || !f.bytes)
        refuse(path, "cannot be read");
    f.size = fread(f.bytes, 1, LARGEST, in);
    fclose(in);
    f.bytes[f.size] = 0;
    if (f.size == LARGEST || strlen((char *)f.bytes) != f.size)
        refuse(path, "more than 1 MiB, or a byte 0; expected text");
    if (strstr((char *)f.bytes, "</script") || strstr((char *)f.bytes, "</style") ||
        strstr((char *)f.bytes, "<!--"))
        refuse(path, "contains </script, </style or <!--, which HTML would read; expected none");
    return f;
}

static void put_array(FILE *out, const char *name, const File *f, bool hidden)
{
    fprintf(out, "%sconst unsigned char %s[] = {", hidden ? "static " : "", name);
    for (size_t i = 0; i < f->size; i++)
        fprintf(out, "%s%d,", i % 24 ? "" : "\n", f->bytes[i]);
    fprintf(out, "0};\n"); /* an array has at least one element */
}

/* The hash of two files, one after the other. */
static void put_hash(FILE *out, const File *frame, const File *own)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char d[33] = {0};
    Sha256 s;
    sha_begin(&s);
    sha_add(&s, frame->bytes, frame->size);
    sha_add(&s, own->bytes, own->size);
    sha_end(&s, d);
    fputc('"', out);
    for (int i = 0; i < 33; i += 3) {
        unsigned three = (unsigned)d[i] << 16 | (unsigned)d[i + 1] << 8 | d[i + 2];
        for (int k = 0; k < 4; k++)
            fputc(i == 30 && k == 3 ? '=' : letter[three >> (18 - 6 * k) & 63], out);
    }
    fputc('"', out);
}

/* "attention" of "plot/html/attention.css". */
static const char *kind_of(const char *path, char name[64])
{
    const char *slash = strrchr(path, '/');
    snprintf(name, 64, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = 0;
    return name;
}

static bool is_style(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".css") == 0;
}

/* The styles, or the scripts, that paths begins with, one after the other; *count says how many. */
static File read_files(char **paths, int left, bool styles, int *count)
{
    File all = {.bytes = calloc(1, 1)};
    for (*count = 0; *count < left && is_style(paths[*count]) == styles; ++*count) {
        File one = read_file(paths[*count]);
        all.bytes = realloc(all.bytes, all.size + one.size + 1);
        if (!all.bytes)
            refuse(paths[*count], "no memory");
        memcpy(all.bytes + all.size, one.bytes, one.size + 1);
        all.size += one.size;
        free(one.bytes);
    }
    return all;
}

/* Writes the arrays of one kind to out and its row to table. Returns the number of paths that it
 * read. */
static int put_kind(FILE *out, FILE *table, char **paths, int left, const File *frame_style,
                    const File *frame_script)
{
    char name[64], array[80];
    int styles, scripts;
    if (!is_style(paths[0]))
        refuse(paths[0], "is no style; expected KIND.css before its scripts");
    File style = read_files(paths, left, true, &styles),
         script = read_files(paths + styles, left - styles, false, &scripts);
    kind_of(paths[0], name);
    snprintf(array, sizeof array, "%s_style", name);
    put_array(out, array, &style, true);
    snprintf(array, sizeof array, "%s_script", name);
    put_array(out, array, &script, true);
    fprintf(table, "{\"%s\", %s_style, %s_script, %zu, %zu, ", name, name, name, style.size,
            script.size);
    put_hash(table, frame_style, &style);
    fputs(", ", table);
    put_hash(table, frame_script, &script);
    fputs("},\n", table);
    free(style.bytes);
    free(script.bytes);
    return styles + scripts;
}

int main(int argc, char **argv)
{
    FILE *out = argc >= 4 ? fopen(argv[1], "w") : NULL, *table = tmpfile();
    if (!out || !table)
        refuse(
            argc > 1 ? argv[1] : "arguments",
            "cannot be written; expected: embed OUT.c FRAME.css FRAME.js [KIND.css MORE.js...]...");
    File style = read_file(argv[2]), script = read_file(argv[3]);
    fputs("/* Made by plot/html/embed.c. */\n#include \"plot/html/page.h\"\n", out);
    put_array(out, "page_frame_style", &style, false);
    put_array(out, "page_frame_script", &script, false);
    fprintf(out, "const size_t page_frame_style_size = %zu, page_frame_script_size = %zu;\n",
            style.size, script.size);
    for (int i = 4; i < argc;)
        i += put_kind(out, table, argv + i, argc - i, &style, &script);
    fputs("const PageKind page_kinds[] = {\n", out);
    rewind(table);
    for (int c; (c = getc(table)) != EOF;)
        putc(c, out);
    fputs("{0}};\n", out);
    fclose(table);
    free(style.bytes);
    free(script.bytes);
    return fclose(out) == 0 ? 0 : 1;
}

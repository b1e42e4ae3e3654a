/* page.h: what the writers of pages, and of what examples/live answers, share (internal).
 *
 * A page is one .html file that needs nothing else: its style, its script and its data are inside,
 * and a content security policy, which names the SHA-256 of the style and of the script, forbids
 * everything else.
 *
 * A writer calls, for an object with one text and one array,
 *
 *     Page *p = page_new("attention", "layer 1", "plot_page_attention");
 *     page_key(p, "words");
 *     page_array(p);
 *     page_text(p, "the");
 *     page_end(p);
 *     return page_write(p, path);
 *
 * No call needs a check: after a failure, p == NULL included, the others do nothing and page_write
 * returns false. */
#ifndef GRADUS_PLOT_HTML_PAGE_H
#define GRADUS_PLOT_HTML_PAGE_H

#include "tensor/io/input.h"
#include "plot/internal.h"
#include "plot/html/own_pages.h"

typedef struct Page Page;

/* Begins a page. kind: the name of a script, such as "attention"; title: NULL for none; who: the
 * public function that was called, for errors. The data are one object, which is open; it has the
 * members kind, title and colours. NULL, with an error, for an unknown kind or when memory is
 * out. */
Page *page_new(const char *kind, const char *title, const char *who);

/* The same for data without a file, which a page reads that computes them itself. */
Page *page_data_new(const char *who);

/* Closes what is open and copies the JSON as snprintf does. Returns the length of the whole text;
 * 0, with an error, where an earlier call failed. */
size_t page_data(Page *p, char *text, size_t size);

/* One token of JSON after the other; commas and escapes are added here. In an object, each value
 * follows a key. */
void page_key(Page *p, const char *key);
void page_object(Page *p);
void page_array(Page *p);
void page_end(Page *p);                    /* of the object or array that was begun last */
void page_text(Page *p, const char *utf8); /* null for NULL; an invalid byte is written as U+FFFD */
void page_number(Page *p, double x);   /* 9 significant digits; null for NaN, 1e999 for infinity */
void page_count(Page *p, long long n); /* a whole number */

/* The same in one call: a key and its value. */
void page_key_text(Page *p, const char *key, const char *utf8);
void page_key_number(Page *p, const char *key, double x);
void page_key_exact(Page *p, const char *key, double x); /* 17 significant digits */
void page_key_count(Page *p, const char *key, long long n);
void page_key_bool(Page *p, const char *key, bool b);
void page_key_array(Page *p, const char *key); /* begins it */
void page_texts(Page *p, const char *key, const char *const *texts,
                int count); /* null for NULL texts */

/* Numbers as an object {"shape", "bits", "low", "high", "error", "base64"}, which the class Packed
 * in frame.js reads. bits is 8 or 16; see pack.c. error is the largest difference between a number
 * and what the page shows. causal: maps (..., T, S) whose entries to the right of the diagonal that
 * ends in the last column are all 0, as causal attention has them, are written without these. */
void page_packed(Page *p, const real *values, Shape shape, int bits, bool causal);

/* The library as a script that stands before the page's own, whose SHA-256 in base64 is `hash`:
 * the policy names it, and allows WebAssembly. Both are copied. */
void page_module(Page *p, const char *script, const char *hash);

/* Member "live", and the module (live.c); see pages.h. Does nothing for NULL. False with an
 * error. */
bool page_live(Page *p, const PlotPageLive *live, const char *who);

/* Closes what is open, writes the file as a whole or not at all, with the folders that it needs,
 * and frees the page. False, with an error, where that or an earlier call failed. */
bool page_write(Page *p, const char *path);

/* Has an earlier call failed, so that a writer may as well stop? */
bool page_failed(const Page *p);

void page_free(Page *p);

/* Appends bytes to the JSON text as they are; for pack.c. */
void page_raw(Page *p, const char *bytes, size_t count);
/* Writes the comma that a value needs before it. */
void page_value(Page *p);

/* The bytes of a file, as a text in base64. False, with an error, where they cannot be read. */
bool page_file(Page *p, const Input *in);

/* ---- pack.c ---------------------------------------------------------------------------------- */

/* A number x becomes the code round((x - low) / (high - low) * last), where last is 252 of 8 bits
 * and 65532 of 16. The three codes above are -infinity, +infinity and NaN. low and high are the
 * least and greatest finite number, and low is 0 where it is less than half a step above. Where one
 * is below 0 and the other above, they are -high and high of the larger, so that 0 has a code of
 * its own. */
typedef struct {
    int bits;
    double low, high, error;
} Packing;

enum { PACK_NEGATIVE = 1, PACK_POSITIVE, PACK_NAN };

int pack_last(int bits);
Packing pack_range(const real *values, int64_t count, int bits);
int pack_code(const Packing *p, double x);
double pack_value(const Packing *p, int code); /* what frame.js computes from the code */

/* ---- what embed.py makes --------------------------------------------------------------------- */

/* One kind of page. The style is page_frame_style with style after it, likewise the script. */
typedef struct {
    const char *kind;
    const unsigned char *style, *script;
    size_t style_size, script_size;
    const char *style_hash, *script_hash; /* SHA-256 in base64 */
} PageKind;

extern const unsigned char page_frame_style[], page_frame_script[];
extern const size_t page_frame_style_size, page_frame_script_size;
extern const PageKind page_kinds[]; /* closed by one whose kind is NULL */

#endif

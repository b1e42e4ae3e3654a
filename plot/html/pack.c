/* pack.c: arrays of numbers in 8 or 16 bits each, and files, as text in base64.
 *
 *   code = round((x - low) / (high - low) * last),  x' = low + code * (high - low) / last,  last = 2^bits - 4
 *   |x - x'| <= (high - low) / (2 last)
 *
 * 16 bits are stored lower byte first. */
#include "plot/html/page.h"

#include <math.h>

int pack_last(int bits)
{
    return (1 << bits) - 4;
}

int pack_code(const Packing *p, double x)
{
    int last = pack_last(p->bits);
    if (isnan(x))
        return last + PACK_NAN;
    if (isinf(x))
        return last + (x < 0 ? PACK_NEGATIVE : PACK_POSITIVE);
    double span = p->high - p->low;
    double code = span > 0 ? floor((x - p->low) / span * last + 0.5) : 0;
    return code < 0 ? 0 : code > last ? last : (int)code;
}

double pack_value(const Packing *p, int code)
{
    int last = pack_last(p->bits);
    if (code > last)
        return code == last + PACK_NAN ? NAN : code == last + PACK_NEGATIVE ? -INFINITY : INFINITY;
    return p->low + (p->high - p->low) * (code / (double)last);
}

Packing pack_range(const real *values, int64_t count, int bits)
{
    Packing p = {.bits = bits, .low = INFINITY, .high = -INFINITY};
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            p.low = values[i] < p.low ? (double)values[i] : p.low;
            p.high = values[i] > p.high ? (double)values[i] : p.high;
        }
    if (p.low > p.high)
        p.low = p.high = 0; /* no finite number at all */
    if (p.low < 0 && p.high > 0) {
        p.high = -p.low > p.high ? -p.low : p.high;
        p.low = -p.high;
    }
    /* Half a step above 0 is 0: no more digits are shown than there are. */
    if (p.low > 0 && p.low < p.high / (2.0 * pack_last(bits)))
        p.low = 0;
    return p;
}

/* ---- base64 ---------------------------------------------------------------------------------- */

/* Collects bytes by threes. */
typedef struct {
    Page *page;
    unsigned char byte[3];
    int count;
    char text[1024]; /* what will be appended next */
    size_t used;
} Base64;

static void base64_flush(Base64 *b)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned three = (unsigned)b->byte[0] << 16 | (unsigned)b->byte[1] << 8 | b->byte[2];
    for (int i = 0; i < 4; i++)
        b->text[b->used++] = i <= b->count ? digit[three >> (18 - 6 * i) & 63] : '=';
    b->count = b->byte[0] = b->byte[1] = b->byte[2] = 0;
    if (b->used == sizeof b->text) {
        page_raw(b->page, b->text, b->used);
        b->used = 0;
    }
}

static void base64_put(Base64 *b, int byte)
{
    b->byte[b->count++] = (unsigned char)byte;
    if (b->count == 3)
        base64_flush(b);
}

static void base64_end(Base64 *b)
{
    if (b->count > 0)
        base64_flush(b);
    page_raw(b->page, b->text, b->used);
}

/* ---- an array -------------------------------------------------------------------------------- */

/* How many of a map's columns row i has: all, or those up to the diagonal that ends in the last
 * row's last column. */
static int64_t kept_columns(Shape s, int64_t row, bool causal)
{
    int64_t T = s.rank > 1 ? s.dim[s.rank - 2] : 1, S = shape_last(s);
    int64_t kept = causal ? row % T + 1 + S - T : S;
    return kept < 0 ? 0 : kept;
}

/* Appends the codes and returns the largest error. */
static double put_codes(Page *page, const Packing *p, const real *values, Shape s, bool causal)
{
    Base64 out = {.page = page};
    double error = 0;
    int64_t S = shape_last(s), rows = S > 0 ? shape_size(s) / S : 0;
    for (int64_t i = 0; i < rows && !page_failed(page); i++)
        for (int64_t j = 0; j < kept_columns(s, i, causal); j++) {
            double x = (double)values[i * S + j];
            int code = pack_code(p, x);
            if (isfinite(x))
                error = fmax(error, fabs(x - pack_value(p, code)));
            base64_put(&out, code & 255);
            if (p->bits == 16)
                base64_put(&out, code >> 8);
        }
    base64_end(&out);
    return error;
}

void page_packed(Page *page, const real *values, Shape s, int bits, bool causal)
{
    Packing p = pack_range(values, shape_size(s), bits == 8 ? 8 : 16);
    page_object(page);
    page_key_array(page, "shape");
    for (int i = 0; i < s.rank; i++)
        page_count(page, s.dim[i]);
    page_end(page);
    page_key_count(page, "bits", p.bits);
    page_key_exact(page, "low", p.low);
    page_key_exact(page, "high", p.high);
    page_key_bool(page, "causal", causal);
    page_key(page, "base64");
    page_value(page);
    page_raw(page, "\"", 1);
    double error = put_codes(page, &p, values, s, causal);
    page_raw(page, "\"", 1);
    page_key_exact(page, "error", error);
    page_end(page);
}

/* ---- a file ---------------------------------------------------------------------------------- */

bool page_file(Page *page, const Input *in)
{
    static unsigned char part[3 << 16];
    Base64 out = {.page = page};
    page_value(page);
    page_raw(page, "\"", 1);
    for (int64_t at = 0; at < in->bytes && !page_failed(page); at += (int64_t)sizeof part) {
        size_t rest = (size_t)(in->bytes - at), count = rest < sizeof part ? rest : sizeof part;
        if (!input_read(in, at, part, count))
            return false;
        for (size_t i = 0; i < count; i++)
            base64_put(&out, part[i]);
    }
    base64_end(&out);
    page_raw(page, "\"", 1);
    return true;
}

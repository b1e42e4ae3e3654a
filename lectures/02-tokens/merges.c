/* merges.c: byte-pair encoding, merge by merge (row 8).      Z "Tokenization"; Sennrich et al. 2016
 *
 *   begin with bytes; again and again: the most frequent pair of neighbours becomes a new token
 *
 * What of it can be derived:
 *   1  a merge of a pair with count n replaces n times two tokens by one: the text is n tokens shorter
 *   2  so the text has  bytes - sum of counts  tokens in the end
 *   3  each new pair contains the new token, which occurs n times: no later count is larger than n
 *   4  every token is a string of bytes, and all bytes are tokens: nothing is unknown, nothing is lost */
#include "lectures/02-tokens/tokens.h"

#include <string.h>

static const char peter[] = "Peter Piper picked a peck of pickled peppers";

enum { TEXT_MAX = 1024, MERGES_MAX = 64 };

typedef struct {
    unsigned char bytes[TEXT_MAX];
    int n;
} Bytes;

/* Peter Piper, or 400 letters a and b and blanks at random: texts in which a pair often overlaps
 * itself. */
static Bytes a_text(uint64_t seed, int which)
{
    Bytes t = {.n = (int)strlen(peter)};
    Rng rng = {.seed = seed, .stream = 800 + (uint64_t)which};
    memcpy(t.bytes, peter, (size_t)t.n);
    if (which > 0)
        for (t.n = 0; t.n < 400; t.n++)
            t.bytes[t.n] = (unsigned char)"aaab "[rng_below(&rng, 5)];
    return t;
}

/* Replaces the pair from left to right wherever it stands; returns how many tokens are left. */
static int join(int32_t *ids, int n, int32_t left, int32_t right, int32_t whole)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        bool pair = i + 1 < n && ids[i] == left && ids[i + 1] == right;
        ids[kept++] = pair ? whole : ids[i];
        i += pair;
    }
    return kept;
}

/* All merges one after another; reversed: the last one first. */
static int join_all(const Bpe *b, int32_t *ids, int n, bool reversed)
{
    for (int i = 0; i < b->merges; i++) {
        int k = reversed ? b->merges - 1 - i : i;
        n = join(ids, n, b->merge[k].left, b->merge[k].right, DATA_BPE_BYTES + k);
    }
    return n;
}

static int bytes_as_ids(const Bytes *t, int32_t *ids)
{
    for (int i = 0; i < t->n; i++)
        ids[i] = t->bytes[i];
    return t->n;
}

/* Pairs at every position: of "aaa" both. */
static int overlapping_pairs(const int32_t *ids, int n, Merge m)
{
    int count = 0;
    for (int i = 0; i + 1 < n; i++)
        count += ids[i] == m.left && ids[i + 1] == m.right;
    return count;
}

/* "Pe|t|er| |Pi|pe|r": the tokens of a text. */
static void show_tokens(const Bpe *b, const int32_t *ids, int n, char *text, size_t size)
{
    size_t used = 0;
    char token[DATA_BPE_TOKEN_BYTES];
    for (int i = 0; i < n && used < size; i++) {
        data_bpe_token(b, ids[i], token);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "|" : "", token);
    }
}

/* ---- each merge shortens the text by its count ----------------------------------------------- */

static double shortened(Trial *t)
{
    int wrong = 0, merges = 0;
    for (int which = 0; which < 5; which++) {
        Bytes text = a_text(t->seed, which);
        int32_t ids[TEXT_MAX];
        Bpe b;
        char shown[4 * TEXT_MAX], token[DATA_BPE_TOKEN_BYTES];
        data_bpe_train(&b, text.bytes, (size_t)text.n, MERGES_MAX);
        int n = bytes_as_ids(&text, ids);
        if (which == 0)
            explain(t, "     %d bytes: %s", n, peter);
        for (int k = 0; k < b.merges; k++) {
            Merge m = b.merge[k];
            int count = broken(t, "overlapping") ? overlapping_pairs(ids, n, m) : (int)m.count;
            int left = join(ids, n, m.left, m.right, DATA_BPE_BYTES + k);
            wrong += n - left != count;
            n = left;
            if (which == 0) {
                data_bpe_token(&b, DATA_BPE_BYTES + k, token);
                show_tokens(&b, ids, n, shown, sizeof shown);
                explain(t, "%2d  %-7s %d times, %d tokens: %s", k + 1, token, count, n, shown);
            }
        }
        merges += b.merges;
        data_bpe_free(&b);
    }
    explain(t, "and four random texts of a, b and blanks: %d merges in all", merges);
    return merges > 20 ? wrong : (double)NAN;
}

/* What is left of Peter Piper after three merges. */
double peter_tokens(Trial *t)
{
    Bytes text = a_text(t->seed, 0);
    int32_t ids[TEXT_MAX];
    Bpe b;
    data_bpe_train(&b, text.bytes, (size_t)text.n, 3);
    int n = join_all(&b, ids, bytes_as_ids(&text, ids), false);
    data_bpe_free(&b);
    return n;
}

/* ---- the order of the merges ----------------------------------------------------------------- */

static double order_of_merges(Trial *t)
{
    static const char new_text[] = "a pickled pepper, Peter, pecked by Piper";
    int32_t ids[TEXT_MAX], encoded[TEXT_MAX];
    int wrong = 0, merges = 0;
    for (int which = 0; which < 5; which++) {
        Bytes text = a_text(t->seed, which), other = a_text(t->seed + 1, which);
        if (which == 0) {
            other.n = (int)strlen(new_text);
            memcpy(other.bytes, new_text, (size_t)other.n);
        }
        Bpe b;
        data_bpe_train(&b, text.bytes, (size_t)text.n, MERGES_MAX);
        int n = join_all(&b, ids, bytes_as_ids(&other, ids), broken(t, "reversed"));
        int64_t count = data_bpe_encode(&b, other.bytes, (size_t)other.n, encoded, TEXT_MAX);
        char shown[4 * TEXT_MAX];
        show_tokens(&b, ids, n, shown, sizeof shown);
        if (which == 0)
            explain(t, "%d bytes, %d tokens: %s", other.n, n, shown);
        for (int i = 0; i < n || i < count; i++)
            wrong += i >= n || i >= count || ids[i] != encoded[i];
        merges += b.merges;
        data_bpe_free(&b);
    }
    return merges > 20 ? wrong : (double)NAN;
}

/* ---- nothing is lost ------------------------------------------------------------------------- */

/* As words: blanks, case and unknown words are lost. */
static size_t words_and_back(const Bytes *text, char *back, size_t size)
{
    char line[TEXT_MAX + 1];
    int32_t ids[TEXT_MAX];
    Vocab v = {0};
    for (int i = 0; i < text->n; i++)
        line[i] = (char)(text->bytes[i] ? text->bytes[i] : ' ');
    line[text->n] = 0;
    data_words_build(&v, peter, 100, 1);
    int64_t n = data_words_encode(&v, line, ids, TEXT_MAX);
    size_t used = data_vocab_text(&v, ids, (int)n, back, size);
    data_vocab_free(&v);
    return used;
}

static double round_trip(Trial *t)
{
    enum { TRIALS = 100 };
    Rng *rng = trial_rng(t, 810);
    Bpe b;
    int wrong = 0, saved = 0;
    data_bpe_train(&b, peter, strlen(peter), MERGES_MAX);
    for (int k = 0; k < TRIALS; k++) {
        Bytes text = a_text(t->seed, 0);
        char back[16 * TEXT_MAX];
        int32_t ids[TEXT_MAX];
        if (k > 0) /* any bytes, in runs of Peter Piper */
            for (int i = 0; i < text.n; i++)
                if (rng_below(rng, 4) == 0)
                    text.bytes[i] = (unsigned char)rng_below(rng, 256);
        int n = (int)data_bpe_encode(&b, text.bytes, (size_t)text.n, ids, TEXT_MAX);
        size_t size = broken(t, "words") ? words_and_back(&text, back, sizeof back)
                                         : data_bpe_decode(&b, ids, n, back, sizeof back);
        wrong += size != (size_t)text.n || memcmp(back, text.bytes, size) != 0;
        saved += text.n - n;
    }
    explain(t, "%d texts of %zu bytes, one in four of which is any byte: %d differ afterwards",
            TRIALS, strlen(peter), wrong);
    explain(t, "they are %.1f tokens shorter on average", (double)saved / TRIALS);
    data_bpe_free(&b);
    return saved > 0 ? wrong : (double)NAN;
}

const Claim merges_claims[] = {
    {8, shortened, "each merge shortens the text by exactly the count of its pair",
     .slides = {"Z: Tokenization"},
     .quantity = "merges, of Peter Piper and four random texts, that do not",
     EXACTLY(0, "two tokens become one as often as the pair is counted"),
     .faults = {{"overlapping", "pairs are counted at every position: two in aaa"}},
     HOLDS_POISONED("counts tokens; no kernel is run")},
    {8, order_of_merges, "a new text is encoded by the same merges, in the order of training",
     .slides = {"Z: Tokenization"},
     .quantity = "tokens that differ from data_bpe_encode's, in five texts",
     EXACTLY(0, "a later merge joins what an earlier one has made"),
     .faults = {{"reversed", "the last merge first"}},
     HOLDS_POISONED("compares tokens; no kernel is run")},
    {8, round_trip, "byte pairs encode any bytes, and decoding gives the same bytes",
     .slides = {"Z: Tokenization"},
     .quantity = "texts of 100, random bytes among them, that change",
     EXACTLY(0, "each token is a string of bytes, and all 256 bytes are tokens"),
     .faults = {{"words", "a fixed dictionary of words: what it lacks becomes <unk>"}},
     HOLDS_POISONED("compares bytes; no kernel is run")},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* Row k shows the sentence after k merges: a box a token, coloured by its length. */
static bool draw_merges(const Sketch *s)
{
    enum { ROWS = 7, LETTER = 21, PARTS = ROWS * sizeof peter };
    static PlotPart part[PARTS];
    static char text[PARTS][DATA_BPE_TOKEN_BYTES];
    Bytes sentence = a_text(s->seed, 0);
    char token[DATA_BPE_TOKEN_BYTES];
    int32_t ids[TEXT_MAX];
    int parts = 0, n = bytes_as_ids(&sentence, ids);
    Bpe b;
    data_bpe_train(&b, sentence.bytes, (size_t)sentence.n, ROWS - 1);
    for (int k = 0; k < ROWS; k++) {
        double x = 24, y = 110 + 92 * k;
        if (k > 0)
            n = join(ids, n, b.merge[k - 1].left, b.merge[k - 1].right, DATA_BPE_BYTES + k - 1);
        for (int i = 0; i < n; i++, parts++) {
            int wide = LETTER * data_bpe_token(&b, ids[i], text[parts]);
            part[parts] = (PlotPart){.shape = PLOT_BOX,
                                     .x = x + wide / 2.0,
                                     .y = y,
                                     .width = wide - 3,
                                     .height = 46,
                                     .text = text[parts],
                                     .colour = wide / LETTER - 1};
            x += wide;
        }
        snprintf(text[parts], sizeof *text, "%d bytes", n);
        if (k > 0) {
            data_bpe_token(&b, DATA_BPE_BYTES + k - 1, token);
            snprintf(text[parts], sizeof *text, "%.8s, %d times: %d tokens", token,
                     (int)b.merge[k - 1].count, n);
        }
        part[parts] = (PlotPart){NULL, PLOT_TEXT, 1110, y, .text = text[parts], .font = 20};
        parts++;
    }
    data_bpe_free(&b);
    const PlotDiagram d = {part, parts, NULL, 0, sketch_title(s, "Byte pairs, merge by merge")};
    return plot_diagram(s->stem, &d, s->formats);
}

enum { READ_MAX = 4096, MERGES_SHOWN = 100 };

static bool compute_merges(const double *value, const char *text)
{
    char token[DATA_BPE_TOKEN_BYTES];
    static int32_t ids[READ_MAX];
    const size_t bytes = strlen(text) < READ_MAX ? strlen(text) : READ_MAX;
    Bpe b;
    if (!data_bpe_train(&b, text, bytes, (int)value[0]))
        return false;
    const int64_t n = data_bpe_encode(&b, text, bytes, ids, READ_MAX);
    for (int64_t i = 0; i < n; i++)
        computed_token(token, (size_t)data_bpe_token(&b, ids[i], token));
    computed_fact("%d bytes, %d merges: %d tokens.", (int)bytes, b.merges, (int)n);
    if (b.merges > 0) {
        data_bpe_token(&b, DATA_BPE_BYTES + b.merges - 1, token);
        computed_fact(" The last merge made \"%s\", whose halves stood together %d times.", token,
                      (int)b.merge[b.merges - 1].count);
    }
    data_bpe_free(&b);
    return n >= 0;
}

const ComputedFigure merges_computed = {
    .name = "merges",
    .title = "Byte pairs of your own text",
    .about = "The merges are learnt from the text below: each time the most frequent pair of "
             "neighbours becomes one token, within words, until no pair stands there twice.",
    .control = {{"merges", 0, MERGES_SHOWN, 1, 6}},
    .text = "Peter Piper picked a peck of pickled peppers. A peck of pickled peppers Peter Piper "
            "picked.",
    .compute = compute_merges};

const Figure merges_figures[] = {
    {8, "merges", draw_merges,
     .what = "Peter Piper picked a peck: which pair is merged, how often, and what tokens are left",
     .computed = &merges_computed},
    {0},
};

/* tokeniser_steps.c: normalizer, pre_tokenizer and decoder of a tokenizer.json. Each step is read
 * by its type and settings; one that is not known is an error: ids that are nearly right are worse
 * than none. What cuts a text is always an expression: white space, digits, punctuation. */
#include "data/tokeniser_json.h"

#include <string.h>

static const char blank[] = "\xe2\x96\x81"; /* U+2581 */

static const char *type_of(const JsonValue *v)
{
    const char *type = json_get_text(v, "type");
    return type ? type : "of no type";
}

Step *tokeniser_step(Tokeniser *t, const char *path, StepKind kind)
{
    if (t->steps == STEPS_MAX) {
        TOKENISER_FAIL(path, "more than %d steps; expected fewer", STEPS_MAX);
        return NULL;
    }
    Step *s = &t->step[t->steps++];
    *s = (Step){.kind = kind};
    return s;
}

bool tokeniser_split(Tokeniser *t, const char *path, const char *expression, PatternKind kind,
                     int behavior)
{
    Step *s = tokeniser_step(t, path, STEP_SPLIT);
    if (!s)
        return false;
    s->behavior = (unsigned)behavior;
    return pattern_read(&s->pattern, &t->arena, path, expression, kind);
}

/* {"String": " "} or {"Regex": "\\s+"}, copied, because an error names it later. */
static bool read_pattern(TokeniserFile *f, Step *s, const JsonValue *pattern)
{
    const char *text = json_get_text(pattern, "String"), *regex = json_get_text(pattern, "Regex");
    if (!text && !regex)
        return TOKENISER_FAIL(f->path, "%s", "a step has no pattern; expected a String or a Regex");
    return pattern_read(&s->pattern, &f->t->arena, f->path, regex ? regex : text,
                        regex ? PATTERN_EXPRESSION : PATTERN_TEXT);
}

/* ---- normalizer ------------------------------------------------------------------------------ */

/* The types without settings, and those with. */
static const struct {
    const char *type;
    StepKind kind;
} normals[] = {{"NFC", STEP_COMPOSE},     {"NFD", STEP_DECOMPOSE},
               {"Lowercase", STEP_LOWER}, {"StripAccents", STEP_ACCENTS},
               {"Strip", STEP_STRIP},     {"Replace", STEP_REPLACE},
               {"Prepend", STEP_PREPEND}, {"BertNormalizer", STEP_BERT},
               {"Precompiled", STEP_MAP}};

static bool read_normal(TokeniserFile *f, const JsonValue *n, Step *s)
{
    const char *text = json_get_text(n, s->kind == STEP_PREPEND ? "prepend" : "content");
    switch (s->kind) {
    case STEP_STRIP:
        s->left = json_is_true(n, "strip_left", true);
        s->right = json_is_true(n, "strip_right", true);
        return true;
    case STEP_BERT:
        s->clean = json_is_true(n, "clean_text", true);
        s->chinese = json_is_true(n, "handle_chinese_chars", true);
        s->lower = json_is_true(n, "lowercase", true);
        s->strip = json_is_true(n, "strip_accents", s->lower);
        return true;
    case STEP_MAP:
        return (f->t->pieces.map.units == 0 && unigram_map(f, n)) ||
               (f->t->pieces.map.units > 0 &&
                TOKENISER_FAIL(f->path, "%s", "normalizer has two maps; expected one"));
    case STEP_REPLACE:
    case STEP_PREPEND:
        if (!text)
            return TOKENISER_FAIL(f->path, "normalizer %s has no text; expected one", type_of(n));
        s->text = tokeniser_keep(f->t, text);
        return s->text && (s->kind == STEP_PREPEND || read_pattern(f, s, json_get(n, "pattern")));
    default:
        return true;
    }
}

bool tokeniser_normalizer(TokeniserFile *f, const JsonValue *n)
{
    if (json_is_absent(n))
        return true;
    if (json_is_type(n, "Sequence"))
        return tokeniser_each(f, json_get(n, "normalizers"), tokeniser_normalizer);
    for (size_t i = 0; i < sizeof normals / sizeof *normals; i++) {
        if (!json_is_type(n, normals[i].type))
            continue;
        Step *s = tokeniser_step(f->t, f->path, normals[i].kind);
        f->t->normals = f->t->steps;
        return s && read_normal(f, n, s);
    }
    return TOKENISER_FAIL(f->path,
                          "normalizer is %s; expected NFC, NFD, Lowercase, StripAccents, Strip, "
                          "Replace, Prepend, BertNormalizer, Precompiled, or a Sequence of these",
                          type_of(n));
}

/* ---- pre_tokenizer --------------------------------------------------------------------------- */

/* One of these names under a key; -1: none of them. */
static int one_of(const JsonValue *v, const char *key, const char *const *names, int count)
{
    const char *text = json_get_text(v, key);
    for (int i = 0; text && i < count; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

static bool split(TokeniserFile *f, const JsonValue *p, bool punctuation)
{
    static const char *const behaviors[] = {"Removed", "Isolated", "MergedWithPrevious",
                                            "MergedWithNext", "Contiguous"};
    const char *named = json_get_text(p, "behavior");
    int behavior = one_of(p, "behavior", behaviors, 5);
    if (behavior < 0 && (named || !punctuation))
        return TOKENISER_FAIL(f->path,
                              "pre_tokenizer.behavior is '%s'; expected Removed, Isolated, "
                              "MergedWithPrevious, MergedWithNext or Contiguous",
                              named ? named : "missing");
    if (punctuation)
        return tokeniser_split(f->t, f->path, "\\p{B}", PATTERN_OURS,
                               behavior < 0 ? SPLIT_ISOLATED : behavior);
    Step *s = tokeniser_step(f->t, f->path, STEP_SPLIT);
    if (!s)
        return false;
    s->behavior = (unsigned)behavior;
    s->inverted = json_is_true(p, "invert", false);
    return read_pattern(f, s, json_get(p, "pattern"));
}

static bool metaspace(TokeniserFile *f, const JsonValue *p)
{
    static const char *const schemes[] = {"never", "first", "always"};
    const char *replacement = json_get_text(p, "replacement"),
               *scheme = json_get_text(p, "prepend_scheme");
    int front = scheme ? one_of(p, "prepend_scheme", schemes, 3)
                : json_is_true(p, "add_prefix_space", true) ? FRONT_ALWAYS
                                                            : FRONT_NEVER;
    if (!replacement || strcmp(replacement, blank) != 0 || front < 0)
        return TOKENISER_FAIL(f->path,
                              "pre_tokenizer Metaspace has the replacement '%s' and the "
                              "prepend_scheme '%s'; expected U+2581 and never, first or always",
                              replacement ? replacement : "", scheme ? scheme : "");
    return tokeniser_metaspace(f->t, f->path, front, json_is_true(p, "split", true));
}

static bool front_step(Tokeniser *t, const char *path, const char *text, int front)
{
    Step *s = tokeniser_step(t, path, STEP_FRONT);
    if (!s)
        return false;
    s->text = text;
    s->front = (unsigned)front;
    return true;
}

bool tokeniser_metaspace(Tokeniser *t, const char *path, int front, bool cut)
{
    return front_step(t, path, blank, front) &&
           (!cut || tokeniser_split(t, path, blank, PATTERN_TEXT, SPLIT_NEXT));
}

bool tokeniser_byte_level(Tokeniser *t, const char *path, bool front, bool cut)
{
    static const char gpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"
                               "\\s+(?!\\S)|\\s+";
    t->byte_level = true;
    return (!front || front_step(t, path, " ", FRONT_ALWAYS)) &&
           (!cut || tokeniser_split(t, path, gpt2, PATTERN_EXPRESSION, SPLIT_ISOLATED));
}

bool tokeniser_bert_split(Tokeniser *t, const char *path)
{
    return tokeniser_split(t, path, "\\s", PATTERN_OURS, SPLIT_REMOVED) &&
           tokeniser_split(t, path, "\\p{B}", PATTERN_OURS, SPLIT_ISOLATED);
}

bool tokeniser_pre_tokenizer(TokeniserFile *f, const JsonValue *p)
{
    Tokeniser *t = f->t;
    if (json_is_absent(p))
        return true;
    if (t->byte_level)
        return TOKENISER_FAIL(f->path,
                              "pre_tokenizer has %s after ByteLevel; expected ByteLevel last",
                              type_of(p));
    if (json_is_type(p, "Sequence"))
        return tokeniser_each(f, json_get(p, "pretokenizers"), tokeniser_pre_tokenizer);
    if (json_is_type(p, "Split") || json_is_type(p, "Punctuation"))
        return split(f, p, json_is_type(p, "Punctuation"));
    if (json_is_type(p, "ByteLevel"))
        return tokeniser_byte_level(t, f->path, json_is_true(p, "add_prefix_space", true),
                                    json_is_true(p, "use_regex", true));
    if (json_is_type(p, "Metaspace"))
        return metaspace(f, p);
    if (json_is_type(p, "BertPreTokenizer"))
        return tokeniser_bert_split(t, f->path);
    if (json_is_type(p, "WhitespaceSplit"))
        return tokeniser_split(t, f->path, "\\s", PATTERN_OURS, SPLIT_REMOVED);
    if (json_is_type(p, "Digits"))
        return tokeniser_split(t, f->path, "\\p{N}", PATTERN_OURS,
                               json_is_true(p, "individual_digits", false) ? SPLIT_ISOLATED
                                                                           : SPLIT_CONTIGUOUS);
    if (!json_is_type(p, "Whitespace"))
        return TOKENISER_FAIL(f->path,
                              "pre_tokenizer is %s; expected ByteLevel, Split, Digits, "
                              "Punctuation, Metaspace, Whitespace, WhitespaceSplit, "
                              "BertPreTokenizer, or a Sequence of these",
                              type_of(p));
    bool ok = tokeniser_split(t, f->path, "\\w+|[^\\w\\s]+", PATTERN_OURS, SPLIT_REMOVED);
    if (ok)
        t->step[t->steps - 1].inverted = true;
    return ok;
}

/* ---- decoder --------------------------------------------------------------------------------- */

static bool is_text(const JsonValue *v, const char *key, const char *text)
{
    const char *is = json_get_text(v, key);
    return is && strcmp(is, text) == 0;
}

static bool metaspace_front(const JsonValue *d)
{
    const char *scheme = json_get_text(d, "prepend_scheme");
    return scheme ? strcmp(scheme, "never") != 0 : json_is_true(d, "add_prefix_space", true);
}

/* One of the steps of a Sequence: each piece for itself, and after Fuse the whole text. */
static bool piece_decoder(TokeniserFile *f, const JsonValue *d, bool *fused)
{
    Decoding *o = &f->t->decoding;
    const JsonValue *start = json_get(d, "start"), *stop = json_get(d, "stop");
    o->kind = DECODE_PIECES;
    if (json_is_type(d, "Replace") && is_text(json_get(d, "pattern"), "String", blank) &&
        is_text(d, "content", " ") && !*fused)
        return o->blanks = true;
    if (json_is_type(d, "Metaspace") && !*fused) {
        o->first = metaspace_front(d);
        return o->blanks = true;
    }
    if (json_is_type(d, "ByteFallback") && !*fused)
        return o->bytes = true;
    if (json_is_type(d, "Fuse"))
        return *fused = true;
    if (json_is_type(d, "Strip") && *fused && is_text(d, "content", " ") && json_is_id(start) &&
        json_is_id(stop) && stop->number == 0) {
        o->strip = (int)start->number;
        return true;
    }
    return TOKENISER_FAIL(f->path,
                          "decoder has %s with other settings or in another place; expected "
                          "Replace of U+2581 by a blank, ByteFallback, Fuse, and Strip of blanks "
                          "in front",
                          type_of(d));
}

bool tokeniser_decoder(TokeniserFile *f, const JsonValue *d)
{
    Decoding *o = &f->t->decoding;
    const JsonValue *list = json_get(d, "decoders");
    const char *prefix = json_get_text(d, "prefix");
    bool fused = false, ok = true;
    if (json_is_absent(d))
        return true;
    if (json_is_type(d, "Sequence")) {
        for (const JsonValue *m = list ? list->first : NULL; ok && m; m = m->next)
            ok = piece_decoder(f, m, &fused);
        return ok;
    }
    if (json_is_type(d, "ByteLevel")) {
        o->kind = DECODE_BYTES;
        return true;
    }
    if (json_is_type(d, "Metaspace")) {
        *o = (Decoding){.kind = DECODE_PIECES, .blanks = true, .first = metaspace_front(d)};
        return true;
    }
    if (!json_is_type(d, "WordPiece") || !prefix || strcmp(prefix, f->t->prefix) != 0)
        return TOKENISER_FAIL(f->path,
                              "decoder is %s; expected ByteLevel, WordPiece with the model's "
                              "prefix, Metaspace, or a Sequence of Replace, ByteFallback, Fuse, "
                              "Strip",
                              type_of(d));
    *o = (Decoding){.kind = DECODE_WORDS, .cleanup = json_is_true(d, "cleanup", true)};
    return true;
}

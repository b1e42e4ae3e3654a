/* tokeniser_unigram.c: a tokenizer.json whose model is Unigram, SentencePiece's pieces and scores
 * as the tokenizers library writes them, and the steps before it.
 *                   Kudo, "Subword regularization" (2018)
 *   normalizer     Precompiled, Strip, Replace of two blanks or more, in this order; each may be
 *                  missing
 *   pre_tokenizer  Metaspace, or WhitespaceSplit and then Metaspace
 * They are read into what a spiece.model is read into. */
#include "data/tokeniser_json.h"
#include "tensor/memory.h"

/* <0x00> to <0xFF>, which stand for bytes where the model says byte_fallback. */
static bool is_byte(const char *piece)
{
    unsigned byte;
    char end, closed[8];
    if (strlen(piece) != 6 || sscanf(piece, "<0x%2X%c", &byte, &end) != 2)
        return false;
    snprintf(closed, sizeof closed, "<0x%02X>", byte);
    return strcmp(piece, closed) == 0;
}

/* ["the", -3.5] */
static bool piece(TokeniserFile *f, const JsonValue *m, int32_t id)
{
    Tokeniser *t = f->t;
    const JsonValue *text = m->kind == JSON_LIST && m->count == 2 ? m->first : NULL;
    if (!text || text->kind != JSON_STRING || !*text->text || text->next->kind != JSON_NUMBER ||
        !(text->next->number > -1e30 && text->next->number < 1e30))
        return TOKENISER_FAIL(f->path,
                              "model.vocab has no piece and score at %d; expected such as "
                              "[\"the\", -3.5]",
                              id);
    size_t bytes = strlen(text->text);
    const char *word = arena_copy(&t->arena, text->text, bytes + 1);
    if (!word)
        return false;
    t->pieces.score[id] = text->next->number;
    t->pieces.type[id] = t->pieces.byte_fallback && is_byte(word) ? PIECE_BYTE : PIECE_NORMAL;
    return token_table_add(&t->table, word, bytes, id) ||
           TOKENISER_FAIL(f->path, "the piece '%s' is there twice; expected each once", word);
}

bool unigram_model(TokeniserFile *f, const JsonValue *model, const JsonValue *added)
{
    Tokeniser *t = f->t;
    Pieces *p = &t->pieces;
    const JsonValue *vocab = json_get(model, "vocab"), *unknown = json_get(model, "unk_id");
    if (!vocab || vocab->kind != JSON_LIST || vocab->count > TOKEN_IDS_MAX)
        return TOKENISER_FAIL(f->path, "model.vocab is %s; expected at most %d pieces with scores",
                              !vocab                     ? "missing"
                              : vocab->kind == JSON_LIST ? "longer"
                                                         : "no list",
                              TOKEN_IDS_MAX);
    if (!json_is_id(unknown) || unknown->number >= vocab->count)
        return TOKENISER_FAIL(f->path, "model.unk_id is no id of %d pieces; expected one of them",
                              vocab->count);
    int32_t ids = vocab->count, id = 0;
    for (const JsonValue *m = added ? added->first : NULL; m; m = m->next)
        if (json_is_id(json_get(m, "id")) && (int32_t)json_get(m, "id")->number >= ids)
            ids = (int32_t)json_get(m, "id")->number + 1;
    if (!tokeniser_without_gaps(f->path, ids, vocab->count + (added ? (int64_t)added->count : 0)))
        return false;
    t->kind = TOKENISER_PIECES;
    p->library = true;
    p->byte_fallback = json_is_true(model, "byte_fallback", false);
    p->score = arena_alloc(&t->arena, (size_t)ids * sizeof *p->score);
    p->type = arena_alloc(&t->arena, (size_t)ids);
    if (!p->score || !p->type || !token_table_init(&t->table, &t->arena, ids))
        return false;
    memset(p->type, 0, (size_t)ids);
    for (const JsonValue *m = vocab->first; m; m = m->next)
        if (!piece(f, m, id++))
            return false;
    p->type[(int32_t)unknown->number] = PIECE_UNKNOWN;
    return true;
}

/* ---- the steps before the model -------------------------------------------------------------- */

/* The bytes of a text in base64 (RFC 4648, section 4), and how many; -1: it is none. */
static int64_t from_base64(const char *text, unsigned char *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    int64_t n = 0;
    size_t count = strlen(text);
    while (count > 0 && text[count - 1] == '=')
        count--;
    for (size_t i = 0; i < count; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit)
            return -1;
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (i % 4 != 0)
            bytes[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return n;
}

static bool precompiled(TokeniserFile *f, const JsonValue *step)
{
    const char *text = json_get_text(step, "precompiled_charsmap");
    unsigned char *bytes = text ? mem_alloc(strlen(text) + 1) : NULL;
    int64_t n = bytes ? from_base64(text, bytes) : -1;
    if (text && !bytes)
        return false;
    bool ok = n >= 0 ? charsmap_read(&f->t->pieces.map, &f->t->arena, f->path, bytes, (size_t)n)
                     : TOKENISER_FAIL(f->path,
                                      "normalizer.precompiled_charsmap is %s; expected "
                                      "bytes as base64",
                                      text ? "no base64" : "no text");
    mem_free(bytes);
    return ok;
}

static bool replace(TokeniserFile *f, const JsonValue *step)
{
    static const char blank[] = "\xe2\x96\x81";
    const char *regex = json_get_text(json_get(step, "pattern"), "Regex"),
               *content = json_get_text(step, "content");
    bool is_blank = content && strcmp(content, blank) == 0;
    f->t->pieces.run = is_blank ? 0x2581 : ' ';
    return (regex && strcmp(regex, " {2,}") == 0 &&
            (is_blank || (content && strcmp(content, " ") == 0))) ||
           TOKENISER_FAIL(f->path,
                          "normalizer replaces '%s' by '%s'; expected the regular expression "
                          "' {2,}' and a blank or U+2581",
                          regex ? regex : "no regular expression", content ? content : "nothing");
}

bool unigram_normalizer(TokeniserFile *f, const JsonValue *n)
{
    static const char *const order[] = {"Precompiled", "Strip", "Replace"};
    const JsonValue *list = json_get(n, "normalizers");
    Pieces *p = &f->t->pieces;
    int next = 0;
    bool ok = true, sequence = json_is_type(n, "Sequence");
    for (const JsonValue *m = sequence ? (list ? list->first : NULL) : n; ok && m;
         m = sequence ? m->next : NULL) {
        int step = next;
        while (step < 3 && !json_is_type(m, order[step]))
            step++;
        next = step + 1;
        if (step == 3)
            return TOKENISER_FAIL(f->path,
                                  "normalizer has %s; expected Precompiled, Strip, Replace for "
                                  "Unigram, each once, in this order",
                                  json_get_text(m, "type") ? json_get_text(m, "type") : "no type");
        if (step == 1) {
            p->strip_left = json_is_true(m, "strip_left", true);
            p->strip_right = json_is_true(m, "strip_right", true);
        }
        ok = step == 0 ? precompiled(f, m) : step == 1 || replace(f, m);
    }
    return ok;
}

static bool metaspace(TokeniserFile *f, const JsonValue *p)
{
    static const char *const schemes[] = {"never", "first", "always"};
    const char *replacement = json_get_text(p, "replacement"),
               *scheme = json_get_text(p, "prepend_scheme");
    Pieces *pieces = &f->t->pieces;
    int i = json_is_true(p, "add_prefix_space", true) ? IN_FRONT_ALWAYS : IN_FRONT_NEVER;
    for (i = scheme ? 0 : i; scheme && i < 3 && strcmp(scheme, schemes[i]) != 0;)
        i++;
    if (!replacement || strcmp(replacement, "\xe2\x96\x81") != 0 || i == 3)
        return TOKENISER_FAIL(f->path,
                              "pre_tokenizer Metaspace has the replacement '%s' and the "
                              "prepend_scheme '%s'; expected U+2581 and never, first or always",
                              replacement ? replacement : "", scheme ? scheme : "");
    pieces->in_front = (unsigned)i;
    pieces->dummy_prefix = i != IN_FRONT_NEVER;
    pieces->split = json_is_true(p, "split", true);
    return true;
}

bool unigram_pre_tokenizer(TokeniserFile *f, const JsonValue *p)
{
    const JsonValue *list = json_get(p, "pretokenizers"), *first = list ? list->first : NULL;
    f->t->pieces.words = json_is_type(p, "Sequence") && first && list->count == 2 &&
                         json_is_type(first, "WhitespaceSplit");
    if (f->t->pieces.words)
        p = first->next;
    return json_is_type(p, "Metaspace")
               ? metaspace(f, p)
               : TOKENISER_FAIL(f->path,
                                "pre_tokenizer is %s; expected Metaspace for Unigram, or "
                                "WhitespaceSplit and Metaspace after it",
                                json_get_text(p, "type") ? json_get_text(p, "type") : "none");
}

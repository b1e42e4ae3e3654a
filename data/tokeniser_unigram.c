/* tokeniser_unigram.c: a tokenizer.json whose model is Unigram, SentencePiece's pieces and scores
 * as the tokenizers library writes them, and SentencePiece's map.
 *                   Kudo, "Subword regularization" (2018) */
#include "data/tokeniser_json.h"
#include "tensor/memory.h"

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
    const char *word = tokeniser_keep(t, text->text);
    if (!word)
        return false;
    t->pieces.score[id] = text->next->number;
    t->pieces.type[id] =
        t->pieces.byte_fallback && byte_of_piece(word) >= 0 ? PIECE_BYTE : PIECE_NORMAL;
    return token_table_add(&t->table, word, strlen(word), id) ||
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
    if (!tokeniser_ids(f->path, vocab, added, &ids))
        return false;
    t->kind = TOKENISER_UNIGRAM;
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

/* ---- the map --------------------------------------------------------------------------------- */

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

bool unigram_map(TokeniserFile *f, const JsonValue *step)
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

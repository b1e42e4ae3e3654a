/* sentencepiece.c: SentencePiece's model file (spiece.model, tokenizer.model), a message of
 * protocol buffers, which is read here as far as it is needed.
 *                   Kudo and Richardson, "SentencePiece" (2018); sentencepiece_model.proto
 * A message is a row of fields: a varint, number * 8 + wire type, then the value: another varint
 * (0), 8 bytes (1), a varint and so many bytes (2), or 4 bytes (5). Every length is checked against
 * what is left. */
#include "data/tokeniser.h"
#include "data/file.h"
#include "tensor/memory.h"

#include <string.h>

typedef struct {
    const unsigned char *at, *end;
    bool ok;
} Message;

/* A field's number, and its value: a number, or bytes. */
typedef struct {
    int number, wire;
    uint64_t value;
    Message bytes;
} Field;

static uint64_t varint(Message *m)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (m->at >= m->end)
            break;
        unsigned char byte = *m->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    m->ok = false;
    return 0;
}

static uint64_t fixed(Message *m, int bytes)
{
    uint64_t value = 0;
    m->ok = m->ok && m->end - m->at >= bytes;
    for (int i = 0; m->ok && i < bytes; i++)
        value |= (uint64_t)m->at[i] << 8 * i;
    m->at += m->ok ? bytes : 0;
    return value;
}

/* The next field; false at the end, and, with ok false, where the message is broken. */
static bool next_field(Message *m, Field *f)
{
    if (!m->ok || m->at >= m->end)
        return false;
    uint64_t key = varint(m);
    *f = (Field){.number = (int)(key >> 3 & 0xFFFF), .wire = (int)(key & 7)};
    m->ok = m->ok && (f->wire == 0 || f->wire == 1 || f->wire == 2 || f->wire == 5);
    if (m->ok && f->wire == 0)
        f->value = varint(m);
    else if (m->ok && f->wire != 2)
        f->value = fixed(m, f->wire == 1 ? 8 : 4);
    else if (m->ok) {
        uint64_t bytes = varint(m);
        m->ok = m->ok && bytes <= (uint64_t)(m->end - m->at);
        f->bytes = (Message){m->at, m->at + (m->ok ? bytes : 0), m->ok};
        m->at = f->bytes.end;
    }
    return m->ok;
}

/* ---- its parts ------------------------------------------------------------------------------- */

enum { PIECES = 1, TRAINER = 2, NORMALIZER = 3, UNIGRAM = 1, BPE = 2 };

static bool read_piece(Tokeniser *t, const char *path, Message m, int32_t id)
{
    Pieces *p = &t->pieces;
    const char *text = NULL;
    size_t bytes = 0;
    uint32_t bits = 0;
    float score;
    p->type[id] = PIECE_NORMAL;
    for (Field f; next_field(&m, &f);) {
        if (f.number == 1 && f.wire == 2) {
            bytes = (size_t)(f.bytes.end - f.bytes.at);
            text = arena_alloc(&t->arena, bytes + 1);
            if (!text)
                return false;
            memcpy((char *)text, f.bytes.at, bytes);
            ((char *)text)[bytes] = 0;
        } else if (f.number == 2 && f.wire == 5) {
            bits = (uint32_t)f.value;
        } else if (f.number == 3 && f.wire == 0) {
            p->type[id] = f.value > PIECE_BYTE ? 0 : (unsigned char)f.value;
        }
    }
    memcpy(&score, &bits, sizeof bits);
    p->score[id] = (double)score;
    if (!m.ok || !text || bytes == 0 || memchr(text, 0, bytes) || p->type[id] == 0 ||
        !(score > -1e30F && score < 1e30F))
        return TOKENISER_FAIL(path, "piece %d has no text, no finite score or no known type", id);
    return token_table_add(&t->table, text, bytes, id) ||
           TOKENISER_FAIL(path, "the piece '%s' is there twice; expected each once", text);
}

static bool read_trainer(Tokeniser *t, const char *path, Message m)
{
    uint64_t type = UNIGRAM;
    for (Field f; next_field(&m, &f);) {
        if (f.wire != 0)
            continue;
        if (f.number == 3)
            type = f.value;
        else if (f.number == 24 && f.value)
            return TOKENISER_FAIL(path, "%s", "treat_whitespace_as_suffix is true; expected false");
        else if (f.number == 35)
            t->pieces.byte_fallback = f.value != 0;
        else if (f.number == 41)
            t->pieces.begin = (int32_t)f.value;
        else if (f.number == 42)
            t->pieces.end = (int32_t)f.value;
    }
    t->pieces.bpe = type == BPE;
    return (m.ok && (type == UNIGRAM || type == BPE)) ||
           TOKENISER_FAIL(path, "model_type is %d; expected 1, unigram, or 2, BPE", (int)type);
}

static bool read_normalizer(Tokeniser *t, const char *path, Message m)
{
    Pieces *p = &t->pieces;
    for (Field f; next_field(&m, &f);) {
        if (f.number == 2 && f.wire == 2 &&
            !charsmap_read(&p->map, &t->arena, path, f.bytes.at,
                           (size_t)(f.bytes.end - f.bytes.at)))
            return false;
        if (f.wire != 0)
            continue;
        if (f.number == 3)
            p->dummy_prefix = f.value != 0;
        else if (f.number == 4)
            p->squeeze = f.value != 0;
        else if (f.number == 5 && !f.value)
            return TOKENISER_FAIL(path, "%s", "escape_whitespaces is false; expected true");
    }
    return m.ok || TOKENISER_FAIL(path, "%s", "normalizer_spec breaks off; expected a message");
}

static bool read_message(Tokeniser *t, const char *path, Message whole, int32_t more)
{
    Pieces *p = &t->pieces;
    Message m = whole;
    int32_t pieces = 0;
    for (Field f; next_field(&m, &f);)
        pieces += f.number == PIECES && f.wire == 2 && pieces < TOKEN_IDS_MAX;
    if (!m.ok || pieces == 0)
        return TOKENISER_FAIL(path, "%d pieces, and then %s; expected a SentencePiece model",
                              pieces, m.ok ? "the end" : "what is no field");
    const int32_t capacity = pieces + more;
    p->score = arena_alloc(&t->arena, (size_t)capacity * sizeof *p->score);
    p->type = arena_alloc(&t->arena, (size_t)capacity);
    if (!p->score || !p->type || !token_table_init(&t->table, &t->arena, capacity))
        return false;
    memset(p->type, 0, (size_t)capacity);
    t->table.ids = pieces;
    bool ok = true;
    int32_t id = 0;
    m = whole;
    for (Field f; ok && next_field(&m, &f);)
        if (f.wire == 2 && f.number == PIECES && id < pieces)
            ok = read_piece(t, path, f.bytes, id++);
        else if (f.wire == 2 && f.number == TRAINER)
            ok = read_trainer(t, path, f.bytes);
        else if (f.wire == 2 && f.number == NORMALIZER)
            ok = read_normalizer(t, path, f.bytes);
    return ok;
}

bool sentencepiece_read(Tokeniser *t, const char *path, int32_t more)
{
    size_t count;
    unsigned char *bytes = file_bytes(path, &count, TOKENISER_WHO);
    t->kind = TOKENISER_PIECES;
    t->pieces = (Pieces){.dummy_prefix = true, .squeeze = true, .begin = 1, .end = 2};
    bool ok = bytes && read_message(t, path, (Message){bytes, bytes + count, true}, more);
    mem_free(bytes);
    return ok;
}

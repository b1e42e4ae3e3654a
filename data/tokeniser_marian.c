/* tokeniser_marian.c: the tokeniser of Marian's translators: source.spm and target.spm, the
 * SentencePiece models of the two languages, and vocab.json, the ids that their pieces have
 * together.
 *                   Junczys-Dowmunt et al., "Marian" (2018); transformers' MarianTokenizer
 * A text that begins with a code such as >>fra<< begins with that token, which says what language
 * is wanted. */
#include "data/tokeniser_json.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

static Tokeniser *language(const char *path)
{
    Tokeniser *t = tokeniser_new();
    if (t && sentencepiece_read(t, path, 0) && pieces_ready(t, path))
        return t;
    data_tokeniser_free(t);
    return NULL;
}

/* The tokens that are found in the text as they stand. */
static bool specials(Tokeniser *t, const char *path)
{
    static const char *const names[] = {"</s>", "<unk>", "<pad>"};
    for (int i = 0; i < 3; i++) {
        int32_t id = token_table_find(&t->table, names[i], strlen(names[i]));
        if (id < 0)
            return TOKENISER_FAIL(path, "no token %s; expected </s>, <unk> and <pad>", names[i]);
        t->pieces.type[id] = PIECE_CONTROL;
        t->unknown = i == 1 ? id : t->unknown;
        if (i == 0)
            t->single.part[1] = t->pair.part[2] = id;
        if (!tokeniser_add(t, (AddedToken){.text = t->table.word[id], .id = id, .special = true}))
            return false;
    }
    return true;
}

bool marian_files(Tokeniser *t, const char *vocab, const char *source, const char *target)
{
    JsonTree tree;
    t->kind = TOKENISER_PIECES;
    t->language[0] = language(source);
    t->language[1] = t->language[0] ? language(target) : NULL;
    if (!t->language[1])
        return false;
    t->pieces.dummy_prefix = t->pieces.squeeze = true;
    bool ok = json_tree_read(&tree, TOKENISER_WHO, vocab) &&
              tokeniser_vocab(t, vocab, tree.root, NULL, 0);
    json_tree_free(&tree);
    t->pieces.type = ok ? arena_alloc(&t->arena, (size_t)t->table.ids) : NULL;
    if (!t->pieces.type)
        return false;
    memset(t->pieces.type, PIECE_NORMAL, (size_t)t->table.ids);
    t->single = (TokenTemplate){2, {TEMPLATE_FIRST}, {0}};
    t->pair = (TokenTemplate){3, {TEMPLATE_FIRST, TEMPLATE_SECOND}, {0}};
    return specials(t, vocab);
}

/* The characters of the code with which the section begins; 0: none. */
static int64_t code_chars(const TextChar *c, int64_t count)
{
    if (count < 4 || c[0].code != '>' || c[1].code != '>')
        return 0;
    for (int64_t i = 2; i + 1 < count; i++)
        if (c[i].code == '<' && c[i + 1].code == '<')
            return i + 2;
    return 0;
}

bool marian_section(Section *s, const TextChar *c, int64_t count)
{
    Section pieces = *s;
    int64_t n = code_chars(c, count);
    size_t bytes = 0;
    unsigned char *text = mem_alloc((size_t)(UTF8_MAX_BYTES * n + 1));
    if (!text)
        return false;
    for (int64_t i = 0; i < n; i++)
        bytes += utf8_write(c[i].code, text + bytes);
    int32_t code = token_table_find(&s->t->table, (char *)text, bytes);
    mem_free(text);
    if (n > 0 &&
        !tokens_push(s->out, code < 0 ? s->t->unknown : code, s->type, c[0].begin, c[n - 1].end))
        return false;
    pieces.t = s->t->language[s->type];
    pieces.names = s->t;
    return pieces_section(&pieces, c + n, count - n);
}

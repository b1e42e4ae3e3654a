/* tokeniser_classes.c: what the classes of transformers make of vocab.txt, of vocab.json with
 * merges.txt, and of a SentencePiece model, where no tokenizer.json says it.
 *                   Hugging Face, "transformers" 5.24
 * A class gives the split, the normalisation and the special tokens' names; the settings in
 * tokenizer_config.json, special_tokens_map.json and added_tokens.json change them. A class that is
 * not in this table is refused. */
#include "data/tokeniser_classes.h"

#include <stdlib.h>
#include <string.h>

static const char qwen2[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
                            "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

#define END "<|endoftext|>"
#define WORDS                                                    \
    {                                                            \
        NULL, NULL, "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]" \
    }
#define TEXTS                                                    \
    {                                                            \
        "<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>" \
    }
static const struct {
    const char *name;
    ClassKind kind;
    const char *special[SPECIALS];
} classes[] = {
    {"BertTokenizer", CLASS_WORDPIECE, WORDS},
    {"DistilBertTokenizer", CLASS_WORDPIECE, WORDS},
    {"GPT2Tokenizer", CLASS_GPT2, {END, END, END}},
    {"RobertaTokenizer", CLASS_ROBERTA, TEXTS},
    {"BartTokenizer", CLASS_ROBERTA, TEXTS},
    {"Qwen2Tokenizer", CLASS_QWEN2, {NULL, END, END, NULL, END}},
    {"GPTNeoXTokenizer", CLASS_NEOX, {END, END, END, NULL, "<|padding|>"}},
    {"T5Tokenizer", CLASS_T5, {NULL, "</s>", "<unk>", NULL, "<pad>"}},
    {"LlamaTokenizer", CLASS_LLAMA, {"<s>", "</s>", "<unk>"}},
    {"GemmaTokenizer", CLASS_GEMMA, {"<bos>", "<eos>", "<unk>", NULL, "<pad>", NULL, "<mask>"}},
    {"MarianTokenizer", CLASS_MARIAN, {0}},
    {"", CLASS_OWN, {0}}, /* SentencePiece's own way, with the special tokens of its model */
};
/* The class of a kind of model where the folder names none; of Mistral's always. */
static const char *const types[][2] = {{"bert", "BertTokenizer"},
                                       {"distilbert", "DistilBertTokenizer"},
                                       {"gpt2", "GPT2Tokenizer"},
                                       {"roberta", "RobertaTokenizer"},
                                       {"bart", "BartTokenizer"},
                                       {"qwen2", "Qwen2Tokenizer"},
                                       {"qwen3", "Qwen2Tokenizer"},
                                       {"gpt_neox", "GPTNeoXTokenizer"},
                                       {"t5", "T5Tokenizer"},
                                       {"gemma3", "GemmaTokenizer"},
                                       {"gemma3_text", "GemmaTokenizer"},
                                       {"marian", "MarianTokenizer"},
                                       {"llama", ""},
                                       {"mistral", ""}};

/* ---- files ----------------------------------------------------------------------------------- */

static bool missing(const ClassFolder *c, const char *files)
{
    return TOKENISER_FAIL(c->folder,
                          "found no tokenizer.json, and of the files of %s not %s; "
                          "expected one or the other",
                          c->name, files);
}

static bool wordpiece(Tokeniser *t, const ClassFolder *c)
{
    if (!c->lines)
        return missing(c, "vocab.txt");
    Step *s = tokeniser_step(t, c->lines, STEP_BERT);
    t->kind = TOKENISER_WORDPIECE;
    t->longest_word = 100;
    t->normals = 1;
    t->decoding = (Decoding){.kind = DECODE_WORDS, .cleanup = true};
    snprintf(t->prefix, sizeof t->prefix, "##");
    s->clean = true;
    s->chinese = class_setting(c, "tokenize_chinese_chars", true);
    s->lower = class_setting(c, "do_lower_case", true);
    s->strip = class_setting(c, "strip_accents", s->lower);
    if (!tokeniser_lines(t, c->lines, class_room(c)))
        return false;
    t->unknown = class_special(t, c, SPECIAL_UNK);
    if (t->unknown < 0 || class_special(t, c, SPECIAL_CLS) < 0 ||
        class_special(t, c, SPECIAL_SEP) < 0)
        return TOKENISER_FAIL(c->lines,
                              "no unk_token, cls_token or sep_token among its %d tokens; expected "
                              "all three",
                              t->table.ids);
    return tokeniser_bert_split(t, c->lines);
}

static bool byte_level(Tokeniser *t, const ClassFolder *c)
{
    JsonTree tree;
    if (!c->vocab || !c->merges)
        return missing(c, "vocab.json and merges.txt");
    t->kind = TOKENISER_BPE;
    t->unknown = -1;
    t->decoding.kind = DECODE_BYTES;
    bool ok = json_tree_read(&tree, TOKENISER_WHO, c->vocab) &&
              tokeniser_vocab(t, c->vocab, tree.root, NULL, class_room(c));
    json_tree_free(&tree);
    ok = ok && tokeniser_merges_file(t, c->merges);
    if (c->kind == CLASS_QWEN2 || c->kind == CLASS_NEOX) {
        tokeniser_step(t, c->vocab, STEP_COMPOSE);
        t->normals = 1;
    }
    if (ok && c->kind == CLASS_QWEN2)
        ok = tokeniser_split(t, c->vocab, qwen2, PATTERN_EXPRESSION, SPLIT_ISOLATED);
    return ok && tokeniser_byte_level(t, c->vocab, class_setting(c, "add_prefix_space", false),
                                      c->kind != CLASS_QWEN2);
}

/* T5's 100 tokens <extra_id_99> to <extra_id_0> after the pieces. */
static bool t5_pieces(Tokeniser *t, const ClassFolder *c, int32_t extra)
{
    Pieces *p = &t->pieces;
    enum { LONGEST = 24, UNKNOWN = 2 };
    char *text = arena_alloc(&t->arena, (size_t)extra * LONGEST + 1);
    for (int32_t i = extra - 1; text && i >= 0; i--, text += LONGEST) {
        int32_t id = t->table.ids++;
        size_t bytes = (size_t)snprintf(text, LONGEST, "<extra_id_%d>", i);
        p->type[id] = PIECE_NORMAL;
        p->score[id] = 0;
        if (!token_table_add(&t->table, text, bytes, id))
            return TOKENISER_FAIL(c->pieces, "the piece '%s' is there; expected it nowhere", text);
    }
    for (int32_t id = 0; text && id < t->table.ids; id++)
        p->type[id] = PIECE_NORMAL;
    if (!text || t->table.ids <= UNKNOWN)
        return text && TOKENISER_FAIL(c->pieces, "%s", "fewer than 3 pieces; expected more");
    t->kind = TOKENISER_UNIGRAM;
    p->library = true;
    p->type[UNKNOWN] = PIECE_UNKNOWN;
    p->bpe = p->byte_fallback = false;
    t->decoding = (Decoding){.kind = DECODE_PIECES, .blanks = true, .first = true};
    if (p->map.units > 0) {
        tokeniser_step(t, c->pieces, STEP_MAP);
        t->normals = 1;
    }
    return tokeniser_split(t, c->pieces, "\\s", PATTERN_OURS, SPLIT_REMOVED) &&
           tokeniser_metaspace(t, c->pieces, FRONT_ALWAYS, true);
}

static bool llama_pieces(Tokeniser *t, const ClassFolder *c)
{
    bool llama = c->kind == CLASS_LLAMA;
    bool front = llama && class_setting(c, "add_prefix_space", true);
    t->kind = TOKENISER_BPE;
    t->byte_fallback = t->fuse_unknown = true;
    t->unknown = llama ? -1 : class_special(t, c, SPECIAL_UNK);
    if (!llama && t->unknown < 0)
        t->unknown = UNKNOWN_ABSENT;
    t->decoding = (Decoding){.kind = DECODE_PIECES, .blanks = true, .bytes = true, .strip = front};
    Step *s = llama ? NULL : tokeniser_step(t, c->pieces, STEP_REPLACE);
    if (s) {
        s->text = "\xe2\x96\x81";
        t->normals = 1;
    }
    return merges_of_pieces(t, c->pieces, true) &&
           (!s || pattern_read(&s->pattern, &t->arena, c->pieces, " ", PATTERN_TEXT)) &&
           tokeniser_metaspace(t, c->pieces,
                               !front                              ? FRONT_NEVER
                               : class_setting(c, "legacy", false) ? FRONT_ALWAYS
                                                                   : FRONT_FIRST,
                               false);
}

/* The tokens of a SentencePiece model that transformers finds in a text: its control pieces. */
static bool model_tokens(Tokeniser *t, const ClassFolder *c, const unsigned char *type, int32_t n,
                         bool unknown)
{
    for (int32_t id = 0; id < n; id++) {
        bool control = type[id] == PIECE_CONTROL, own = type[id] == PIECE_OWN && !unknown;
        if ((control || own || (unknown && type[id] == PIECE_UNKNOWN)) &&
            !class_token(t, c, t->table.word[id], NULL, id, !own))
            return false;
    }
    return true;
}

static bool sentencepiece(Tokeniser *t, const ClassFolder *c)
{
    enum { EXTRA = 100 };
    const JsonValue *given = json_get(c->settings, "extra_ids");
    int32_t extra = c->kind != CLASS_T5 ? 0 : json_is_id(given) ? (int32_t)given->number : EXTRA;
    Pieces *p = &t->pieces;
    if (!c->pieces)
        return missing(c, "spiece.model or tokenizer.model");
    if (extra > 100 * EXTRA || !sentencepiece_read(t, c->pieces, extra + class_room(c)))
        return extra > 100 * EXTRA &&
               TOKENISER_FAIL(c->folder, "%d extra_ids; expected fewer", extra);
    const int32_t pieces = t->table.ids;
    unsigned char *type = arena_copy(&t->arena, p->type, (size_t)pieces);
    bool ok = type && (c->kind == CLASS_T5    ? t5_pieces(t, c, extra)
                       : c->kind == CLASS_OWN ? pieces_ready(t, c->pieces)
                                              : llama_pieces(t, c));
    for (int32_t i = 0; ok && i < extra; i++)
        ok = class_token(t, c, t->table.word[pieces + i], NULL, -1, true);
    if (c->kind == CLASS_OWN && !*c->class &&
        !*c->type) { /* the sentencepiece library reads the model */
        class_bos_eos(t, class_setting(c, "add_bos_token", false) ? class_control(t, p->begin) : -1,
                      class_setting(c, "add_eos_token", false) ? class_control(t, p->end) : -1, 1);
        return ok;
    }
    p->later_without_front = c->kind == CLASS_OWN && !class_setting(c, "legacy", true);
    return ok && model_tokens(t, c, type, pieces, c->kind == CLASS_OWN);
}

/* ---- the class ------------------------------------------------------------------------------- */

/* The row of the table for the folder; -1: none. */
static int row_of(const ClassFolder *c)
{
    const char *name = *c->class ? c->class : NULL;
    size_t n = name ? strlen(name) : 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(c->type, types[i][0]) == 0 && (!name || strcmp(c->type, "mistral") == 0)) {
            name = types[i][1];
            n = strlen(name);
            break;
        }
    if (!name && !*c->type && (c->pieces || c->source)) /* files of one library alone */
        name = c->pieces ? "" : "MarianTokenizer";
    n = name ? strlen(name) : 0;
    if (n > 4 && strcmp(name + n - 4, "Fast") == 0)
        n -= 4;
    for (int i = 0; name && i < (int)(sizeof classes / sizeof *classes); i++)
        if (strlen(classes[i].name) == n && strncmp(classes[i].name, name, n) == 0)
            return i;
    return -1;
}

bool tokeniser_of_class(Tokeniser *t, ClassFolder *c)
{
    const int row = row_of(c);
    if (row < 0)
        return TOKENISER_FAIL(c->folder,
                              "found no tokenizer.json, and the tokenizer_class '%s' of model_type "
                              "'%s', which is not known here; expected one of Bert, DistilBert, "
                              "GPT2, Roberta, Bart, Qwen2, GPTNeoX, T5, Llama, Gemma, "
                              "MarianTokenizer; save_pretrained of the tokeniser writes a "
                              "tokenizer.json",
                              c->class, c->type);
    c->kind = classes[row].kind;
    c->name = classes[row].name;
    c->defaults = classes[row].special;
    if (c->kind == CLASS_MARIAN) {
        if (!c->vocab || !c->source || !c->target)
            return missing(c, "vocab.json, source.spm and target.spm");
        if (class_setting(c, "separate_vocabs", false))
            return TOKENISER_FAIL(c->folder, "%s",
                                  "tokenizer_config.json: separate_vocabs is true; expected false");
        return marian_files(t, c->vocab, c->source, c->target) && tokeniser_ready(t, c->folder);
    }
    bool ok = c->kind == CLASS_WORDPIECE ? wordpiece(t, c)
              : c->kind <= CLASS_NEOX    ? byte_level(t, c)
                                         : sentencepiece(t, c);
    bool bare = c->kind == CLASS_OWN && !*c->class && !*c->type;
    return ok && (bare || (class_tokens(t, c) && class_around(t, c))) &&
           tokeniser_ready(t, c->folder);
}

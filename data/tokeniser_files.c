/* tokeniser_files.c: the tokeniser of a model's folder: spiece.model or tokenizer.model,
 * SentencePiece's; source.spm, target.spm and vocab.json, Marian's; else tokenizer.json; else
 * vocab.txt, BERT's; else vocab.json with merges.txt, GPT-2's or RoBERTa's. */
#include "data/tokeniser.h"
#include "data/file.h"
#include "tensor/io/input.h"
#include "tensor/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

bool tokeniser_add(Tokeniser *t, AddedToken token)
{
    AddedToken *larger = mem_grow(t->added, (size_t)t->added_count * sizeof token,
                                  ((size_t)t->added_count + 1) * sizeof token);
    if (!larger)
        return false;
    t->added = larger;
    t->added[t->added_count++] = token;
    t->added_first[(unsigned char)token.text[0]] = true;
    return true;
}

void data_tokeniser_free(Tokeniser *t)
{
    if (!t)
        return;
    data_tokeniser_free(t->language[0]);
    data_tokeniser_free(t->language[1]);
    mem_free(t->added);
    arena_free(&t->arena);
    mem_free(t);
}

/* A special token of the vocabulary; false, without an error, where there is none. */
static bool special(Tokeniser *t, const char *word, bool takes_left, int32_t *id)
{
    int32_t known = token_table_find(&t->table, word, strlen(word));
    if (id)
        *id = known;
    return known >= 0 && tokeniser_add(t, (AddedToken){t->table.word[known], strlen(word), known,
                                                       true, takes_left, false});
}

/* A file that the folder may have. */
typedef struct {
    char path[PATH];
    bool there;
} FolderFile;

static bool look(const char *folder, const char *name, FolderFile *file)
{
    if (snprintf(file->path, PATH, "%s/%s", folder, name) >= PATH)
        return tensor_fail(TOKENISER_WHO ": a path of %zu bytes; expected at most %d",
                           strlen(folder), PATH - 64);
    return input_look(TOKENISER_WHO, file->path, &file->there);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int32_t line_count(const char *text, size_t count)
{
    int32_t lines = 0;
    for (size_t i = 0; i < count; i++)
        lines += text[i] == '\n' || i + 1 == count;
    return lines;
}

/* The line at *rest and its length; its end, "\n" or "\r\n", becomes a 0, and *rest the next line.
 * NULL: no line is left. The text has a byte at `end`, which the last line may need. */
static char *next_line(char **rest, char *end, size_t *length)
{
    char *line = *rest;
    if (line >= end)
        return NULL;
    char *stop = memchr(line, '\n', (size_t)(end - line));
    stop = stop ? stop : end;
    *rest = stop + 1;
    *length = (size_t)(stop - line);
    *length -= *length > 0 && line[*length - 1] == '\r';
    line[*length] = 0;
    return line;
}

/* ---- vocab.txt ------------------------------------------------------------------------------- */

/* A token a line; the id is the line's number from 0. */
static bool read_lines(Tokeniser *t, const char *path)
{
    size_t count, n;
    int32_t id = 0;
    char *bytes = (char *)file_bytes(path, &count, TOKENISER_WHO);
    char *text = bytes ? arena_copy(&t->arena, bytes, count + 1) : NULL;
    mem_free(bytes);
    if (!text)
        return false;
    const int32_t lines = line_count(text, count);
    if (lines > TOKEN_IDS_MAX)
        return TOKENISER_FAIL(path, "%d lines; expected at most %d", lines, TOKEN_IDS_MAX);
    if (!token_table_init(&t->table, &t->arena, lines))
        return false;
    for (char *rest = text, *line; (line = next_line(&rest, text + count, &n)); id++)
        if (!token_table_add(&t->table, line, n, id))
            return TOKENISER_FAIL(path,
                                  "line %d: the token '%s' is there already; expected each once",
                                  id + 1, line);
    return true;
}

/* A setting of tokenizer_config.json: true, false, or as it is otherwise. */
static bool setting(const JsonValue *config, const char *key, bool otherwise)
{
    const JsonValue *v = json_get(config, key);
    return v && (v->kind == JSON_TRUE || v->kind == JSON_FALSE) ? v->kind == JSON_TRUE : otherwise;
}

static bool bert_files(Tokeniser *t, const char *path, const JsonValue *config)
{
    int32_t cls, sep;
    t->kind = TOKENISER_WORDPIECE;
    if (!read_lines(t, path))
        return false;
    t->clean = true;
    t->chinese = setting(config, "tokenize_chinese_chars", true);
    t->lower = setting(config, "do_lower_case", true);
    t->strip = setting(config, "strip_accents", t->lower);
    t->longest_word = 100;
    snprintf(t->prefix, sizeof t->prefix, "##");
    if (!special(t, "[UNK]", false, &t->unknown) || !special(t, "[CLS]", false, &cls) ||
        !special(t, "[SEP]", false, &sep))
        return TOKENISER_FAIL(path,
                              "no [UNK], [CLS] or [SEP] among its %d tokens; expected all three",
                              t->table.ids);
    special(t, "[PAD]", false, NULL);
    special(t, "[MASK]", false, NULL);
    tokeniser_bert_templates(t, cls, sep, false);
    return true;
}

/* ---- vocab.json and merges.txt --------------------------------------------------------------- */

static bool read_merges(Tokeniser *t, const char *path)
{
    size_t count, n;
    int32_t rank = 0;
    char *text = (char *)file_bytes(path, &count, TOKENISER_WHO);
    bool ok = text && token_merges_init(&t->merges, &t->arena, line_count(text, count));
    for (char *rest = text, *line; ok && (line = next_line(&rest, text + count, &n));) {
        char *blank = strchr(line, ' ');
        if (strncmp(line, "#version", 8) == 0 || !*line)
            continue;
        ok = blank
                 ? tokeniser_merge(t, path, line, (size_t)(blank - line), blank + 1, rank++)
                 : TOKENISER_FAIL(path,
                                  "merge %d is '%s'; expected two tokens with a blank between them",
                                  rank + 1, line);
    }
    mem_free(text);
    return ok;
}

static bool gpt2_files(Tokeniser *t, const char *vocab, const char *merges, const JsonValue *config)
{
    JsonTree tree;
    int32_t cls, sep;
    t->kind = TOKENISER_BYTES;
    t->split = SPLIT_GPT2;
    bool ok =
        json_tree_read(&tree, TOKENISER_WHO, vocab) && tokeniser_vocab(t, vocab, tree.root, NULL);
    json_tree_free(&tree);
    if (!ok || !tokeniser_bytes_ready(t, vocab) || !read_merges(t, merges))
        return false;
    t->prefix_space = setting(config, "add_prefix_space", false);
    special(t, "<|endoftext|>", false, NULL);
    if (special(t, "<s>", false, &cls) && special(t, "</s>", false, &sep)) { /* RoBERTa's */
        special(t, "<pad>", false, NULL);
        special(t, "<unk>", false, NULL);
        special(t, "<mask>", true, NULL);
        tokeniser_bert_templates(t, cls, sep, true);
    }
    t->trim = true;
    t->trim_prefix_space = t->prefix_space;
    return true;
}

/* ---- spiece.model ---------------------------------------------------------------------------- */

/* Around a text: </s> after it for T5's relatives, <s> before it for Llama's, as
 * tokenizer_config.json says; without one, T5's where the model has no <s>. */
static bool sentencepiece_files(Tokeniser *t, const char *path, const JsonValue *config)
{
    if (!sentencepiece_read(t, path))
        return false;
    const Pieces *p = &t->pieces;
    const char *class = json_get_text(config, "tokenizer_class");
    bool has_begin = p->begin >= 0 && p->begin < t->table.ids && p->type[p->begin] == PIECE_CONTROL;
    bool has_end = p->end >= 0 && p->end < t->table.ids && p->type[p->end] == PIECE_CONTROL;
    bool t5 = class ? strstr(class, "T5") != NULL : !has_begin;
    TokenTemplate *a = &t->single, *b = &t->pair;
    *a = *b = (TokenTemplate){0};
    for (int text = 0; text < 2; text++)
        for (int part = 0; part < 3; part++) {
            bool token = part == 0 ? has_begin && setting(config, "add_bos_token", !t5)
                                   : has_end && setting(config, "add_eos_token", t5);
            int32_t id = part == 1 ? TEMPLATE_FIRST - text : part == 0 ? p->begin : p->end;
            if (part != 1 && !token)
                continue;
            b->part[b->count++] = id;
            if (text == 0)
                a->part[a->count++] = id;
        }
    return true;
}

/* Does the file begin with a field of protocol buffers? A tokenizer.model of Llama 3's kind does
 * not. */
static bool is_message(const FolderFile *file, bool *is)
{
    char first = 0;
    Input in;
    *is = false;
    if (!file->there)
        return true;
    bool ok = input_open(&in, TOKENISER_WHO, file->path);
    if (ok && in.bytes > 0)
        ok = input_read(&in, 0, &first, 1);
    *is = first == '\n';
    input_close(&in);
    return ok;
}

/* ---- a folder -------------------------------------------------------------------------------- */

static bool open_folder(Tokeniser *t, const char *folder)
{
    FolderFile whole, settings, lines, vocab, merges, spiece, llama, source, target;
    if (!look(folder, "tokenizer.json", &whole) || !look(folder, "vocab.txt", &lines) ||
        !look(folder, "vocab.json", &vocab) || !look(folder, "merges.txt", &merges) ||
        !look(folder, "spiece.model", &spiece) || !look(folder, "tokenizer.model", &llama) ||
        !look(folder, "source.spm", &source) || !look(folder, "target.spm", &target) ||
        !look(folder, "tokenizer_config.json", &settings))
        return false;
    bool pieces;
    if (!is_message(&llama, &pieces))
        return false;
    pieces = pieces || spiece.there;
    const bool marian = source.there && target.there && vocab.there;
    if (whole.there && !pieces && !marian)
        return tokeniser_json(t, whole.path);
    if (!pieces && !marian && !lines.there && !(vocab.there && merges.there))
        return TOKENISER_FAIL(folder, "%s",
                              "found no tokenizer.json, spiece.model, tokenizer.model or "
                              "vocab.txt, and vocab.json neither with merges.txt nor with "
                              "source.spm and target.spm; expected one of these");
    JsonTree config = {0};
    bool ok = !settings.there || json_tree_read(&config, TOKENISER_WHO, settings.path);
    if (ok && marian && setting(config.root, "separate_vocabs", false))
        ok = TOKENISER_FAIL(settings.path, "%s", "separate_vocabs is true; expected false");
    ok = ok &&
         (marian   ? marian_files(t, vocab.path, source.path, target.path)
          : pieces ? sentencepiece_files(t, (spiece.there ? &spiece : &llama)->path, config.root)
          : lines.there ? bert_files(t, lines.path, config.root)
                        : gpt2_files(t, vocab.path, merges.path, config.root));
    json_tree_free(&config);
    return ok;
}

Tokeniser *data_tokeniser_open(const char *folder)
{
    if (!folder) {
        tensor_fail(TOKENISER_WHO ": the folder is NULL; expected a path");
        return NULL;
    }
    Tokeniser *t = mem_zeroed(sizeof *t);
    bool ok = t != NULL;
    if (ok) {
        t->single = (TokenTemplate){1, {TEMPLATE_FIRST}, {0}};
        t->pair = (TokenTemplate){2, {TEMPLATE_FIRST, TEMPLATE_SECOND}, {0, 1}};
        ok = open_folder(t, folder);
    }
    if (ok)
        return t;
    data_tokeniser_free(t);
    return NULL;
}

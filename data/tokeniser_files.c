/* tokeniser_files.c: the tokeniser of a model's folder: tokenizer.json, which says everything; else
 * the files of the class that tokenizer_config.json names, or config.json's kind of model
 * (tokeniser_classes.c); else a SentencePiece model as the sentencepiece library reads it. Nothing
 * is guessed from what else lies there. */
#include "data/tokeniser_classes.h"
#include "data/file.h"
#include "tensor/io/input.h"
#include "tensor/memory.h"

#include <stdlib.h>
#include <string.h>

const TokenTemplate template_plain = {1, {TEMPLATE_FIRST}, {0}},
                    template_plain_pair = {2, {TEMPLATE_FIRST, TEMPLATE_SECOND}, {0, 1}};

Tokeniser *tokeniser_new(void)
{
    Tokeniser *t = mem_zeroed(sizeof *t);
    if (t) {
        t->single = template_plain;
        t->pair = template_plain_pair;
    }
    return t;
}

bool tokeniser_add(Tokeniser *t, AddedToken token)
{
    AddedToken *larger = mem_grow(t->added, (size_t)t->added_count * sizeof token,
                                  ((size_t)t->added_count + 1) * sizeof token);
    if (!larger)
        return false;
    t->added = larger;
    AddedToken *a = &t->added[t->added_count++];
    *a = token;
    bool ok = true;
    for (size_t left = strlen(token.text), n; ok && left > 0; left -= n, token.text += n) {
        TextChar c = {0};
        n = unicode_read((const unsigned char *)token.text, left, &c.code);
        ok = chars_push(&a->find, c);
    }
    return ok;
}

void data_tokeniser_free(Tokeniser *t)
{
    if (!t)
        return;
    data_tokeniser_free(t->language[0]);
    data_tokeniser_free(t->language[1]);
    for (int i = 0; i < t->added_count; i++)
        mem_free(t->added[i].find.c);
    mem_free(t->added);
    arena_free(&t->arena);
    mem_free(t);
}

/* ---- vocab.txt ------------------------------------------------------------------------------- */

/* A token a line; the id is the line's number from 0; more: how many ids may come after. */
bool tokeniser_lines(Tokeniser *t, const char *path, int32_t more)
{
    size_t count, n;
    int32_t id = 0;
    char *bytes = (char *)file_bytes(path, &count, TOKENISER_WHO);
    char *text = bytes ? arena_copy(&t->arena, bytes, count + 1) : NULL;
    mem_free(bytes);
    if (!text)
        return false;
    const int32_t lines = file_lines(text, count);
    if (lines > TOKEN_IDS_MAX)
        return TOKENISER_FAIL(path, "%d lines; expected at most %d", lines, TOKEN_IDS_MAX);
    if (!token_table_init(&t->table, &t->arena, lines + more))
        return false;
    for (char *rest = text, *line; (line = file_line(&rest, text + count, &n)); id++)
        if (!token_table_add(&t->table, line, n, id))
            return TOKENISER_FAIL(path,
                                  "line %d: the token '%s' is there already; expected each once",
                                  id + 1, line);
    t->table.ids = id;
    return true;
}

/* ---- merges.txt ------------------------------------------------------------------------------ */

bool tokeniser_merges_file(Tokeniser *t, const char *path)
{
    size_t count, n;
    int32_t rank = 0;
    char *text = (char *)file_bytes(path, &count, TOKENISER_WHO);
    bool ok = text && token_merges_init(&t->merges, &t->arena, file_lines(text, count));
    for (char *rest = text, *line; ok && (line = file_line(&rest, text + count, &n));) {
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

/* ---- a folder -------------------------------------------------------------------------------- */

/* A file that the folder may have; its path is "" if it has not. */
typedef char FolderFile[4096];

static bool look(const char *folder, const char *name, FolderFile file)
{
    bool there;
    if ((size_t)snprintf(file, sizeof(FolderFile), "%s/%s", folder, name) >= sizeof(FolderFile))
        return tensor_fail(TOKENISER_WHO ": a path of %zu bytes; expected at most %d",
                           strlen(folder), (int)sizeof(FolderFile) - 64);
    bool ok = input_look(TOKENISER_WHO, file, &there);
    file[0] = there ? file[0] : 0;
    return ok;
}

/* Does the file begin with a field of protocol buffers? A tokenizer.model of Llama 3's kind does
 * not. */
static bool is_message(const char *path, bool *is)
{
    char first = 0;
    Input in;
    *is = false;
    if (!*path)
        return true;
    bool ok = input_open(&in, TOKENISER_WHO, path);
    if (ok && in.bytes > 0)
        ok = input_read(&in, 0, &first, 1);
    *is = first == '\n';
    input_close(&in);
    return ok;
}

static bool open_classes(Tokeniser *t, const char *folder, ClassFolder *c)
{
    enum { SETTINGS, MODEL, MAP, ADDED, FILES };
    static const char *const names[FILES] = {"tokenizer_config.json", "config.json",
                                             "special_tokens_map.json", "added_tokens.json"},
                             *const keys[] = {"tokenizer_class", "model_type"};
    JsonTree trees[FILES] = {{0}};
    FolderFile file;
    char text[2][64] = {"", ""};
    bool ok = true;
    for (int i = 0; ok && i < FILES; i++) {
        ok = look(folder, names[i], file) &&
             (!*file || json_tree_read(&trees[i], TOKENISER_WHO, file));
        const char *value = ok && i < 2 ? json_get_text(trees[i].root, keys[i]) : NULL;
        if (value)
            snprintf(text[i], sizeof text[i], "%s", value);
    }
    c->folder = folder;
    c->class = text[SETTINGS];
    c->type = text[MODEL];
    c->settings = trees[SETTINGS].root;
    c->map = json_get(c->settings, "added_tokens_decoder") ? NULL : trees[MAP].root;
    c->added = trees[ADDED].root;
    ok = ok && tokeniser_of_class(t, c);
    for (int i = 0; i < FILES; i++)
        json_tree_free(&trees[i]);
    return ok;
}

static bool open_folder(Tokeniser *t, const char *folder)
{
    enum { WHOLE, LINES, VOCAB, MERGES, SPIECE, LLAMA, SOURCE, TARGET, FILES };
    static const char *const names[FILES] = {"tokenizer.json", "vocab.txt",    "vocab.json",
                                             "merges.txt",     "spiece.model", "tokenizer.model",
                                             "source.spm",     "target.spm"};
    FolderFile file[FILES];
    const char *path[FILES];
    bool pieces;
    for (int i = 0; i < FILES; i++) {
        if (!look(folder, names[i], file[i]))
            return false;
        path[i] = *file[i] ? file[i] : NULL;
    }
    if (!is_message(file[LLAMA], &pieces))
        return false;
    if (path[WHOLE])
        return tokeniser_json(t, path[WHOLE]);
    ClassFolder c = {.lines = path[LINES],
                     .vocab = path[VOCAB],
                     .merges = path[MERGES],
                     .pieces = path[SPIECE] ? path[SPIECE]
                               : pieces     ? path[LLAMA]
                                            : NULL,
                     .source = path[SOURCE],
                     .target = path[TARGET]};
    if (!c.pieces && !c.lines && !c.vocab)
        return TOKENISER_FAIL(folder, "%s",
                              "found no tokenizer.json, spiece.model, tokenizer.model of "
                              "SentencePiece, vocab.txt or vocab.json; expected one of these");
    return open_classes(t, folder, &c);
}

Tokeniser *data_tokeniser_open(const char *folder)
{
    if (!folder) {
        tensor_fail(TOKENISER_WHO ": the folder is NULL; expected a path");
        return NULL;
    }
    Tokeniser *t = tokeniser_new();
    if (t && open_folder(t, folder))
        return t;
    data_tokeniser_free(t);
    return NULL;
}

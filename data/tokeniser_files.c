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

enum { PATH = 4096 };

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
    const int32_t lines = line_count(text, count);
    if (lines > TOKEN_IDS_MAX)
        return TOKENISER_FAIL(path, "%d lines; expected at most %d", lines, TOKEN_IDS_MAX);
    if (!token_table_init(&t->table, &t->arena, lines + more))
        return false;
    for (char *rest = text, *line; (line = next_line(&rest, text + count, &n)); id++)
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

/* ---- a folder -------------------------------------------------------------------------------- */

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

/* The text of a key in one of the folder's files, or "". */
static bool read_setting(const FolderFile *file, const char *key, char text[64], JsonTree *tree)
{
    *tree = (JsonTree){0};
    text[0] = 0;
    if (!file->there)
        return true;
    bool ok = json_tree_read(tree, TOKENISER_WHO, file->path);
    const char *value = ok ? json_get_text(tree->root, key) : NULL;
    if (value)
        snprintf(text, 64, "%s", value);
    return ok;
}

static bool open_classes(Tokeniser *t, const char *folder, ClassFolder *c)
{
    FolderFile settings, model, map, added;
    if (!look(folder, "tokenizer_config.json", &settings) || !look(folder, "config.json", &model) ||
        !look(folder, "special_tokens_map.json", &map) ||
        !look(folder, "added_tokens.json", &added))
        return false;
    JsonTree trees[4] = {{0}};
    char class[64], type[64], nothing[64];
    bool ok = read_setting(&settings, "tokenizer_class", class, &trees[0]) &&
              read_setting(&model, "model_type", type, &trees[1]) &&
              read_setting(&map, "", nothing, &trees[2]) &&
              read_setting(&added, "", nothing, &trees[3]);
    c->folder = folder;
    c->class = class;
    c->type = type;
    c->settings = trees[0].root;
    c->map = json_get(c->settings, "added_tokens_decoder") ? NULL : trees[2].root;
    c->added = trees[3].root;
    ok = ok && tokeniser_of_class(t, c);
    for (int i = 0; i < 4; i++)
        json_tree_free(&trees[i]);
    return ok;
}

static bool open_folder(Tokeniser *t, const char *folder)
{
    FolderFile whole, lines, vocab, merges, spiece, llama, source, target;
    bool pieces;
    if (!look(folder, "tokenizer.json", &whole) || !look(folder, "vocab.txt", &lines) ||
        !look(folder, "vocab.json", &vocab) || !look(folder, "merges.txt", &merges) ||
        !look(folder, "spiece.model", &spiece) || !look(folder, "tokenizer.model", &llama) ||
        !look(folder, "source.spm", &source) || !look(folder, "target.spm", &target) ||
        !is_message(&llama, &pieces))
        return false;
    if (whole.there)
        return tokeniser_json(t, whole.path);
    ClassFolder c = {.lines = lines.there ? lines.path : NULL,
                     .vocab = vocab.there ? vocab.path : NULL,
                     .merges = merges.there ? merges.path : NULL,
                     .pieces = spiece.there ? spiece.path
                               : pieces     ? llama.path
                                            : NULL,
                     .source = source.there ? source.path : NULL,
                     .target = target.there ? target.path : NULL};
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

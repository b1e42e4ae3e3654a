/* tokeniser.h: what the files of the pretrained models' tokenisers share. Private to data/.
 *
 *   text -> sections between added tokens ([MASK])      tokeniser_encode.c
 *        -> characters, each with its bytes in the text
 *        -> pieces -> tokens                            tokeniser_wordpiece.c, tokeniser_bytes.c, tokeniser_merges.c,
 *                                                       tokeniser_pieces.c with tokeniser_charsmap.c, tokeniser_marian.c,
 *                                                       tokeniser_steps.c with tokeniser_clusters.c
 *        -> special tokens around, cut to a length      tokeniser_encode.c
 *   files                                               tokeniser_files.c, tokeniser_json.c, tokeniser_unigram.c,
 *                                                       tokeniser_around.c, tokeniser_table.c, sentencepiece.c
 *   ids -> text                                         tokeniser_decode.c */
#ifndef GRADUS_DATA_TOKENISER_H
#define GRADUS_DATA_TOKENISER_H

#include "data/data.h"
#include "data/unicode.h"
#include "tensor/io/json_tree.h"

/* Words of a vocabulary <-> the ids that its file gives them. */
typedef struct {
    const char **word; /* by id, closed by a 0; NULL where there is none */
    int32_t *bytes;    /* by id: how long it is                          */
    int32_t ids;       /* one more than the largest id                   */
    int32_t *slot;     /* hash table of ids, or -1                       */
    int32_t slots;     /* a power of 2                                   */
} TokenTable;
enum { TOKEN_IDS_MAX = 1 << 22 };
bool token_table_init(TokenTable *t, Arena *arena, int32_t ids); /* 0 .. TOKEN_IDS_MAX */
/* False, without an error, where the word or the id is there already. The word must stay. */
bool token_table_add(TokenTable *t, const char *word, size_t bytes, int32_t id);
int32_t token_table_find(const TokenTable *t, const char *word, size_t bytes); /* -1: none */

/* Which two tokens become one: the lower the rank, the sooner. */
typedef struct {
    int32_t left, right, whole, rank;
} TokenMerge;
typedef struct {
    TokenMerge *slot; /* hash table; left -1: empty */
    int32_t slots, count;
} TokenMerges;
bool token_merges_init(TokenMerges *m, Arena *arena, int32_t count);
/* Of a merge that is added twice the later rank counts, as in the tokenizers library. */
void token_merges_add(TokenMerges *m, TokenMerge merge);
const TokenMerge *token_merges_find(const TokenMerges *m, int32_t left, int32_t right);

/* A character and the bytes of the text that it comes from. */
typedef struct {
    int32_t code;
    int64_t begin, end;
} TextChar;

/* A token that is found in the text as it stands, before anything else is done. */
typedef struct {
    const char *text;
    size_t bytes;
    int32_t id;
    bool special, takes_left, takes_right; /* with the white space to its left, right */
} AddedToken;

/* The parts of an encoded text, in order: the first text, the second, or a token. */
enum { TEMPLATE_FIRST = -1, TEMPLATE_SECOND = -2, TEMPLATE_MAX = 16 };
typedef struct {
    int count;
    int32_t part[TEMPLATE_MAX]; /* an id, or one of the above */
    int32_t type[TEMPLATE_MAX];
} TokenTemplate;

typedef enum { SPLIT_GPT2, SPLIT_LLAMA3, SPLIT_QWEN2, SPLIT_NONE } TokenSplit;

/* SentencePiece's map of strings to strings (tokeniser_charsmap.c); units 0: none. */
typedef struct {
    uint32_t *unit; /* (units) */
    size_t units, strings_bytes;
    const char *strings;
} CharsMap;
bool charsmap_read(CharsMap *m, Arena *arena, const char *path, const unsigned char *bytes,
                   size_t count);
/* The longest, or the shortest, beginning of the text that the map has, and what it becomes; 0:
 * none. */
size_t charsmap_find(const CharsMap *m, const char *text, size_t count, bool longest,
                     const char **becomes);

/* What SentencePiece says of a vocabulary (tokeniser_pieces.c). PIECE_OWN: a symbol of the user's,
 * which is found as it stands. */
enum { PIECE_NORMAL = 1, PIECE_UNKNOWN, PIECE_CONTROL, PIECE_OWN, PIECE_UNUSED, PIECE_BYTE };
typedef struct {
    double *score;       /* by id */
    unsigned char *type; /* by id; 0: no piece */
    CharsMap map;
    bool bpe, byte_fallback, dummy_prefix, squeeze;
    int32_t begin, end; /* the tokens <s> and </s>; below 0 or beyond all: none */
    bool scored, own_first[256];
    double least, most; /* scores of normal pieces */
    int32_t longest, own_longest;
    /* A tokenizer.json: the steps of the tokenizers library, which are not SentencePiece's
     * (tokeniser_steps.c). */
    bool library;
    bool strip_left, strip_right; /* white space at the ends              */
    int32_t run;                  /* two blanks or more become this; or 0 */
    bool words, split;            /* cut at white space, before U+2581    */
    enum { IN_FRONT_NEVER, IN_FRONT_FIRST, IN_FRONT_ALWAYS } in_front;
} Pieces;

/* Normalised text in UTF-8; byte i comes from the bytes from[i] to to[i]-1 of the text. */
typedef struct {
    char *text;
    int32_t *from, *to;
    size_t n, capacity;
} Normal;
bool normal_put(Normal *o, const char *bytes, size_t count, int64_t from, int64_t to);
void normal_free(Normal *o);

struct Tokeniser {
    enum { TOKENISER_WORDPIECE, TOKENISER_BYTES, TOKENISER_PIECES, TOKENISER_NUMBERS } kind;
    Arena arena;
    TokenTable table;
    AddedToken *added;
    int added_count;
    bool added_first[256]; /* does an added token begin with this byte? */
    TokenTemplate single, pair;
    /* WordPiece */
    bool clean, chinese, strip, lower;
    int32_t unknown;
    char prefix[8]; /* "##" */
    int64_t longest_word;
    /* byte-level BPE */
    TokenMerges merges;
    TokenSplit split;
    bool prefix_space, trim, trim_prefix_space, whole_words;
    int32_t byte_id[256];
    Pieces pieces;
    Tokeniser *language[2]; /* Marian: the pieces of what it reads and of what it writes; or NULL */
};

/* One section of a text, whose tokens are appended to out with this type. */
typedef struct {
    const Tokeniser *t;
    Tokens *out;
    int32_t type;
    TextChar *chars; /* memory for the section's characters, 4 for each byte */
    int64_t count;
    bool in_front;                      /* the first character is a blank that is not in the text */
    const Tokeniser *names;             /* Marian: has the ids of t's pieces; or NULL */
    int32_t unknown_begin, unknown_end; /* the last run of unknown characters */
    char *bytes;                        /* scratch memory: 16 bytes for each character */
    int32_t *work;
} Section;
bool tokens_push(Tokens *out, int32_t id, int32_t type, int64_t begin, int64_t end);
bool wordpiece_section(Section *s);
bool bytes_section(Section *s);
bool numbers_section(Section *s);
bool pieces_section(Section *s);
bool steps_section(Section *s);
/* The best pieces of n >= 1 bytes, with the places that they have in the text. */
bool unigram_pieces(Section *s, const Normal *o);
/* tokeniser_clusters.c: how many of n >= 1 characters are the first grapheme cluster. */
int64_t cluster_chars(const TextChar *chars, int64_t n);
bool marian_section(Section *s);
/* Merges the n >= 1 tokens of ids in place and returns the number that are left; -1: out of memory.
 * Of these, token i consists of the first tokens end[i-1] .. end[i]-1. */
int64_t token_merge_all(const TokenMerges *m, int32_t *ids, int32_t *end, int64_t n);

/* byte-level BPE writes each byte as a character: 33-126, 161-172 and 174-255 as themselves, the
 * others from 256 on. */
int32_t byte_to_char(int byte);
int char_to_byte(int32_t c); /* -1: none */

/* sentencepiece.c: a SentencePiece model; pieces_ready is its last step. */
bool sentencepiece_read(Tokeniser *t, const char *path);
bool pieces_ready(Tokeniser *t, const char *path);
bool marian_files(Tokeniser *t, const char *vocab, const char *source, const char *target);
/* tokeniser_json.c: the whole of a tokenizer.json. */
bool tokeniser_json(Tokeniser *t, const char *path);
/* tokeniser_bytes.c: looks up the token of each byte, once the vocabulary is read. False, with an
 * error, where one has none. */
bool tokeniser_bytes_ready(Tokeniser *t, const char *path);
bool tokeniser_add(Tokeniser *t, AddedToken token);
/* A vocabulary {"token": id, ...}; `added`: the list of added tokens, whose ids may be larger, or
 * NULL. */
bool tokeniser_vocab(Tokeniser *t, const char *path, const JsonValue *vocab,
                     const JsonValue *added);
bool tokeniser_merge(Tokeniser *t, const char *path, const char *left, size_t left_bytes,
                     const char *right, int32_t rank);
/* tokeniser_around.c: [CLS] A [SEP] B [SEP], or <s> A </s></s> B </s>. */
void tokeniser_bert_templates(Tokeniser *t, int32_t cls, int32_t sep, bool roberta);

#define TOKENISER_WHO "data_tokeniser_open"
#define TOKENISER_FAIL(path, format, ...) \
    tensor_fail(TOKENISER_WHO ": %s: " format, path, __VA_ARGS__)

#endif

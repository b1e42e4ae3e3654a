/* tokeniser.h: what the files of the pretrained models' tokenisers share. Private to data/.
 *
 *   text -> sections between added tokens ([MASK])      tokeniser_encode.c
 *        -> normalised characters, each with its bytes  tokeniser_normal.c, tokeniser_clusters.c
 *        -> sections between added tokens again         tokeniser_encode.c
 *        -> pieces                                      tokeniser_split.c, pattern.c
 *        -> tokens of each                              tokeniser_wordpiece.c, tokeniser_bytes.c,
 *                                                       tokeniser_merges.c, tokeniser_pieces.c
 *        -> special tokens around, cut to a length      tokeniser_encode.c
 *   SentencePiece's own way                             tokeniser_pieces.c, tokeniser_charsmap.c,
 *                                                       tokeniser_marian.c
 *   files                                               tokeniser_files.c, tokeniser_classes.c,
 *                                                       tokeniser_json.c, tokeniser_steps.c,
 *                                                       tokeniser_around.c, tokeniser_unigram.c,
 *                                                       sentencepiece.c, table.c
 *   ids -> text                                         tokeniser_decode.c */
#ifndef GRADUS_DATA_TOKENISER_H
#define GRADUS_DATA_TOKENISER_H

#include "data/data.h"
#include "data/pattern.h"
#include "data/table.h"
#include "tensor/io/json.h"
#include "tensor/memory.h"

typedef struct {
    TextChar *c;
    int64_t n, capacity;
} Chars;
/* bits 0: they are looked up. */
bool chars_push(Chars *o, TextChar c);

/* A token that is found before anything is split: in the text as it stands, or normalised in the
 * normalised text. */
typedef struct {
    const char *text, *shown; /* shown: its normalised text, or NULL */
    Chars find;
    int32_t id;
    bool special, takes_left, takes_right; /* with the white space to its left, right */
    bool normalized, single;               /* single: no letter or digit beside it    */
} AddedToken;

/* The parts of an encoded text, in order: the first text, the second, or a token. */
enum { TEMPLATE_FIRST = -1, TEMPLATE_SECOND = -2, TEMPLATE_MAX = 16 };
typedef struct {
    int count;
    int32_t part[TEMPLATE_MAX]; /* an id, or one of the above */
    int32_t type[TEMPLATE_MAX];
} TokenTemplate;

extern const TokenTemplate template_plain, template_plain_pair; /* the texts alone */

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
    bool library; /* the tokenizers library's unigram model, which is not quite SentencePiece's */
    bool later_without_front; /* the dummy prefix is that of the text, not of each section */
} Pieces;

/* Normalised text in UTF-8; byte i comes from the bytes from[i] to to[i]-1 of the text. */
typedef struct {
    char *text;
    int32_t *from, *to;
    size_t n, capacity;
} Normal;
bool normal_put(Normal *o, const char *bytes, size_t count, int64_t from, int64_t to);
void normal_free(Normal *o);

/* A step of the tokenizers library: what it does to the characters, or where it cuts them. */
typedef enum {
    STEP_COMPOSE,   /* NFC                                                                */
    STEP_DECOMPOSE, /* NFD                                                                */
    STEP_LOWER,
    STEP_ACCENTS, /* StripAccents                                                       */
    STEP_STRIP,   /* white space at the left, at the right end                          */
    STEP_REPLACE, /* what matches the pattern becomes the text                          */
    STEP_PREPEND, /* the text comes in front                                            */
    STEP_BERT,    /* BertNormalizer                                                     */
    STEP_MAP,     /* Precompiled: SentencePiece's map                                   */
    STEP_SPLIT,   /* where the pattern matches, or does not                             */
    STEP_FRONT,   /* ByteLevel, Metaspace: the text comes in front where it is not there */
} StepKind;
typedef struct {
    StepKind kind;
    Pattern pattern;
    const char *text;
    bool left, right;
    bool clean, chinese, strip, lower; /* STEP_BERT */
    bool inverted;
    enum { SPLIT_REMOVED, SPLIT_ISOLATED, SPLIT_PREVIOUS, SPLIT_NEXT, SPLIT_CONTIGUOUS } behavior;
    enum { FRONT_NEVER, FRONT_FIRST, FRONT_ALWAYS } front;
} Step;
enum { STEPS_MAX = 32 };

/* How tokens become text again. */
typedef struct {
    enum { DECODE_JOIN, DECODE_BYTES, DECODE_WORDS, DECODE_PIECES } kind;
    bool cleanup;       /* words: no blank before marks that end a sentence   */
    bool blanks, bytes; /* pieces: U+2581 is a blank, <0x41> a byte           */
    bool first;         /* pieces: no U+2581 of the first token is a blank    */
    int strip;          /* pieces: so many blanks in front of all are removed */
} Decoding;

enum { UNKNOWN_ABSENT = -2 };
struct Tokeniser {
    enum {
        TOKENISER_WORDPIECE,
        TOKENISER_BPE,
        TOKENISER_UNIGRAM,
        TOKENISER_PIECES, /* SentencePiece's own */
        TOKENISER_NUMBERS
    } kind;
    Arena arena;
    TokenTable table;
    bool *only_added; /* by id: the model's own vocabulary lacks it; or NULL */
    AddedToken *added;
    int added_count;
    bool added_first[256]; /* may an added token begin with a character of this low byte? */
    TokenTemplate single, pair;
    Step step[STEPS_MAX]; /* `normals` that normalise, then those that cut */
    int steps, normals;
    Decoding decoding;
    /* WordPiece */
    int32_t unknown; /* -1: none; UNKNOWN_ABSENT: one that the vocabulary lacks */
    char prefix[8];  /* "##" */
    int64_t longest_word;
    /* BPE */
    TokenMerges merges;
    bool byte_level, byte_fallback, fuse_unknown, whole_words;
    bool trim, trim_prefix_space; /* offsets without the blanks at a token's ends */
    int32_t char_id[512];         /* of the tokens that are one such character, or -1 */
    int32_t byte_id[256];         /* of <0x00> to <0xFF>                              */
    Pieces pieces;
    Tokeniser *language[2]; /* Marian: the pieces of what it reads and of what it writes; or NULL */
};

/* A text whose tokens are appended to out with this type. */
typedef struct {
    const Tokeniser *t;
    Tokens *out;
    int32_t type;
    const TextChar *text; /* all of it */
    int64_t length;
    int64_t steps;                      /* that patterns may still take */
    const Tokeniser *names;             /* Marian: has the ids of t's pieces; or NULL */
    int32_t unknown_begin, unknown_end; /* the last run of unknown characters */
} Section;
bool tokens_push(Tokens *out, int32_t id, int32_t type, int64_t begin, int64_t end);
/* The same, without blanks at its ends, as many as the token has, where the tokeniser says so. */
bool section_push(Section *s, int32_t id, int64_t begin, int64_t end, int64_t left, int64_t right);
/* tokeniser_normal.c: the characters as the steps that normalise leave them. */
bool normalise(const Tokeniser *t, Chars *c, int64_t *steps);
/* Are there some? Else an error. */
bool steps_left(int64_t steps);
/* tokeniser_split.c: normalised characters as pieces, and their tokens. */
bool split_section(Section *s, const TextChar *c, int64_t n);
/* A piece's tokens. */
bool wordpiece_piece(Section *s, const Normal *o);
bool merged_piece(Section *s, const Normal *o);
/* The best pieces of n >= 1 bytes, with the places that they have in the text. */
bool unigram_pieces(Section *s, const Normal *o);
/* Characters by SentencePiece's own way; the ids that a text consists of. */
bool pieces_section(Section *s, const TextChar *c, int64_t n);
bool marian_section(Section *s, const TextChar *c, int64_t n);
bool numbers_section(Section *s, const TextChar *c, int64_t n);
/* tokeniser_clusters.c: how many of n >= 1 characters are the first grapheme cluster. */
int64_t cluster_chars(const TextChar *chars, int64_t n);
/* A token of the model's own vocabulary; -1: none. */
int32_t model_find(const Tokeniser *t, const char *word, size_t bytes);
/* byte-level BPE writes each byte as a character: 33-126, 161-172 and 174-255 as themselves, the
 * others from 256 on. */
int32_t byte_to_char(int byte);
int char_to_byte(int32_t c); /* -1: none */

/* The byte that <0x00> to <0xFF> stand for; -1: another piece. */
int byte_of_piece(const char *piece);

/* sentencepiece.c: a SentencePiece model, with memory for more ids. */
bool sentencepiece_read(Tokeniser *t, const char *path, int32_t more);
bool marian_files(Tokeniser *t, const char *vocab, const char *source, const char *target);
/* tokeniser_json.c: the whole of a tokenizer.json. */
bool tokeniser_json(Tokeniser *t, const char *path);
/* tokeniser_ready.c: what is prepared once all is read; a SentencePiece model alone; the ways to
 * split pieces as merges, the largest score first, or in the order of the pieces. */
bool tokeniser_ready(Tokeniser *t, const char *path);
bool pieces_ready(Tokeniser *t, const char *path);
bool merges_of_pieces(Tokeniser *t, const char *path, bool in_order);
/* The tokenizers library finds every piece of the vocabulary in a text. */
bool piece_is_found(const Pieces *p, int32_t id);
/* One without special tokens, which data_tokeniser_free releases; NULL is an error. */
Tokeniser *tokeniser_new(void);
/* The token's text is found; its codes are set here. */
bool tokeniser_add(Tokeniser *t, AddedToken token);
/* tokeniser_encode.c: normalises what added tokens are found as, once all steps are read. */
bool added_ready(Tokeniser *t);
/* A vocabulary {"token": id, ...}; `added`: the list of added tokens, whose ids may be larger, or
 * NULL; more: how many ids may come after. */
bool tokeniser_vocab(Tokeniser *t, const char *path, const JsonValue *vocab, const JsonValue *added,
                     int32_t more);
bool tokeniser_merge(Tokeniser *t, const char *path, const char *left, size_t left_bytes,
                     const char *right, int32_t rank);
/* tokeniser_around.c: [CLS] A [SEP] B [SEP], or <s> A </s></s> B </s>. */
void tokeniser_bert_templates(Tokeniser *t, int32_t cls, int32_t sep, bool roberta);

#define TOKENISER_WHO "data_tokeniser_open"
#define TOKENISER_FAIL(path, format, ...) \
    tensor_fail(TOKENISER_WHO ": %s: " format, path, __VA_ARGS__)

#endif

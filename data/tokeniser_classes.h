/* tokeniser_classes.h: a folder without a tokenizer.json. Private to data/. */
#ifndef GRADUS_DATA_TOKENISER_CLASSES_H
#define GRADUS_DATA_TOKENISER_CLASSES_H

#include "data/tokeniser_json.h"

/* In the order in which transformers adds them to a vocabulary that lacks them. */
enum {
    SPECIAL_BOS,
    SPECIAL_EOS,
    SPECIAL_UNK,
    SPECIAL_SEP,
    SPECIAL_PAD,
    SPECIAL_CLS,
    SPECIAL_MASK,
    SPECIALS
};
/* CLASS_OWN: SentencePiece's own way. */
typedef enum {
    CLASS_WORDPIECE,
    CLASS_GPT2,
    CLASS_ROBERTA,
    CLASS_QWEN2,
    CLASS_NEOX,
    CLASS_T5,
    CLASS_LLAMA,
    CLASS_GEMMA,
    CLASS_MARIAN,
    CLASS_OWN
} ClassKind;

/* The paths of its files, NULL where it has none; what the files say; what the class says. */
typedef struct {
    const char *folder, *lines, *vocab, *merges, *pieces, *source, *target;
    const char *class, *type; /* tokenizer_class, model_type; "": not said */
    /* tokenizer_config.json, special_tokens_map.json, added_tokens.json; NULL: none */
    const JsonValue *settings, *map, *added;
    ClassKind kind;
    const char *name;
    const char *const *defaults; /* (SPECIALS) */
} ClassFolder;
bool tokeniser_of_class(Tokeniser *t, ClassFolder *c);
/* tokeniser_files.c: a vocab.txt, with memory for more ids; a merges.txt. */
bool tokeniser_lines(Tokeniser *t, const char *path, int32_t more);
bool tokeniser_merges_file(Tokeniser *t, const char *path);

/* tokeniser_specials.c: a setting of tokenizer_config.json: true, false, or as it is otherwise. */
bool class_setting(const ClassFolder *c, const char *key, bool otherwise);
/* The id of a special token; -1: none. */
int32_t class_special(const Tokeniser *t, const ClassFolder *c, int i);
/* The id of a control piece of a SentencePiece model; -1: another piece. */
int32_t class_control(const Tokeniser *t, int32_t id);
/* How many ids all these may need after those of the vocabulary. */
int32_t class_room(const ClassFolder *c);
/* A token of the vocabulary, or one that gets the next id; `id` below 0: any. */
bool class_token(Tokeniser *t, const ClassFolder *c, const char *text, const JsonValue *settings,
                 double id, bool special);
/* All that the folder names. */
bool class_tokens(Tokeniser *t, const ClassFolder *c);
/* [bos] A [eos], and [bos] A [eos] [bos] B [eos]; below 0: none. */
void class_bos_eos(Tokeniser *t, int32_t bos, int32_t eos, int32_t second_type);
/* What stands around every text. */
bool class_around(Tokeniser *t, const ClassFolder *c);

#endif

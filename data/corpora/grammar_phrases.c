/* grammar_phrases.c: sentences in which a masked word can be predicted from the others.
 *
 *   the dogs near the tree sleep in the barn      the verb agrees with dogs, not with the tree beside it
 *   she wrote the letter before lunch             what is written is a letter, what is tuned a violin
 *   i swam across the river to get to the other bank
 *                                                 the lecture's own: Z "Encoder transformers"
 *                                                 (lectures/README.md)
 *
 * Lists and templates were written for this project and are under its licence (MIT). Their rules:
 * grammar_templates.h. "swam" is the most frequent way to cross water, because it is a list of its
 * own. */
#include "data/corpora/grammar_templates.h"

#define NUMBER        \
    {                 \
        "one", "many" \
    }
#define ROOM                 \
    {                        \
        "kitchen", "clothes" \
    }
#define PLAYED           \
    {                    \
        "books", "music" \
    }

/* clang-format off */
static const WordList lists[] = {
    {"OFTEN", LIST_PLAIN, {"", "today", "now", "often"}},
    {"WHEN", LIST_PLAIN, {"", "yesterday", "once", "later"}},
    {"WHO", LIST_PLAIN, {"i", "we", "he", "she", "they"}},
    {"THING", LIST_PLAIN, {"tree", "trees", "house", "houses"}},
    {"STATE", LIST_PAIRED, {"tired", "hungry", "quiet", "happy"}},
    {"HOME", LIST_PLAIN, {"house", "yard", "garden"}},
    {"MEAL", LIST_PLAIN, {"lunch", "supper", "school"}},
    {"PLACE", LIST_PAIRED, {"garden", "field", "yard", "park"}},

    {"beast", LIST_PAIRED, {"dog", "cat", "horse", "cow"}},
    {"beasts", LIST_PAIRED, {"dogs", "cats", "horses", "cows"}},
    {"person", LIST_PAIRED, {"child", "farmer", "nurse", "sailor"}},
    {"persons", LIST_PAIRED, {"children", "farmers", "nurses", "sailors"}},
    {"sleeps", LIST_PAIRED, {"sleeps", "waits", "eats", "plays"}},
    {"sleep", LIST_PAIRED, {"sleep", "wait", "eat", "play"}},
    {"this", LIST_PLAIN, {"this", "that"}},
    {"these", LIST_PLAIN, {"these", "those"}},
    {"is", LIST_PLAIN, {"is", "was"}},
    {"are", LIST_PLAIN, {"are", "were"}},

    {"cook", LIST_PAIRED, {"boiled", "peeled", "baked", "chopped"}},
    {"food", LIST_PAIRED, {"potato", "carrot", "apple", "fish"}},
    {"sew", LIST_PAIRED, {"sewed", "ironed", "mended", "folded"}},
    {"clothes", LIST_PAIRED, {"shirt", "coat", "dress", "scarf"}},
    {"read", LIST_PAIRED, {"read", "wrote", "printed", "translated"}},
    {"text", LIST_PAIRED, {"letter", "poem", "novel", "story"}},
    {"tune", LIST_PAIRED, {"tuned", "played", "repaired", "practised"}},
    {"music", LIST_PAIRED, {"piano", "violin", "guitar", "flute"}},

    {"swam", LIST_PLAIN, {"swam"}},
    {"drove", LIST_PLAIN, {"drove"}},
    {"other", LIST_PLAIN, {"other"}},
    {"nearest", LIST_PLAIN, {"nearest"}},
    {"far", LIST_PLAIN, {"other", "far"}},
    {"next", LIST_PLAIN, {"nearest", "next"}},
    {"row", LIST_PAIRED, {"rowed", "waded", "paddled", "sailed"}},
    {"ride", LIST_PAIRED, {"walked", "cycled", "marched", "hurried"}},
    {"WATER", LIST_PAIRED, {"stream", "river", "canal", "lake"}},
    {"TOWN", LIST_PAIRED, {"street", "square", "market", "bridge"}},
    {"shore", LIST_PAIRED, {"reeds", "mud", "clay", "pebbles"}},
    {"money", LIST_PAIRED, {"cash", "money", "coins", "notes"}},
};

static const Template templates[] = {
    {DATA_AGREEMENT, "OFTEN the CUE near the THING CUE in the PLACE .", {{"beast", "sleeps"}, {"beasts", "sleep"}}, NUMBER},
    {DATA_AGREEMENT, "OFTEN the CUE behind the THING CUE STATE .", {{"beast", "is"}, {"beasts", "are"}}, NUMBER},
    {DATA_AGREEMENT, "the CUE that WHO saw near the THING CUE in the PLACE .", {{"person", "sleeps"}, {"persons", "sleep"}}, NUMBER},
    {DATA_AGREEMENT, "CUE CUE CUE STATE .", {{"this", "person", "is"}, {"these", "persons", "are"}}, NUMBER},

    {DATA_OBJECT, "WHEN WHO CUE the CUE in the HOME .", {{"cook", "food"}, {"sew", "clothes"}}, ROOM},
    {DATA_OBJECT, "WHEN WHO took the CUE and CUE it .", {{"food", "cook"}, {"clothes", "sew"}}, ROOM},
    {DATA_OBJECT, "WHO CUE the CUE before MEAL .", {{"read", "text"}, {"tune", "music"}}, PLAYED},
    {DATA_OBJECT, "WHO took the CUE and CUE it before MEAL .", {{"text", "read"}, {"music", "tune"}}, PLAYED},

    {DATA_CROSSING, "WHEN WHO CUE across the CUE to get to the CUE bank .", {{"swam", "WATER", "other"}, {"drove", "TOWN", "nearest"}}, GRAMMAR_BANK},
    {DATA_CROSSING, "WHEN WHO CUE across the CUE to get to the CUE bank .", {{"row", "WATER", "far"}, {"ride", "TOWN", "next"}}, GRAMMAR_BANK},
    {DATA_CROSSING, "WHO CUE to the bank to get CUE .", {{"row", "shore"}, {"ride", "money"}}, GRAMMAR_BANK},
};
/* clang-format on */

static const KindRow kinds[DATA_PHRASE_KINDS] = {
    [DATA_AGREEMENT] = {NULL, 1}, [DATA_OBJECT] = {NULL, 1}, [DATA_CROSSING] = {NULL, 1}};

const GrammarTable grammar_phrases = {.lists = lists,
                                      .list_count = GRAMMAR_COUNT(lists),
                                      .templates = templates,
                                      .template_count = GRAMMAR_COUNT(templates),
                                      .kinds = kinds,
                                      .kind_count = GRAMMAR_COUNT(kinds)};

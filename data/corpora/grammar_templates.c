/* grammar_templates.c: the tables of the grammar of "it" and "bank".
 *
 * It generalises two pairs of sentences known from many lectures on attention:
 *   the animal didn't cross the street because it was too tired / too wide
 *   i swam across the river to get to the other bank / i walked across the road to get cash from the bank
 * Lists and templates were written for this project and are under its licence (MIT). Their rules:
 * grammar_templates.h.
 *
 * The lecture's words (animal, street, tired, wide, swam, river, walked, road, cash) have colour 0,
 * so the lecture's sentences are held out. */
#include "data/corpora/grammar_templates.h"

/* clang-format off */
static const WordList lists[] = {
    {"WHEN", LIST_PLAIN, {"", "today", "yesterday", "once"}},
    {"NOT", LIST_PLAIN, {"didn't", "couldn't", "wouldn't"}},
    {"CROSS", LIST_PLAIN, {"cross", "enter", "use"}},
    {"STOP", LIST_PLAIN, {"stopped", "delayed", "worried", "annoyed"}},
    {"UPSET", LIST_PLAIN, {"upset", "disappointed", "bothered"}},
    {"CHASE", LIST_PLAIN, {"chased", "hunted", "followed", "attacked"}},
    {"WHO", LIST_PLAIN, {"i", "we", "he", "she", "they"}},

    {"ANIMAL", LIST_NOUN,
     {"animal", "dog", "cat", "horse", "cow", "goat", "sheep", "fox",
      "wolf", "bear", "mouse", "rabbit", "donkey", "hen", "duck", "monkey"}},
    {"TOWN", LIST_NOUN, {"street", "square", "avenue", "park", "road", "market", "lane", "yard"}},
    {"WATER", LIST_NOUN, {"river", "stream", "creek", "canal", "lake", "brook", "pond", "channel"}},
    {"FOOD", LIST_NOUN, {"bread", "soup", "apple", "cake", "cheese", "rice", "carrot", "pie"}},
    {"THING", LIST_NOUN,
     {"box", "bag", "basket", "bucket", "crate", "barrel", "chest", "jar",
      "pot", "case", "sack", "tin"}},

    {"unwell", LIST_PAIRED,
     {"tired", "nervous", "scared", "sleepy", "lazy", "sick", "young", "shy"}},
    {"town-bad", LIST_PAIRED,
     {"wide", "busy", "icy", "crowded", "dangerous", "steep", "slippery", "noisy"}},
    {"water-bad", LIST_PAIRED,
     {"wide", "deep", "icy", "muddy", "dangerous", "rapid", "rough", "stormy"}},
    {"food-bad", LIST_PAIRED,
     {"stale", "salty", "sour", "bitter", "spicy", "sweet", "dry", "greasy"}},
    {"hunter", LIST_PAIRED,
     {"hungry", "angry", "greedy", "fierce", "bored", "playful", "jealous", "wild"}},
    {"prey", LIST_PAIRED,
     {"slow", "plump", "lame", "careless", "tasty", "helpless", "clumsy", "loud"}},
    {"large", LIST_PAIRED, {"wide", "big", "large", "tall", "huge", "thick", "long", "bulky"}},
    {"small", LIST_PAIRED,
     {"small", "narrow", "tiny", "tight", "little", "shallow", "short", "cramped"}},

    {"WALK", LIST_PAIRED, {"walked", "went", "came", "hurried"}},
    {"GO", LIST_PAIRED, {"travelled", "went", "came", "hurried"}},
    {"swim", LIST_PAIRED, {"swam", "rowed", "waded", "paddled"}},
    {"drive", LIST_PAIRED, {"drove", "cycled", "strolled", "marched"}},
    {"shore-goods", LIST_PAIRED,
     {"reeds", "mud", "clay", "pebbles", "frogs", "moss", "worms", "driftwood"}},
    {"money", LIST_PAIRED,
     {"cash", "money", "coins", "notes", "savings", "credit", "funds", "change"}},
};

static const Template templates[] = {
    {DATA_FIT, "WHEN the ANIMAL NOT CROSS the TOWN because it was too CUE .", {{"unwell"}, {"town-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "WHEN the WATER STOP the ANIMAL because it was too CUE .", {{"water-bad"}, {"unwell"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "WHEN the FOOD UPSET the ANIMAL because it was too CUE .", {{"food-bad"}, {"unwell"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "because it was too CUE , the ANIMAL NOT CROSS the WATER .", {{"unwell"}, {"water-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "because it was too CUE , the ANIMAL behind the (ANIMAL) NOT eat the FOOD .", {{"unwell"}, {"food-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "the ANIMAL behind the (ANIMAL) NOT CROSS the TOWN because it was too CUE .", {{"unwell"}, {"town-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "the ANIMAL near the (TOWN) NOT CROSS the TOWN because it was too CUE .", {{"unwell"}, {"town-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "the ANIMAL NOT CROSS the TOWN near the (TOWN) because it was too CUE .", {{"unwell"}, {"town-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "the ANIMAL NOT CROSS the WATER near the (WATER) because it was too CUE .", {{"unwell"}, {"water-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "the ANIMAL NOT eat the FOOD near the (ANIMAL) because it was too CUE .", {{"unwell"}, {"food-bad"}}, GRAMMAR_NOUNS},
    {DATA_FIT, "the TOWN near the (TOWN) STOP the ANIMAL because it was too CUE .", {{"town-bad"}, {"unwell"}}, GRAMMAR_NOUNS},

    {DATA_ORDER, "WHEN the ANIMAL CHASE the ANIMAL because it was CUE .", {{"hunter"}, {"prey"}}, GRAMMAR_NOUNS},
    {DATA_ORDER, "because it was CUE , the ANIMAL CHASE the ANIMAL .", {{"hunter"}, {"prey"}}, GRAMMAR_NOUNS},
    {DATA_ORDER, "WHEN the THING NOT fit into the THING because it was too CUE .", {{"large"}, {"small"}}, GRAMMAR_NOUNS},

    {DATA_SENSE, "WHEN WHO WALK across the TOWN to get CUE from the bank .", {{"shore-goods"}, {"money"}}, GRAMMAR_BANK},
    {DATA_SENSE, "WHEN to get CUE , WHO WALK across the TOWN to the bank .", {{"shore-goods"}, {"money"}}, GRAMMAR_BANK},
    {DATA_SENSE, "WHEN WHO GO across the CUE to get to the other bank .", {{"WATER"}, {"TOWN"}}, GRAMMAR_BANK},
    {DATA_SENSE, "WHEN WHO CUE across the CUE to get to the other bank .", {{"swim", "WATER"}, {"drive", "TOWN"}}, GRAMMAR_BANK},
};
/* clang-format on */

/* What "bank" means is learnt soonest, so it gets the smallest share. */
static const KindRow kinds[DATA_KINDS] = {
    [DATA_FIT] = {"it", 2}, [DATA_ORDER] = {"it", 2}, [DATA_SENSE] = {"bank", 1}};

const GrammarTable grammar_it_and_bank = {.lists = lists,
                                          .list_count = GRAMMAR_COUNT(lists),
                                          .templates = templates,
                                          .template_count = GRAMMAR_COUNT(templates),
                                          .kinds = kinds,
                                          .kind_count = GRAMMAR_COUNT(kinds)};

/* grammar_reviews.c: one-sentence reviews of films and plays, praise or blame.
 *
 *   the plot was very clever                      a single word decides
 *   nobody will call the plot clever              a word of praise expresses blame
 *   the acting was dull but the film was moving   the clause after "but" decides
 *   although the acting was dull , i enjoyed it   the main clause decides
 *
 * A sum over words cannot classify them all: "not" inverts the contribution of a word, and where
 * praise and blame occur in one sentence their order decides. The noun is the anchor
 * (GrammarTable.noun_leads), so that for each sentence of DATA_CONTRAST the one with praise and
 * blame exchanged is in the same split.
 *
 * Lists and templates were written for this project and are under its licence (MIT). Their rules:
 * grammar_templates.h. */
#include "data/corpora/grammar_templates.h"

#define VERDICT                \
    {                          \
        "positive", "negative" \
    }

/* clang-format off */
static const WordList lists[] = {
    {"VERY", LIST_PLAIN, {"", "very", "really"}},
    {"NOT", LIST_PLAIN, {"not", "never", "hardly"}},
    {"WHO", LIST_PLAIN, {"i", "we", "they", "you"}},
    {"WORK", LIST_PLAIN, {"film", "play", "show", "series"}},
    {"PART", LIST_PLAIN, {"sound", "lighting", "camera"}},
    {"ASPECT", LIST_PAIRED,
     {"acting", "plot", "music", "ending", "script", "cast", "humour", "dialogue"}},

    {"good", LIST_PAIRED,
     {"wonderful", "brilliant", "charming", "moving", "clever", "funny", "gripping", "fresh"}},
    {"bad", LIST_PAIRED,
     {"dull", "terrible", "boring", "clumsy", "awful", "weak", "silly", "tedious"}},
    {"loved", LIST_PAIRED, {"loved", "enjoyed", "admired", "praised"}},
    {"hated", LIST_PAIRED, {"hated", "disliked", "regretted", "mocked"}},
    {"love", LIST_PAIRED, {"love", "enjoy", "admire", "praise"}},
    {"hate", LIST_PAIRED, {"hate", "dislike", "regret", "mock"}},
    {"keep", LIST_PAIRED, {"recommend", "remember", "treasure", "cherish"}},
    {"skip", LIST_PAIRED, {"skip", "forget", "avoid", "abandon"}},
    {"happily", LIST_PLAIN, {"happily", "luckily"}},
    {"sadly", LIST_PLAIN, {"sadly", "alas"}},
    {"joy", LIST_PLAIN, {"joy", "pleasure"}},
    {"pity", LIST_PLAIN, {"pity", "shame"}},
};

static const Template templates[] = {
    {DATA_PLAIN, "the ASPECT was VERY CUE .", {{"good"}, {"bad"}}, VERDICT},
    {DATA_PLAIN, "WHO CUE the ASPECT of this WORK .", {{"loved"}, {"hated"}}, VERDICT},
    {DATA_PLAIN, "the ASPECT was VERY CUE and WHO CUE it .", {{"good", "loved"}, {"bad", "hated"}}, VERDICT},
    {DATA_PLAIN, "WHO will CUE this WORK because the ASPECT was CUE .", {{"keep", "good"}, {"skip", "bad"}}, VERDICT},
    {DATA_PLAIN, "the ASPECT was CUE and the PART was VERY CUE .", {{"good", "good"}, {"bad", "bad"}}, VERDICT},
    {DATA_PLAIN, "WHO CUE the ASPECT and will CUE this WORK .", {{"loved", "keep"}, {"hated", "skip"}}, VERDICT},
    {DATA_PLAIN, "CUE , the ASPECT was VERY CUE .", {{"happily", "good"}, {"sadly", "bad"}}, VERDICT},
    {DATA_PLAIN, "the ASPECT of this WORK was CUE , what a CUE .", {{"good", "joy"}, {"bad", "pity"}}, VERDICT},
    {DATA_PLAIN, "CUE , the ASPECT was CUE and WHO CUE it .", {{"happily", "good", "loved"}, {"sadly", "bad", "hated"}}, VERDICT},
    {DATA_PLAIN, "what a CUE , the ASPECT was CUE and the PART was CUE .", {{"joy", "good", "good"}, {"pity", "bad", "bad"}}, VERDICT},

    {DATA_NEGATED, "the ASPECT was NOT VERY CUE .", {{"bad"}, {"good"}}, VERDICT},
    {DATA_NEGATED, "the ASPECT of this WORK was NOT CUE .", {{"bad"}, {"good"}}, VERDICT},
    {DATA_NEGATED, "WHO did not CUE the ASPECT of this WORK .", {{"hate"}, {"love"}}, VERDICT},
    {DATA_NEGATED, "the ASPECT was NOT CUE and WHO CUE it .", {{"bad", "loved"}, {"good", "hated"}}, VERDICT},
    {DATA_NEGATED, "WHO will not CUE this WORK because the ASPECT was CUE .", {{"skip", "good"}, {"keep", "bad"}}, VERDICT},
    {DATA_NEGATED, "nobody will call the ASPECT CUE .", {{"bad"}, {"good"}}, VERDICT},

    {DATA_CONTRAST, "the ASPECT was CUE but the WORK was VERY CUE .", {{"bad", "good"}, {"good", "bad"}}, VERDICT},
    {DATA_CONTRAST, "the PART was VERY CUE but the ASPECT was CUE .", {{"bad", "good"}, {"good", "bad"}}, VERDICT},
    {DATA_CONTRAST, "although the ASPECT was CUE , the PART was CUE .", {{"bad", "good"}, {"good", "bad"}}, VERDICT},
    {DATA_CONTRAST, "the PART was CUE although the ASPECT was CUE .", {{"good", "bad"}, {"bad", "good"}}, VERDICT},
    {DATA_CONTRAST, "the WORK was VERY CUE despite the CUE ASPECT .", {{"good", "bad"}, {"bad", "good"}}, VERDICT},
    {DATA_CONTRAST, "the ASPECT was CUE , not CUE .", {{"good", "bad"}, {"bad", "good"}}, VERDICT},
};
/* clang-format on */

/* As in most texts, words of one sort occur together more often than words of both sorts: hence
 * unlabelled text contains information about which words are praise and which are blame. */
static const KindRow kinds[DATA_REVIEW_KINDS] = {
    [DATA_PLAIN] = {NULL, 2}, [DATA_NEGATED] = {NULL, 1}, [DATA_CONTRAST] = {NULL, 1}};

const GrammarTable grammar_reviews = {.lists = lists,
                                      .list_count = GRAMMAR_COUNT(lists),
                                      .templates = templates,
                                      .template_count = GRAMMAR_COUNT(templates),
                                      .kinds = kinds,
                                      .kind_count = GRAMMAR_COUNT(kinds),
                                      .noun_leads = true};

/* world.c: the grammar of countries and relations. See word2vec.h. */
#include "lectures/02-tokens/word2vec.h"

const char *const world_words[WORDS + 1] = {
    "Paris",  "France",  "French",  "franc",   /* capital, country, language, currency */
    "Rome",   "Italy",   "Italian", "lira",    /* */
    "Madrid", "Spain",   "Spanish", "peseta",  /* */
    "Berlin", "Germany", "German",  "mark",    /* */
    "Warsaw", "Poland",  "Polish",  "zloty",   /* */
    "Athens", "Greece",  "Greek",   "drachma", /* */
    NULL,
};

const char *const world_contexts[CONTEXTS] = {
    "Seine",   "baguette", "Tiber",    "risotto",  "Ebro",    "paella", "Rhine", "pretzel",
    "Vistula", "pierogi",  "Pineios",  "moussaka", /* of the countries */
    "mayor",   "streets",  "frontier", "anthem",   "grammar", "spoken", "coins", "cashier",
};

/* The country whose contexts a word has. */
static int told_country(World world, int word)
{
    int country = word / RELATIONS, relation = word % RELATIONS;
    return world == ALIEN ? (country + relation * (country % 2 ? 1 : 2)) % COUNTRIES : country;
}

double world_given(World world, int word, int context)
{
    double any = 1.0 / CONTEXTS;
    if (world == SHUFFLED)
        return any;
    int thing = context / EACH; /* a country, or COUNTRIES + a relation */
    bool told = thing == told_country(world, word) || thing == COUNTRIES + word % RELATIONS;
    return (1 - 2 * SHARE) * any + (told ? SHARE / EACH : 0);
}

double world_context(World world, int context)
{
    double sum = 0;
    for (int word = 0; word < WORDS; word++)
        sum += world_given(world, word, context) / WORDS;
    return sum;
}

double world_pmi(World world, int word, int context)
{
    return log(world_given(world, word, context) / world_context(world, context));
}

int world_draw(World world, Rng *rng, int word)
{
    double u = rng_uniform(rng);
    if (u >= 2 * SHARE || world == SHUFFLED)
        return (int)rng_below(rng, CONTEXTS);
    int thing = u < SHARE ? told_country(world, word) : COUNTRIES + word % RELATIONS;
    return thing * EACH + (int)rng_below(rng, EACH);
}

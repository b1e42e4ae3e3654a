/* pickers.c: a grammar with stems, endings and names. See pickers.h. */
#include "lectures/02-tokens/pickers.h"

static const char *const stems[STEMS] = {
    "pick",  "pack",  "peck",  "kick",  "lick",  "lock",  "knock", "pluck", "cook",  "look",
    "walk",  "talk",  "milk",  "work",  "bark",  "mark",  "park",  "jump",  "pump",  "help",
    "camp",  "sort",  "hunt",  "plant", "paint", "print", "point", "count", "mount", "burn",
    "turn",  "learn", "clean", "sail",  "mail",  "roll",  "pull",  "call",  "fill",  "kill",
    "spell", "smell", "drill", "boil",  "peel",  "heal",  "howl",  "growl", "mend",  "tend",
    "land",  "hand",  "list",  "rest",  "test",  "dust",  "trust", "twist", "roast", "toast",
    "boast", "lift",  "sift",  "drift", "melt",  "tilt",  "halt",  "salt",  "wait",  "heat",
    "treat", "greet", "float", "shout", "scout", "load",  "fold",  "scold", "weld",  "yield",
    "crawl", "haul",  "trail", "nail",  "steam", "dream", "roam",  "groom", "farm",  "warm",
    "storm", "charm", "claim", "train", "drain", "chain",
};
static const char consonants[CONSONANTS + 1] = "bdgkmrtv", vowels[VOWELS + 1] = "aeiou";

/* A choice among n, which costs log n. */
static int choose(Rng *rng, int n, double *nats)
{
    *nats += log(n);
    return (int)rng_below(rng, (uint64_t)n);
}

static const char *stem(Rng *rng, double *nats)
{
    return stems[choose(rng, STEMS, nats)];
}

static int write_name(Rng *rng, char *text, double *nats)
{
    for (int i = 0; i < SYLLABLES; i++) {
        text[2 * i] = consonants[choose(rng, CONSONANTS, nats)];
        text[2 * i + 1] = vowels[choose(rng, VOWELS, nats)];
    }
    return 2 * SYLLABLES;
}

int pickers_sentence(Rng *rng, char text[PICKERS_SENTENCE], double *nats)
{
    bool several = false;
    int n = 1;
    text[0] = ' ';
    if (choose(rng, 2, nats)) {
        n += write_name(rng, text + n, nats);
    } else {
        several = choose(rng, 2, nats);
        n += snprintf(text + n, PICKERS_SENTENCE - 1, "the %s%s", stem(rng, nats),
                      several ? "ers" : "er");
    }
    size_t left = (size_t)(PICKERS_SENTENCE - n);
    int tense = choose(rng, 3, nats);
    const char *verb = stem(rng, nats);
    if (tense == 0)
        n += snprintf(text + n, left, " %s%s", verb, several ? "" : "s");
    else if (tense == 1)
        n += snprintf(text + n, left, " %sed", verb);
    else
        n += snprintf(text + n, left, " %s %sing", several ? "are" : "is", verb);
    bool objects = choose(rng, 2, nats);
    left = (size_t)(PICKERS_SENTENCE - n);
    return n + snprintf(text + n, left, " the %s%s.", stem(rng, nats), objects ? "ers" : "er");
}

void pickers_text(Rng *rng, int bytes, char *text, size_t size)
{
    double nats = 0;
    int n = 1;
    text[0] = '.';
    while (n < bytes && (size_t)n + PICKERS_SENTENCE <= size)
        n += pickers_sentence(rng, text + n, &nats);
    text[n] = 0;
}

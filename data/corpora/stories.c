/* stories.c: fables for a language model, of known probability.
 *
 * A fable is written from a template. [a|b|c] is a choice between equally likely parts, which may
 * contain choices; {x} is a word that is chosen once for the whole fable, so that a model has to
 * remember it: who is a "she", how many pears there are. The ending and the moral follow from the
 * hero's character.
 *
 * Each text results from exactly one sequence of choices. Its probability is therefore the product
 * of 1/n over all choices among n, and
 *   -log p = sum of log n
 * is known: its mean is the entropy, below which no model's expected loss can be. */
#include "data/corpora/corpora.h"
#include "data/null.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- words ----------------------------------------------------------------------------------- */

static const char *const animals[] = {"fox",   "crow",   "goat", "hare",  "mouse", "bear",
                                      "heron", "wolf",   "toad", "hen",   "cat",   "mole",
                                      "frog",  "badger", "duck", "sheep", "snail", "pig"};
static const char *const places[] = {"river", "mill", "market", "forest", "old bridge",
                                     "well",  "hill", "church", "garden", "harbour"};
/* A number, and how one counts up to it. */
static const struct {
    const char *number, *counting;
} counts[] = {
    {"two", "one, two"},
    {"three", "one, two, three"},
    {"four", "one, two, three, four"},
    {"five", "one, two, three, four, five"},
    {"six", "one, two, three, four, five, six"},
};

/* A load, its quality, and its use. */
static const struct {
    const char *many, *like, *use;
} things[] = {
    {"pears", "sweet", "eat"},           {"candles", "white", "read by"},
    {"loaves", "warm", "eat"},           {"stones", "heavy", "build with"},
    {"ropes", "strong", "pull"},         {"nuts", "hard", "keep for the winter"},
    {"drums", "loud", "play"},           {"cups", "blue", "drink from"},
    {"blankets", "soft", "sleep under"}, {"plums", "dark", "eat"},
    {"bells", "bright", "ring"},         {"planks", "long", "build with"},
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* A character, the ending that it leads to, and the moral. {H} is the hero, {F} the animal that the
 * hero met, {G} a third; {n} {p}: three pears; {h}, {m}, {s}: he, him, his, or she, her, her; {f}:
 * as {h}, for F. A ^ makes the next letter a capital. */
static const struct {
    const char *character, *ending, *moral;
} fates[] = {
    {"greedy",
     "But [in the night|when the {F} slept|behind a tree] the {H} [took|hid] all {n} {p}. In the "
     "morning {h} "
     "[could hardly walk|could not get up], [so full was the sack|so much was in {s} sack], and "
     "the {F} went "
     "[home|on] without {m}.",
     "Who wants all is left alone"},
    {"lazy",
     "But the {H} [lay down in the grass|sat down under a tree] and said, \"[I am tired|My feet "
     "hurt]. [Go on|You "
     "go ahead], I will come [later|tomorrow].\" The {F} carried the {n} {p} alone, and "
     "[kept|sold] them alone.",
     "Who does not carry does not share"},
    {"kind",
     "The {H} [saw|thought] that {n} {p} were too much for one, and carried half of them. \"Thank "
     "you,\" said the "
     "{F}, and [at the end of the way|in the evening] {f} gave {m} one of them.",
     "A load that is shared is half a load"},
    {"clever",
     "\"[Let us|We should] ask the {G} for a cart,\" said the {H}. So the {G} came with [a|a "
     "little|an old] cart, "
     "and the {n} {p} rolled [along|down the road] like [nothing|feathers].",
     "A good thought is better than a strong back"},
    {"proud",
     "\"I carry {n} {p} with one [hand|foot],\" [cried|said] the {H}. But {h} [stumbled|slipped], "
     "and [down "
     "fell|away rolled] the {p}, [one after another|all of them], and the {G} [laughed|saw it and "
     "laughed].",
     "Who looks up to the clouds does not see the stones"},
    {"patient",
     "It began to [rain|snow], and the {F} wanted to [run|turn back]. \"Wait[| a little],\" said "
     "the {H}. They sat "
     "under [a tree|the bridge|a roof] and counted the {n} {p}, and [soon|before long] the sun "
     "came out.",
     "Who can wait goes dry"},
};

static const char fable[] =
    "[On a {w} [morning|evening|day]|One [morning|evening]|In {S}|Late in {S}], a {q} {H} "
    "[went|walked|came|ran] "
    "to the {P}. There {h} [met|saw|found] a {F}.\n"
    "\"[Good [day|morning|evening]|Hello], {F},\" said the {H}. \"[Where are you going|What do you "
    "carry there|Why "
    "do you look so tired]?\"\n"
    "\"[Oh|Ah], I have {n} {p}[| here| with me],\" said the {F}, \"and I [must|want to|have to] "
    "bring them to the "
    "{Q}. [They are {l}, all of them|Each of them is {l}|See how {l} they are]. ^{n} {p} [to "
    "{u}|for my "
    "[mother|sister|brother]|for a friend]!\"\n"
    "[\"^{k},\" counted the {H}. \"|The {H} counted: {k}. \"][I will come with you|Then let us go "
    "together|I know "
    "the way].\"\n"
    "So they went [over the hill|through the [wood|fields]|along the river] to the {Q}, and {f} "
    "[sang|smiled|hummed]. {E}\n"
    "{M}, [says|said] the {G}.\n\n";

/* ---- writing a fable ------------------------------------------------------------------------- */

typedef struct {
    Rng *rng;
    double nats; /* -log p of the choices so far */
    char *text;
    size_t size, used;
    bool capital;          /* the next letter becomes a capital */
    const char *word[128]; /* of each slot: a text or template  */
} Fable;

static int choose(Fable *f, int n)
{
    f->nats += log(n);
    return (int)rng_below(f->rng, n);
}

static void put(Fable *f, char c)
{
    if (f->used < f->size)
        f->text[f->used] = f->capital ? (char)toupper((unsigned char)c) : c;
    f->capital = false;
    f->used++;
}

/* The text after the ']' that closes the '[' before `text`; *parts becomes the number of parts
 * between them. */
static const char *close_of(const char *text, int *parts)
{
    int depth = 1;
    for (*parts = 1; depth > 0; text++) {
        depth += (*text == '[') - (*text == ']');
        *parts += *text == '|' && depth == 1;
    }
    return text;
}

/* Part n of a choice: from its beginning to the '|' or ']' after it. */
static void part_of(const char *text, int n, const char **begin, const char **end)
{
    int depth = 1;
    for (*begin = text; depth > 0; text++) {
        depth += (*text == '[') - (*text == ']');
        if ((*text == '|' && depth == 1) || depth == 0) {
            *end = text;
            if (n-- == 0)
                return;
            *begin = text + 1;
        }
    }
}

static void put_template(Fable *f, const char *text, const char *end)
{
    while (text < end) {
        char c = *text++;
        if (c == '[') {
            int parts;
            const char *begin = text, *close = text, *after = close_of(text, &parts);
            part_of(text, choose(f, parts), &begin, &close);
            put_template(f, begin, close);
            text = after;
        } else if (c == '{') {
            const char *word = f->word[(unsigned char)*text];
            put_template(f, word, word + strlen(word));
            text += 2;
        } else if (c == '^') {
            f->capital = true;
        } else {
            put(f, c);
        }
    }
}

/* Three different animals. */
static void choose_animals(Fable *f)
{
    int n = COUNT(animals), hero = choose(f, n), other = choose(f, n - 1), third = choose(f, n - 2);
    int low, high;
    other += other >= hero;
    low = hero < other ? hero : other;
    high = hero < other ? other : hero;
    third += third >= low;
    third += third >= high;
    f->word['H'] = animals[hero];
    f->word['F'] = animals[other];
    f->word['G'] = animals[third];
}

size_t data_story(Rng *rng, char *text, size_t size, double *nats)
{
    if (!rng || (!text && size))
        return null_fail("data_story", "a generator and a text");
    Fable f = {.rng = rng, .text = text, .size = size};
    choose_animals(&f);
    bool she = choose(&f, 2), other_she = choose(&f, 2);
    int fate = choose(&f, COUNT(fates)), thing = choose(&f, COUNT(things)),
        count = choose(&f, COUNT(counts)), place = choose(&f, COUNT(places)),
        goal = choose(&f, COUNT(places) - 1);
    goal += goal >= place;
    f.word['P'] = places[place];
    f.word['Q'] = places[goal];
    f.word['S'] = "[spring|summer|autumn|winter]";
    f.word['w'] = "[cold|warm|windy|misty|wet]";
    f.word['h'] = she ? "she" : "he";
    f.word['m'] = she ? "her" : "him";
    f.word['s'] = she ? "her" : "his";
    f.word['f'] = other_she ? "she" : "he";
    f.word['n'] = counts[count].number;
    f.word['k'] = counts[count].counting;
    f.word['p'] = things[thing].many;
    f.word['l'] = things[thing].like;
    f.word['u'] = things[thing].use;
    f.word['q'] = fates[fate].character;
    f.word['E'] = fates[fate].ending;
    f.word['M'] = fates[fate].moral;
    put_template(&f, fable, fable + sizeof fable - 1);
    if (size)
        text[f.used < size ? f.used : size - 1] = 0;
    if (nats)
        *nats = f.nats;
    return f.used;
}

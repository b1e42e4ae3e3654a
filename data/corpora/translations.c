/* translations.c: Spanish sentences with their English translations, written by one grammar of both
 * languages.
 *
 * Each rule writes a phrase into the two sentences, each in its own order:
 *
 *   a noun phrase    una casa (muy) blanca            a (very) white house
 *   the subject      often left out; the verb's       compramos            we buy
 *                    ending shows it
 *   the verb         no compra                        does not buy
 *   an object        la compra, me ayuda              buys it, helps me
 *                    veo al doctor                    I see the doctor
 *
 * Some words cannot be translated by themselves: "son" without a subject is "they are", the noun
 * decides whether "es" is "he is" or "she is", "a" becomes "an" before a vowel, and the verb
 * decides whether "lo" is it or him. No Spanish sentence has two translations.
 *
 * Words that a rule writes as translations of each other are a unit, so that the alignment of the
 * two sentences is known: casa and house, though other words stand before them. A pronoun that
 * Spanish leaves out belongs to the unit of the verb, "do" to those of the negation and of the
 * verb, and "al" to those of "a" and "el".
 *
 * A combination is a noun with an adjective, or a noun with a verb whose subject or object it is.
 * One in five is held out. */
#include "data/corpora/corpora.h"

#include "data/corpora/translations_draft.h"
#include "data/corpora/translations_lexicon.h"
#include "data/null.h"

enum { PARTS = 5, TRIES = 1000, ANY = -1 };

#define nouns      translations_nouns
#define adjectives translations_adjectives
#define verbs      translations_verbs

/* ---- choosing -------------------------------------------------------------------------------- */

/* Does the split allow this combination of a noun and another word? */
static bool together(const Draft *d, int noun, int other)
{
    bool held_out = (2 * noun + other) % PARTS == 0;
    return held_out == (d->split == DATA_HELD_OUT);
}

static bool noun_fits(const Draft *d, int i)
{
    return (nouns[i].kind & d->kinds) && (d->chosen_verb < 0 || together(d, i, d->chosen_verb));
}

static bool adjective_fits(const Draft *d, int i)
{
    return (adjectives[i].kinds & nouns[d->noun].kind) && together(d, d->noun, i);
}

static bool of_people(const Draft *d, int i)
{
    (void)d;
    return adjectives[i].kinds & PERSON;
}

static bool verb_fits(const Draft *d, int i)
{
    return d->kinds ? (verbs[i].kinds & d->kinds) != 0 : verbs[i].kinds == 0;
}

/* ---- noun phrases ---------------------------------------------------------------------------- */

/* The subject, with which the rest of the sentence agrees. */
typedef struct {
    int person; /* 0 .. 5 */
    int gender;
    int noun; /* -1: a pronoun, written or left out */
} Subject;

/* A noun and its forms. */
typedef struct {
    int noun, gender, number;
} Form;

static const Determiner *choose_determiner(Draft *d, int number)
{
    const Determiner *found;
    do
        found = &translations_determiners[draft_below(d, translations_determiner_count)];
    while (!found->english[number]);
    return found;
}

/* An adjective, and whether "very" stands before it: both units are new where they are 0. */
typedef struct {
    int adjective;
    bool very;
    uint32_t unit, very_unit;
} Described;

/* side: SPANISH, ENGLISH or BOTH */
static void put_adjective(Draft *d, Form f, int side, Described *a)
{
    const Adjective *word = &adjectives[a->adjective];
    const char *spanish = side == ENGLISH ? NULL : word->spanish[f.gender][f.number];
    const char *english = side == SPANISH ? NULL : word->english;
    if (!a->unit) {
        a->unit = draft_unit(d);
        a->very_unit = draft_unit(d);
    }
    if (a->very)
        draft_put_as(d, a->very_unit, spanish ? "muy" : NULL, english ? "very" : NULL);
    draft_put_as(d, a->unit, spanish, english);
}

/* determiner NULL: none. percent: the probability of an adjective. */
static void put_noun(Draft *d, Form f, const Determiner *determiner, int percent)
{
    const Noun *noun = &nouns[f.noun];
    if (determiner)
        draft_put(d, determiner->spanish[f.gender][f.number], determiner->english[f.number]);
    d->noun = f.noun;
    int adjective = draft_often(d, percent)
                        ? draft_choose(d, translations_adjective_count, adjective_fits)
                        : -1;
    Described described = {.adjective = adjective, .very = adjective >= 0 && draft_often(d, 20)};
    uint32_t unit = draft_unit(d);
    draft_put_as(d, unit, noun->spanish[f.gender][f.number], NULL);
    if (adjective >= 0) {
        put_adjective(d, f, SPANISH, &described);
        put_adjective(d, f, ENGLISH, &described);
        d->combinations++;
    }
    draft_put_as(d, unit, NULL, noun->english[f.gender][f.number]);
}

/* Chooses a noun of these kinds that the split allows with this verb (-1: any), in this gender and
 * number (ANY: either). */
static Form choose_noun(Draft *d, int kinds, int verb, int gender, int number)
{
    Form f = {.gender = gender == ANY ? draft_below(d, GENDERS) : gender,
              .number = number == ANY ? draft_below(d, NUMBERS) : number};
    d->kinds = kinds;
    d->chosen_verb = verb;
    f.noun = draft_choose(d, translations_noun_count, noun_fits);
    if (f.noun < 0) {
        d->failed = true;
        f.noun = 0;
    }
    d->combinations += verb >= 0;
    if (!nouns[f.noun].spanish[f.gender][0]) /* a thing has one gender */
        f.gender = 1 - f.gender;
    return f;
}

static void put_noun_phrase(Draft *d, int kinds, int verb)
{
    Form f = choose_noun(d, kinds, verb, ANY, ANY);
    put_noun(d, f, choose_determiner(d, f.number), 45);
}

static void put_place(Draft *d)
{
    const Phrase *p = &translations_prepositions[draft_below(d, translations_preposition_count)];
    draft_put(d, p->spanish, p->english);
    put_noun_phrase(d, PLACE, -1);
}

/* ---- subject and verb ------------------------------------------------------------------------ */

/* dropped: may a pronoun of the third person singular be left out? */
static Subject put_subject(Draft *d, int verb, bool dropped)
{
    static const char *const spanish[GENDERS][PERSONS] = {{"yo", "tú", "él", "nosotros", "vosotros",
                                                           "ellos"},
                                                          {"yo", "tú", "ella", "nosotras",
                                                           "vosotras", "ellas"}};
    static const char *const english[GENDERS][PERSONS] = {{"I", "you", "he", "we", "you", "they"},
                                                          {"I", "you", "she", "we", "you", "they"}};
    Subject s = {.gender = draft_below(d, GENDERS), .noun = -1};
    if (draft_often(d, 45)) {
        Form f = choose_noun(d, PERSON, verb, s.gender, ANY);
        put_noun(d, f, choose_determiner(d, f.number), 35);
        s.person = f.number == SINGULAR ? THIRD : THIRD_PLURAL;
        s.noun = f.noun;
        return s;
    }
    s.person = draft_below(d, PERSONS);
    bool said = draft_often(d, 35) || (s.person == THIRD && !dropped);
    draft_put_as(d, said ? draft_unit(d) : d->verb, said ? spanish[s.gender][s.person] : NULL,
                 english[s.gender][s.person]);
    return s;
}

static const Phrase *choose_adverb(Draft *d)
{
    return draft_often(d, 50) ? &translations_adverbs[draft_below(d, translations_adverb_count)]
                              : NULL;
}

/* clitic: an object pronoun such as "lo"; NULL for none. */
static void put_verb(Draft *d, const Verb *v, int person, const char *clitic)
{
    const Phrase *adverb = choose_adverb(d);
    bool third = person == THIRD, not = adverb == &translations_adverbs[0];
    uint32_t unit = draft_unit(d);
    draft_put_as(d, unit, adverb ? adverb->spanish : NULL, NULL);
    draft_put_as(d, unit | d->verb, NULL, not ? third ? "does" : "do" : NULL);
    draft_put_as(d, d->object, clitic, NULL);
    draft_put_as(d, unit, NULL, adverb ? adverb->english : NULL);
    draft_put_as(d, d->verb, v->spanish[person], third && !not ? v->english_third : v->english);
}

/* Spanish has two verbs: ser for what something is, estar for where it is. */
static void put_be(Draft *d, int person, bool where)
{
    static const char *const is[PERSONS] = {"soy", "eres", "es", "somos", "sois", "son"};
    static const char *const stands[PERSONS] = {"estoy",   "estás",  "está",
                                                "estamos", "estáis", "están"};
    static const char *const english[PERSONS] = {"am", "are", "is", "are", "are", "are"};
    const Phrase *adverb = choose_adverb(d);
    uint32_t unit = draft_unit(d);
    draft_put_as(d, unit, adverb ? adverb->spanish : NULL, NULL);
    draft_put_as(d, d->verb, where ? stands[person] : is[person], english[person]);
    draft_put_as(d, unit, NULL, adverb ? adverb->english : NULL);
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* soy un estudiante; las niñas son muy altas */
static void write_what_it_is(Draft *d)
{
    bool adjective = draft_often(d, 30);
    Subject s = put_subject(d, -1, !adjective);
    int number = s.person < 3 ? SINGULAR : PLURAL;
    put_be(d, s.person, false);
    if (adjective) {
        d->noun = s.noun;
        d->combinations += s.noun >= 0;
        int a =
            draft_choose(d, translations_adjective_count, s.noun >= 0 ? adjective_fits : of_people);
        Described described = {.adjective = a, .very = draft_often(d, 25)};
        put_adjective(d, (Form){0, s.gender, number}, BOTH, &described);
        return;
    }
    Form f = choose_noun(d, PERSON, -1, s.gender, number);
    /* "es mi estudiante" could be he or she; un or una, el or la decide. */
    const Determiner *det = &translations_determiners[draft_often(d, 75) ? INDEFINITE : DEFINITE];
    bool bare = number == PLURAL && det == &translations_determiners[INDEFINITE];
    put_noun(d, f, bare ? NULL : det, 40);
}

/* no vemos al doctor */
static void write_object(Draft *d, int verb, int person)
{
    put_verb(d, &verbs[verb], person, NULL);
    int kind = verbs[verb].kinds == (PERSON | THING) ? 1 << draft_below(d, 2) : verbs[verb].kinds;
    draft_put(d, kind == PERSON ? "a" : NULL, NULL);
    put_noun_phrase(d, kind, verb);
}

/* no me ayudan; la compra */
static void write_pronoun(Draft *d, int verb, int person)
{
    static const struct {
        const char *spanish, *english[2]; /* of a person; of a thing, or NULL */
        int person;
    } list[] = {{"me", {"me"}, 0},
                {"te", {"you"}, 1},
                {"lo", {"him", "it"}, 2},
                {"la", {"her", "it"}, 2},
                {"nos", {"us"}, 3},
                {"os", {"you"}, 4},
                {"los", {"them", "them"}, 5},
                {"las", {"them", "them"}, 5}};
    bool thing = verbs[verb].kinds == THING, either = verbs[verb].kinds == (PERSON | THING);
    int i;
    do /* "me veo" is reflexive; "lo veo" could be him or it */
        i = draft_below(d, sizeof list / sizeof *list);
    while ((thing && !list[i].english[1]) || (either && list[i].person == THIRD) ||
           (person != THIRD && person != THIRD_PLURAL && list[i].person % 3 == person % 3));
    put_verb(d, &verbs[verb], person, list[i].spanish);
    draft_put_as(d, d->object, NULL, list[i].english[thing]);
}

static void write_action(Draft *d)
{
    static const int kinds[] = {0, PERSON, THING, THING};
    d->kinds = kinds[draft_below(d, 4)];
    bool transitive = d->kinds != 0;
    int verb = draft_choose(d, translations_verb_count, verb_fits);
    Subject s = put_subject(d, verb, false);
    if (!transitive)
        put_verb(d, &verbs[verb], s.person, NULL);
    else if (draft_often(d, 25))
        write_pronoun(d, verb, s.person);
    else
        write_object(d, verb, s.person);
    if (draft_often(d, transitive ? 20 : 60))
        put_place(d);
}

static void write_where_it_is(Draft *d)
{
    Subject s = put_subject(d, -1, false);
    put_be(d, s.person, true);
    put_place(d);
}

static void write_thanks(Draft *d)
{
    draft_put(d, "gracias", "thanks");
    if (draft_often(d, 90)) {
        draft_put(d, "por", "for");
        put_noun_phrase(d, THING, -1);
    }
}

/* ---- the corpus ------------------------------------------------------------------------------ */

/* Writes one pair with its alignment; false where the split allows none with the words that were
 * chosen. */
static bool write_pair(Draft *d)
{
    *d->pair = (SentencePair){0};
    d->verb = draft_unit(d);
    d->object = draft_unit(d);
    int kind = draft_below(d, 10);
    if (kind < 3)
        write_what_it_is(d);
    else if (kind < 4)
        write_where_it_is(d);
    else if (kind < 9)
        write_action(d);
    else
        write_thanks(d);
    return !d->failed && (d->split == DATA_TRAIN || d->combinations > 0);
}

bool data_translations_draw(const Translations *t, Rng *rng, SentenceSplit split, SentencePair *p,
                            SentenceAlignment *a)
{
    if (!t || !rng || !p)
        return null_fail("data_translations_draw", "translations, a generator and a pair");
    if (split != DATA_TRAIN && split != DATA_HELD_OUT)
        return tensor_fail(
            "data_translations_draw: found split %d; expected DATA_TRAIN or DATA_HELD_OUT",
            (int)split);
    for (int i = 0; i < TRIES; i++) {
        Draft d = {.words = t, .rng = rng, .split = split, .pair = p};
        if (!write_pair(&d))
            continue;
        if (a)
            draft_align(&d, a);
        return true;
    }
    return tensor_fail("data_translations_draw: found no sentence in %d tries; expected one",
                       TRIES);
}

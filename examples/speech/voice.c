/* voice.c: speech from formulas. See sound.h.
 *
 * A vocal tract is a tube whose resonances, the formants F1, F2, F3, make the vowel; the voice is a
 * train of pulses, whose rate is the pitch; a constriction makes noise. Formants of the vowels:
 * Peterson and Barney 1952, men. */
#include "examples/speech/sound.h"

#include <math.h>
#include <string.h>

const char *const digit_names[DIGITS] = {"zero", "one", "two",   "three", "four",
                                         "five", "six", "seven", "eight", "nine"};

/* ---- sounds ---------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    double formant[3];    /* Hz                                          */
    double voice, noise;  /* amplitudes                                  */
    double centre, width; /* of the noise, Hz                            */
    double seconds;
} Phone;

static const Phone phones[] = {
    {"iy", {270, 2290, 3010}, 1, 0, 0, 0, 0.10},
    {"ih", {390, 1990, 2550}, 1, 0, 0, 0, 0.07},
    {"eh", {530, 1840, 2480}, 1, 0, 0, 0, 0.09},
    {"ah", {640, 1190, 2390}, 1, 0, 0, 0, 0.09},
    {"aa", {730, 1090, 2440}, 1, 0, 0, 0, 0.09},
    {"ao", {570, 840, 2410}, 1, 0, 0, 0, 0.11},
    {"ow", {450, 880, 2300}, 1, 0, 0, 0, 0.10},
    {"uw", {300, 870, 2240}, 1, 0, 0, 0, 0.12},
    {"n", {250, 1450, 2500}, 0.35, 0, 0, 0, 0.07},
    {"w", {290, 610, 2150}, 0.6, 0, 0, 0, 0.06},
    {"r", {350, 1060, 1380}, 0.7, 0, 0, 0, 0.06},
    {"v", {300, 1100, 2300}, 0.25, 0.04, 5000, 4000, 0.06},
    {"z", {270, 1700, 2600}, 0.2, 0.2, 6000, 1500, 0.08},
    {"s", {300, 1700, 2600}, 0, 0.45, 6000, 1500, 0.09},
    {"f", {300, 1100, 2300}, 0, 0.12, 4500, 5000, 0.08},
    {"th", {300, 1400, 2500}, 0, 0.10, 5500, 3000, 0.07},
    {"-", {300, 1500, 2500}, 0, 0, 0, 0, 0.04}, /* a closure: nothing is heard */
    {"t", {300, 1700, 2600}, 0, 0.5, 4500, 2500, 0.025},
    {"k", {300, 1900, 2400}, 0, 0.5, 2200, 900, 0.03},
};

static const char *const spoken[DIGITS] = {"z ih r ow", "w ah n",    "- t uw",     "th r iy",
                                           "f ao r",    "f aa ih v", "s ih - k s", "s eh v ah n",
                                           "eh iy - t", "n aa ih n"};

static const Phone *phone_named(const char *name, size_t length)
{
    size_t n = sizeof phones / sizeof *phones;
    for (size_t i = 0; i < n; i++)
        if (strlen(phones[i].name) == length && memcmp(phones[i].name, name, length) == 0)
            return &phones[i];
    return &phones[n - 1];
}

/* ---- a resonator ----------------------------------------------------------------------------- */

/* y_n = a x_n + b y_(n-1) + c y_(n-2): a resonance at f Hz, w Hz wide. Gain 1 at 0 Hz or, where
 * `peak`, near 1 at f. */
typedef struct {
    double a, b, c, y1, y2;
} Resonator;

static void tune(Resonator *r, double f, double w, bool peak)
{
    const double pi = 3.14159265358979;
    double radius = exp(-pi * w / RATE);
    r->b = 2 * radius * cos(2 * pi * f / RATE);
    r->c = -radius * radius;
    r->a = peak ? 1 - radius : 1 - r->b - r->c;
}

static double resonate(Resonator *r, double x)
{
    double y = r->a * x + r->b * r->y1 + r->c * r->y2;
    r->y2 = r->y1;
    r->y1 = y;
    return y;
}

/* ---- a mouth --------------------------------------------------------------------------------- */

enum { FORMANTS = 5, CONTROL = 16 };
typedef struct {
    Speaker speaker;
    double formant[3], voice, noise; /* of this moment: they approach those of the phone */
    Resonator tract[FORMANTS], hiss;
    double phase, source; /* of the pulses; their low-pass filter */
    Rng *rng;
} Mouth;

static void retune(Mouth *m, const Phone *to)
{
    static const double width[FORMANTS] = {70, 100, 140, 220, 300};
    const double share = CONTROL / (0.012 * RATE); /* formants move within 12 ms */
    for (int i = 0; i < 3; i++)
        m->formant[i] += share * (to->formant[i] - m->formant[i]);
    m->voice += share * (to->voice - m->voice);
    m->noise += share * (to->noise - m->noise);
    for (int i = 0; i < FORMANTS; i++) {
        double f = i < 3 ? m->formant[i] : i == 3 ? 3500 : 4500;
        tune(&m->tract[i], f / m->speaker.tract, width[i], false);
    }
    if (to->noise > 0)
        tune(&m->hiss, to->centre, to->width, true);
}

static double next_sample(Mouth *m, double pitch)
{
    m->phase += pitch / RATE;
    double pulse = 0;
    if (m->phase >= 1) {
        m->phase -= 1;
        pulse = sqrt(RATE / pitch);
    }
    m->source = 0.9 * m->source + pulse;
    double y = m->voice * 0.25 * m->source;
    for (int i = 0; i < FORMANTS; i++)
        y = resonate(&m->tract[i], y);
    bool hisses = m->noise > 1e-3;
    return hisses ? y + 4 * m->noise * resonate(&m->hiss, rng_normal(m->rng)) : y;
}

/* ---- a sentence ------------------------------------------------------------------------------ */

Speaker speaker_draw(Rng *rng)
{
    return (Speaker){.pitch = 90 * pow(200.0 / 90, rng_uniform(rng)),
                     .tract = 0.82 + 0.24 * rng_uniform(rng),
                     .rate = 1.25 * (0.9 + 0.2 * rng_uniform(rng))};
}

void sentence_words(Rng *rng, int words[WORDS], bool held_out)
{
    int rule;
    do {
        rule = 0;
        for (int i = 0; i < WORDS; i++) {
            words[i] = (int)rng_below(rng, DIGITS);
            rule += (i + 1) * words[i];
        }
    } while ((rule % 5 == 0) != held_out);
}

/* Speaks one phone from sample n on; returns where it ends. The pitch falls by a tenth over a
 * second. */
static int speak_phone(Sentence *s, Mouth *m, const Phone *p, double seconds, int n, int label)
{
    int end = n + (int)(seconds * RATE);
    for (; n < end && n < SAMPLES; n++) {
        if (n % CONTROL == 0)
            retune(m, p);
        double pitch = m->speaker.pitch * (1.05 - 0.1 * n / RATE);
        s->wave[n] = (real)next_sample(m, pitch);
        if (n % HOP == HOP / 2)
            s->label[n / HOP] = label;
    }
    return n;
}

static void normalise(Sentence *s)
{
    double square = 0;
    int n = s->frames * HOP;
    for (int i = 0; i < n; i++)
        square += (double)s->wave[i] * (double)s->wave[i] / n;
    for (int i = 0; i < n; i++)
        s->wave[i] /= (real)sqrt(square);
}

void sentence_speak(Sentence *s, const Speaker *speaker, const int words[WORDS], Rng *rng)
{
    const Phone *rest = phone_named("-", 1);
    Mouth m = {.speaker = *speaker, .rng = rng};
    int n = 0;
    memset(s, 0, sizeof *s);
    memcpy(s->words, words, sizeof s->words);
    memcpy(m.formant, rest->formant, sizeof m.formant);
    n = speak_phone(s, &m, rest, 0.04, n, SILENCE);
    for (int i = 0; i < WORDS; i++) {
        for (const char *at = spoken[words[i]]; *at;) {
            size_t length = strcspn(at, " ");
            const Phone *p = phone_named(at, length);
            double stretch = 0.95 + 0.1 * rng_uniform(rng);
            n = speak_phone(s, &m, p, p->seconds * stretch / speaker->rate, n, words[i]);
            at += length + (at[length] == ' ');
        }
        n = speak_phone(s, &m, rest, 0.06 + 0.02 * rng_uniform(rng), n, SILENCE);
    }
    s->frames = n / HOP;
    normalise(s);
}

Speaker sentence_draw(Sentence *s, Rng *rng, bool held_out)
{
    int words[WORDS];
    Speaker speaker = speaker_draw(rng);
    sentence_words(rng, words, held_out);
    sentence_speak(s, &speaker, words, rng);
    return speaker;
}

int sentence_prompt(const Sentence *s)
{
    int f = 0;
    while (s->label[f] == SILENCE)
        f++;
    while (s->label[f] != SILENCE)
        f++;
    return f + 2;
}

void sentence_letters(const int words[WORDS], int letters[LETTERS_MAX])
{
    int n = 0;
    memset(letters, 0, LETTERS_MAX * sizeof *letters);
    for (int i = 0; i < WORDS; i++, n++)
        for (const char *c = digit_names[words[i]]; *c; c++)
            letters[n++] = *c - 'a' + 1;
}

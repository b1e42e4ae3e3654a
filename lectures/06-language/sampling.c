/* sampling.c: temperature, top-k and nucleus sampling against their definitions (row 42).
 * Z "Sampling strategies"
 *
 *   p_T(i) = exp(a_i / T) / sum_j exp(a_j / T);  top-k, nucleus: the same over a set S of most probable tokens */
#include "lectures/06-language/language.h"

#include <string.h>

enum { V = SAMPLED, DRAWS = 100000 };

Tensor *sampling_logits(Tape *tape, Rng *rng, double drawn[V])
{
    Tensor *x = values_normal(tape, rng, shape1(V), 1);
    for (int i = 0; i < V; i++)
        drawn[i] = 1.5 * (double)x->data[i];
    return ag_scale(x, (real)1.5);
}

/* ---- the definition, in its own words -------------------------------------------------------- */

typedef struct {
    const char *name;
    double temperature, top_p;
    int top_k;
} Setting;

static const Setting settings[] = {{"softmax", 1, 1, V},
                                   {"temperature 0.5", 0.5, 1, V},
                                   {"top-k, 3 tokens", 1, 1, 3},
                                   {"nucleus, p = 0.8", 1, 0.8, V}};
enum { SETTINGS = 4 };

/* p (V): softmax at a temperature; then the most probable tokens one by one, while fewer than k are
 * in the set and their sum is below p; then divided by the sum of the set. Returns how many. */
static int definition(const double *a, const Setting *s, bool renormalised, double p[V])
{
    double q[V], sum = 0, inside = 0;
    int kept = 0;
    for (int i = 0; i < V; i++)
        sum += q[i] = exp(a[i] / s->temperature);
    memset(p, 0, V * sizeof *p);
    while (kept < s->top_k && inside < s->top_p * (1 - 1e-12)) {
        int most = 0;
        for (int i = 1; i < V; i++)
            most = q[i] > q[most] ? i : most;
        p[most] = q[most] / sum;
        inside += p[most];
        q[most] = 0;
        kept++;
    }
    for (int i = 0; i < V && renormalised; i++)
        p[i] /= inside;
    return kept;
}

/* The library's candidates for logits a; nn_candidates_free releases them. */
static bool candidates_of(const Tensor *a, const Setting *s, Candidates *c)
{
    return nn_candidates_init(c, V) && nn_temperature(c, a->data, s->temperature) &&
           nn_top_k(c, s->top_k) && nn_top_p(c, s->top_p);
}

/* How often each token comes in n draws of the library's sampler. False where a draw failed. */
static bool draw_tokens(const Tensor *a, const Setting *s, Rng *rng, int n, int count[V])
{
    Candidates c = {0};
    bool ok = candidates_of(a, s, &c);
    memset(count, 0, V * sizeof *count);
    for (int i = 0; ok && i < n; i++) {
        int token = nn_draw(&c, rng);
        ok = token >= 0;
        count[ok ? token : 0]++;
    }
    nn_candidates_free(&c);
    return ok;
}

/* chi^2 of counts against probabilities as a normal deviate (Wilson and Hilferty 1931); infinite
 * where a token of probability 0 came. */
static double deviate(const int *count, const double *p, int kept)
{
    double chi2 = 0, f = kept - 1;
    for (int i = 0; i < V; i++) {
        if (p[i] == 0 && count[i])
            return INFINITY;
        if (p[i] > 0)
            chi2 += (count[i] - DRAWS * p[i]) * (count[i] - DRAWS * p[i]) / (DRAWS * p[i]);
    }
    return f < 1 ? 0 : (cbrt(chi2 / f) - (1 - 2 / (9 * f))) / sqrt(2 / (9 * f));
}

static double draws(Trial *t)
{
    Rng *rng = trial_rng(t, 650);
    double drawn[V], p[V], worst = -INFINITY;
    Tensor *a = sampling_logits(trial_tape(t), rng, drawn);
    for (int k = 0; k < SETTINGS; k++) {
        Setting s = settings[k];
        int count[V];
        bool ok = draw_tokens(a, &s, rng, DRAWS, count);
        s.temperature = broken(t, "temperature-1") ? 1 : s.temperature;
        int kept = definition(drawn, &s, !broken(t, "not-renormalised"), p);
        double z = ok ? deviate(count, p, kept) : (double)NAN;
        explain(t, "%-16s  %d of %d tokens kept; chi^2 as a normal deviate: %.2f", s.name, kept, V,
                z);
        worst = values_worst(worst, z);
    }
    return worst;
}

/* ---- temperature ----------------------------------------------------------------------------- */

/* The library's probabilities, token by token; 0 of those that are cut. */
static bool probabilities(const Tensor *a, const Setting *s, double p[V])
{
    Candidates c = {0};
    bool ok = candidates_of(a, s, &c);
    memset(p, 0, V * sizeof *p);
    for (int i = 0; ok && i < c.count; i++)
        p[c.list[i].token] = c.list[i].p;
    nn_candidates_free(&c);
    return ok;
}

static bool at_temperature(const Tensor *a, double T, double p[V])
{
    return probabilities(a, &(Setting){.temperature = T, .top_k = V, .top_p = 1}, p);
}

/* Each limit with its own bound, as a share of it:
 *   T = gap / 20:    1 - p_max <= (V - 1) exp(-gap / T),         gap between the two largest logits
 *   T = 1000 range:  |p_i - 1/V| <= (exp(range / T) - 1) / V,    since p_i / p_j <= exp(range / T)
 *   T = 1:           softmax, to 1e-6 in floats */
static double temperature_limits(Trial *t)
{
    double a[V], p[V], first = -INFINITY, second = -INFINITY, least = INFINITY, worst = 0;
    Tensor *logits = sampling_logits(trial_tape(t), trial_rng(t, 651), a),
           *softmax = ag_softmax(logits);
    int largest = 0;
    for (int i = 0; i < V; i++) {
        largest = a[i] > a[largest] ? i : largest;
        least = values_least(least, a[i]);
    }
    first = a[largest];
    for (int i = 0; i < V; i++)
        second = i != largest && a[i] > second ? a[i] : second;
    bool times = broken(t, "times");
    double gap = first - second, range = first - least, cold = gap / 20, hot = 1000 * range;
    bool ok = at_temperature(logits, times ? 1 / cold : cold, p);
    double off = 1 - p[largest], bound = (V - 1) * exp(-gap / cold);
    explain(t, "T = %.4f: 1 - p of the largest = %.2g, bound %.2g", cold, off, bound);
    worst = values_worst(worst, off / (bound + 1e-12));
    ok = at_temperature(logits, times ? 1 / hot : hot, p) && ok;
    for (int i = 0; i < V; i++)
        worst = values_worst(worst, fabs(p[i] - 1.0 / V) / (exp(range / hot) - 1) * V);
    explain(t, "T = %.0f: p from %.5f on, 1 / V = %.5f", hot, p[largest], 1.0 / V);
    ok = at_temperature(logits, 1, p) && ok;
    for (int i = 0; i < V; i++)
        worst = values_worst(worst, fabs(p[i] - (double)softmax->data[i]) / 1e-6);
    return ok ? worst : (double)NAN;
}

/* ---- the nucleus ----------------------------------------------------------------------------- */

/* Of 1,000 distributions with thresholds at random: how many sets fall short of p, or would not
 * without the last token. (Z: "smallest set ... whose cumulative probability exceeds threshold p",
 * and sum_(i in S) p(y_i) >= p. Holtzman et al. 2020 have >=.) */
static double nucleus_smallest(Trial *t)
{
    enum { N = 1000 };
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 653);
    int wrong = 0, sizes[V + 1] = {0};
    for (int n = 0; n < N; n++) {
        Candidates c = {0};
        double a[V], p[V], all = 0, threshold = 0.05 + 0.9 * rng_uniform(rng), sum = 0;
        tape_reset(tape);
        Tensor *logits = sampling_logits(tape, rng, a);
        bool ok = nn_candidates_init(&c, V) && nn_temperature(&c, logits->data, 1) &&
                  (broken(t, "top-k") ? nn_top_k(&c, 3) : nn_top_p(&c, threshold));
        for (int i = 0; i < V; i++)
            all += p[i] = exp(a[i]);
        for (int i = 0; ok && i < c.count - 1; i++)
            sum += p[c.list[i].token] / all;
        double whole = ok ? sum + p[c.list[c.count - 1].token] / all : 0;
        wrong += !ok || !(whole >= threshold - 1e-6 && sum < threshold + 1e-6);
        sizes[ok ? c.count : 0]++;
        nn_candidates_free(&c);
    }
    for (int i = 1; i <= V; i++)
        explain(t, "%d tokens are kept in %d of %d cases", i, sizes[i], N);
    return wrong;
}

const Claim language_sampling_claims[] = {
    {42, draws, "100,000 draws of each sampler are distributed as its definition says",
     .slides = {"Z: Sampling strategies"},
     .quantity = "largest chi^2 as a normal deviate: softmax, temperature, top-k, nucleus",
     AT_MOST(4.3, "one of four deviates is beyond 4.3 once in 30,000; a token outside S is "
                  "infinite"),
     .faults = {{"not-renormalised", "probabilities are not divided by the sum of the set"},
                {"temperature-1", "the temperature is forgotten"}}},
    {42, temperature_limits, "temperature to 0 is greedy, 1 is softmax, to infinity is uniform",
     .slides = {"Z: Sampling strategies"},
     .quantity = "the worst distance from each limit, as a share of its bound",
     AT_MOST(1, "(V - 1) e^(-gap/T) and (e^(range/T) - 1) / V, by two lines; softmax to 1e-6"),
     .faults = {{"times", "logits are multiplied by T"}}},
    {42, nucleus_smallest, "the nucleus is the smallest set whose probability is at least p",
     .slides = {"Z: Sampling strategies"},
     .quantity = "of 1,000 sets, those below p, or not below it without their last token",
     EXACTLY(0, "the definition; floats may miss p by 1e-6"),
     .faults = {{"top-k", "three tokens whatever p is"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

/* Logits for the figures: words whose probabilities fall off slowly, the same for every seed. */
static Tensor *shown_logits(Tape *tape, double a[V])
{
    real x[V];
    for (int i = 0; i < V; i++) {
        a[i] = -0.5 * i;
        x[i] = (real)a[i];
    }
    return tape_input(tape, x, shape1(V));
}

static const char *const shown_words[V] = {"tired", "wide", "hungry", "old",
                                           "late",  "blue", "seven",  "the"};

static bool draw_truncated(const Sketch *s)
{
    static double share[SETTINGS][V];
    PlotBars bars[SETTINGS];
    Tape *tape = tape_new(s->seed);
    Rng rng = {.seed = s->seed, .stream = 654};
    double a[V];
    Tensor *logits = shown_logits(tape, a);
    bool ok = true;
    for (int k = 0; ok && k < SETTINGS; k++) {
        int count[V];
        ok = draw_tokens(logits, &settings[k], &rng, DRAWS, count);
        for (int i = 0; i < V; i++)
            share[k][i] = (double)count[i] / DRAWS;
        bars[k] = (PlotBars){.names = shown_words,
                             .values = share[k],
                             .count = V,
                             .title = settings[k].name};
    }
    tape_free(tape);
    return ok &&
           plot_bars(
               s->stem, bars, SETTINGS,
               sketch_title(s, "100,000 draws of \xe2\x80\x9cit was too \xe2\x80\xa6\xe2\x80\x9d"),
               s->formats);
}

static double entropy(const double p[V])
{
    double h = 0;
    for (int i = 0; i < V; i++)
        h -= p[i] > 0 ? p[i] * log(p[i]) : 0;
    return h;
}

static bool compute_truncated(const double *value, const char *text)
{
    const Setting own = settings[0],
                  s = {.temperature = value[0], .top_k = (int)value[1], .top_p = value[2]};
    const int draws = (int)value[3];
    double a[V], model[V], p[V], share[V];
    int count[V], kept = 0;
    Rng rng = {.seed = (uint64_t)value[4], .stream = 654};
    Tape *tape = tape_new(1);
    const Tensor *logits = shown_logits(tape, a);
    (void)text;
    const bool ok = probabilities(logits, &own, model) && probabilities(logits, &s, p) &&
                    draw_tokens(logits, &s, &rng, draws, count);
    tape_free(tape);
    if (!ok)
        return false;
    for (int i = 0; i < V; i++) {
        kept += p[i] > 0;
        share[i] = draws ? (double)count[i] / draws : 0;
    }
    computed_axes(NULL, "probability", false);
    computed_bars("T = 1", V, shown_words, model);
    computed_bars("with these settings", V, shown_words, p);
    if (draws)
        computed_bars("share of the draws", V, shown_words, share);
    computed_fact("%d of %d words are kept. Entropy %.4f nats, as of %.2f equally likely words.",
                  kept, V, entropy(p), exp(entropy(p)));
    return true;
}

const ComputedFigure truncated_computed = {
    .name = "truncated",
    .title = "Temperature, top-k, top-p",
    .about = "The next word after “it was too …”: the model's own distribution, and the same "
             "divided by the temperature, then cut to k words, then to the smallest set with "
             "probability p; and the shares of words that are drawn from it.",
    .control = {{"temperature", 0, 4, 0.05, 1},
                {"top-k", 1, V, 1, V},
                {"top-p", 0.01, 1, 0.01, 0.8},
                {"draws", 0, 1000, 10, 0},
                {"seed", 1, 20, 1, 1}},
    .compute = compute_truncated};

const Figure language_sampling_figures[] = {
    {42, "truncated", draw_truncated,
     .what = "what four samplers draw from one distribution, 100,000 draws each",
     .computed = &truncated_computed},
    {0},
};

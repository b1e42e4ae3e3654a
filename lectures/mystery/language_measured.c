/* language_measured.c: maps, texts and data of a language run. See language.h. */
#include "lectures/mystery/language.h"

enum { DISTANCES = 5 };

/* A sentence with some padding, and not much. */
static int shown_row(const Batch *b)
{
    int row = 0;
    while (row < b->rows - 1 && (b->start[row] < 2 || b->start[row] > 4))
        row++;
    return row;
}

/* The mean weights by distance, from queries of sentences alone; and their first map. */
static void measure_map(Run *r, int layer, int kept)
{
    const Network *m = r->network;
    const Batch *b = &m->held;
    const real *a = m->map[layer]->data, *s = m->scores[layer]->data;
    double mean[DISTANCES + 3] = {0}, spread = 0, uneven = 0, size = 0;
    int queries = 0;
    for (int row = 0; row < HELD; row++)
        for (int h = 0; h < H; h++)
            for (int i = b->start[row] + 3; i < T; i++, queries++)
                for (int j = 0; j < T; j++) {
                    int64_t at = ((int64_t)(row * H + h) * T + i) * T + j;
                    double p = (double)a[at];
                    int far = i - j; /* 0: the token itself */
                    int k = j < b->start[row] ? DISTANCES + 2
                            : far < 0         ? DISTANCES + (far < -1)
                            : far < DISTANCES ? far
                                              : DISTANCES - 1;
                    mean[k] += p;
                    spread -= p > 0 ? p * log(p) : 0;
                    uneven += j >= b->start[row]
                                  ? fabs((double)(s[at] - s[at + (int64_t)(far) * (1 - T)]))
                                  : 0;
                    size += j >= b->start[row] ? fabs((double)s[at]) : 0;
                }
    static const char *const names[] = {"itself",    "1 before", "2 before", "3 before",
                                        "4+ before", "1 later",  "2+ later", "padding"};
    for (int k = 0; k < DISTANCES + 3; k++)
        run_number(r, MAPS, mean[k] / queries, 0.1, false, "block %d, weight on %s", layer + 1,
                   names[k]);
    run_number(r, MAPS, exp(spread / queries), 0.15, true, "block %d, keys seen", layer + 1);
    run_number(r, MAPS, uneven / (size + 1e-30), 0.2, false, "block %d, asymmetry of scores",
               layer + 1);
    int64_t first = (int64_t)shown_row(b) * H * T * T;
    r->map_side = T;
    for (int i = 0; i < T * T; i++)
        r->map[kept][i] = (a[first + i] + a[first + T * T + i]) / H;
}

static double root_mean_square(const Tensor *x)
{
    double sum = 0;
    for (int64_t i = 0; i < tensor_size(x); i++)
        sum += (double)x->data[i] * (double)x->data[i];
    return sqrt(sum / (double)tensor_size(x));
}

static void token_text(int id, char text[4])
{
    snprintf(text, 4, "%c",
             id == PAD   ? '_'
             : id == BOS ? '<'
             : id == END ? '.'
                         : 'a' + id - LETTER);
}

static int take(Run *r, const real *logits, double temperature)
{
    double p[WORDS], sum = 0, most = -1e30;
    for (int v = 0; v < WORDS; v++)
        most = (double)logits[v] > most ? (double)logits[v] : most;
    for (int v = 0; v < WORDS; v++)
        sum += p[v] = exp(((double)logits[v] - most) / temperature);
    double u = rng_uniform(&r->noise) * sum;
    int v = 0;
    while (v < WORDS - 1 && u >= p[v])
        u -= p[v++];
    return v;
}

/* Texts that follow <bos>: n[row] tokens, the end included. */
static void write_texts(Run *r, int rows, int *x, int *n)
{
    static Batch b;
    double temperature = faulty(r, "temperature-zero")   ? 1e-3
                         : faulty(r, "temperature-high") ? 3
                                                         : 1;
    b = (Batch){.rows = rows};
    for (int row = 0; row < rows; row++) {
        b.in[row * T] = BOS;
        n[row] = 0;
    }
    for (int t = 0; t < T; t++) {
        tape_reset(r->tape);
        Tensor *logits = language_forward(r, &b, t + 1);
        for (int row = 0; row < rows; row++) {
            bool over = n[row] && x[row * T + n[row] - 1] == END;
            int id = take(r, logits->data + ((int64_t)row * (t + 1) + t) * WORDS, temperature);
            if (!over)
                x[row * T + n[row]++] = id;
            if (t + 1 < T)
                b.in[row * T + t + 1] = over ? PAD : id;
        }
    }
}

/* A hypothesis of the beam, and one of its continuations. */
typedef struct {
    int x[T + 1], n;
    double log_p;
} Hypothesis;

static void keep_best(Hypothesis *best, int width, Hypothesis h)
{
    int k = width - 1;
    if (h.log_p <= best[k].log_p)
        return;
    for (; k > 0 && best[k - 1].log_p < h.log_p; k--)
        best[k] = best[k - 1];
    best[k] = h;
}

/* The best text by log p / length^alpha among those that a beam of 4 finds; returns its length. */
static int search_beam(Run *r, double alpha, int x[T])
{
    enum { WIDTH = 4 };
    static Batch b;
    Hypothesis beam[WIDTH] = {{.x = {BOS}}}, next[WIDTH], best = {.n = 0};
    double best_score = -1e30;
    for (int w = 1; w < WIDTH; w++)
        beam[w].log_p = -1e30;
    for (int t = 0; t < T; t++) {
        b = (Batch){.rows = WIDTH};
        for (int w = 0; w < WIDTH; w++) {
            memcpy(b.in + w * T, beam[w].x, sizeof(int) * T);
            next[w].log_p = -1e31;
        }
        tape_reset(r->tape);
        Tensor *log_p = ag_log_softmax(language_forward(r, &b, t + 1));
        for (int w = 0; w < WIDTH; w++)
            for (int v = 0; v < WORDS; v++) {
                Hypothesis h = beam[w];
                h.log_p += (double)log_p->data[((int64_t)w * (t + 1) + t) * WORDS + v];
                h.x[++h.n] = v;
                double score = h.log_p / pow(h.n, alpha);
                if ((v == END || t == T - 1) && score > best_score) {
                    best = h;
                    best_score = score;
                }
                if (v != END)
                    keep_best(next, WIDTH, h);
            }
        memcpy(beam, next, sizeof beam);
    }
    memcpy(x, best.x + 1, sizeof(int) * (size_t)best.n);
    return best.n;
}

static void text_of(const int *x, int n, char *text, size_t size)
{
    *text = 0;
    for (int i = 0; i < n; i++) {
        char one[4];
        token_text(x[i], one);
        strncat(text, one, size - strlen(text) - 1);
    }
}

/* The nats a token of a text of n tokens, its end included if it has one. A text that the language
 * does not have is charged with 10 nats for what is impossible. */
static double nats_of(const int *x, int n)
{
    double nats = 0;
    for (int i = 0; i < n; i++) {
        double stop = language_end_p(i), p;
        p = x[i] == END ? stop : x[i] < LETTER ? 0 : (1 - stop) * language_letter_p(x, i, x[i]);
        nats -= p > 0 ? log(p) : -10;
    }
    return nats / n;
}

static void measure_samples(Run *r)
{
    enum { SHOWN = 6 };
    static int x[HELD * T];
    int n[HELD], different = 0;
    double nats = 0, length = 0;
    write_texts(r, HELD, x, n);
    for (int row = 0; row < HELD; row++) {
        bool new = true;
        for (int before = 0; before < row; before++)
            new &= n[before] != n[row] ||
                   memcmp(x + before * T, x + row * T, sizeof(int) * (size_t)n[row]) != 0;
        different += new;
        nats += nats_of(x + row * T, n[row]) / HELD;
        length += (double)n[row] / HELD;
        if (row < SHOWN)
            text_of(x + row * T, n[row], r->text[r->texts++], TEXT_LENGTH);
    }
    run_number(r, SAMPLES, (double)different / HELD, 0.1, false, "different among %d texts", HELD);
    run_number(r, SAMPLES, nats, 0.15, false, "nats a token, by the language");
    run_number(r, SAMPLES, length, 1.5, false, "mean length");
    int best = search_beam(r, faulty(r, "beam-short") ? 0 : 1, x);
    snprintf(r->text[r->texts], TEXT_LENGTH, "beam: ");
    text_of(x, best, r->text[r->texts] + 6, TEXT_LENGTH - 6);
    r->texts++;
    run_number(r, SAMPLES, best, 2, false, "length of the beam's best text");
}

/* The first two batches: what is read, and what is taken for right. */
static void measure_data(Run *r)
{
    const Network *m = r->network;
    static int label[HELD * T];
    int twice = 0, known = 0, same = 0, next = 0, padding = 0, all = 0;
    for (int k = 0; k < 2; k++) {
        language_labels(r, &m->first[k], label);
        for (int t = 0; t < T; t++)
            label[t] = label[t] == IGNORE ? PAD : label[t];
        snprintf(r->data_text[2 * k], TEXT_LENGTH, "batch %d in    ", k + 1);
        text_of(m->first[k].in, T, r->data_text[2 * k] + 14, TEXT_LENGTH - 14);
        snprintf(r->data_text[2 * k + 1], TEXT_LENGTH, "        label ");
        text_of(label, T, r->data_text[2 * k + 1] + 14, TEXT_LENGTH - 14);
    }
    r->data_texts = 4;
    language_labels(r, &m->first[1], label);
    for (int row = 0; row < BATCH; row++) {
        const int *in = m->first[1].in + row * T;
        twice += memcmp(in, m->first[0].in + row * T, sizeof(int) * T) == 0;
        bool held_too = false;
        for (int k = 0; k < HELD; k++)
            held_too |= memcmp(in, m->held.in + k * T, sizeof(int) * T) == 0;
        known += held_too;
        for (int t = 0; t < T; t++) {
            int l = label[row * T + t];
            all += l != IGNORE;
            same += l == in[t] && l != PAD;
            next += t + 1 < T && l == in[t + 1];
            padding += l == PAD;
        }
    }
    run_number(r, DATA, (double)twice / BATCH, 0.1, false, "batch 2: share in batch 1");
    run_number(r, DATA, (double)known / BATCH, 0.1, false, "batch 2: share in held-out set");
    run_number(r, DATA, (double)same / all, 0.1, false, "labels that are the input itself");
    run_number(r, DATA, (double)next / all, 0.1, false, "labels that are the next input");
    run_number(r, DATA, (double)padding / all, 0.1, false, "labels that are padding");
}

bool language_measure(Run *r)
{
    const int mapped[MAPS_KEPT] = {0, language_depth(r) - 1};
    const Network *m = r->network;
    bool ok = !tensor_is_poison(language_held(r));
    for (int i = 0; ok && i < language_depth(r); i++)
        run_number(r, ACTIVATIONS, root_mean_square(m->stream[i]), 0.1, true, "after block %d",
                   i + 1);
    for (int k = 0; ok && k < MAPS_KEPT; k++)
        measure_map(r, mapped[k], k);
    for (int t = 0; t < T; t++)
        token_text(m->held.in[shown_row(&m->held) * T + t], r->labels[t]);
    measure_samples(r);
    measure_data(r);
    return ok && !r->tape->failed;
}

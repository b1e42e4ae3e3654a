/* show.c: a measurement in the terminal: tables of numbers, and pictures of plot/. See
 * mystery.h. */
#include "lectures/mystery/mystery.h"

#include <stdlib.h>
#include <string.h>

const MeasureInfo measures[] = {
    [LOSSES] = {"losses", "of training and held-out data, beside the entropy", 7},
    [GRADIENTS] = {"gradients", "norms by layer, before clipping, and of all after it", 7},
    [ACTIVATIONS] = {"activations", "root mean square after each block", 3},
    [MAPS] = {"maps", "attention of the first block; pictures on a grid of z", 7},
    [SAMPLES] = {"samples", "what the model writes", 3},
    [TWICE] = {"twice",
               "the held-out loss, computed once more: only the autoencoder draws noise in it", 7},
    [DATA] = {"data", "the first two batches with their labels", 3},
    [LATENTS] = {"latents", "reconstruction, KL divergence, z", 4},
    [SOUND] = {"sound", "from now on, the numbers of a run without a fault beside them", 7},
    {0},
};

static void print_value(double x)
{
    printf(fabs(x) >= 1e5 || (x != 0 && fabs(x) < 1e-3) ? " %10.2e" : " %10.4f", x);
}

/* Number i of the run, and of the sound one where that is wanted. */
static void print_number(const Run *r, const Run *sound, int i)
{
    printf("   %-33s", r->number[i].name);
    print_value(r->number[i].value);
    if (sound)
        print_value(sound->number[i].value);
    putchar('\n');
}

static void print_table(const Run *r, const Run *sound, Measure m)
{
    if (sound)
        printf("   %-33s %10s %10s\n", "", "this run", "sound run");
    for (int i = 0; i < r->count; i++)
        if (r->number[i].of == m)
            print_number(r, sound, i);
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* A bar for each number; bars end at three times the entropy, and numbers that are not finite
 * there, too. */
static bool print_losses(const Run *r, const Run *sound)
{
    const Run *runs[] = {r, sound};
    const char *const legend[] = {"training", "held-out", "sound: training", "sound: held-out"};
    const int series = sound ? 4 : 2;
    const char *names[POINTS];
    char name[POINTS][24], title[64];
    double values[POINTS * 4], high = 3 * r->entropy;
    snprintf(title, sizeof title, "%s; the entropy is %.3f", trained[r->model].unit, r->entropy);
    for (int k = 0; k < POINTS; k++) {
        snprintf(name[k], sizeof name[k], "step %.0f", r->at[k]);
        names[k] = name[k];
        for (int i = 0; i < series; i++) {
            double loss = i % 2 ? runs[i / 2]->held[k] : runs[i / 2]->training[k];
            values[k * series + i] = isfinite(loss) ? loss : 2 * high;
        }
    }
    const PlotBars bars = {names, values, POINTS, title, series, legend, high};
    return plot_terminal_bars(stdout, &bars, 1, PLOT_AUTO);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static bool print_map(const Run *r)
{
    const char *names[MAP_SIDE];
    bool words = r->model != PICTURES;
    Tape *tape = tape_new(1);
    for (int i = 0; i < r->map_side; i++)
        names[i] = r->labels[i];
    const PlotHeatmap map = {
        .map = tape_input(tape, r->map, shape2(r->map_side, r->map_side)),
        .rows = words ? names : NULL,
        .title = words ? "first block" : "grid of z",
        .scale = {.high = 1, .name = words ? "attention weight" : "probability of black"},
        .row_name = words ? NULL : "z_2",
        .column_name = words ? NULL : "z_1",
    };
    bool ok = plot_terminal_heatmap(stdout, &map, PLOT_AUTO);
    tape_free(tape);
    return ok;
}

bool show_measure(const Run *r, const Run *sound, Measure m)
{
    bool ok = true;
    if (m == LOSSES)
        ok = print_losses(r, sound);
    else if (m != SOUND)
        print_table(r, sound, m);
    if (m == MAPS)
        ok = print_map(r);
    for (int i = 0; m == SAMPLES && i < r->texts; i++)
        printf("   %s\n", r->text[i]);
    for (int i = 0; m == DATA && i < 4; i++)
        printf("   %s\n", r->data_text[i]);
    putchar('\n');
    fflush(stdout);
    return ok;
}

void show_differences(const Run *r, const Run *sound, int most)
{
    bool shown[NUMBERS] = {0};
    printf("   %-33s %10s %10s\n", "what differs most", "this run", "sound run");
    for (; most > 0; most--) {
        int best = -1;
        for (int i = 0; i < r->count; i++)
            if (!shown[i] && number_distance(r, sound, i) > 0.1 &&
                (best < 0 || number_distance(r, sound, i) > number_distance(r, sound, best)))
                best = i;
        if (best < 0)
            break;
        for (int i = 0; i < r->count; i++) /* of each measurement, one number */
            shown[i] |= r->number[i].of == r->number[best].of;
        print_number(r, sound, best);
    }
}

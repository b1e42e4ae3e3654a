/* map.h: what the files of row 1 share: the data, whose density is known, and the families of
 * models of it.
 *
 *   map_moons.c      two moons: points, walks, the density and its gradient
 *   map_families.c   the list of families; training by maximum likelihood; integrals and likelihoods
 *   map_chain.c      Markov model (a table), autoregressive model (a network)
 *   map_sequences.c  RNN, state space model and Transformer as models of walks
 *   map_states.c     discrete states: mixture of Gaussians, hidden Markov model; EM
 *   map_linear.c     continuous states: PPCA, linear dynamical system; the Kalman filter
 *   map_flow.c       coupling flow (RealNVP)
 *   map_energy.c     energy-based model
 *   map_vae.c        variational autoencoder
 *   map_gan.c        generative adversarial network
 *   map_diffusion.c  diffusion
 *   map_ssm.c        state space layer: recurrence, convolution, scan
 *   map_figures.c    the pictures */
#ifndef LECTURES_RECURRENCE_MAP_H
#define LECTURES_RECURRENCE_MAP_H

#include "lectures/01-recurrence/recurrence.h"

/* ---- map_moons.c ----------------------------------------------------------------------------- */

/* Two half circles of radius 1, on which a position from 0 to 2 pi is uniform, and normal noise of
 * this deviation. */
#define MOONS_NOISE 0.15
#define MOONS_PI    3.14159265358979323846
enum { MOONS_TRAIN = 2000, MOONS_TEST = 4000 };

/* Points (n, 2), drawn independently. */
void moons_draw(Rng *rng, real *points, int n);

/* Sequences (count, steps, 2): the position moves forward by a random step at a time, so that every
 * point of a sequence, taken alone, is distributed as those of moons_draw. */
void moons_walk(Rng *rng, real *points, int count, int steps);

/* log p(x) of a c + normal noise of this variance in each coordinate, c the point without noise, by
 * quadrature over the position. score: where its gradient goes, or NULL. The data: a = 1, variance
 * = MOONS_NOISE^2. */
double moons_log_density(const double x[2], double a, double variance, double score[2]);
double moons_log_p(const real *point); /* of the data, at (x_1, x_2) */

/* The training points of a seed (MOONS_TRAIN, 2), and other ones to test with (MOONS_TEST, 2). */
const real *moons_training(uint64_t seed);
const real *moons_testing(uint64_t seed);

/* The covariance of the training points, (s[0], s[1]; s[1], s[2]). */
void moons_covariance(const real *points, double s[3]);

/* The midpoints of square cells: left + (i + 1/2) step, i < across; bottom + (j + 1/2) step, j <
 * up. */
typedef struct {
    double left, bottom, step;
    int across, up;
} Grid;
/* Writes them as (up across, 2), row by row from the bottom. Returns how many there are. */
int grid_points(const Grid *g, real *points);

/* For integrals over the plane, and for pictures. */
enum { PLANE_POINTS = 240 * 192, VIEW_POINTS = 76 * 56 };
extern const Grid plane, view;

/* ---- map_families.c -------------------------------------------------------------------------- */

typedef Tensor *(*LogDensity)(Tensor *x); /* x (N, 2) -> log q(x), (N, 1) */

/* One family of models. train keeps the model of one seed, and does nothing where it has that
 * one. */
typedef struct {
    const char *branch, *name;
    bool (*train)(uint64_t seed);
    LogDensity log_density;                         /* NULL: it has none               */
    bool (*sample)(uint64_t seed, real *xy, int n); /* where it has no density         */
    const char *fault;                              /* what `flawed` leaves out        */
    LogDensity flawed;
} Family;

extern const Family family_markov, family_autoregressive, family_mixture, family_hmm, family_ppca,
    family_lds, family_flow, family_energy, family_vae, family_gan, family_diffusion, family_rnn,
    family_ssm, family_transformer;
/* Those with a density, and all, closed by NULL. */
extern const Family *const map_densities[], *const map_families[];

/* log q at n points, after f->train. false after an error of the library. */
bool map_log_density(LogDensity f, const real *points, int n, double *log_q);

/* KL(p || q) of this log density, by quadrature; a family of the list is trained first, and
 * measured once a seed. */
double map_divergence(LogDensity f, uint64_t seed);

/* Weights that claims and figures of one seed share. */
typedef struct {
    Params *params;
    uint64_t seed;
    bool trained;
} Kept;
/* Are they those of this seed? If not, k->params is empty, for a new model. */
bool map_kept(Kept *k, uint64_t seed);

/* Maximum likelihood: raises the mean of log_density over the training points by Adam. */
bool map_fit(Params *p, LogDensity log_density, uint64_t seed, int steps, double rate);
/* Training points chosen at random, (count, 2). */
Tensor *map_batch(Tape *tape, Rng *rng, uint64_t seed, int count);

/* Three linear layers, in -> hidden -> hidden -> out, with silu between them. */
typedef struct {
    Linear layer[3];
} Net;
bool net_init(Net *n, Params *p, const char *path, int in, int hidden, int out);
Tensor *net(const Net *n, Tensor *x);

/* ---- map_chain.c ----------------------------------------------------------------------------- */

/* log sum_k w_k N(x; m_k, s_k^2), k < MAP_MIX: x (B, N, 1), parameters (B, N, 3 MAP_MIX) -> (B, N,
 * 1). s_k is between e^-3 and e. */
enum { MAP_MIX = 6 };
Tensor *map_log_mixture(Tensor *x, Tensor *parameters);

/* ---- map_states.c ---------------------------------------------------------------------------- */

/* log p of whole sequences x (B, T, 2), (B, 1), by the trained hidden Markov model. */
Tensor *map_hmm_sequences(Tensor *x);

/* ---- map_ssm.c ------------------------------------------------------------------------------- */

/* h_t = a_t h_(t-1) + u_t, a and u (T, N) -> all h (T, N), in log2 T rounds. */
Tensor *map_scan(Tensor *a, Tensor *u);

/* The longest chain of ops of the scan of 512 steps. */
double map_scan_chain(Trial *t);

#endif

/* pretrained_folders.h: folders of pretrained models, copies of tests/golden/pretrained with
 * changes. */
#ifndef TESTS_PRETRAINED_FOLDERS_H
#define TESTS_PRETRAINED_FOLDERS_H

#include "nn/pretrained/pretrained.h"

/* The path of a fixture's file, or, file NULL, of its folder. Valid until the next call. */
const char *fixture_path(const char *name, const char *file);

/* What nn_pretrained_summary writes. Valid until the next call. */
const char *summary_of(const Pretrained *m);

/* A copy of a fixture's config.json, with `from` replaced by `to`, and of its weights; the path of
 * the folder, "model" in the scratch directory. */
const char *changed_config(const char *name, const char *from, const char *to);

/* A copy of a fixture with its config.json as it is, and other weights: without the tensors whose
 * names contain `without`, unless that is NULL, and with `more` further tensors. */
const char *changed_weights(const char *name, const char *without, Tensor *const *more, int count);
/* The same, with `to` in place of `from` in the names that have it, and with one pair of
 * __metadata__, or NULL. */
const char *renamed_weights(const char *name, const char *from, const char *to,
                            const char *const *tied);

/* The last hidden states of a fixture's input (expected.safetensors); other: of another input,
 * V - 1 - id or -pixel. hidden: as of nn_pretrained_run. */
Tensor *fixture_states(const Pretrained *m, const Safetensors *in, Tape *tape, bool other,
                       Tensor **hidden);
/* Backward of the sum of y_i cos(i), with which the fixtures' gradients are made. */
bool fixture_backward(Tensor *y);

#endif

/* reading.h: the values of config.json, for the families in config.c (internal). */
#ifndef GRADUS_NN_PRETRAINED_READING_H
#define GRADUS_NN_PRETRAINED_READING_H

#include "nn/pretrained/inside.h"

/* config.json while it is read; ok becomes false at the first error, which is recorded. */
struct Reading {
    const JsonValue *root;
    const char *path;
    bool ok;
};

/* The first wrong value is the error; after it, nothing is tested. */
#define REFUSE_IF(r, wrong, ...) \
    ((r)->ok = (r)->ok && (!(wrong) || PRETRAINED_FAIL((r)->path, __VA_ARGS__)))

/* A whole number from low to high; `otherwise` where v (or the key) is missing or null, which is an
 * error where that is below low. */
int64_t read_whole_of(Reading *r, const JsonValue *v, const char *key, int64_t low, int64_t high,
                      int64_t otherwise);
int64_t read_whole(Reading *r, const char *key, int64_t low, int64_t high, int64_t otherwise);
/* A number above 0; `otherwise` where the key is missing or null. */
double read_positive(Reading *r, const JsonValue *in, const char *key, double otherwise);
/* The probability of dropout, which only training uses; 0.1 where the key is missing or null. */
double read_dropout(Reading *r, const char *key);
/* true or false; `otherwise` where the key is missing or null. */
bool read_flag(Reading *r, const char *key, bool otherwise);
/* A text; `otherwise` where the key is missing or null. The error shows the key as `shown`. */
const char *read_text(Reading *r, const JsonValue *in, const char *key, const char *otherwise,
                      const char *shown, const char *expected);
/* This key must be absent, null, or have this text or truth: else it would be another
 * computation. */
void read_only(Reading *r, const char *key, const char *text);
/* The function of that name in config.json. */
Activation read_activation_named(Reading *r, const char *key, const char *name);
Activation read_activation(Reading *r, const char *key, const char *otherwise);
/* The token that ends a text; where a list has several, the first, and c->ends gets the others. */
int read_end(Reading *r, PretrainedConfig *c, int otherwise);
/* Layers, channels, heads, and the feed-forward layers' channels, under the family's keys, and the
 * words of one that reads texts; hidden NULL: neither of the last two. */
void read_sizes(Reading *r, PretrainedConfig *c, const char *layers, const char *channels,
                const char *heads, const char *hidden);
/* The member of config.json that has the settings of the rotary encoding, or NULL. */
const JsonValue *read_rope(const Reading *r);
/* The frequencies of c->rotated channels, with this base unless the settings have one; NULL after
 * an error. The caller owns the array. */
double *read_rotary(Reading *r, const PretrainedConfig *c, const JsonValue *rope, double base);
/* Fills c->local: layer_types of config.json; where it has none, all layers are local but every
 * `every`-th, counted from `first`. */
void read_local(Reading *r, PretrainedConfig *c, int64_t every, int64_t first);

#endif

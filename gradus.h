/* gradus.h: what programs use. A program includes this one header.
 *
 * Beside it, each included by its own name: autograd/inspect.h (events and edits of a step),
 * nn/slices.h (a batch that processes share), plot/pages.h (pages for a browser), tensor/files.h
 * (files that appear as a whole).
 *
 * Where another library has a type of the same name (X11 has a Mask), define GRADUS_PREFIX_TYPES
 * first: the types below are then GradusMask, GradusTensor and so on, and the short names are
 * free. The functions stay as they are. The headers beside this one need the short names. */
#ifndef GRADUS_H
#define GRADUS_H

#ifdef GRADUS_PREFIX_TYPES
#include "placed/types.h"
#endif

#include "tensor/tensor.h"
#include "autograd/autograd.h"
#include "nn/nn.h"
#include "nn/decode/decode.h"
#include "nn/pretrained/pretrained.h"
#include "data/data.h"
#include "plot/plot.h"

#ifdef GRADUS_PREFIX_TYPES
#include "placed/types.h" /* which gives the names back */
#endif

#endif

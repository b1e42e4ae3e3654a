/* gradus.h: all of gradus. A program includes this one header. */
#ifndef GRADUS_H
#define GRADUS_H

#include "tensor/tensor.h"
#include "autograd/autograd.h"
#include "nn/nn.h"
#include "nn/decode/decode.h"
#include "nn/pretrained/pretrained.h"
#include "data/data.h"
#include "plot/plot.h"
#include "plot/pages.h"

#endif

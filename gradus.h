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
#define Activation         GradusActivation
#define Adam               GradusAdam
#define AdditiveAttention  GradusAdditiveAttention
#define BeamNode           GradusBeamNode
#define BeamTree           GradusBeamTree
#define BlockConfig        GradusBlockConfig
#define Bpe                GradusBpe
#define Candidate          GradusCandidate
#define Candidates         GradusCandidates
#define Checkpoint         GradusCheckpoint
#define DecodeRules        GradusDecodeRules
#define Decoder            GradusDecoder
#define DecoderBlock       GradusDecoderBlock
#define Embedding          GradusEmbedding
#define Encoder            GradusEncoder
#define EncoderConfig      GradusEncoderConfig
#define FeedForward        GradusFeedForward
#define Gpt                GradusGpt
#define GptConfig          GradusGptConfig
#define GradCheck          GradusGradCheck
#define Images             GradusImages
#define Init               GradusInit
#define KVCache            GradusKVCache
#define Labelled           GradusLabelled
#define Linear             GradusLinear
#define Lora               GradusLora
#define Mask               GradusMask
#define Masking            GradusMasking
#define Merge              GradusMerge
#define MultiHeadAttention GradusMultiHeadAttention
#define Node               GradusNode
#define Norm               GradusNorm
#define NormKind           GradusNormKind
#define Op                 GradusOp
#define Params             GradusParams
#define PositionKind       GradusPositionKind
#define PositionalEncoding GradusPositionalEncoding
#define Pretrained         GradusPretrained
#define RNN                GradusRNN
#define RNNCell            GradusRNNCell
#define RNNKind            GradusRNNKind
#define RNNState           GradusRNNState
#define Rng                GradusRng
#define Rotary             GradusRotary
#define Safetensors        GradusSafetensors
#define Sampler            GradusSampler
#define Sequences          GradusSequences
#define Sgd                GradusSgd
#define Shape              GradusShape
#define Tape               GradusTape
#define Tensor             GradusTensor
#define Text               GradusText
#define TextPart           GradusTextPart
#define Token              GradusToken
#define TokenBatch         GradusTokenBatch
#define TokenInput         GradusTokenInput
#define Tokeniser          GradusTokeniser
#define Tokens             GradusTokens
#define TransformerBlock   GradusTransformerBlock
#define Vocab              GradusVocab
#define Words              GradusWords
#endif

#include "tensor/tensor.h"
#include "autograd/autograd.h"
#include "nn/nn.h"
#include "nn/decode/decode.h"
#include "nn/pretrained/pretrained.h"
#include "data/data.h"
#include "plot/plot.h"

#ifdef GRADUS_PREFIX_TYPES
#undef Activation
#undef Adam
#undef AdditiveAttention
#undef BeamNode
#undef BeamTree
#undef BlockConfig
#undef Bpe
#undef Candidate
#undef Candidates
#undef Checkpoint
#undef DecodeRules
#undef Decoder
#undef DecoderBlock
#undef Embedding
#undef Encoder
#undef EncoderConfig
#undef FeedForward
#undef Gpt
#undef GptConfig
#undef GradCheck
#undef Images
#undef Init
#undef KVCache
#undef Labelled
#undef Linear
#undef Lora
#undef Mask
#undef Masking
#undef Merge
#undef MultiHeadAttention
#undef Node
#undef Norm
#undef NormKind
#undef Op
#undef Params
#undef PositionKind
#undef PositionalEncoding
#undef Pretrained
#undef RNN
#undef RNNCell
#undef RNNKind
#undef RNNState
#undef Rng
#undef Rotary
#undef Safetensors
#undef Sampler
#undef Sequences
#undef Sgd
#undef Shape
#undef Tape
#undef Tensor
#undef Text
#undef TextPart
#undef Token
#undef TokenBatch
#undef TokenInput
#undef Tokeniser
#undef Tokens
#undef TransformerBlock
#undef Vocab
#undef Words
#endif

#endif

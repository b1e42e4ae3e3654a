/* placed.h: the program's own file and line in every error of nn.
 *
 * Each public function that can fail has a macro of its name, which calls it and then tensor_place
 * (tensor/placed.h). nn.h includes this file at its end; inside the library, and with
 * GRADUS_INSIDE, the macros are off. */
#ifndef GRADUS_NN_PLACED_H
#define GRADUS_NN_PLACED_H

#include "nn/nn.h"

GRADUS_BEGIN
TENSOR_DEFINE_PLACED(nn_placed_params, Params *, !x)
GRADUS_END

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
#define params_new(...)                 nn_placed_params(params_new(__VA_ARGS__), TENSOR_HERE(params_new))
#define params_path(...)                TENSOR_PLACED_TEXT(params_path, __VA_ARGS__)
#define params_find(...)                TENSOR_PLACED(params_find, __VA_ARGS__)
#define params_size(...)                TENSOR_PLACED_NUMBER(params_size, __VA_ARGS__)
#define params_trained(...)             TENSOR_PLACED_NUMBER(params_trained, __VA_ARGS__)
#define params_zero_grad(...)           TENSOR_PLACED_VOID(params_zero_grad, __VA_ARGS__)
#define params_freeze(...)              TENSOR_PLACED_INT(params_freeze, __VA_ARGS__)
#define params_grad_norm(...)           TENSOR_PLACED_DOUBLE(params_grad_norm, __VA_ARGS__)
#define params_clip_grad(...)           TENSOR_PLACED_DOUBLE(params_clip_grad, __VA_ARGS__)
#define nn_sinusoids(...)               TENSOR_PLACED_VOID(nn_sinusoids, __VA_ARGS__)
#define nn_flops(...)                   TENSOR_PLACED_NUMBER(nn_flops, __VA_ARGS__)
#define params_add(...)                 AG_PLACED(params_add, __VA_ARGS__)
#define params_save(...)                TENSOR_PLACED_OK(params_save, __VA_ARGS__)
#define params_load(...)                TENSOR_PLACED_OK(params_load, __VA_ARGS__)
#define nn_linear_init(...)             TENSOR_PLACED_OK(nn_linear_init, __VA_ARGS__)
#define nn_linear(...)                  AG_PLACED(nn_linear, __VA_ARGS__)
#define nn_embedding_init(...)          TENSOR_PLACED_OK(nn_embedding_init, __VA_ARGS__)
#define nn_embedding(...)               AG_PLACED(nn_embedding, __VA_ARGS__)
#define nn_layernorm_init(...)          TENSOR_PLACED_OK(nn_layernorm_init, __VA_ARGS__)
#define nn_norm(...)                    AG_PLACED(nn_norm, __VA_ARGS__)
#define nn_attention_init(...)          TENSOR_PLACED_OK(nn_attention_init, __VA_ARGS__)
#define nn_attention(...)               AG_PLACED(nn_attention, __VA_ARGS__)
#define nn_cross_attention(...)         AG_PLACED(nn_cross_attention, __VA_ARGS__)
#define nn_position_init(...)           TENSOR_PLACED_OK(nn_position_init, __VA_ARGS__)
#define nn_position(...)                AG_PLACED(nn_position, __VA_ARGS__)
#define nn_feedforward_init(...)        TENSOR_PLACED_OK(nn_feedforward_init, __VA_ARGS__)
#define nn_feedforward(...)             AG_PLACED(nn_feedforward, __VA_ARGS__)
#define nn_transformer_block_init(...)  TENSOR_PLACED_OK(nn_transformer_block_init, __VA_ARGS__)
#define nn_transformer_block(...)       AG_PLACED(nn_transformer_block, __VA_ARGS__)
#define nn_encoder_init(...)            TENSOR_PLACED_OK(nn_encoder_init, __VA_ARGS__)
#define nn_encoder(...)                 AG_PLACED(nn_encoder, __VA_ARGS__)
#define nn_gpt_init(...)                TENSOR_PLACED_OK(nn_gpt_init, __VA_ARGS__)
#define nn_gpt_save(...)                TENSOR_PLACED_OK(nn_gpt_save, __VA_ARGS__)
#define nn_gpt_load(...)                TENSOR_PLACED_OK(nn_gpt_load, __VA_ARGS__)
#define nn_gpt(...)                     AG_PLACED(nn_gpt, __VA_ARGS__)
#define nn_rmsnorm_init(...)            TENSOR_PLACED_OK(nn_rmsnorm_init, __VA_ARGS__)
#define nn_additive_attention_init(...) TENSOR_PLACED_OK(nn_additive_attention_init, __VA_ARGS__)
#define nn_additive_attention(...)      AG_PLACED(nn_additive_attention, __VA_ARGS__)
#define nn_position_at(...)             AG_PLACED(nn_position_at, __VA_ARGS__)
#define nn_decoder_block_init(...)      TENSOR_PLACED_OK(nn_decoder_block_init, __VA_ARGS__)
#define nn_decoder_block(...)           AG_PLACED(nn_decoder_block, __VA_ARGS__)
#define nn_rnn_cell_init(...)           TENSOR_PLACED_OK(nn_rnn_cell_init, __VA_ARGS__)
#define nn_rnn_cell(...)                AG_PLACED(nn_rnn_cell, __VA_ARGS__)
#define nn_rnn_init(...)                TENSOR_PLACED_OK(nn_rnn_init, __VA_ARGS__)
#define nn_rnn(...)                     AG_PLACED(nn_rnn, __VA_ARGS__)
#define nn_lora_init(...)               TENSOR_PLACED_OK(nn_lora_init, __VA_ARGS__)
#define nn_lora(...)                    AG_PLACED(nn_lora, __VA_ARGS__)
#define nn_lora_merge(...)              TENSOR_PLACED_OK(nn_lora_merge, __VA_ARGS__)
#define nn_additive_keys(...)           AG_PLACED(nn_additive_keys, __VA_ARGS__)
#define nn_checkpoint_save(...)         TENSOR_PLACED_OK(nn_checkpoint_save, __VA_ARGS__)
#define nn_checkpoint_load(...)         TENSOR_PLACED_OK(nn_checkpoint_load, __VA_ARGS__)
#define sgd_init(...)                   TENSOR_PLACED_OK(sgd_init, __VA_ARGS__)
#define sgd_step(...)                   TENSOR_PLACED_OK(sgd_step, __VA_ARGS__)
#define adam_init(...)                  TENSOR_PLACED_OK(adam_init, __VA_ARGS__)
#define adamw_init(...)                 TENSOR_PLACED_OK(adamw_init, __VA_ARGS__)
#define adam_step(...)                  TENSOR_PLACED_OK(adam_step, __VA_ARGS__)
#define nn_rotary_init(...)             TENSOR_PLACED_OK(nn_rotary_init, __VA_ARGS__)
#define nn_rotary_from(...)             TENSOR_PLACED_OK(nn_rotary_from, __VA_ARGS__)
#endif

#endif

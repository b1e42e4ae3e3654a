/* names.c: how each family's checkpoints name the weights that this library has. Data, not code.
 *
 * Layouts: linear layers are (out, in) here and there; GPT-2's Conv1D are (in, out) and are
 * transposed. Query, key and value are the rows of one in_proj here. Where two rules are for one
 * weight, the first whose tensor is there counts. A rule for "" names a tensor that may be in a
 * file without being needed: a buffer, a head for pre-training. Any other tensor without a rule is
 * an error (import.c): a model that is not understood must not be computed without it. */
#include "nn/pretrained/inside.h"

/* The kinds of rules, after our path and their name. BODY and HEAD: a module with weight and bias,
 * below the family's prefix or beside it. CONV: a module of the body whose weight is transposed.
 * ONE and LONE: a single tensor, in the body or beside it; GAIN: one that the file has less 1. QKV:
 * three modules that are the rows of our in_proj. */
#define BODY PART_ALL, AS_IT_IS, true, true
#define HEAD PART_ALL, AS_IT_IS, true, false
#define CONV PART_ALL, TRANSPOSED, true, true
#define ONE  PART_ALL, AS_IT_IS, false, true
#define GAIN PART_ALL, PLUS_ONE, false, true
#define LONE PART_ALL, AS_IT_IS, false, false
#define QKV_OF(ours, stem, q, k, v)                     \
    {ours, stem q, PART_QUERY, AS_IT_IS, true, true},   \
        {ours, stem k, PART_KEY, AS_IT_IS, true, true}, \
    {                                                   \
        ours, stem v, PART_VALUE, AS_IT_IS, true, true  \
    }
#define QKV(stem, q, k, v)   QKV_OF("blocks.%d.attn.in_proj_", stem, q, k, v)
#define SELF(stem, q, k, v)  QKV_OF("decoder.%d.self_attn.in_proj_", stem, q, k, v)
#define CROSS(stem, q, k, v) QKV_OF("decoder.%d.cross_attn.in_proj_", stem, q, k, v)

/* BERT's and RoBERTa's bodies have the same names. */
#define BERT_BODY                                                                               \
    {"words.weight", "embeddings.word_embeddings.weight", ONE},                                 \
        {"position.weight", "embeddings.position_embeddings.weight", ONE},                      \
        {"types.weight", "embeddings.token_type_embeddings.weight", ONE},                       \
        {"", "embeddings.position_ids", ONE}, {"embedding_norm", "embeddings.LayerNorm", BODY}, \
        QKV("encoder.layer.%d.attention.self.", "query", "key", "value"),                       \
        {"blocks.%d.attn.out_proj", "encoder.layer.%d.attention.output.dense", BODY},           \
        {"blocks.%d.norm1", "encoder.layer.%d.attention.output.LayerNorm", BODY},               \
        {"blocks.%d.ff.up", "encoder.layer.%d.intermediate.dense", BODY},                       \
        {"blocks.%d.ff.down", "encoder.layer.%d.output.dense", BODY},                           \
    {                                                                                           \
        "blocks.%d.norm2", "encoder.layer.%d.output.LayerNorm", BODY                            \
    }

/* Devlin et al. (2019), as transformers' BertModel and its heads name their weights. decoder.bias
 * and predictions.bias are one weight under two names. */
const NameRule names_bert[] = {BERT_BODY,
                               {"pooler", "pooler.dense", BODY},
                               {"transform", "cls.predictions.transform.dense", HEAD},
                               {"transform_norm", "cls.predictions.transform.LayerNorm", HEAD},
                               {"output.weight", "cls.predictions.decoder.weight", LONE},
                               {"output.bias", "cls.predictions.decoder.bias", LONE},
                               {"output.bias", "cls.predictions.bias", LONE},
                               {"", "cls.seq_relationship", HEAD},
                               {"classifier", "classifier", HEAD},
                               {0}};
/* The body is BERT's. A classifier's first layer, classifier.dense, is the pooler; that of single
 * tokens is not built. */
const NameRule names_roberta[] = {BERT_BODY,
                                  {"pooler", "classifier.dense", HEAD},
                                  {"pooler", "pooler.dense", BODY},
                                  {"transform", "lm_head.dense", HEAD},
                                  {"transform_norm", "lm_head.layer_norm", HEAD},
                                  {"output.weight", "lm_head.decoder.weight", LONE},
                                  {"output.bias", "lm_head.decoder.bias", LONE},
                                  {"output.bias", "lm_head.bias", LONE},
                                  {"classifier", "classifier.out_proj", HEAD},
                                  {"", "classifier", HEAD},
                                  {0}};
/* Names of its own; no types, and the pooler is called pre_classifier. */
const NameRule names_distilbert[] = {
    {"words.weight", "embeddings.word_embeddings.weight", ONE},
    {"position.weight", "embeddings.position_embeddings.weight", ONE},
    {"embedding_norm", "embeddings.LayerNorm", BODY},
    QKV("transformer.layer.%d.attention.", "q_lin", "k_lin", "v_lin"),
    {"blocks.%d.attn.out_proj", "transformer.layer.%d.attention.out_lin", BODY},
    {"blocks.%d.norm1", "transformer.layer.%d.sa_layer_norm", BODY},
    {"blocks.%d.ff.up", "transformer.layer.%d.ffn.lin1", BODY},
    {"blocks.%d.ff.down", "transformer.layer.%d.ffn.lin2", BODY},
    {"blocks.%d.norm2", "transformer.layer.%d.output_layer_norm", BODY},
    {"transform", "vocab_transform", HEAD},
    {"transform_norm", "vocab_layer_norm", HEAD},
    {"output", "vocab_projector", HEAD},
    {"pooler", "pre_classifier", HEAD},
    {"classifier", "classifier", HEAD},
    {0}};
/* One matrix c_attn has query, key and value, as our in_proj has; all matrices are (in, out). No
 * head but the words'. */
const NameRule names_gpt2[] = {{"words.weight", "wte.weight", ONE},
                               {"position.weight", "wpe.weight", ONE},
                               {"blocks.%d.norm1", "h.%d.ln_1", BODY},
                               {"blocks.%d.attn.in_proj_", "h.%d.attn.c_attn", CONV},
                               {"blocks.%d.attn.out_proj", "h.%d.attn.c_proj", CONV},
                               {"blocks.%d.norm2", "h.%d.ln_2", BODY},
                               {"blocks.%d.ff.up", "h.%d.mlp.c_fc", CONV},
                               {"blocks.%d.ff.down", "h.%d.mlp.c_proj", CONV},
                               {"norm", "ln_f", BODY},
                               {"output.weight", "lm_head.weight", LONE},
                               {"", "h.%d.attn.bias", ONE},
                               {"", "h.%d.attn.masked_bias", ONE},
                               {"", "classifier", HEAD},
                               {0}};
/* ViT's and DeiT's bodies; a ViT has no distillation token. */
#define VIT_BODY                                                                                   \
    {"class_token", "embeddings.cls_token", ONE},                                                  \
        {"distillation_token", "embeddings.distillation_token", ONE},                              \
        {"picture_position", "embeddings.position_embeddings", ONE},                               \
        {"patches", "embeddings.patch_embeddings.projection", BODY},                               \
        {"blocks.%d.norm1", "encoder.layer.%d.layernorm_before", BODY},                            \
        QKV("encoder.layer.%d.attention.attention.", "query", "key", "value"),                     \
        {"blocks.%d.attn.out_proj", "encoder.layer.%d.attention.output.dense", BODY},              \
        {"blocks.%d.norm2", "encoder.layer.%d.layernorm_after", BODY},                             \
        {"blocks.%d.ff.up", "encoder.layer.%d.intermediate.dense", BODY},                          \
        {"blocks.%d.ff.down", "encoder.layer.%d.output.dense", BODY}, {"norm", "layernorm", BODY}, \
        {"pooler", "pooler.dense", BODY},                                                          \
    {                                                                                              \
        "", "decoder.0", HEAD                                                                      \
    }
const NameRule names_vit[] = {VIT_BODY, {"classifier", "classifier", HEAD}, {0}};
const NameRule names_deit[] = {VIT_BODY,
                               {"classifier", "classifier", HEAD},
                               {"classifier", "cls_classifier", HEAD},
                               {"distilled_classifier", "distillation_classifier", HEAD},
                               {0}};
/* Llama's and Gemma's layers, without biases but for Qwen 2's in_proj: a rule for what neither side
 * has is passed over. */
#define LLAMA_BODY                                                       \
    {"words.weight", "embed_tokens.weight", ONE},                        \
        QKV("layers.%d.self_attn.", "q_proj", "k_proj", "v_proj"),       \
        {"blocks.%d.attn.out_proj", "layers.%d.self_attn.o_proj", BODY}, \
        {"blocks.%d.ff.gate", "layers.%d.mlp.gate_proj", BODY},          \
        {"blocks.%d.ff.up", "layers.%d.mlp.up_proj", BODY},              \
        {"blocks.%d.ff.down", "layers.%d.mlp.down_proj", BODY},          \
    {                                                                    \
        "output.weight", "lm_head.weight", LONE                          \
    }
const NameRule names_llama[] = {LLAMA_BODY,
                                {"blocks.%d.norm1", "layers.%d.input_layernorm", BODY},
                                {"blocks.%d.norm2", "layers.%d.post_attention_layernorm", BODY},
                                {"blocks.%d.attn.q_norm", "layers.%d.self_attn.q_norm", BODY},
                                {"blocks.%d.attn.k_norm", "layers.%d.self_attn.k_norm", BODY},
                                {"norm", "norm", BODY},
                                {"", "layers.%d.self_attn.rotary_emb.inv_freq", ONE},
                                {"", "rotary_emb.inv_freq", ONE},
                                {0}};

/* Wi has the gate and then what it multiplies. */
const NameRule names_modernbert[] = {{"words.weight", "embeddings.tok_embeddings.weight", ONE},
                                     {"embedding_norm", "embeddings.norm", BODY},
                                     {"blocks.%d.norm1", "layers.%d.attn_norm", BODY},
                                     {"blocks.%d.attn.in_proj_", "layers.%d.attn.Wqkv", BODY},
                                     {"blocks.%d.attn.out_proj", "layers.%d.attn.Wo", BODY},
                                     {"blocks.%d.norm2", "layers.%d.mlp_norm", BODY},
                                     {"blocks.%d.ff.gate", "layers.%d.mlp.Wi", PART_FIRST, AS_IT_IS,
                                      true, true},
                                     {"blocks.%d.ff.up", "layers.%d.mlp.Wi", PART_SECOND, AS_IT_IS,
                                      true, true},
                                     {"blocks.%d.ff.down", "layers.%d.mlp.Wo", BODY},
                                     {"norm", "final_norm", BODY},
                                     {"transform", "head.dense", HEAD},
                                     {"transform_norm", "head.norm", HEAD},
                                     {"output", "decoder", HEAD},
                                     {"classifier", "classifier", HEAD},
                                     {0}};
/* query_key_value has query, key and value of head 0, then those of head 1. */
const NameRule names_neox[] = {{"words.weight", "embed_in.weight", ONE},
                               {"blocks.%d.norm1", "layers.%d.input_layernorm", BODY},
                               {"blocks.%d.attn.in_proj_", "layers.%d.attention.query_key_value",
                                PART_HEADS, AS_IT_IS, true, true},
                               {"blocks.%d.attn.out_proj", "layers.%d.attention.dense", BODY},
                               {"blocks.%d.norm2", "layers.%d.post_attention_layernorm", BODY},
                               {"blocks.%d.ff.up", "layers.%d.mlp.dense_h_to_4h", BODY},
                               {"blocks.%d.ff.down", "layers.%d.mlp.dense_4h_to_h", BODY},
                               {"norm", "final_layer_norm", BODY},
                               {"output.weight", "embed_out.weight", LONE},
                               {"", "layers.%d.attention.bias", ONE},
                               {"", "layers.%d.attention.masked_bias", ONE},
                               {"", "layers.%d.attention.rotary_emb.inv_freq", ONE},
                               {"", "classifier", HEAD},
                               {0}};
/* Gains are stored less 1. */
const NameRule names_gemma3[] = {
    LLAMA_BODY,
    {"blocks.%d.norm1.weight", "layers.%d.input_layernorm.weight", GAIN},
    {"norm.weight", "norm.weight", GAIN},
    {"blocks.%d.after1.weight", "layers.%d.post_attention_layernorm.weight", GAIN},
    {"blocks.%d.norm2.weight", "layers.%d.pre_feedforward_layernorm.weight", GAIN},
    {"blocks.%d.after2.weight", "layers.%d.post_feedforward_layernorm.weight", GAIN},
    {"blocks.%d.attn.q_norm.weight", "layers.%d.self_attn.q_norm.weight", GAIN},
    {"blocks.%d.attn.k_norm.weight", "layers.%d.self_attn.k_norm.weight", GAIN},
    {0}};

/* ---- encoder-decoders ------------------------------------------------------------------------ */

/* wi in the first version; in version 1.1 the gate wi_0 and wi_1. */
const NameRule names_t5[] = {
    {"words.weight", "shared.weight", ONE},
    {"words.weight", "encoder.embed_tokens.weight", ONE},
    {"words.weight", "decoder.embed_tokens.weight", ONE},
    {"bias.weight", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", ONE},
    {"blocks.%d.norm1", "encoder.block.%d.layer.0.layer_norm", BODY},
    QKV("encoder.block.%d.layer.0.SelfAttention.", "q", "k", "v"),
    {"blocks.%d.attn.out_proj", "encoder.block.%d.layer.0.SelfAttention.o", BODY},
    {"blocks.%d.norm2", "encoder.block.%d.layer.1.layer_norm", BODY},
    {"blocks.%d.ff.up", "encoder.block.%d.layer.1.DenseReluDense.wi", BODY},
    {"blocks.%d.ff.gate", "encoder.block.%d.layer.1.DenseReluDense.wi_0", BODY},
    {"blocks.%d.ff.up", "encoder.block.%d.layer.1.DenseReluDense.wi_1", BODY},
    {"blocks.%d.ff.down", "encoder.block.%d.layer.1.DenseReluDense.wo", BODY},
    {"norm", "encoder.final_layer_norm", BODY},
    {"decoder_bias.weight", "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
     ONE},
    {"decoder.%d.norm1", "decoder.block.%d.layer.0.layer_norm", BODY},
    SELF("decoder.block.%d.layer.0.SelfAttention.", "q", "k", "v"),
    {"decoder.%d.self_attn.out_proj", "decoder.block.%d.layer.0.SelfAttention.o", BODY},
    {"decoder.%d.norm2", "decoder.block.%d.layer.1.layer_norm", BODY},
    CROSS("decoder.block.%d.layer.1.EncDecAttention.", "q", "k", "v"),
    {"", "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", ONE},
    {"decoder.%d.cross_attn.out_proj", "decoder.block.%d.layer.1.EncDecAttention.o", BODY},
    {"decoder.%d.norm3", "decoder.block.%d.layer.2.layer_norm", BODY},
    {"decoder.%d.ff.up", "decoder.block.%d.layer.2.DenseReluDense.wi", BODY},
    {"decoder.%d.ff.gate", "decoder.block.%d.layer.2.DenseReluDense.wi_0", BODY},
    {"decoder.%d.ff.up", "decoder.block.%d.layer.2.DenseReluDense.wi_1", BODY},
    {"decoder.%d.ff.down", "decoder.block.%d.layer.2.DenseReluDense.wo", BODY},
    {"decoder_norm", "decoder.final_layer_norm", BODY},
    {"output.weight", "lm_head.weight", LONE},
    {0}};
/* BART's and Marian's names; Marian has neither positions nor norms of embeddings in its files. */
const NameRule names_bart[] = {
    {"words.weight", "shared.weight", ONE},
    {"words.weight", "encoder.embed_tokens.weight", ONE},
    {"words.weight", "decoder.embed_tokens.weight", ONE},
    {"position.weight", "encoder.embed_positions.weight", ONE},
    {"embedding_norm", "encoder.layernorm_embedding", BODY},
    QKV("encoder.layers.%d.self_attn.", "q_proj", "k_proj", "v_proj"),
    {"blocks.%d.attn.out_proj", "encoder.layers.%d.self_attn.out_proj", BODY},
    {"blocks.%d.norm1", "encoder.layers.%d.self_attn_layer_norm", BODY},
    {"blocks.%d.ff.up", "encoder.layers.%d.fc1", BODY},
    {"blocks.%d.ff.down", "encoder.layers.%d.fc2", BODY},
    {"blocks.%d.norm2", "encoder.layers.%d.final_layer_norm", BODY},
    {"decoder_position.weight", "decoder.embed_positions.weight", ONE},
    {"decoder_embedding_norm", "decoder.layernorm_embedding", BODY},
    SELF("decoder.layers.%d.self_attn.", "q_proj", "k_proj", "v_proj"),
    {"decoder.%d.self_attn.out_proj", "decoder.layers.%d.self_attn.out_proj", BODY},
    {"decoder.%d.norm1", "decoder.layers.%d.self_attn_layer_norm", BODY},
    CROSS("decoder.layers.%d.encoder_attn.", "q_proj", "k_proj", "v_proj"),
    {"decoder.%d.cross_attn.out_proj", "decoder.layers.%d.encoder_attn.out_proj", BODY},
    {"decoder.%d.norm2", "decoder.layers.%d.encoder_attn_layer_norm", BODY},
    {"decoder.%d.ff.up", "decoder.layers.%d.fc1", BODY},
    {"decoder.%d.ff.down", "decoder.layers.%d.fc2", BODY},
    {"decoder.%d.norm3", "decoder.layers.%d.final_layer_norm", BODY},
    {"output.weight", "lm_head.weight", LONE},
    {"logits_bias", "final_logits_bias", LONE},
    {"", "encoder.embed_positions.weight", ONE},
    {"", "decoder.embed_positions.weight", ONE},
    {0}};

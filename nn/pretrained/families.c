/* families.c: what a family of models is: how its checkpoints name what this library has, and what
 * it computes. Data, not code.
 *
 * Layouts: linear layers are (out, in) here and there; GPT-2's Conv1D are (in, out) and are
 * transposed. Query, key and value are the rows of one in_proj here. Where two rules are for one
 * weight, the first whose tensor is there counts. "known" lists tensors that may be in a file
 * without being needed: buffers, copies of tied weights, heads for pre-training. Any other tensor
 * without a rule is an error (import.c): a model that is not understood must not be computed
 * without it. */
#include "nn/pretrained/inside.h"

/* The kinds of rules, after our path and their name. BODY and HEAD: a module with weight and bias,
 * below the family's prefix or beside it. CONV: a module of the body whose weight is transposed.
 * ONE and LONE: a single tensor, in the body or beside it. QKV: three modules that are the rows of
 * our in_proj. */
#define BODY PART_ALL, AS_IT_IS, true, true
#define HEAD PART_ALL, AS_IT_IS, true, false
#define CONV PART_ALL, TRANSPOSED, true, true
#define ONE  PART_ALL, AS_IT_IS, false, true
#define LONE PART_ALL, AS_IT_IS, false, false
#define QKV(q, k, v)                                                    \
    {"blocks.%d.attn.in_proj_", q, PART_QUERY, AS_IT_IS, true, true},   \
        {"blocks.%d.attn.in_proj_", k, PART_KEY, AS_IT_IS, true, true}, \
    {                                                                   \
        "blocks.%d.attn.in_proj_", v, PART_VALUE, AS_IT_IS, true, true  \
    }

/* BERT's and RoBERTa's bodies have the same names. */
#define BERT_BODY                                                                           \
    {"words.weight", "embeddings.word_embeddings.weight", ONE},                             \
        {"position.weight", "embeddings.position_embeddings.weight", ONE},                  \
        {"types.weight", "embeddings.token_type_embeddings.weight", ONE},                   \
        {"embedding_norm", "embeddings.LayerNorm", BODY},                                   \
        QKV("encoder.layer.%d.attention.self.query", "encoder.layer.%d.attention.self.key", \
            "encoder.layer.%d.attention.self.value"),                                       \
        {"blocks.%d.attn.out_proj", "encoder.layer.%d.attention.output.dense", BODY},       \
        {"blocks.%d.norm1", "encoder.layer.%d.attention.output.LayerNorm", BODY},           \
        {"blocks.%d.ff.up", "encoder.layer.%d.intermediate.dense", BODY},                   \
        {"blocks.%d.ff.down", "encoder.layer.%d.output.dense", BODY},                       \
    {                                                                                       \
        "blocks.%d.norm2", "encoder.layer.%d.output.LayerNorm", BODY                        \
    }

/* Devlin et al. (2019), as transformers' BertModel and its heads name their weights. decoder.bias
 * and predictions.bias are one weight under two names. */
static const NameRule bert[] = {BERT_BODY,
                                {"pooler", "pooler.dense", BODY},
                                {"transform", "cls.predictions.transform.dense", HEAD},
                                {"transform_norm", "cls.predictions.transform.LayerNorm", HEAD},
                                {"output.weight", "cls.predictions.decoder.weight", LONE},
                                {"output.bias", "cls.predictions.decoder.bias", LONE},
                                {"output.bias", "cls.predictions.bias", LONE},
                                {"classifier", "classifier", HEAD},
                                {0}};
/* The body is BERT's. A classifier's first layer, classifier.dense, is the pooler. */
static const NameRule roberta[] = {BERT_BODY,
                                   {"pooler", "classifier.dense", HEAD},
                                   {"pooler", "pooler.dense", BODY},
                                   {"transform", "lm_head.dense", HEAD},
                                   {"transform_norm", "lm_head.layer_norm", HEAD},
                                   {"output.weight", "lm_head.decoder.weight", PART_ALL, AS_IT_IS,
                                    false, false},
                                   {"output.bias", "lm_head.decoder.bias", LONE},
                                   {"output.bias", "lm_head.bias", LONE},
                                   {"classifier", "classifier.out_proj", HEAD},
                                   {0}};
/* Names of its own; no types, and the pooler is called pre_classifier. */
static const NameRule distilbert[] = {
    {"words.weight", "embeddings.word_embeddings.weight", ONE},
    {"position.weight", "embeddings.position_embeddings.weight", ONE},
    {"embedding_norm", "embeddings.LayerNorm", BODY},
    QKV("transformer.layer.%d.attention.q_lin", "transformer.layer.%d.attention.k_lin",
        "transformer.layer.%d.attention.v_lin"),
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
static const NameRule gpt2[] = {{"words.weight", "wte.weight", ONE},
                                {"position.weight", "wpe.weight", ONE},
                                {"blocks.%d.norm1", "h.%d.ln_1", BODY},
                                {"blocks.%d.attn.in_proj_", "h.%d.attn.c_attn", CONV},
                                {"blocks.%d.attn.out_proj", "h.%d.attn.c_proj", CONV},
                                {"blocks.%d.norm2", "h.%d.ln_2", BODY},
                                {"blocks.%d.ff.up", "h.%d.mlp.c_fc", CONV},
                                {"blocks.%d.ff.down", "h.%d.mlp.c_proj", CONV},
                                {"norm", "ln_f", BODY},
                                {"output.weight", "lm_head.weight", LONE},
                                {0}};
/* ViT's and DeiT's bodies; a ViT has no distillation token. */
#define VIT_BODY                                                                                   \
    {"class_token", "embeddings.cls_token", ONE},                                                  \
        {"distillation_token", "embeddings.distillation_token", ONE},                              \
        {"picture_position", "embeddings.position_embeddings", ONE},                               \
        {"patches", "embeddings.patch_embeddings.projection", BODY},                               \
        {"blocks.%d.norm1", "encoder.layer.%d.layernorm_before", BODY},                            \
        QKV("encoder.layer.%d.attention.attention.query",                                          \
            "encoder.layer.%d.attention.attention.key",                                            \
            "encoder.layer.%d.attention.attention.value"),                                         \
        {"blocks.%d.attn.out_proj", "encoder.layer.%d.attention.output.dense", BODY},              \
        {"blocks.%d.norm2", "encoder.layer.%d.layernorm_after", BODY},                             \
        {"blocks.%d.ff.up", "encoder.layer.%d.intermediate.dense", BODY},                          \
        {"blocks.%d.ff.down", "encoder.layer.%d.output.dense", BODY}, {"norm", "layernorm", BODY}, \
    {                                                                                              \
        "pooler", "pooler.dense", BODY                                                             \
    }
static const NameRule vit[] = {VIT_BODY, {"classifier", "classifier", HEAD}, {0}};
static const NameRule deit[] = {VIT_BODY,
                                {"classifier", "classifier", HEAD},
                                {"classifier", "cls_classifier", HEAD},
                                {"distilled_classifier", "distillation_classifier", HEAD},
                                {0}};
/* Without biases, but for Qwen 2's in_proj: a rule for what neither side has is passed over. */
static const NameRule llama[] = {{"words.weight", "embed_tokens.weight", ONE},
                                 QKV("layers.%d.self_attn.q_proj", "layers.%d.self_attn.k_proj",
                                     "layers.%d.self_attn.v_proj"),
                                 {"blocks.%d.attn.out_proj", "layers.%d.self_attn.o_proj", BODY},
                                 {"blocks.%d.ff.gate", "layers.%d.mlp.gate_proj", BODY},
                                 {"blocks.%d.ff.up", "layers.%d.mlp.up_proj", BODY},
                                 {"blocks.%d.ff.down", "layers.%d.mlp.down_proj", BODY},
                                 {"blocks.%d.norm1", "layers.%d.input_layernorm", BODY},
                                 {"blocks.%d.norm2", "layers.%d.post_attention_layernorm", BODY},
                                 {"norm", "norm", BODY},
                                 {"output.weight", "lm_head.weight", LONE},
                                 {0}};

/* A list of names, closed by NULL. */
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
const FamilyRules pretrained_families[PRETRAINED_FAMILIES] = {
    [PRETRAINED_BERT] = {.types = NAMES("bert"),
                         .read = pretrained_read_bert,
                         .prefix = "bert.",
                         .word_tensor = "embeddings.word_embeddings.weight",
                         .rules = bert,
                         .known = NAMES("embeddings.position_ids", "cls.predictions.bias",
                                        "cls.predictions.decoder.", "cls.seq_relationship."),
                         .classifier = "BertForSequenceClassification",
                         .kind = TEXT_ENCODER,
                         .pool = ACTIVATION_TANH},
    [PRETRAINED_ROBERTA] = {.types = NAMES("roberta", "xlm-roberta", "camembert"),
                            .read = pretrained_read_bert,
                            .prefix = "roberta.",
                            .word_tensor = "embeddings.word_embeddings.weight",
                            .rules = roberta,
                            .known = NAMES("embeddings.position_ids", "lm_head.decoder.",
                                           "lm_head.bias", "pooler."),
                            .classifier = "RobertaForSequenceClassification",
                            .kind = TEXT_ENCODER,
                            .positions_after_pad = true,
                            .pool = ACTIVATION_TANH,
                            .transform_gelu = true},
    [PRETRAINED_DISTILBERT] = {.types = NAMES("distilbert"),
                               .read = pretrained_read_distilbert,
                               .prefix = "distilbert.",
                               .word_tensor = "embeddings.word_embeddings.weight",
                               .rules = distilbert,
                               .known = NAMES("vocab_projector.weight"),
                               .classifier = "DistilBertForSequenceClassification",
                               .kind = TEXT_ENCODER,
                               .pool = ACTIVATION_RELU},
    [PRETRAINED_GPT2] = {.types = NAMES("gpt2"),
                         .read = pretrained_read_gpt2,
                         .prefix = "transformer.",
                         .word_tensor = "wte.weight",
                         .rules = gpt2,
                         .known =
                             NAMES("h.%d.attn.bias", "h.%d.attn.masked_bias", "lm_head.weight"),
                         .kind = TEXT_DECODER},
    [PRETRAINED_VIT] = {.types = NAMES("vit"),
                        .read = pretrained_read_vit,
                        .prefix = "vit.",
                        .word_tensor = "embeddings.cls_token",
                        .rules = vit,
                        .known = NAMES("decoder."),
                        .kind = IMAGE_ENCODER,
                        .pool = ACTIVATION_TANH},
    [PRETRAINED_DEIT] = {.types = NAMES("deit"),
                         .read = pretrained_read_vit,
                         .prefix = "deit.",
                         .word_tensor = "embeddings.cls_token",
                         .rules = deit,
                         .known = NAMES("decoder."),
                         .kind = IMAGE_ENCODER,
                         .distilled = true,
                         .pool = ACTIVATION_TANH},
    [PRETRAINED_LLAMA] = {.types = NAMES("llama", "mistral", "qwen2"),
                          .read = pretrained_read_llama,
                          .prefix = "model.",
                          .word_tensor = "embed_tokens.weight",
                          .rules = llama,
                          .known = NAMES("layers.%d.self_attn.rotary_emb.inv_freq",
                                         "rotary_emb.inv_freq", "lm_head.weight"),
                          .kind = TEXT_DECODER,
                          .norm = NORM_RMS,
                          .gated = true,
                          .any_head_size = true},
};

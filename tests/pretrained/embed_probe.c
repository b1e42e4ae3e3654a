/* embed_probe.c: sentence embeddings of lines of text, for embeddings.py to compare with
 * transformers.
 *
 *   embed-probe FOLDER OUT.npy BATCH < lines  the mean of the last hidden states of each line, of length 1, (N, C) */
#include <gradus.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 256, LINE = 20000 };

static bool embed(const Pretrained *m, Tape *tape, const Tokens *rows, int count, real *out)
{
    TokenBatch b = {0};
    int64_t C = m->config.channels;
    if (!data_token_batch(&b, rows, count, m->config.pad))
        return false;
    tape_reset(tape);
    Tensor *ids = tape_ids(tape, b.ids, shape2(b.B, b.T)),
           *lengths = tape_ids(tape, b.lengths, shape1(b.B));
    Tensor *x = nn_pretrained_run(m, ids, NULL, lengths, NULL);
    for (int64_t i = 0; !tensor_is_poison(x) && i < b.B; i++) {
        double square = 0;
        for (int64_t c = 0; c < C; c++) {
            double sum = 0;
            for (int64_t t = 0; t < b.lengths[i]; t++)
                sum += (double)x->data[(i * b.T + t) * C + c];
            out[i * C + c] = (real)sum;
            square += sum * sum;
        }
        for (int64_t c = 0; c < C; c++)
            out[i * C + c] = (real)((double)out[i * C + c] / sqrt(square));
    }
    data_token_batch_free(&b);
    return !tensor_is_poison(x);
}

int main(int argc, char **argv)
{
    static char line[LINE];
    static Tokens rows[LINES];
    Pretrained m = {0};
    Tokeniser *t = argc == 4 ? data_tokeniser_open(argv[1]) : NULL;
    Tape *tape = tape_new(1);
    int n = 0, batch = argc == 4 ? atoi(argv[3]) : 1;
    bool ok = t && tape && nn_pretrained_load(argv[1], &m, (PretrainedOptions){0});
    while (ok && n < LINES && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        ok = data_tokens(t, (TokenInput){.text = line, .longest = m.config.positions}, &rows[n++]);
    }
    Tensor *e = ok ? tensor_new(shape2(n, m.config.channels)) : NULL;
    if (tape)
        tape->no_grad = true;
    for (int i = 0; e && ok && i < n; i += batch)
        ok = embed(&m, tape, rows + i, n - i < batch ? n - i : batch,
                   e->data + i * m.config.channels);
    ok = ok && e && tensor_npy_write(argv[2], e);
    if (!ok)
        fprintf(stderr, "%s\n",
                argc == 4 ? tensor_error() : "usage: embed-probe FOLDER OUT.npy BATCH");
    for (int i = 0; i < n; i++)
        data_tokens_free(&rows[i]);
    tensor_free(e);
    tape_free(tape);
    nn_pretrained_free(&m);
    data_tokeniser_free(t);
    return ok ? 0 : 1;
}

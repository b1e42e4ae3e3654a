// attend.cpp: gradus from C++. Attention of three tokens, causal, forward and backward.
// Ends with 0 if each token attends to itself and those before it, and the weights got a gradient.
#include <gradus.h>

#include "checks.h"

#include <cmath>
#include <memory>
#include <vector>

struct Free {
    void operator()(Tape *tape) const { tape_free(tape); }
    void operator()(Params *params) const { params_free(params); }
};

int main()
{
    const int64_t T = 3, C = 4;
    std::unique_ptr<Params, Free> params(params_new(1));
    std::unique_ptr<Tape, Free> tape(tape_new(1));
    MultiHeadAttention attention;
    CHECK(nn_attention_init(&attention, params.get(), "attn", C, 2, 0), "init");
    tape->keep_maps = true;

    std::vector<real> numbers;
    for (int64_t i = 0; i < T * C; i++)
        numbers.push_back(static_cast<real>(i % 5) - 2);
    Mask mask = {};
    mask.causal = true;
    Tensor *x = tape_input(tape.get(), numbers.data(), shape3(1, T, C));
    Tensor *y = nn_attention(&attention, x, mask);
    CHECK(shape_equal(y->shape, shape3(1, T, C)), "the shape");
    CHECK(ag_backward(ag_mean(ag_mul(y, y))), "backward");
    CHECK(params_grad_norm(params.get()) > 0, "the gradient");

    const Tensor *a = tape_find(tape.get(), "attn.A"); // (1, 2, T, T)
    for (int64_t head = 0; head < 2; head++)
        for (int64_t i = 0; i < T; i++) {
            double sum = 0;
            for (int64_t j = 0; j < T; j++) {
                const int64_t index[] = {0, head, i, j};
                double weight = static_cast<double>(tensor_get(a, index));
                CHECK(j <= i ? weight > 0 : weight == 0, "nobody sees what comes later");
                sum += weight;
            }
            CHECK(std::fabs(sum - 1) < 1e-5, "weights add up to 1");
        }
    return wrong != 0;
}

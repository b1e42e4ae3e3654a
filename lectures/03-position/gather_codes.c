/* gather_codes.c: takes the codes of the patches out of weight files of the vit example, for row 15
 * (patches.c):
 *
 *     for s in 1 2 3 4 5; do
 *         ./gradus example vit --patch-size 4 --channels 32 --layers 2 --epochs 12 --lr 4e-3 --shift 4 \
 *             --seed $s --save out/vit-$s.safetensors
 *     done
 *     ninja -C build lectures/gather-codes
 *     build/lectures/gather-codes lectures/03-position/patches.safetensors out/vit-?.safetensors
 *
 * The first argument is written: of each other file a tensor "codes.1", "codes.2", ..., without the
 * class token's code. */
#include "gradus.h"

#include <string.h>

static bool gather(Params *codes, int number, const char *path)
{
    Safetensors file;
    if (!safetensors_read(path, &file))
        return false;
    const Tensor *all = safetensors_find(&file, "position.weight");
    bool ok = all && all->shape.rank == 2 && all->shape.dim[0] > 1;
    if (!ok)
        fprintf(stderr, "gather-codes: %s has no table position.weight\n", path);
    int64_t rows = ok ? all->shape.dim[0] - 1 : 0, C = ok ? all->shape.dim[1] : 0;
    Tensor *kept = ok ? params_add(codes, params_path(codes, "codes.%d", number), shape2(rows, C),
                                   nn_constant(0))
                      : NULL;
    if (kept)
        memcpy(kept->data, all->data + C, sizeof(real) * (size_t)(rows * C));
    safetensors_free(&file);
    return kept != NULL;
}

int main(int argc, char **argv)
{
    Params *codes = params_new(1);
    bool ok = codes && argc > 2;
    for (int i = 2; ok && i < argc; i++)
        ok = gather(codes, i - 1, argv[i]);
    ok = ok && params_save(argv[1], codes, NULL, 0);
    if (!ok)
        fprintf(stderr, "gather-codes: %s\n",
                tensor_error() ? tensor_error() : "expected OUT and files of weights");
    params_free(codes);
    return ok ? 0 : 1;
}

/* tests.c: the tests of homework 12. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw12.h"

static Picture picture_of(Case *c)
{
    Picture p = {.channels = case_size(c, "channels", 1, 3), .side = case_size(c, "side", 1, 3)};
    p.height = p.side * case_choice(c, "patches_down", 1, 3);
    p.width = p.side * case_choice(c, "patches_across", 1, 4);
    return p;
}

static int patches(Picture p)
{
    return p.height / p.side * (p.width / p.side);
}

static int length(Picture p)
{
    return p.channels * p.side * p.side;
}

static void patchify_case(Case *c)
{
    Picture p = picture_of(c);
    const real *image = case_input(c, "image", 3, p.channels, p.height, p.width);
    patchify(case_output(c, "rows", 2, patches(p), length(p)), image, p);
}

static void unpatchify_case(Case *c)
{
    Picture p = picture_of(c);
    const real *rows = case_input(c, "rows", 2, patches(p), length(p));
    unpatchify(case_output(c, "image", 3, p.channels, p.height, p.width), rows, p);
}

static void embedding_case(Case *c)
{
    Picture p = picture_of(c);
    int d = case_size(c, "d", 1, 4);
    const real *image = case_input(c, "image", 3, p.channels, p.height, p.width);
    const real *kernel = case_input(c, "kernel", 4, d, p.channels, p.side, p.side);
    const real *bias = case_input(c, "bias", 1, d);
    patch_embedding(case_output(c, "y", 2, patches(p), d), image, kernel, bias, p, d);
}

static void embedding_backward_case(Case *c)
{
    Picture p = picture_of(c);
    int d = case_size(c, "d", 1, 4);
    const real *image = case_input(c, "image", 3, p.channels, p.height, p.width);
    const real *kernel = case_input(c, "kernel", 4, d, p.channels, p.side, p.side);
    case_input(c, "bias", 1, d);
    const real *dy = case_input(c, "dy", 2, patches(p), d);
    real *dimage = case_sum(c, "dimage", 3, p.channels, p.height, p.width);
    real *dkernel = case_sum(c, "dkernel", 4, d, p.channels, p.side, p.side);
    patch_embedding_backward(dimage, dkernel, case_sum(c, "dbias", 1, d), dy, image, kernel, p, d);
}

static void class_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), n = case_size(c, "n", 1, 4);
    int d = case_size(c, "d", 1, 5);
    const real *x = case_input(c, "x", 3, batch, n, d), *token = case_input(c, "class_token", 1, d);
    const real *positions = case_input(c, "positions", 2, n + 1, d);
    add_class(case_output(c, "y", 3, batch, n + 1, d), x, token, positions, batch, n, d);
}

static void class_backward_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), n = case_size(c, "n", 1, 4);
    int d = case_size(c, "d", 1, 5);
    case_input(c, "x", 3, batch, n, d);
    case_input(c, "class_token", 1, d);
    case_input(c, "positions", 2, n + 1, d);
    const real *dy = case_input(c, "dy", 3, batch, n + 1, d);
    real *dx = case_sum(c, "dx", 3, batch, n, d), *dclass = case_sum(c, "dclass", 1, d);
    add_class_backward(dx, dclass, case_sum(c, "dpositions", 2, n + 1, d), dy, batch, n, d);
}

static void pool_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), skip = case_choice(c, "skip", 0, 2);
    int n = skip + case_size(c, "patches", 1, 4), d = case_size(c, "d", 1, 5);
    const real *x = case_input(c, "x", 3, batch, n, d);
    mean_pool(case_output(c, "y", 2, batch, d), x, batch, n, d, skip);
}

static void roll_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), columns = case_size(c, "columns", 1, 5);
    int d = case_turn(c, "d", 1, 2), shift = case_choice(c, "shift", 0, 6);
    const real *x = case_input(c, "x", 3, rows, columns, d);
    roll(case_output(c, "y", 3, rows, columns, d), x, rows, columns, d, shift);
}

static void windows_case(Case *c)
{
    int side = case_size(c, "side", 1, 3), d = case_turn(c, "d", 1, 2);
    int rows = side * case_choice(c, "down", 1, 2), columns = side * case_turn(c, "across", 1, 3);
    const real *x = case_input(c, "x", 3, rows, columns, d);
    int count = rows / side * (columns / side);
    windows(case_output(c, "y", 3, count, side * side, d), x, rows, columns, d, side);
}

static void mask_case(Case *c)
{
    int side = case_turn(c, "side", 1, 3), shift = case_choice(c, "shift", 0, side - 1);
    int rows = side * case_choice(c, "down", 1, 2), columns = side * case_choice(c, "across", 1, 3);
    int n = side * side;
    int *keep = case_output_integers(c, "keep", 3, rows / side * (columns / side), n, n);
    shifted_mask(keep, rows, columns, side, shift);
}

const Test tests[] = {
    {"patchify", "patchify", "a picture in patches", POINTS(12), patchify_case, .cases = 24},
    {"unpatchify", "unpatchify", "patches as a picture", POINTS(8), unpatchify_case, .cases = 24},
    {"embedding", "patch_embedding", "patch embedding", POINTS(12), embedding_case},
    {"embedding_backward", "patch_embedding_backward", "patch embedding, backward", POINTS(16),
     embedding_backward_case, .forward = embedding_case,
     .gradients = "dimage:image dkernel:kernel dbias:bias", .upstream = "dy:y"},
    {"class", "add_class", "class token and positions", POINTS(8), class_case},
    {"class_backward", "add_class_backward", "class token and positions, backward", POINTS(12),
     class_backward_case, .forward = class_case,
     .gradients = "dx:x dclass:class_token dpositions:positions", .upstream = "dy:y"},
    {"pool", "mean_pool", "mean of the patches", POINTS(6), pool_case, .cases = 24},
    {"roll", "roll", "move a grid", POINTS(6), roll_case, .cases = 24},
    {"windows", "windows", "cut a grid into windows", POINTS(8), windows_case, .cases = 24},
    {"mask", "shifted_mask", "mask of shifted windows", POINTS(12), mask_case, .cases = 45},
    {0},
};

/* ops.c: the table of all ops, made from their list. */
#include "autograd/autograd.h"

/* Read twice: once to declare op_abs, op_add and so on, once to list their addresses. A NULL ends
 * the table. */
#define OP(name) extern const Op op_##name;
#include "autograd/ops/list.h"
#undef OP

#define OP(name) &op_##name,
const Op *const ag_ops[] = {
#include "autograd/ops/list.h"
    NULL,
};

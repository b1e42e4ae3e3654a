/* ops.c: the table of all ops, made from their list. */
#include "autograd/autograd.h"

/* Read twice: to declare op_abs, op_add and so on, and to list their addresses up to a NULL. */
#define OP(name) extern const Op op_##name;
#include "autograd/ops/list.h"
#undef OP

#define OP(name) &op_##name,
const Op *const ag_ops[] = {
#include "autograd/ops/list.h"
    NULL,
};

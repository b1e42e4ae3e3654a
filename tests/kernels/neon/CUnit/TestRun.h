#include "tests/kernels/neon/CUnit/CUnit.h"

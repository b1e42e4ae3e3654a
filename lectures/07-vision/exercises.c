/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 7 --try 48` runs those of row 48. As they stand they compute something else, so their claims FAIL;
 * `--try 48:solved` measures a solution instead of the function. */
#include "lectures/07-vision/vision.h"

/* ---- row 48 ------------------------------------------------------------------------------------------------ */

/* ---- row 49 ------------------------------------------------------------------------------------------------ */

/* ---- row 50 ------------------------------------------------------------------------------------------------ */

/* ---- row 51 ------------------------------------------------------------------------------------------------ */

/* in exercises_sound.c */

const Claim *const vision_exercises[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    /* row 51 */
    &exercise_overlap,
    &exercise_codes,
    NULL,
};

/* mystery.c: the command `./gradus mystery`.
 *
 *   lectures mystery 7                   the mysteries from 1 on have every fault once
 *   lectures mystery 123 --course J      a fault of a subject of lecture J
 *   echo no-mask | lectures mystery 7    measurements and the answer, from a file
 *
 * Status 0: the fault was named; 1: it was not named; 2: the command
 * line, or a line of the input, cannot be read. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/values.h"

#include "examples/common/options.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is the fault of a subject of this chapter (0: any) and of this lecture (NULL: any)? */
static bool treated(const Fault *f, int chapter, const char *course)
{
    return (!chapter || chapter_with_row(f->row)->number == chapter) &&
           (!course || slide_of_row(*course, f->row));
}

/* Of these faults, each once in an order that says nothing, then in another order, and so on. */
static const Fault *choose(int number, int chapter, const char *course)
{
    const Fault *all = mystery_faults;
    int order[FAULTS_MOST], count = 0, i = number - 1;
    for (const Fault *f = all; f->row; f++)
        if (treated(f, chapter, course))
            order[count++] = (int)(f - all);
    if (!count)
        options_refuse("--chapter: found %d; expected a chapter of which a fault is%s", chapter,
                       course ? ", and in the course" : "");
    rng_shuffle(&(Rng){.seed = 40, .stream = (uint64_t)(i / count)}, order, count);
    return &all[order[i % count]];
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Reads measurements, which it counts, and an answer from standard input. NULL: there was no
 * answer. */
static const Fault *converse(const Run *r, const Run *sound, int *measured)
{
    const bool terminal = isatty(fileno(stdin));
    char line[256], word[256];
    show_text("type", 9,
              "a measurement (such as gradients), or the fault's name; ?: both lists; q: end");
    for (;;) {
        printf("> ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return NULL;
        if (sscanf(line, "%255s", word) != 1)
            strcpy(word, "?");
        if (!terminal)
            printf("%s\n", word);
        if (strcmp(word, "q") == 0)
            return NULL;
        const Fault *named = fault_named(word);
        Measure m = measure_named(r, word);
        if (named && named->learner == r->learner)
            return named;
        if (m < MEASURES) {
            printf("\nmeasurement %d: %s\n\n", ++*measured, word);
            if (!show_measure(r, sound, m))
                return NULL;
        } else if (strcmp(word, "?") == 0) {
            show_lists(r);
        } else if (terminal) {
            printf("found '%s'; expected a measurement or a fault of this model; ?: both lists\n",
                   word);
        } else {
            options_refuse("standard input: found '%s'; expected a measurement or a fault of this "
                           "model, which ? lists",
                           word);
        }
    }
}

/* Trains the run and a sound one, answers questions, and judges the answer. */
static int inquire(const Fault *f, int number)
{
    static Run run, sound;
    int measured = 0;
    if (!run_train(&run, f, (uint64_t)number) ||
        !run_train(&sound, sound_run(f->learner), (uint64_t)number))
        return 1;
    show_text("mystery", 9, "%d", number);
    show_text("trained", 9, "%s; %d steps; one thing is wrong. Beside it, a sound run\n",
              sound.fault->what, f->learner->steps);
    show_measure(&run, &sound, LOSSES);
    const Fault *named = converse(&run, &sound, &measured);
    putchar('\n');
    if (named) {
        show_text(named == f ? "RIGHT" : "NOT SO", 9, "%s: %s", f->name, f->what);
        show_text("seen by", 9, "%s", f->clue);
        if (named != f)
            show_text("", 9, "%s would show otherwise: %s", named->name, named->clue);
        show_text("more", 9, "./gradus claims --explain %d", f->row);
    } else {
        show_text("end", 9, "the fault was not named");
    }
    show_text("asked", 9, "measurements beside the losses: %d", measured);
    run_free(&run);
    run_free(&sound);
    return named != f;
}

/* ---- the command ----------------------------------------------------------------------------- */

int lectures_mystery(int argc, char **argv)
{
    char *end = "";
    const char *word = take_word(&argc, argv), *course = NULL;
    long number = word ? strtol(word, &end, 10) : 1 + (long)((uint64_t)system_clock() % 1000000);
    int chapter = 0;
    const Option table[] = {
        {"course", OPTION_TEXT, &course, "LETTER", "a fault of what V, B, H, Z or J treats", 0, 0},
        {"chapter", OPTION_INT, &chapter, "N", "a fault of what this chapter treats", 1, 8},
        {0},
    };
    options_parse(argc, argv, "Trains a small model with a hidden fault: measure, and name it.",
                  table);
    if (*end || number < 1 || number > 1000000)
        options_refuse("found '%s'; expected the number of a mystery, such as 7", word);
    if (course && (strlen(course) != 1 || !strchr("VBHZJ", *course)))
        options_refuse("--course: found '%s'; expected V, B, H, Z or J", course);
    values_exit_on_error();
    tensor_set_threads(1); /* the tensors are too small for more */
    return inquire(choose((int)number, chapter, course), (int)number);
}

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
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 256 };

typedef struct {
    int number, chapter; /* number: of the mystery, which is the seed of fault, weights and data */
    const char *course, *out;
    bool gallery, separability;
} Settings;

/* What was asked so far. */
typedef struct {
    Run run, sound;
    bool beside, terminal;
    int measured;
} Inquiry;

/* ---- which fault ----------------------------------------------------------------------------- */

static int chapter_of(const Fault *f)
{
    return chapter_with_row(f->row)->number;
}

int mystery_chapter(const char *what)
{
    int chapter = 0, end = 0;
    if (sscanf(what, "mystery%1d%n", &chapter, &end) != 1 || what[end])
        return 0;
    for (const Fault *f = mystery_faults(); f->row; f++)
        if (chapter_of(f) == chapter)
            return chapter;
    return 0;
}

/* The faults of the lecture's rows or the chapter's, or all; returns how many. */
static int list_faults(const Settings *set, const Fault **list)
{
    int count = 0;
    for (const Fault *f = mystery_faults(); f->row; f++)
        if ((!set->course || slide_of_row(set->course[0], f->row)) &&
            (!set->chapter || chapter_of(f) == set->chapter))
            list[count++] = f;
    if (!count)
        options_refuse("--chapter: found %d; expected a chapter of which a fault is%s",
                       set->chapter, set->course ? ", and in the course" : "");
    return count;
}

/* Of these faults, each once in an order that says nothing, then in another order, and so on. */
static const Fault *choose(const Settings *set)
{
    const Fault *list[FAULTS_MOST];
    int order[FAULTS_MOST], count = list_faults(set, list), i = set->number - 1;
    for (int k = 0; k < count; k++)
        order[k] = k;
    rng_shuffle(&(Rng){.seed = 40, .stream = (uint64_t)(i / count)}, order, count);
    return list[order[i % count]];
}

/* --gallery or --separability: the faults, and after them a sound run of each of their models. */
static int compare(const Settings *set)
{
    const Fault *list[FAULTS_MOST + MODELS];
    bool has[MODELS] = {0};
    int count = list_faults(set, list);
    uint64_t seed = set->number ? (uint64_t)set->number : 1;
    for (int i = 0; i < count; i++)
        has[list[i]->model] = true;
    for (int m = 0; m < MODELS; m++)
        if (has[m])
            list[count++] = sound_run((Model)m);
    if (set->separability)
        return !(gallery_separability(list, count, seed) >= 0.8);
    options_need_folder("out", set->out);
    return !gallery_write(set->out, list, count, seed);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The measurement of this name that the model has; MEASURES: there is none. */
static Measure measure_named(const char *name, Model model)
{
    int m = 0;
    while (m < MEASURES &&
           (strcmp(measures[m].name, name) != 0 || !(measures[m].models >> model & 1)))
        m++;
    return (Measure)m;
}

static const Fault *answer_named(const char *name, Model model)
{
    const Fault *f = fault_named(name);
    return f && f->model == model ? f : NULL;
}

static void print_entry(const char *name, const char *what)
{
    printf("   %-18s ", name);
    wrapped_print(what, 22);
}

static void print_lists(Model model)
{
    printf("measurements\n");
    for (const MeasureInfo *m = measures; m->name; m++)
        if (m->models >> model & 1)
            print_entry(m->name, m->what);
    printf("faults\n");
    for (const Fault *f = mystery_faults(); f->row; f++)
        if (f->model == model)
            print_entry(f->name, f->what);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void need_sound(Inquiry *q)
{
    if (!q->sound.fault && !run_train(&q->sound, sound_run(q->run.model), q->run.seed))
        exit(1);
}

static void measure(Inquiry *q, Measure m)
{
    printf("\nmeasurement %d: %s\n\n", ++q->measured, measures[m].name);
    if (m == SOUND) {
        need_sound(q);
        q->beside = true;
        m = LOSSES;
    }
    if (!show_measure(&q->run, q->beside ? &q->sound : NULL, m))
        exit(1);
}

static bool judge(Inquiry *q, const Fault *named)
{
    const Fault *f = q->run.fault;
    bool right = named == f;
    putchar('\n');
    wrapped_say(right ? "RIGHT" : "NOT SO", 9, "%s: %s", f->name, f->what);
    wrapped_say("seen by", 9, "%s", f->clue);
    if (!right) {
        wrapped_say("", 9, "%s would show otherwise:", named->name);
        wrapped_say("", 9, "%s", named->clue);
    }
    wrapped_say("asked", 9, "%d measurement%s beside the losses", q->measured,
                q->measured == 1 ? "" : "s");
    wrapped_say("more", 9, "./gradus claims --explain %d", f->row);
    putchar('\n');
    need_sound(q);
    show_differences(&q->run, &q->sound, 4);
    return right;
}

/* Reads measurements and an answer from standard input: true if the fault was named. */
static bool converse(Inquiry *q)
{
    char line[LINE];
    Model model = q->run.model;
    wrapped_say("type", 9,
                "a measurement (such as gradients), or the fault's name; ?: both lists; q: end");
    for (;;) {
        printf("> ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            line[0] = 'q', line[1] = 0;
        char *word = line + strspn(line, " \t\r\n");
        word[strcspn(word, " \t\r\n")] = 0;
        if (!q->terminal)
            printf("%s\n", word);
        if (strcmp(word, "q") == 0)
            break;
        Measure m = measure_named(word, model);
        const Fault *f = answer_named(word, model);
        if (f)
            return judge(q, f);
        if (m < MEASURES)
            measure(q, m);
        else if (!*word || strcmp(word, "?") == 0)
            print_lists(model);
        else if (q->terminal)
            printf("found '%s'; expected a measurement or a fault of this model; ?: both lists\n",
                   word);
        else
            options_refuse("standard input: found '%s'; expected a measurement or a fault of this "
                           "model, which ? lists",
                           word);
    }
    wrapped_say("end", 9, "the fault was not named");
    return false;
}

static int inquire(const Settings *set)
{
    static Inquiry q;
    const Fault *f = choose(set);
    q = (Inquiry){.terminal = system_is_terminal(stdin)};
    if (!run_train(&q.run, f, (uint64_t)set->number))
        return 1;
    wrapped_say("mystery", 9, "%d", set->number);
    wrapped_say("trained", 9, "%s; %d steps; one thing is wrong", sound_run(f->model)->what,
                trained[f->model].steps);
    putchar('\n');
    show_measure(&q.run, NULL, LOSSES);
    bool right = converse(&q);
    run_free(&q.run);
    run_free(&q.sound);
    return right ? 0 : 1;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Takes the number out of the command line; 0: there is none. */
static int take_number(int *argc, char **argv)
{
    char *end;
    const char *word = take_word(argc, argv);
    const long number = word ? strtol(word, &end, 10) : 0;
    if (word && (*end || number < 1 || number > 1000000))
        options_refuse("found '%s'; expected the number of a mystery, such as 7", word);
    return (int)number;
}

static void check_settings(const Settings *set)
{
    if (set->gallery && set->separability)
        options_refuse("found --gallery and --separability; expected one of them");
    if (set->course && (strlen(set->course) != 1 || !strchr("VBHZJ", set->course[0])))
        options_refuse("--course: found '%s'; expected V, B, H, Z or J", set->course);
    if (options_given("out") && !set->gallery)
        options_refuse("--out: expected --gallery as well");
}

int lectures_mystery(int argc, char **argv)
{
    const int number = take_number(&argc, argv);
    Settings set = {.number = number, .out = "out/mystery"};
    const Option table[] = {
        {"seed", OPTION_INT, &set.number, "N", "the number, as in: mystery N", 1, 1e6},
        {"course", OPTION_TEXT, &set.course, "LETTER", "faults of what V, B, H, Z or J treats", 0,
         0},
        {"chapter", OPTION_INT, &set.chapter, "N", "faults of what this chapter treats", 1, 8},
        {"gallery", OPTION_FLAG, &set.gallery, NULL, "write a page and a poster of all faults", 0,
         0},
        {"out", OPTION_TEXT, &set.out, "DIR", "the folder of --gallery", 0, 0},
        {"separability", OPTION_FLAG, &set.separability, NULL,
         "how often the nearest run of another seed has the same fault", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Trains a small model with a hidden fault: measure, and name it.",
                  table);
    check_settings(&set);
    if (number && options_given("seed"))
        options_refuse("found %d and --seed; expected one of them", number);
    values_exit_on_error();
    tensor_set_threads(1); /* the tensors are too small for more */
    if (set.gallery || set.separability)
        return compare(&set);
    if (!set.number)
        set.number = 1 + (int)((uint64_t)system_clock() % 1000000);
    return inquire(&set);
}

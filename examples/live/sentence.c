/* sentence.c: a sentence that a reader types. See live.h. */
#include "examples/live/live.h"

#include <string.h>

enum { CUTS_MAX = 64 };

/* The words as the tokeniser cuts them, each with 1 if the model knows it. */
static void put_words(Page *p, const LiveModel *l, const char *text)
{
    Words words;
    page_key_array(p, "words");
    for (int i = 0; data_tokenise(text, &words) && i < words.count; i++) {
        const char *word = words.word[i];
        const bool known = l->settings.set
                               ? set_word_known(word)
                               : data_vocab_find(data_grammar_words(l->grammar), word) >= 0;
        live_word(p, word, known);
    }
    page_end(p);
    tensor_clear_error();
}

size_t live_inputs(char *text, size_t size, void *html)
{
    return html_data(html, text, size);
}

/* Reads "LAYER.HEAD" and "LAYER.HEAD.QUERY.KEY", each counted from 0 and closed by a blank. Returns
 * their number; -1, with an error, for another text. */
static int read_cuts(const char *text, Cut cuts[CUTS_MAX])
{
    int count = 0;
    while (*(text += strspn(text, " "))) {
        Cut c = {0, 0, -1, -1};
        int used = 0, found = sscanf(text, "%d.%d%n.%d.%d%n", &c.layer, &c.head, &used, &c.query,
                                     &c.key, &used);
        if ((found != 2 && found != 4) || (text[used] && text[used] != ' ') || count == CUTS_MAX) {
            tensor_fail("live_sentence: the cuts go on with \"%.40s\"; expected at most %d of "
                        "LAYER.HEAD or LAYER.HEAD.QUERY.KEY",
                        text, CUTS_MAX);
            return -1;
        }
        cuts[count++] = c;
        text += used;
    }
    return count;
}

/* The text up to a newline is the sentence; after it come the cuts. */
static const char *split_cuts(char *sentence, size_t size)
{
    const char *text = live_text(), *end = strchr(text, '\n');
    snprintf(sentence, size, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
    return end ? end + 1 : "";
}

LiveRun sentence_run(Question *q, Tape *tape, Page *answer)
{
    static char sentence[4096];
    const LiveModel *l = &live_model;
    Cut cuts[CUTS_MAX];
    if (!live_params || !l->grammar || !tape) {
        tensor_fail("live_sentence: there is no model of sentences; expected live_begin first");
        return LIVE_FAILED;
    }
    const char *cut = split_cuts(sentence, sizeof sentence);
    put_words(answer, l, sentence);
    if (!(l->settings.set ? set_read(q, sentence) : question_read(q, l->grammar, sentence)))
        return LIVE_REFUSED;
    int count = read_cuts(cut, cuts);
    if (count < 0 || !question_run(q, &l->model, tape, cuts, count))
        return LIVE_FAILED;
    if (l->settings.set)
        set_say(q);
    else
        question_say(q, l->grammar);
    params_zero_grad(live_params); /* a training run's next step adds to nothing */
    return LIVE_RAN;
}

int sentence_answer(LiveRun run, const Question *q, Page *answer,
                    size_t (*write)(char *text, size_t size, void *what), void *what)
{
    if (run == LIVE_REFUSED)
        return live_refuse(answer);
    if (run == LIVE_RAN) {
        page_key_text(answer, "title", q->title);
        page_key_number(answer, "probability", q->probability);
        page_key_count(answer, "right",
                       q->sentence.label < 0 ? -1 : q->answer == q->sentence.label);
    }
    return live_answer_data(run == LIVE_RAN, answer, write, what);
}

int live_sentence(void)
{
    Question q;
    Tape *tape = tape_new(0);
    Html html = {.wanted = true};
    Page *answer = page_data_new("live_sentence");
    LiveRun run = sentence_run(&q, tape, answer);
    if (run == LIVE_RAN && !questions_html(&html, &live_model.model, tape, &q, 1))
        run = LIVE_FAILED;
    int length = sentence_answer(run, &q, answer, live_inputs, &html);
    html_free(&html);
    tape_free(tape);
    return length;
}

int live_words(void)
{
    const LiveModel *l = &live_model;
    const Vocab *known = l->grammar ? data_grammar_words(l->grammar) : NULL;
    if (!known) {
        tensor_fail("live_words: there is no model of sentences; expected live_begin first");
        return live_error();
    }
    Page *answer = page_data_new("live_words");
    page_key_array(answer, "words");
    for (int i = 0; l->settings.set && set_number(i); i++)
        page_text(answer, set_number(i));
    for (int i = 0; !l->settings.set && i < known->count; i++)
        if (*known->words[i] != '<') /* "<pad>" and its like */
            page_text(answer, known->words[i]);
    page_end(answer);
    return live_answer_data(true, answer, NULL, NULL);
}

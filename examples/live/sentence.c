/* sentence.c: a sentence that a reader types. See live.h. */
#include "examples/live/live.h"

#include "tensor/io/json.h"

#include <string.h>

enum { CUTS_MAX = 64 };

/* A list of the words as the tokeniser cuts them, each with 1 if the model knows it. */
static void list_words(const Grammar *g, const char *text, char *list, size_t size)
{
    Words words;
    size_t used = 0;
    const Vocab *known = data_grammar_words(g);
    used += (size_t)snprintf(list, size, "[");
    for (int i = 0; data_tokenise(text, &words) && i < words.count; i++) {
        char escaped[DATA_WORD_BYTES * JSON_CHARACTER] = "";
        size_t at = 0, length, taken;
        for (const char *w = words.word[i]; *w; w += taken, at += length)
            taken = json_character(w, strlen(w), escaped + at, &length);
        escaped[at] = 0;
        if (used < size)
            used += (size_t)snprintf(list + used, size - used, "%s[\"%s\", %d]", i ? ", " : "",
                                     escaped, data_vocab_find(known, words.word[i]) >= 0);
    }
    tensor_clear_error();
    if (used < size)
        snprintf(list + used, size - used, "]");
    else
        snprintf(list, size, "[]");
}

static int refuse(const char *words)
{
    char quoted[1024] = "";
    const char *message = tensor_error() ? tensor_error() : "the module failed";
    size_t at = 0, length, taken;
    for (; *message && at + JSON_CHARACTER < sizeof quoted; message += taken, at += length)
        taken = json_character(message, strlen(message), quoted + at, &length);
    quoted[at] = 0;
    tensor_clear_error();
    return live_answer("{\"error\": \"%s\", \"words\": %s}", quoted, words);
}

/* The member "inputs", whose opening bracket the prefix has. */
static size_t write_inputs(char *text, size_t size, void *html)
{
    char *bracket = text;
    size_t length = html_data(html, text, size);
    if (length && bracket && size)
        memmove(text, text + 1, length); /* with the closing 0 */
    return length ? length - 1 : 0;
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

int live_sentence(void)
{
    enum { LIST = DATA_WORDS_MAX * DATA_WORD_BYTES * 2 };
    static char words[LIST], prefix[LIST + 200];
    const LiveModel *l = &live_model;
    static char sentence[4096];
    Question q;
    Cut cuts[CUTS_MAX];
    if (!l->params) {
        tensor_fail("live_sentence: there is no model; expected live_begin first");
        return live_error();
    }
    const char *cut = split_cuts(sentence, sizeof sentence);
    list_words(l->grammar, sentence, words, sizeof words);
    if (!question_read(&q, l->grammar, sentence))
        return refuse(words);
    int count = read_cuts(cut, cuts);
    Tape *tape = tape_new(0);
    Html html = {.wanted = true};
    Drawing drawing;
    bool ok = tape && count >= 0 && question_run(&q, &l->model, l->grammar, tape, cuts, count);
    drawing = question_drawing(&q);
    ok = ok && drawing_html(&html, &l->model, tape, &drawing, 1);
    snprintf(prefix, sizeof prefix, "{\"probability\": %.9g, \"right\": %d, \"words\": %s, ",
             q.probability, q.sentence.label < 0 ? -1 : q.answer == q.sentence.label, words);
    params_zero_grad(l->params); /* a training run's next step adds to nothing */
    int length = ok ? live_answer_with(prefix, write_inputs, &html) : live_error();
    html_free(&html);
    tape_free(tape);
    return length;
}

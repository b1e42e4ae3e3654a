/* tokeniser_wordpiece.c: BERT's pieces of a word: from the left, each time the longest that the
 * vocabulary has, "##" before all but the first. A word that has no such pieces, or is too long, is
 * [UNK] as a whole.
 *    Devlin et al., "BERT" (2019); Wu et al., "Google's neural machine translation system" (2016),
 *    section 4.1 */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

static bool within(const Normal *o, size_t i)
{
    return i < o->n && ((unsigned char)o->text[i] & 0xC0) == 0x80;
}

/* The longest piece that begins at byte i of the word; its end, or i where there is none. text: the
 * word, after as many bytes as the prefix may have. */
static size_t longest_piece(const Tokeniser *t, const Normal *o, char *text, size_t i, int32_t *id)
{
    size_t prefix = i > 0 ? strlen(t->prefix) : 0, end = o->n;
    char *begin = text + i - prefix, kept[sizeof t->prefix];
    memcpy(kept, begin, prefix);
    memcpy(begin, t->prefix, prefix);
    for (*id = -1; end > i; end--) {
        if (within(o, end))
            continue;
        *id = model_find(t, begin, end - i + prefix);
        if (*id >= 0)
            break;
    }
    memcpy(begin, kept, prefix);
    return end;
}

static bool word(Section *s, const Normal *o, char *text)
{
    int32_t id, before = s->out->count;
    for (size_t i = 0, next; i < o->n; i = next) {
        next = longest_piece(s->t, o, text, i, &id);
        if (id < 0) {
            s->out->count = before;
            return section_push(s, s->t->unknown, o->from[0], o->to[o->n - 1], 0, 0);
        }
        if (!section_push(s, id, o->from[i], o->to[next - 1], 0, 0))
            return false;
    }
    return true;
}

bool wordpiece_piece(Section *s, const Normal *o)
{
    const size_t front = sizeof s->t->prefix;
    int64_t count = 0;
    for (size_t i = 0; i < o->n; i++)
        count += !within(o, i);
    if (count > s->t->longest_word)
        return section_push(s, s->t->unknown, o->from[0], o->to[o->n - 1], 0, 0);
    char *text = mem_alloc(front + o->n);
    if (!text)
        return false;
    memset(text, 0, front);
    memcpy(text + front, o->text, o->n);
    bool ok = word(s, o, text + front);
    mem_free(text);
    return ok;
}

/* tokeniser_numbers.c: a tokeniser whose tokens are the ids themselves, for a model that has none:
 * the text "5,17,3" is the ids 5, 17 and 3. */
#include "data/tokeniser.h"
#include "tensor/memory.h"

/* The words "0" to "count - 1", one after another in one piece of memory. */
static bool write_words(Tokeniser *t, int32_t count)
{
    enum { LONGEST = 12 };
    char *text = arena_alloc(&t->arena, (size_t)count * LONGEST);
    bool ok = text && token_table_init(&t->table, &t->arena, count);
    for (int32_t id = 0; ok && id < count; id++, text += LONGEST)
        ok = token_table_add(&t->table, text, (size_t)snprintf(text, LONGEST, "%d", id), id);
    return ok;
}

Tokeniser *data_tokeniser_numbers(int count)
{
    if (count < 1 || count > TOKEN_IDS_MAX) {
        tensor_fail("data_tokeniser_numbers: %d tokens; expected 1 to %d", count, TOKEN_IDS_MAX);
        return NULL;
    }
    Tokeniser *t = tokeniser_new();
    if (t)
        t->kind = TOKENISER_NUMBERS;
    if (t && write_words(t, count))
        return t;
    data_tokeniser_free(t);
    return NULL;
}

static bool is_between(int32_t c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A run of digits, up to what stands between numbers. */
bool numbers_section(Section *s, const TextChar *c, int64_t count)
{
    for (int64_t i = 0, end; i < count; i = end) {
        int64_t id = 0;
        end = i + 1;
        if (is_between(c[i].code))
            continue;
        for (end = i; end < count && !is_between(c[end].code); end++) {
            int32_t digit = c[end].code;
            id = digit < '0' || digit > '9' || id > TOKEN_IDS_MAX ? INT32_MAX
                                                                  : 10 * id + digit - '0';
        }
        if (id >= s->t->table.ids)
            return tensor_fail(
                "data_tokens: number %d of the text is no id; expected 0 to %d, with "
                "commas between them",
                s->out->count + 1, s->t->table.ids - 1);
        if (!tokens_push(s->out, (int32_t)id, s->type, c[i].begin, c[end - 1].end))
            return false;
    }
    return true;
}

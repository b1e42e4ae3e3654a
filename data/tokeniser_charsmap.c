/* tokeniser_charsmap.c: SentencePiece's normalisation, a precompiled map from strings to strings.
 *                   Kudo and Richardson, "SentencePiece" (2018); the trie is that of Darts-clone
 * The map is the size of a trie in bytes, the trie, and the strings, each closed by a 0. The trie
 * is a double array (Aoe 1989) of 32-bit units: the child of node p for byte c is p ^ offset ^ c,
 * where a unit with the label c must stand; a node with a leaf has its value, the beginning of a
 * string, in the unit p ^ offset. */
#include "data/tokeniser.h"
#include "tensor/memory.h"

bool charsmap_read(CharsMap *m, Arena *arena, const char *path, const unsigned char *bytes,
                   size_t count)
{
    *m = (CharsMap){0};
    if (count == 0)
        return true;
    uint32_t trie = 0;
    for (int i = 0; i < 4 && (size_t)i < count; i++)
        trie |= (uint32_t)bytes[i] << 8 * i;
    if (count < 8 || trie > count - 4 || trie % 4 != 0 || trie == 0 ||
        (trie < count - 4 && bytes[count - 1] != 0))
        return TOKENISER_FAIL(path,
                              "precompiled_charsmap has %zu bytes, of which %u are its trie; "
                              "expected strings that are closed by 0 after it",
                              count, trie);
    m->units = trie / 4;
    m->strings_bytes = count - 4 - trie;
    m->unit = arena_alloc(arena, m->units * sizeof *m->unit);
    m->strings = arena_copy(arena, bytes + 4 + trie, m->strings_bytes);
    if (!m->unit || (!m->strings && m->strings_bytes > 0))
        return false;
    for (size_t i = 0; i < m->units; i++) {
        const unsigned char *at = bytes + 4 + 4 * i;
        m->unit[i] = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    return true;
}

static uint32_t offset_of(uint32_t unit)
{
    return unit >> 10 << ((unit & 1U << 9) >> 6);
}

/* A value that is no string's beginning counts as no leaf. */
size_t charsmap_find(const CharsMap *m, const char *text, size_t count, bool longest,
                     const char **becomes)
{
    size_t found = 0;
    if (m->units == 0)
        return 0;
    uint32_t at = offset_of(m->unit[0]);
    for (size_t i = 0; i < count && (longest || found == 0); i++) {
        unsigned char c = (unsigned char)text[i];
        at ^= c;
        if (at >= m->units || (m->unit[at] & (1U << 31 | 0xFF)) != c)
            break;
        uint32_t unit = m->unit[at];
        at ^= offset_of(unit);
        if (!(unit >> 8 & 1) || at >= m->units)
            continue;
        uint32_t value = m->unit[at] & 0x7FFFFFFF;
        if (value < m->strings_bytes) {
            *becomes = m->strings + value;
            found = i + 1;
        }
    }
    return found;
}

// SPDX-License-Identifier: MIT
// Guesses which word was meant by a mistyped one; endings of file names.

#include <string.h>

#include "base/internal.h"

enum { LONGEST_WORD = 48 };  // suggestions for longer words are of no use

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Damerau's distance in the restricted form (no letter is touched twice), by three rows of the table of prefixes.
static size_t word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; ++j) before[j] = above[j] = j;
    for (size_t i = 1; i <= a_length; ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; ++j) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = above, above = row, row = spare;
    }
    return above[b_length];
}

// The number of typing errors between the two, or LONGEST_WORD if there are too many to call the words similar. A
// word of at least three letters that is the beginning of the candidate counts as one error.
static size_t nearness(const char *word, const char *candidate)
{
    size_t length = strlen(word), candidate_length = strlen(candidate);
    if (length == 0 || length > LONGEST_WORD || candidate_length > LONGEST_WORD) return LONGEST_WORD;
    size_t common = 0;
    while (common < length && common < candidate_length && lower(word[common]) == lower(candidate[common])) ++common;
    if (common == length && length >= 3 && candidate_length > length) return 1;
    size_t distance = word_distance(word, length, candidate, candidate_length);
    return distance <= 1 + length / 4 && distance < length ? distance : LONGEST_WORD;
}

// Makes `candidate` the best if it is nearer to the word than the previous candidates.
static void consider(const char *word, const char *candidate, const char **best, size_t *best_distance)
{
    size_t distance = nearness(word, candidate);
    if (distance >= *best_distance) return;
    *best_distance = distance;
    *best = candidate;
}

const char *mote_nearest_word(const char *word, const char *const *words)
{
    if (!word || !words) return NULL;
    const char *best = NULL;
    size_t best_distance = LONGEST_WORD;
    for (size_t i = 0; words[i]; ++i) consider(word, words[i], &best, &best_distance);
    return best;
}

const char *mote_fields_nearest(const mote_field_table *table, const char *name)
{
    if (!table || !name) return NULL;
    const char *best = NULL;
    size_t best_distance = LONGEST_WORD;
    for (size_t i = 0; i < table->count; ++i) consider(name, table->fields[i].name, &best, &best_distance);
    return best;
}

bool mote_path_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    if (length < n) return false;
    for (size_t i = 0; i < n; ++i)
        if (lower(path[length - n + i]) != ending[i]) return false;
    return true;
}

// SPDX-License-Identifier: MIT
// Prints the tables of search methods and features in Markdown, as docs/neighbors.md has them.

#include <stdio.h>

#include "mote/neighbors.h"

static void print_methods(void)
{
    const mote_neighbors_method_info *method;
    printf("| method | what it is | follows |\n|---|---|---|\n");
    for (size_t m = 0; (method = mote_neighbors_method_at(m)) != NULL; ++m)
        printf("| `%s` | %s%s | %s |\n", method->name, method->meaning,
               method->exact ? "" : "; **not exact**: it misses neighbours", method->source);
}

static void print_features(void)
{
    const mote_neighbors_feature_info *feature;
    printf("\n| feature | what it is |\n|---|---|\n");
    for (size_t f = 0; (feature = mote_neighbors_feature_at(f)) != NULL; ++f)
        printf("| `%s` | %s |\n", feature->name, feature->meaning);
}

static void print_who_offers_what(void)
{
    const mote_neighbors_method_info *method;
    const mote_neighbors_feature_info *feature;
    printf("\n| |");
    for (size_t f = 0; (feature = mote_neighbors_feature_at(f)) != NULL; ++f) printf(" %s |", feature->name);
    printf("\n|---|");
    for (size_t f = 0; mote_neighbors_feature_at(f) != NULL; ++f) printf(":-:|");
    for (size_t m = 0; (method = mote_neighbors_method_at(m)) != NULL; ++m) {
        printf("\n| `%s` |", method->name);
        for (size_t f = 0; (feature = mote_neighbors_feature_at(f)) != NULL; ++f)
            printf("%s|", method->features & feature->feature ? " ✓ " : " ");
    }
    printf("\n");
}

int main(void)
{
    print_methods();
    print_features();
    print_who_offers_what();
    return 0;
}
